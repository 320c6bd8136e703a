"""The help of commands: usage, what a command does, and a line for each option."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from typer.core import TyperCommand, TyperGroup

from clustraint.cli._console import console

ARGUMENTS, OPTIONS, COMMANDS = "Arguments", "Options", "Commands"


class PlainCommand(TyperCommand):
    """A command whose help shows flags and names as they are typed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        print_help(self, ctx)


class PlainGroup(TyperGroup):
    """The same for the command above all others."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        print_help(self, ctx)


def print_help(command: Any, context: typer.Context) -> None:
    """Print the help of a command to stdout."""
    out = console()
    out.print(f"Usage: {context.command_path} {escape(usage(command))}", soft_wrap=True)
    for paragraph in (command.help or "").split("\n\n"):
        out.print(Padding(escape(paragraph), (1, 0, 0, 0)))
    for title, rows in _panels(command, context).items():
        listing = Table.grid(padding=(0, 2, 0, 0))
        listing.add_column(no_wrap=True)
        for name, words in rows:
            listing.add_row(f"  [cyan]{escape(name)}[/]", escape(words))
        out.print(f"\n[bold]{title}[/]")
        out.print(listing)


def usage(command: Any) -> str:
    """Return what follows the name of a command: ``[OPTIONS] FILE [DATA]``."""
    names = []
    for each in command.params:
        if each.param_type_name == "argument":
            names.append(argument_name(each) if each.required else f"[{argument_name(each)}]")
    return " ".join(["[OPTIONS]", *names, *(["COMMAND"] if hasattr(command, "commands") else [])])


def argument_name(parameter: Any) -> str:
    """Return what an argument is called."""
    return str(parameter.metavar or parameter.name.upper())


def option_names(parameter: Any) -> str:
    """Return how an option is written: ``-k, --clusters K``; a flag takes no value."""
    declared = [*parameter.opts, *parameter.secondary_opts]
    names = ", ".join(sorted(declared, key=lambda each: each.startswith("--")))
    if parameter.is_flag:
        return names
    return f"{names} {parameter.metavar or parameter.name.upper()}"


def words_of(parameter: Any) -> str:
    """Return the help of a parameter, with its default if it has one to tell."""
    words = " ".join((parameter.help or "").split())
    default = parameter.default
    is_told = default not in (None, "") and not isinstance(default, bool)
    if parameter.param_type_name == "argument" or not is_told:
        return f"{words} Required." if _must_be_given(parameter) else words
    return f"{words} Default: {default}."


def _must_be_given(parameter: Any) -> bool:
    return bool(parameter.required) and parameter.param_type_name == "option"


def _panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    panels: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
    for each in command.get_params(context):
        if getattr(each, "hidden", False):
            continue
        if each.param_type_name == "argument":
            panels[ARGUMENTS].append((argument_name(each), words_of(each)))
        else:
            title = getattr(each, "rich_help_panel", None) or OPTIONS
            panels.setdefault(title, []).append((option_names(each), words_of(each)))
    panels[COMMANDS] = list(_commands(command))
    return {title: rows for title, rows in panels.items() if rows}


def _commands(command: Any) -> Iterator[tuple[str, str]]:
    for name, each in getattr(command, "commands", {}).items():
        yield name, (each.help or "").split("\n\n")[0]
