"""Every public name is documented, with an example; importing the package is cheap."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from functools import cached_property

import pytest

import clustraint

PROPERTIES = (property, cached_property)
METHODS = (classmethod, staticmethod)


def is_public(module_name):
    parts = module_name.split(".")[1:]
    return parts[:1] != ["kernels"] and not any(part.startswith("_") for part in parts)


def public_modules():
    modules = pkgutil.walk_packages(clustraint.__path__, "clustraint.")
    return ["clustraint", *(module.name for module in modules if is_public(module.name))]


def function_of(attribute):
    """Return the function behind a method, property or decorated function."""
    if isinstance(attribute, property):
        return attribute.fget
    if isinstance(attribute, cached_property):
        return attribute.func
    if isinstance(attribute, METHODS):
        return attribute.__func__
    return inspect.unwrap(attribute)


def is_documentable(attribute):
    return (
        inspect.isclass(attribute)
        or inspect.isroutine(attribute)
        or isinstance(attribute, PROPERTIES + METHODS)
        or hasattr(attribute, "__wrapped__")
    )


def own_members(cls):
    """Yield the public methods and properties that are written in clustraint itself."""
    for name, attribute in inspect.getmembers_static(cls):
        if name.startswith("_") or not is_documentable(attribute):
            continue
        home = getattr(function_of(attribute), "__module__", None) or ""
        if home.split(".")[0] == "clustraint":
            yield name, attribute


def public_names():
    """Map each dotted public name to its object; one that two modules export comes once."""
    names = {}
    seen = set()
    for module_name in public_modules():
        module = names[module_name] = importlib.import_module(module_name)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if id(value) in seen or not is_documentable(value):
                continue
            seen.add(id(value))
            names[f"{module_name}.{name}"] = value
            if inspect.isclass(value) and not issubclass(value, BaseException):
                for member, attribute in own_members(value):
                    names[f"{module_name}.{name}.{member}"] = attribute
    return names


NAMES = public_names()


def docstring(value):
    """Return what was written for `value` itself, nothing inherited."""
    if inspect.isclass(value) or inspect.ismodule(value):
        return value.__doc__ or ""
    return function_of(value).__doc__ or ""


def needs_example(value):
    if inspect.isclass(value):
        return not issubclass(value, BaseException)
    return not inspect.ismodule(value) and not isinstance(value, PROPERTIES)


@pytest.mark.parametrize("name", NAMES)
def test_has_a_docstring(name):
    assert docstring(NAMES[name]).strip(), f"{name} has no docstring"


@pytest.mark.parametrize("name", [name for name, value in NAMES.items() if needs_example(value)])
def test_has_an_example(name):
    assert ">>>" in docstring(NAMES[name]), f"the docstring of {name} has no example (>>>)"


def test_every_name_is_there_and_listed():
    for name in clustraint.__all__:
        assert getattr(clustraint, name) is not None
        assert name in dir(clustraint)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'clustraint' has no attribute 'nonsense'"):
        _ = clustraint.nonsense


def test_import_is_cheap():
    program = (
        "import sys, clustraint\n"
        "dir(clustraint)\n"
        "heavy = {'lark', 'numba', 'numpy', 'pandas', 'polars', 'scipy', 'sklearn'}\n"
        "print(*sorted(heavy.intersection(sys.modules)))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == []


class Documented:
    """Stands for a public class.

    >>> _ = Documented()
    """

    def with_example(self):
        """Do something.

        >>> pass
        """

    def without_example(self):
        """Do something."""

    @property
    def bare(self):
        return 1

    @classmethod
    def silent(cls):
        pass

    @cached_property
    def told(self):
        """Something."""


def test_the_check_itself_sees_what_is_missing():
    members = {
        name: (bool(docstring(value)), needs_example(value), ">>>" in docstring(value))
        for name, value in inspect.getmembers_static(Documented)
        if not name.startswith("_")
    }
    assert members == {
        "bare": (False, False, False),
        "silent": (False, True, False),
        "told": (True, False, False),
        "with_example": (True, True, True),
        "without_example": (True, True, False),
    }
