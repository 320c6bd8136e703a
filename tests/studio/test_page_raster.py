"""The pixel renderer by itself, in a real browser: what is drawn, found and encircled."""

import base64
from importlib.resources import files

import numpy as np
import pytest

STATIC = files("clustraint.studio") / "static"
KINDS = {".js": "text/javascript", ".css": "text/css"}
PAGE = "<!doctype html><canvas id='points'></canvas>"

SETUP = """
async ({ places, codes, width, height }) => {
  const { Raster } = await import("/static/raster.js");
  const raster = new Raster(document.getElementById("points"));
  const colours = ["#0072b2", "#d55e00", "#009e73"];
  raster.setPoints(Float32Array.from(places));
  raster.resize(width, height);
  raster.setLooks(colours.map((colour) => ({ colour, shape: 0 })), ["M-4-4H4V4H-4Z"], "#fff");
  raster.setCodes(Uint16Array.from(codes));
  raster.render();
  globalThis.raster = raster;
}
"""
# The colour of a place on the screen, as red, green and blue.
PIXEL = """
([x, y]) => {
  const { pixels, image, canvas } = raster, margin = (image.width - canvas.width) / 2;
  const pixel = pixels[(y + margin) * image.width + x + margin];
  return [pixel & 255, pixel >>> 8 & 255, pixel >>> 16 & 255];
}
"""
SCREEN = """
() => Array.from({ length: raster.n }, (_, row) => {
  const { places, camera } = raster;
  return camera.toScreen(places[2 * row], places[2 * row + 1]);
})
"""
PAINT = ([0x00, 0x72, 0xB2], [0xD5, 0x5E, 0x00], [0x00, 0x9E, 0x73])
WHITE = [255, 255, 255]


def answer(route):
    """Serve the page's modules without a server."""
    name = route.request.url.split("/static/")[-1]
    path = STATIC / name
    if not name.endswith(tuple(KINDS)):
        route.fulfill(body=PAGE, content_type="text/html")
    else:
        kind = next(kind for ending, kind in KINDS.items() if name.endswith(ending))
        route.fulfill(body=path.read_text(encoding="utf-8"), content_type=kind)


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.route("**/*", answer)
    page.goto("http://studio.test/")
    yield page
    page.close()


def draw(page, places, codes=None, width=400, height=300):
    places = np.asarray(places, dtype=float)
    codes = [0] * len(places) if codes is None else codes
    given = {
        "places": places.ravel().tolist(),
        "codes": list(codes),
        "width": width,
        "height": height,
    }
    page.evaluate(SETUP, given)


def pixel_at(page, x, y):
    return page.evaluate(PIXEL, [round(x), round(y)])


