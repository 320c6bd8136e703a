"""Draws the pictures of the documentation with the package itself: python docs/pictures/draw.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons

from clustraint import (
    IHAC,
    ActiveCompleteLinkage,
    AttributeKMedoids,
    BestClusterer,
    BiHAC,
    ClusteringTree,
    Coarse,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    ConstraintPropagation,
    Constraints,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
    Rule,
)
from clustraint.datasets import load_animals
from clustraint.metric import DiscriminantMetric, PropagatedEmbedding, RelativeMetric
from clustraint.plot import PALETTE

try:
    from svg import FAINT, HEIGHT, INK, WIDTH, Panel, chart, coloured, dendrogram, drawing, write
except ImportError:  # as part of the repository
    from docs.pictures.svg import (
        FAINT,
        HEIGHT,
        INK,
        WIDTH,
        Panel,
        chart,
        coloured,
        dendrogram,
        drawing,
        write,
    )

PICTURES: dict[str, Callable[[], str]] = {}
CHOSEN = (
    "wolf",
    "dog",
    "cat",
    "bottlenose dolphin",
    "blue shark",
    "cod",
    "emperor penguin",
    "pike",
)
SHORT = {"bottlenose dolphin": "dolphin", "blue shark": "shark", "emperor penguin": "penguin"}


def picture(function: Callable[[], str]) -> Callable[[], str]:
    """Register a picture under the name of its function."""
    PICTURES[function.__name__.replace("_", "-")] = function
    return function


def scatter(title, X, labels, constraints=None):
    panel = Panel(title, X)
    if constraints is not None:
        panel.links(X, constraints)
    panel.samples(X, labels)
    return panel


def two_banks():
    """Return two banks of four puffs each, and a few pairs that say which are which."""
    rng = np.random.default_rng(0)
    places = [(x, y) for y in (0.0, 1.4) for x in (0.0, 2.0, 4.0, 6.0)]
    X = np.concatenate([rng.normal(place, (0.42, 0.2), (9, 2)) for place in places])
    must = [(9 * puff + 4, 9 * puff + 13) for puff in (0, 1, 2, 4, 5, 6)]
    constraints = Constraints(len(X), must_link=must, cannot_link=[(4, 40)])
    return X, np.repeat([0, 1], 36), constraints


@picture
def overview():
    X, _, constraints = two_banks()
    nothing = [None] * len(X)
    before = coloured(ConstrainedCompleteLinkage(2).fit(X).labels_)
    model = ConstrainedCompleteLinkage(2).fit(X, constraints=constraints)
    panels = [
        scatter("Clusters of the data alone", X, before),
        scatter("What somebody knows", X, nothing, constraints),
        scatter("Clusters that respect it", X, coloured(model.labels_)),
    ]
    return drawing(
        panels,
        "Clusters without knowledge, must-links and cannot-links, and clusters under them",
        "Lines are must-links: one cluster. Dashes are cannot-links: different clusters.",
    )


@picture
def cop_kmeans():
    X, _ = make_blobs(
        60, centers=[[0, 0], [2.6, 0.6], [1.3, 2.4]], cluster_std=0.75, random_state=4
    )
    order = np.argsort(X[:, 0])
    constraints = Constraints(
        60,
        must_link=[(order[4], order[22]), (order[40], order[52])],
        cannot_link=[(order[28], order[33])],
    )
    before = COPKMeans(3, random_state=0).fit(X)
    after = COPKMeans(3, init=before.cluster_centers_).fit(X, constraints=constraints)
    return drawing(
        [
            scatter("k-means", X, before.labels_),
            scatter("COP-k-means", X, after.labels_, constraints),
        ],
        "k-means beside COP-k-means, which keeps two must-links and a cannot-link",
        "Only what a pair speaks of must move; centres follow.",
    )


@picture
def pc_kmeans():
    X, _ = make_blobs(45, centers=[[0, 0], [3, 0.5], [1.5, 2.6]], cluster_std=0.5, random_state=1)
    start = [[0, 0], [3, 0.5], [1.5, 2.6]]
    left, right = X[:, 0].argmin(), X[:, 0].argmax()
    top, low = np.argsort(X[:, 1])[[-1, -3]]
    known = Constraints(45, must_link=[(left, right)], cannot_link=[(top, low)])
    hard = COPKMeans(3, init=start).fit(X, constraints=known)
    soft = PCKMeans(3, init=start).fit(X, constraints=known)
    return drawing(
        [
            scatter("COP-k-means", X, hard.labels_, known),
            scatter("PCK-means", X, soft.labels_, known),
        ],
        "COP-k-means, which keeps two wrong pairs, beside PCK-means, which pays for them",
        "Pairs that the distances speak against are violated where that costs less.",
    )


@picture
def mpc_kmeans():
    X, y, _ = stripes()
    known = Constraints.from_labels(y, n_pairs=14, random_state=3)
    before = PCKMeans(2, random_state=0).fit(X, constraints=known)
    after = MPCKMeans(2, random_state=0).fit(X, constraints=known)
    return drawing(
        [
            stretched(X, np.ones(2), before.labels_, "PCK-means"),
            stretched(X, after.metrics_[0].diagonal(), after.labels_, "the space of MPCK-means"),
        ],
        "PCK-means in the space as given, and MPCK-means in the one that it learns",
        "A column that does not tell clusters apart gets a smaller weight.",
    )


@picture
def complete_linkage():
    X, _, constraints = two_banks()
    before = ConstrainedCompleteLinkage(2).fit(X)
    after = ConstrainedCompleteLinkage(2).fit(X, constraints=constraints)
    return drawing(
        [
            scatter("complete link", X, coloured(before.labels_)),
            scatter("with pairs", X, coloured(after.labels_), constraints),
        ],
        "Complete link beside constrained complete link",
        "A must-link makes its two ends one place, and brings all their neighbours closer.",
    )


def crescents():
    """Return two crescents, and a few pairs."""
    X, y = make_moons(120, noise=0.07, random_state=3)
    return X, y, Constraints.from_labels(y, n_pairs=12, random_state=2)


@picture
def constraint_propagation():
    X, _, constraints = crescents()
    before = ConstrainedMixture(2, random_state=0).fit(X, constraints=constraints)
    after = ConstraintPropagation(2, random_state=0).fit(X, constraints=constraints)
    return drawing(
        [
            scatter("a mixture with pairs", X, coloured(before.labels_), constraints),
            scatter("the same pairs on a graph", X, coloured(after.labels_), constraints),
        ],
        "Two crescents as a mixture clusters them, and as constraint propagation does",
        "What a pair says spreads to the neighbours of its samples, and to theirs.",
    )


@picture
def best_clusterer():
    X, y = make_circles(130, noise=0.05, factor=0.45, random_state=0)
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=0)
    default = BestClusterer(2, candidates=["round"], random_state=0)
    default.fit(X, constraints=constraints)
    model = BestClusterer(2, random_state=0).fit(X, constraints=constraints)
    return drawing(
        [
            scatter("the default: round", X, coloured(default.labels_)),
            scatter(f"chosen: {model.choice_.name}", X, coloured(model.labels_), constraints),
        ],
        "Two rings as round clusters, and as the candidate that was chosen",
        f"It predicted held-out pairs better by {model.choice_.gain:.0f} nats.",
    )


@picture
def coarse():
    X, y = make_moons(400, noise=0.06, random_state=0)
    constraints = Constraints.from_labels(y, n_pairs=14, random_state=0)
    model = Coarse(ConstrainedCompleteLinkage(2), 40, random_state=0)
    model.fit(X, constraints=constraints)
    rows = model.representatives_
    labels = np.array(coloured(model.labels_))
    return drawing(
        [
            scatter("all samples", X, [None] * len(X)),
            scatter("clustered: representatives", X[rows], labels[rows], constraints[rows]),
            scatter("the others follow", X, labels),
        ],
        "Samples, the representatives of them that are clustered, and the clusters of all",
        f"{len(rows)} of {len(X)} samples are clustered; linked ones are always among them.",
    )


def box(panel, place, size, words, fill):
    (x, y), (width, height) = place, size
    panel.add(
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" '
        f'stroke="{FAINT}"/>'
    )
    for line, text in enumerate(words):
        panel.text(x + width / 2, y + 15 + 13 * line, text, size=10.5)


@picture
def large_data():
    here = ["your process", "constraints, linked rows", "centres: k × d numbers"]
    alone, many = Panel("one process, files"), Panel("a Dask cluster")
    box(alone, (70, 12), (160, 52), here, "#fff")
    for number in range(4):
        box(alone, (14 + 70 * number, 138), (62, 34), [f"chunk {number}"], "#dfe7f3")
    alone.line((150, 64), (46, 138), colour=INK)
    for number in range(1, 4):
        alone.line((150, 64), (45 + 70 * number, 138), dashes="3 3")
    alone.text(150, 110, "read one after the other; sums come back")
    box(many, (70, 12), (160, 52), here, "#fff")
    for number in range(4):
        worker = f"worker {number // 2}"
        box(many, (14 + 70 * number, 138), (62, 34), [f"chunk {number}", worker], "#dfe7f3")
        many.line((150, 64), (45 + 70 * number, 138), colour=INK)
    many.text(150, 110, "centres go out, sums come back")
    return drawing(
        [alone, many],
        "Chunks are read by one process in turn, or by the workers of a cluster; sums come back",
        "Sums are added in one fixed order, so that both give the same bits.",
    )


@picture
def propagated_embedding():
    X, y, constraints = crescents()
    embedding = PropagatedEmbedding(2).fit(X, constraints=constraints).embedding_
    return drawing(
        [
            scatter("samples and pairs", X, coloured(y), constraints),
            scatter("their coordinates", embedding, coloured(y)),
        ],
        "Two crescents, and their coordinates in the embedding",
        "Samples that a chain of neighbours connects are close to each other.",
    )


@picture
def discriminant_metric():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 45)
    along, across = rng.normal(0, 2.2, 90), rng.normal(0, 0.3, 90) + 1.6 * y
    X = np.column_stack((along + across, along - across))
    constraints = Constraints.from_labels(y, n_pairs=16, random_state=0)
    turned = DiscriminantMetric(2, shrinkage=2).fit(X, constraints=constraints).transform(X)
    return drawing(
        [
            scatter("before", X, coloured(y), constraints),
            scatter("after", turned, coloured(y), constraints),
        ],
        "Samples before and after the directions are learned",
        "Must-links become short, cannot-links long.",
    )


@picture
def constrained_mixture():
    X, y, _ = two_banks()
    drawn = Constraints.from_labels(y, n_pairs=22, random_state=1)
    wrong = Constraints(len(X), must_link=[(4, 67)], cannot_link=[(13, 22)])
    stated = drawn | wrong
    before = ConstrainedMixture(2, random_state=0).fit(X)
    after = ConstrainedMixture(2, random_state=0).fit(X, constraints=stated)
    panel = Panel("with pairs, of which two are wrong", X)
    panel.links(X, stated)
    for kind, rows, dashes in (
        ("must_link", stated.must_link, ""),
        ("cannot_link", stated.cannot_link, "5 4"),
    ):
        for first, second in rows[after.doubt_[kind] > 0.5].tolist():
            panel.line(panel.place(X[first]), panel.place(X[second]), "#cf222e", 3.2, dashes)
    panel.samples(X, coloured(after.labels_))
    return drawing(
        [scatter("mixture of the data alone", X, coloured(before.labels_)), panel],
        "A mixture of two Gaussians beside one with pairs, which doubts two of them",
        "Every pair is evidence. Red: what the mixture holds to be wrong.",
    )


@picture
def active_linkage():
    X, y, _ = two_banks()
    model = ActiveCompleteLinkage(2, n_queries=9)
    model.fit(X, oracle=lambda first, second: bool(y[first] == y[second]))
    panel = scatter("The questions, in their order", X, [None] * len(X), model.constraints_)
    for number, asked in enumerate(model.queries_, start=1):
        ends = np.array([panel.place(X[asked.first]), panel.place(X[asked.second])])
        x, y_place = ends.mean(axis=0)
        panel.add(f'<circle cx="{x:.1f}" cy="{y_place:.1f}" r="8" fill="#fff" stroke="{INK}"/>')
        panel.text(x, y_place + 4, number)
    return drawing(
        [panel, scatter("The clusters that follow", X, coloured(model.labels_))],
        "Questions that active complete link asks, and the clusters that follow",
        "Lines were answered by yes, dashes by no: near samples are merged without a question.",
    )


def some_animals():
    data = load_animals()
    rows = [data.names.index(name) for name in CHOSEN]
    X = data.X[rows][:, :16]
    return X, [SHORT.get(name, name) for name in CHOSEN]


def hierarchies(before, after, titles, label, note):
    _, names = some_animals()
    panels = []
    for title, model in zip(titles, (before, after), strict=True):
        panel = Panel(title)
        dendrogram(panel, model.linkage_, names, coloured(model.labels_))
        panels.append(panel)
    return drawing(panels, label, note)


def of_animals(*triplets):
    _, names = some_animals()
    return Constraints.from_names(names, triplets=triplets)


@picture
def recon():
    X, _ = some_animals()
    constraints = of_animals(("dolphin", "shark", "wolf"), ("penguin", "cod", "cat"))
    return hierarchies(
        ReCon(3).fit(X),
        ReCon(3).fit(X, constraints=constraints),
        ("centroid link", "ReCon"),
        "A hierarchy of animals without triplets, and one that displays two of them",
        "Constraints: dolphin, shark | wolf and penguin, cod | cat. The tree displays both.",
    )


@picture
def ihac():
    X, _ = some_animals()
    constraints = of_animals(("wolf", "dog", "cat"), ("penguin", "cod", "wolf"))
    return hierarchies(
        IHAC(3).fit(X),
        IHAC(3).fit(X, constraints=constraints),
        ("average link", "iHAC"),
        "A hierarchy of animals without triplets, and one whose merges violate none",
        "Constraints: wolf, dog | cat and penguin, cod | wolf. No merge may violate either.",
    )


def stripes():
    """Return samples whose groups differ in x, while most of their spread is in y."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 24)
    X = np.c_[y * 1.5 + rng.normal(0, 0.4, 48), rng.uniform(0, 4, 48) + y * 0.8]
    return X, y, Constraints.from_labels(y, n_triplets=24, random_state=0)


