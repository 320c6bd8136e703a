"""Reading and writing trees in Newick format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple, NoReturn

from clustraint.checks import check_names
from clustraint.exceptions import (
    DuplicateNameError,
    InvalidHierarchyError,
    NewickSyntaxError,
    UnknownNameError,
)
from clustraint.kernels.tree import Layout

BARE = r"[^\s()\[\],:;']+"
# Every position matches one alternative and no quantifier gives anything back, so that reading
# is linear in the text even where a quote or a comment is never closed.
TOKEN = re.compile(
    rf"(?:\s++|\[[^\]]*+\])*+(?:([(),:;])|({BARE})|('[^']*+(?:''[^']*+)*+')|(\Z)|(.))", re.DOTALL
)
SAFE = re.compile(r"[^\s()\[\]{},:;']+")
UNREADABLE = {
    "'": "a quoted name is not closed",
    "[": "a comment is not closed",
    "]": "a comment is closed that was not opened",
}


class Expected(Enum):
    """What may come next in a Newick text."""

    SUBTREE = auto()
    LABEL = auto()
    COLON = auto()
    LENGTH = auto()
    END = auto()
    NOTHING = auto()


class RawTree(NamedTuple):
    """A tree as written: node 0 stands above the root, other nodes by opening parenthesis."""

    parents: list[int]
    labels: list[str]
    sample_nodes: list[int]
    names: list[str]


class NewickReader:
    """One pass over a Newick text."""

    token: re.Match[str]

    def __init__(self, text: str) -> None:
        self.text = text
        self.parents = [-1]
        self.labels = [""]
        self.sample_nodes: list[int] = []
        self.samples: dict[str, int] = {}
        self.node = 0
        self.closed = 0
        self.expected = Expected.SUBTREE

    def read(self) -> RawTree:
        """Return the tree that the whole text describes."""
        handlers = {
            "(": self.open,
            ")": self.close,
            ",": self.separate,
            ":": self.announce_length,
            ";": self.finish,
        }
        for token in TOKEN.finditer(self.text):
            self.token = token
            kind = token.lastindex or 0
            if kind == 1:
                handlers[token[1]]()
            elif kind < 4:
                self.take_text(token[kind], quoted=kind == 3)
            else:
                break
        self.check_end()
        return RawTree(self.parents, self.labels, self.sample_nodes, list(self.samples))

    def check_end(self) -> None:
        """Raise unless the text ended after a whole tree."""
        rest = self.token[5]
        if rest:
            self.fail(UNREADABLE[rest])
        if self.expected is not Expected.NOTHING:
            empty = not self.samples and len(self.parents) == 1
            self.fail("the text is empty" if empty else "the ';' that ends the tree is missing")

    def fail(self, problem: str) -> NoReturn:
        """Raise an error about the token just read."""
        if self.expected is Expected.NOTHING:
            problem = "there is text after the ';' that ended the tree"
        position = self.token.start(self.token.lastindex or 0) + 1
        raise NewickSyntaxError(self.text, position, problem)

    def open(self) -> None:
        """Begin an inner node."""
        if self.expected is not Expected.SUBTREE:
            self.require_finished("'('")
            self.fail("a '(' follows a finished node without a ','")
        self.parents.append(self.node)
        self.labels.append("")
        self.node = len(self.parents) - 1

    def close(self) -> None:
        """End the inner node that was begun last."""
        self.require_finished("')'")
        if self.node == 0:
            self.fail("a ')' has no '(' before it")
        self.closed = self.node
        self.node = self.parents[self.node]
        self.expected = Expected.LABEL

    def separate(self) -> None:
        """Go on to the next child."""
        self.require_finished("','")
        if self.node == 0:
            self.fail("a ',' stands outside all parentheses")
        self.expected = Expected.SUBTREE

    def finish(self) -> None:
        """End the tree."""
        self.require_finished("';'")
        if self.node != 0:
            self.fail("a ';' comes before every '(' is closed")
        self.expected = Expected.NOTHING

    def announce_length(self) -> None:
        """Begin a branch length."""
        if self.expected is Expected.SUBTREE:
            self.fail("a ':' follows no name (a leaf must have one)")
        if self.expected not in (Expected.LABEL, Expected.COLON):
            self.fail("a second ':' follows one node")
        self.expected = Expected.LENGTH

    def require_finished(self, token: str) -> None:
        """Raise unless `token` follows a complete child."""
        if self.expected is Expected.SUBTREE:
            self.fail(f"a leaf without a name comes before {token}")
        if self.expected is Expected.LENGTH:
            self.fail(f"a branch length is missing before {token}")
        if self.expected is Expected.NOTHING:
            self.fail(f"a {token} is left over")

    def take_text(self, token: str, *, quoted: bool) -> None:
        """Take a name, a label or a branch length."""
        if self.expected is Expected.LENGTH:
            self.check_length(token)
            self.expected = Expected.END
            return
        text = token[1:-1].replace("''", "'") if quoted else token
        if self.expected is Expected.SUBTREE:
            self.add_leaf(text)
        elif self.expected is Expected.LABEL:
            self.labels[self.closed] = text
        else:
            self.fail("a second name follows one node (names with spaces need quotes)")
        self.expected = Expected.COLON

    def add_leaf(self, name: str) -> None:
        """Add a sample below the current node."""
        sample = len(self.samples)
        if self.samples.setdefault(name, sample) != sample:
            raise DuplicateNameError(name, self.samples[name], sample)
        self.sample_nodes.append(self.node)

    def check_length(self, token: str) -> None:
        """Raise unless a branch length is a number."""
        try:
            float(token)
        except ValueError:
            self.fail("a branch length is not a number")


def read_newick(text: str, names: Sequence[str] | None = None) -> RawTree:
    """Return the tree of a Newick text, its samples in the order of `names` if there are any."""
    if not isinstance(text, str):
        raise InvalidHierarchyError(f"a Newick tree must be a text, not {type(text).__name__}.")
    raw = NewickReader(text).read()
    if names is None:
        return raw
    wanted = check_names(names, len(raw.names)) or ()
    nodes = dict(zip(raw.names, raw.sample_nodes, strict=True))
    for name in wanted:
        if name not in nodes:
            raise UnknownNameError(name, raw.names)
    return raw._replace(sample_nodes=[nodes[name] for name in wanted], names=list(wanted))


def quote(name: str) -> str:
    """Return a name as Newick writes it, in quotes where it needs them."""
    return name if SAFE.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def write_newick(layout: Layout, names: Sequence[str], node_names: Sequence[str]) -> str:
    """Return the Newick text of a tree, children in the order of their lowest samples."""
    n_samples = layout.order.size
    parent_of, first, sizes = layout.parents.tolist(), layout.first.tolist(), layout.sizes.tolist()
    pieces: list[str] = []
    unclosed: list[int] = []
    for node in layout.preorder.tolist():
        if parent_of[node] >= 0 and first[node] != first[parent_of[node]]:
            pieces.append(",")
        if node >= n_samples:
            pieces.append("(")
            unclosed.append(node)
            continue
        pieces.append(quote(names[node]))
        while unclosed and first[node] + 1 == first[unclosed[-1]] + sizes[unclosed[-1]]:
            label = node_names[unclosed.pop() - n_samples]
            pieces.append(")" + (quote(label) if label else ""))
    return "".join(pieces) + ";"
