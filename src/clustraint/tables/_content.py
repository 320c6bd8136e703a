"""The bytes of a file, wherever they come from and however they are packed, and their text."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, TypeAlias

from clustraint.exceptions import (
    ClustraintError,
    DatasetFileError,
    InvalidParameterError,
    MissingPackageError,
)
from clustraint.machine import check_memory
from clustraint.tables.delimited import TableContentError

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

# How much of a file is looked at to find out what it is.
HEAD = 1 << 20
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Western European texts that are not UTF-8 are nearly always this.
FALLBACK = "cp1252"
WORDS = {"cp1252": "Windows-1252", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


def _opened(open_packed: Callable[[IO[bytes]], Any], content: bytes) -> Iterator[bytes]:
    """Yield what is packed piece by piece, by a file that unpacks as it is read."""
    with open_packed(io.BytesIO(content)) as file:
        while piece := file.read(PIECE):
            yield piece


def _zstd(content: bytes) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingPackageError("unpacking a .zst file", "zstandard", "zstd") from None
    frame = None
    try:
        for start in range(0, len(content), ZSTD_PIECE):
            packed = content[start : start + ZSTD_PIECE]
            while packed:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(packed)
                packed = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from None
    if frame is not None:
        raise EOFError("it ends too early")


# Unpacked bytes are counted whenever there are so many more; of zstd, which cannot be asked for a
# number, whenever so many packed ones have been read: they hold 128 kB in each four bytes at most.
PIECE = 1 << 24
ZSTD_PIECE = 1 << 12
# What packed files begin with, how they are unpacked, and how their names end.
PACKED: dict[bytes, tuple[Callable[[bytes], Iterator[bytes]], str]] = {
    b"\x1f\x8b": (partial(_opened, gzip.open), ".gz"),
    b"BZh": (partial(_opened, bz2.open), ".bz2"),
    b"\xfd7zXZ": (partial(_opened, lzma.open), ".xz"),
    b"\x28\xb5\x2f\xfd": (_zstd, ".zst"),
}
BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
# Spreadsheets and .npz are archives; what is in them is unpacked by their readers.
ARCHIVE = b"PK\x03\x04"


class FileContent:
    """A file to read: a path, "-" for standard input, or a file that is open in binary mode.

    Attributes
    ----------
    name : str
        What it is called, without the ending of a packed file.
    path : Path or None
        Where it is, if it is on the disk and not packed.
    """

    def __init__(self, source: Source) -> None:
        self.path: Path | None = None
        self._bytes: bytes | None = None
        if isinstance(source, str) and source == "-":
            self.source, self._bytes = "standard input", sys.stdin.buffer.read()
        elif hasattr(source, "read"):
            content: Any = source.read()
            if not isinstance(content, bytes):
                raise InvalidParameterError("path", source, "a path or a file in binary mode")
            self.source, self._bytes = str(getattr(source, "name", "the file")), content
        else:
            self.source, self.path = str(source), Path(source)
        self.name = self.source
        self._unpack()

    def _unpack(self) -> None:
        for start, (unpack, ending) in PACKED.items():
            if self.head.startswith(start):
                try:
                    self._bytes = self._joined(unpack(self.content))
                except ClustraintError:
                    raise
                except BROKEN as error:
                    problem = f"is packed as {ending}, but cannot be unpacked ({error!s:.60})."
                    raise DatasetFileError(self.source, 0, problem) from None
                self.path = None
                self.name = self.name.removesuffix(ending)
                self.__dict__.pop("head", None)
                self.__dict__.pop("content", None)
                return
        if self.head.startswith(ARCHIVE):
            # What is no archive after all is for its reader to say.
            with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(self.content)) as archive:
                self._check_unpacked(sum(each.file_size for each in archive.infolist()))

    def _joined(self, pieces: Iterator[bytes]) -> bytes:
        parts, size = [], 0
        for piece in pieces:
            size += len(piece)
            # Once in parts, once joined.
            self._check_unpacked(2 * size)
            parts.append(piece)
        return b"".join(parts)

    def _check_unpacked(self, size: int) -> None:
        what = f"the unpacked contents of {self.source}"
        check_memory(what, size, None, "take a part of the file, or a larger machine")

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        return self.content[:HEAD] if self.path is None else self._read(HEAD)

    @cached_property
    def content(self) -> bytes:
        """All bytes."""
        return self._bytes if self._bytes is not None else self._read(-1)

    def _read(self, most: int) -> bytes:
        assert self.path is not None
        try:
            with self.path.open("rb") as file:
                return file.read(most)
        except (OSError, ValueError) as error:
            problem = f"cannot be read: {getattr(error, 'strerror', None) or error}."
            raise DatasetFileError(self.source, 0, problem) from error

    @property
    def is_whole(self) -> bool:
        """Whether the head is all that there is."""
        return len(self.head) < HEAD

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.content) if self.path is None else self.path.stat().st_size

    def encoding(self, chosen: str | None) -> str:
        """Return the encoding of the text: the chosen one, or the likeliest by the first bytes."""
        if chosen is not None:
            return check_encoding(chosen)
        head = self.head
        if head.startswith(UTF16):
            return "utf-16"
        if b"\0" in head[:8192]:
            # Every other byte of Latin letters in UTF-16 is null.
            odd, even = head[1:8192:2], head[:8192:2]
            for encoding, zeros, letters in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
                if zeros.count(0) > 0.4 * len(zeros) and min(letters, default=0) >= ord("\t"):
                    return encoding
            raise TableContentError(0, "is a binary file, not a table in text.")
        try:
            codecs.getincrementaldecoder("utf-8")().decode(head, final=self.is_whole)
        except UnicodeDecodeError:
            return FALLBACK
        return "utf-8-sig"

    def text(self, encoding: str) -> str:
        """Return all of it as text."""
        return decoded(self.content, encoding)

    def head_text(self, encoding: str) -> str:
        """Return the first bytes as text, of which the last character may be cut off."""
        if self.is_whole:
            return decoded(self.head, encoding)
        try:
            return codecs.getincrementaldecoder(encoding)().decode(self.head)
        except Exception:
            # A codec that cannot go step by step, or an error that has its line in the whole text.
            return self.text(encoding)[:HEAD]


def check_encoding(encoding: str) -> str:
    """Return the name of a codec between text and bytes; Python has others, such as rot13."""
    rule = "a text encoding that Python knows, such as utf-8, latin-1 or utf-16"
    try:
        codec = codecs.lookup(encoding)
        "a".encode(codec.name).decode(codec.name)
    except Exception:
        # Codecs raise whatever they like: "undefined" always does, others for want of a module.
        raise InvalidParameterError("encoding", encoding, rule) from None
    return codec.name


def decoded(content: bytes, encoding: str) -> str:
    """Return bytes as text, or raise where they are not text."""
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problem = f" (byte {content[error.start]:#04x})" if error.start < len(content) else ""
    except Exception:
        # punycode and others raise IndexError, ValueError and more where bytes make no sense.
        line, problem = 0, ""
    name = {"utf-8-sig": "UTF-8"}.get(encoding, encoding)
    way_out = "save the file as UTF-8, or name its encoding, such as latin-1."
    raise TableContentError(line, f"is not {name} text{problem}; {way_out}") from None