def stretched(X, weights, labels, title):
    """Draw samples in the space that the weights make, at one scale for both columns."""
    Z = X * np.sqrt(weights)
    half = np.ptp(Z, axis=0).max() / 2
    middle = (Z.max(axis=0) + Z.min(axis=0)) / 2
    wide = half * WIDTH / HEIGHT
    reach = np.array([wide, half])
    panel = Panel(title, np.array([middle - reach, middle + reach]))
    panel.samples(Z, labels)
    return panel


@picture
def bihac():
    X, _, constraints = stripes()
    before = BiHAC(2, metric="euclidean").fit(X)
    after = BiHAC(2, metric="euclidean", learning_rate=0.4).fit(X, constraints=constraints)
    return drawing(
        [
            stretched(X, np.ones(2), before.labels_, "average link"),
            stretched(X, after.feature_weights_, after.labels_, "the space that biHAC learns"),
        ],
        "Clusters in the space as given and in the one that biHAC learns",
        "From violated triplets it learns how much each column counts, and clusters again.",
    )


@picture
def relative_metric():
    X, y, constraints = stripes()
    metric = RelativeMetric(C=0.01).fit(X, constraints=constraints)
    panels = [
        stretched(X, np.ones(2), y, f"as given: {share(X, constraints)} of triplets hold"),
        stretched(
            X,
            metric.feature_weights_,
            y,
            f"transformed: {share(metric.transform(X), constraints)} hold",
        ),
    ]
    return drawing(
        panels,
        "Two groups in the space as given and in the one that RelativeMetric learns",
        "A column that makes triplets fail gets a smaller weight.",
    )