def test_every_sample_has_its_colour_where_it_is(page, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    codes = rng.integers(0, 3, len(grid)).tolist()
    draw(page, grid, codes)
    for (x, y), code in zip(page.evaluate(SCREEN), codes, strict=True):
        assert pixel_at(page, x, y) == PAINT[code]
    assert pixel_at(page, 2, 2) == WHITE


def test_new_colours_move_nothing(page):
    draw(page, [[0.0, 0.0], [1.0, 1.0]], [0, 1])
    before = page.evaluate(SCREEN)
    page.evaluate("() => { raster.setCodes(Uint16Array.of(1, 2)); raster.render(); }")
    assert page.evaluate(SCREEN) == before
    assert [pixel_at(page, *place) for place in before] == [PAINT[1], PAINT[2]]


def test_samples_without_a_place_are_not_drawn_and_not_found(page):
    places = [[0.0, 0.0], [1.0, 1.0]]
    draw(page, places)
    page.evaluate(
        "() => { raster.setPoints(Float32Array.of(0, 0, 1, 1, NaN, 0.5)); raster.render(); }"
    )
    assert page.evaluate("() => raster.n") == 3
    assert page.evaluate("() => raster.inside([[-9, -9], [999, -9], [999, 999], [-9, 999]])") == [
        0,
        1,
    ]
    assert page.evaluate("() => raster.nearest(1, 1, 9999)") in (0, 1)


def test_the_nearest_sample_is_the_nearest(page, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draw(page, rng.normal(size=(200, 2)))
    screen = np.array(page.evaluate(SCREEN))
    for place in rng.uniform((0, 0), (400, 300), size=(20, 2)):
        distances = np.hypot(*(screen - place).T)
        row = page.evaluate("([x, y]) => raster.nearest(x, y, 30)", place.tolist())
        assert row == (int(distances.argmin()) if distances.min() < 30 else -1)


def crosses(point, polygon):
    """Tell whether a ray from the point to the right crosses the outline an odd number of times."""
    (x, y), inside = point, False
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def distance_to_outline(point, polygon):
    starts, ends = polygon, np.roll(polygon, -1, axis=0)
    along = ends - starts
    lengths = np.maximum((along**2).sum(axis=1), 1e-12)
    shares = np.clip(((point - starts) * along).sum(axis=1) / lengths, 0, 1)
    return np.hypot(*(starts + shares[:, None] * along - point).T).min()


@pytest.mark.parametrize("zoom", [1, 3])
def test_a_lasso_holds_what_a_polygon_holds_but_for_one_pixel(page, global_random_seed, zoom):
    rng = np.random.default_rng(global_random_seed)
    draw(page, rng.uniform(size=(2000, 2)))
    page.evaluate("zoom => raster.camera.zoomAt(200, 150, zoom)", zoom)
    screen = np.array(page.evaluate(SCREEN))
    # A lasso as a hand draws it: it may cross itself.
    turns = np.linspace(0, 4 * np.pi, 24, endpoint=False) + rng.normal(scale=0.2, size=24)
    polygon = np.stack([np.cos(turns), np.sin(turns)], axis=1) * rng.uniform(30, 140, (24, 1)) + (
        200,
        150,
    )
    chosen = set(page.evaluate("polygon => raster.inside(polygon)", polygon.tolist()))
    for row, point in enumerate(screen):
        if (row in chosen) != crosses(point, polygon):
            assert distance_to_outline(point, polygon) <= 1.5


def test_zooming_keeps_what_is_under_the_pointer(page, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draw(page, rng.normal(size=(50, 2)))
    place = rng.uniform(20, 280, 2).tolist()
    before = page.evaluate("place => raster.camera.toData(...place)", place)
    page.evaluate("([x, y]) => raster.camera.zoomAt(x, y, 2.5)", place)
    assert page.evaluate("place => raster.camera.toData(...place)", place) == pytest.approx(before)
    page.evaluate("() => raster.camera.home()")
    screen = np.array(page.evaluate(SCREEN))
    assert (screen.min(axis=0) >= 0).all()
    assert (screen.max(axis=0) <= (400, 300)).all()


def test_the_order_of_drawing_is_a_permutation_and_always_the_same(page):
    orders = page.evaluate(
        """async () => {
          const { shuffledOrder } = await import("/static/raster.js");
          return [Array.from(shuffledOrder(1000)), Array.from(shuffledOrder(1000))];
        }"""
    )
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == list(range(1000))
    assert orders[0] != sorted(orders[0])


def test_of_too_many_samples_a_random_choice_is_drawn_and_some_in_any_case(page):
    n, most = 4000, 1000
    side = int(n**0.5) + 1
    grid = [[row % side, row // side] for row in range(n)]
    draw(page, grid)
    first = page.evaluate("() => { raster.setDrawn(1000); return Array.from(raster.order); }")
    assert len(set(first)) == most
    # A random choice of a grid has its middle in the middle.
    assert abs(np.mean(first) - n / 2) < 5 * n / np.sqrt(12 * most)
    hidden = sorted(set(range(n)) - set(first))[:5]
    draw_more = "(rows) => { raster.setDrawn(1000, rows); return Array.from(raster.order); }"
    shown = page.evaluate(draw_more, [*hidden, first[0]])
    assert sorted(shown) == sorted([*first, *hidden])
    # Only what is drawn is hit; a line around samples holds all of them.
    at = page.evaluate(SCREEN)[hidden[0]]
    assert page.evaluate("([x, y]) => raster.nearest(x, y, 3)", at) == hidden[0]
    page.evaluate("() => raster.setDrawn(1000)")
    assert page.evaluate("([x, y]) => raster.nearest(x, y, 9999)", at) in first
    everywhere = "() => raster.inside([[-9, -9], [999, -9], [999, 999], [-9, 999]]).length"
    assert page.evaluate(everywhere) == n


def test_dimmed_samples_lie_below_and_are_fainter(page):
    draw(page, [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]], [0, 1, 2])
    page.evaluate("() => { raster.setMarks(Uint8Array.of(1, 2, 1)); raster.render(); }")
    places = page.evaluate(SCREEN)
    assert pixel_at(page, *places[0]) == PAINT[1]
    assert min(pixel_at(page, *places[2])) > 200
    page.evaluate("() => { raster.setMarks(null); raster.render(); }")
    assert pixel_at(page, *places[2]) == PAINT[2]


def test_many_samples_are_drawn_at_one_pixel_per_pixel_while_they_move(browser):
    context = browser.new_context(device_scale_factor=2)
    page = context.new_page()
    page.route("**/*", answer)
    page.goto("http://studio.test/")
    draw(page, np.random.default_rng(0).normal(size=(20_001, 2)))
    assert page.evaluate("() => raster.canvas.width") == 800
    page.evaluate("() => { raster.moving = true; raster.render(); }")
    assert page.evaluate("() => raster.canvas.width") == 400
    context.close()


def test_rows_travel_as_bits(page, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = np.flatnonzero(rng.random(1003) < 0.3).tolist()
    bits, flags = page.evaluate(
        """async (rows) => {
          const { packBits, unpackBits } = await import("/static/words.js");
          const bits = packBits(rows, 1003);
          return [bits, Array.from(unpackBits(bits, 1003))];
        }""",
        rows,
    )
    assert np.flatnonzero(flags).tolist() == rows
    octets = np.frombuffer(base64.b64decode(bits), dtype=np.uint8)
    assert np.flatnonzero(np.unpackbits(octets, bitorder="little")[:1003]).tolist() == rows
