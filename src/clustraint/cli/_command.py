"""What all commands have in common: bundles of options, files that are safe, errors in options.

A command is a function of typed parameters. A parameter that is a file is marked as `Input` or
`Output` in its annotation; one that is a dataclass stands for an option for each of its fields.
"""

from __future__ import annotations

import inspect
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

import typer

from clustraint.exceptions import (
    ClustraintError,
    InconsistentConstraintsError,
    InvalidParameterError,
    OutputFileError,
)
from clustraint.wording import listed

STANDARD_STREAM = "-"


@dataclass(frozen=True)
class Input:
    """Marks a parameter as a file to read, or several."""


@dataclass(frozen=True)
class Output:
    """Marks a parameter as a file to write.

    Attributes
    ----------
    what : str
        What is written, with its article.
    endings : tuple of str
        How the name of such a file may end; no ending at all is always right.
    default : callable, optional
        From the values of all parameters to the file, where none is given; None for no file.
    """

    what: str
    endings: tuple[str, ...]
    default: Callable[[dict[str, Any]], Path | None] | None = None


class Option(NamedTuple):
    """A parameter of a command.

    Attributes
    ----------
    parameter : Parameter
        Its Python side.
    shown : str
        What it is called on the command line: ``-k``, ``--id``, ``DATA``.
    role : Input, Output or None
        What it is if it is a file.
    """

    parameter: inspect.Parameter
    shown: str
    role: Input | Output | None

    @classmethod
    def of(cls, name: str, annotation: Any, default: Any) -> Option:
        """Return the option that an annotation describes."""
        parameter = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        marks = getattr(annotation, "__metadata__", ())
        role = next((mark for mark in marks if isinstance(mark, Input | Output)), None)
        if role is None and "Path" in str(get_args(annotation)[0] if marks else annotation):
            raise TypeError(f"{name} is a file: mark it as Input or Output")
        return cls(parameter, _shown(name, marks), role)


def _shown(name: str, marks: tuple[Any, ...]) -> str:
    (info,) = (mark for mark in marks if isinstance(mark, typer.models.ParameterInfo))
    if isinstance(info, typer.models.ArgumentInfo):
        return info.metavar or name.upper()
    # In an annotation, Typer keeps the first name where a default would be.
    declared = [each for each in (info.default, *(info.param_decls or ())) if each is not ...]
    return str(declared[0]) if declared else f"--{name.replace('_', '-')}"


def prepared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command for Typer: bundles taken apart, files checked, errors in options.

    Examples
    --------
    >>> from typing import Annotated
    >>> def count(to: Annotated[int, typer.Option("--to")] = 3) -> None:
    ...     raise InvalidParameterError("to", to, "below 3")
    >>> prepared(count)(to=3)
    Traceback (most recent call last):
    clustraint.exceptions.ClustraintError: --to must be below 3, but is 3.
    """
    bundles: dict[str, Any] = {}
    options: dict[str, Option] = {}
    for name, annotation, default in _parameters(command):
        if is_dataclass(annotation):
            bundles[name] = annotation
            options |= {each[0]: Option.of(*each) for each in _fields(annotation)}
        else:
            options[name] = Option.of(name, annotation, default)

    def run(**values: Any) -> Any:
        check_files(options, values)
        for name, bundle in bundles.items():
            values[name] = bundle(**{each.name: values.pop(each.name) for each in fields(bundle)})
        try:
            return command(**values)
        except ClustraintError as error:
            message = in_options(error, {name: each.shown for name, each in options.items()})
            if message == str(error):
                raise
            raise ClustraintError(message) from error

    parameters = [option.parameter for option in options.values()]
    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, __name__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _parameters(command: Callable[..., Any]) -> Iterator[tuple[str, Any, Any]]:
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        yield name, hints[name], parameter.default


def _fields(bundle: Any) -> Iterator[tuple[str, Any, Any]]:
    hints = get_type_hints(bundle, include_extras=True)
    for each in fields(bundle):
        required = each.default is MISSING
        yield each.name, hints[each.name], inspect.Parameter.empty if required else each.default


class _File(NamedTuple):
    """A file of a command, and the option that names it."""

    path: str
    shown: str

    def is_same(self, other: _File) -> bool:
        """Say whether two names, links followed, are one file."""
        mine, theirs = self._status(), other._status()
        if mine is None or theirs is None:
            return os.path.realpath(self.path) == os.path.realpath(other.path)
        # Devices and pipes can be read and written at once.
        return stat.S_ISREG(mine.st_mode) and os.path.samestat(mine, theirs)

    def _status(self) -> os.stat_result | None:
        with suppress(OSError, ValueError):
            return (
                os.fstat(sys.stdin.fileno()) if self.path == STANDARD_STREAM else os.stat(self.path)
            )
        return None


def check_files(options: dict[str, Option], values: dict[str, Any]) -> None:
    """Raise unless all that a command writes is new, apart and rightly named.

    Fills in the files that a command writes where none is given.
    """
    inputs: list[_File] = []
    outputs: list[_File] = []
    for name, option in options.items():
        if isinstance(option.role, Output):
            if values.get(name) is None and option.role.default is not None:
                values[name] = option.role.default(values)
            if values.get(name) is not None and str(values[name]) != STANDARD_STREAM:
                outputs.append(_File(str(values[name]), option.shown))
                _check_name(Path(values[name]), option.role)
        elif option.role is not None:
            several = values.get(name) or []
            several = several if isinstance(several, list) else [several]
            inputs += [_File(str(each), option.shown) for each in several]
    for place, output in enumerate(outputs):
        for other in inputs:
            if output.is_same(other):
                problem = f"this command also reads it ({other.shown}); name another file"
                raise OutputFileError(output.path, f"{problem} for {output.shown}")
        for other in outputs[:place]:
            if output.is_same(other):
                both = f"{other.shown} and {output.shown}"
                raise OutputFileError(output.path, f"{both} must be different files")


def _check_name(path: Path, role: Output) -> None:
    if path.is_dir():
        raise OutputFileError(path, "it is a folder; name a file in it")
    ending = path.suffix.lower()
    is_device = path.exists() and not path.is_file()
    if ending and ending not in role.endings and not is_device:
        names = listed(role.endings, "or")
        raise OutputFileError(path, f"the name of {role.what} ends in {names}, not in {ending}")


# In messages, an argument that is wrong comes first, and one that would help is written (name=).
WRONG = re.compile(r"^(\w+)(?= must be )")
HELPFUL = re.compile(r"\((\w+)=\)")
# Arguments that have no option of the same name, and the parameter and value to give instead.
ALIASES = {"names": ("id_column", "COLUMN"), "constraints": ("constraint_files", "FILE")}


def in_options(error: ClustraintError, options: dict[str, str]) -> str:
    """Return the message of an error with arguments called by the options that set them.

    Examples
    --------
    >>> error = ClustraintError("there is nothing to do (n_clusters=).")
    >>> in_options(error, {"n_clusters": "-k"})
    'there is nothing to do (-k).'
    """
    called = dict(options)
    for argument, (name, value) in ALIASES.items():
        if name in options:
            called[argument] = f"{options[name]} {value}"

    def helpful(match: re.Match[str]) -> str:
        return f"({called[match[1]]})" if match[1] in called else match[0]

    message = HELPFUL.sub(helpful, str(error))
    if isinstance(error, InvalidParameterError):
        message = WRONG.sub(lambda match: called.get(match[1], match[1]), message)
    if isinstance(error, InconsistentConstraintsError):
        message += (
            " To drop as few constraints as possible: clustraint check DATA -c FILE --repair OUT."
        )
    return message