def share(X, constraints):
    first, second, third = (X[constraints.triplets[:, place]] for place in range(3))
    near = ((first - second) ** 2).sum(axis=1)
    far = np.minimum(((first - third) ** 2).sum(axis=1), ((second - third) ** 2).sum(axis=1))
    return f"{(near < far).mean():.0%}"


@picture
def clustering_tree():
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 4, (70, 2))
    truth = (X[:, 0] > 2) ^ (X[:, 1] > 2)
    X = (X + np.sign(X - 2) * 0.15).round(1)
    constraints = Constraints.from_labels(truth.astype(int), n_pairs=40, random_state=1)
    model = ClusteringTree(2).fit(X, constraints=constraints)
    panel = Panel("Leaves are boxes; two may be one cluster", X)
    _regions(panel, model, X)
    panel.samples(X, model.labels_)
    words = Panel("What each cluster is")
    lines = [line for rule in model.rules_ for line in str(rule).splitlines()]
    for place, line in enumerate(lines):
        indent = 14 + 10 * line.startswith(" ")
        weight = "normal" if line.startswith(" ") else "600"
        words.text(indent, 34 + 22 * place, line.strip(), 11.5, "start", weight=weight)
    return drawing([panel, words], "A clustering tree's boxes, and its rules")


def _regions(panel, model, X):
    """Shade the plane by the cluster that the tree gives to each place, in strips."""
    steps = 60
    low, high = X.min(axis=0), X.max(axis=0)
    edges = np.linspace(low, high, steps + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    for row in range(steps):
        places = np.c_[middles[:, 0], np.full(steps, middles[row, 1])]
        labels = model.predict(places)
        starts = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), steps]
        for start, end in pairwise(starts):
            x1, y1 = panel.place((edges[start, 0], edges[row, 1]))
            x2, y2 = panel.place((edges[end, 0], edges[row + 1, 1]))
            panel.add(
                f'<rect x="{x1:.1f}" y="{y2:.1f}" width="{x2 - x1:.1f}" '
                f'height="{y1 - y2:.1f}" fill="{PALETTE[labels[start]]}" fill-opacity=".14"/>'
            )


@picture
def attribute_kmedoids():
    data = load_animals()
    columns = ("milk", "feathers", "fins", "flies", "aquatic", "eggs", "breathes", "toothed")
    rows = [data.names.index(name) for name in (*CHOSEN, "common pipistrelle", "platypus")]
    places = [data.feature_names.index(name) for name in columns]
    X = data.X[rows][:, places].astype(int)
    names = [SHORT.get(data.names[row], data.names[row].split()[-1]) for row in rows]
    constraints = Constraints(len(rows), rules=[Rule("x0")])
    before = AttributeKMedoids(3, random_state=0).fit(X)
    after = AttributeKMedoids(3, random_state=0).fit(X, constraints=constraints)
    panels = []
    for title, model in (("k-medoids", before), ("with together: milk", after)):
        panel = Panel(title)
        _grid(panel, X, names, columns, coloured(model.labels_))
        panels.append(panel)
    return drawing(
        panels,
        "A table of animals, clustered without a rule and with one",
        "Filled: yes. The rule puts every animal that gives milk into one cluster.",
    )


def _grid(panel, X, names, columns, labels):
    width, height = 22.0, (HEIGHT - 44) / len(names)
    for place, row in enumerate(sorted(range(len(names)), key=lambda row: labels[row])):
        y = 40 + place * height
        colour = PALETTE[labels[row]]
        panel.text(92, y + height - 4, names[row], anchor="end", colour=colour)
        for number, value in enumerate(X[row].tolist()):
            panel.add(
                f'<rect x="{100 + number * width:.1f}" y="{y:.1f}" width="{width - 3}" '
                f'height="{height - 3:.1f}" rx="2" fill="{colour if value else "#fff"}" '
                f'stroke="{colour if value else FAINT}" stroke-width=".6"/>'
            )
    for number, column in enumerate(columns):
        x = 100 + number * width + 6
        panel.add(
            f'<text transform="translate({x:.1f} 36) rotate(-38)" font-size="10" '
            f'fill="{INK}">{column}</text>'
        )


@picture
def choosing():
    questions = [
        (
            "Do you have constraints yet?",
            "no",
            "clustraint ask",
            "it asks about the pairs that help most",
        ),
        (
            "May some of them be wrong?",
            "yes, or unsure",
            "BestClusterer",
            "every kind; chosen by held-out constraints",
        ),
        (
            "Must clusters be explained by rules?",
            "yes",
            "ClusteringTree",
            "pairs; clusters are if-then rules",
        ),
        ("Are they triplets?", "yes", "ReCon", "a hierarchy that satisfies all of them"),
        ("Are they rules about categories?", "yes", "AttributeKMedoids", "every rule is kept"),
        (
            "Are there at most 2,000 samples?",
            "yes",
            "ConstrainedCompleteLinkage",
            "each pair also influences its neighbours",
        ),
    ]
    return chart(
        questions, "COPKMeans: keeps every pair, fast", "Which method, question by question"
    )


def main(names):
    for name in names or PICTURES:
        print(write(name, PICTURES[name]()))


if __name__ == "__main__":
    main(sys.argv[1:])
