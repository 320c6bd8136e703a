import os
import random
import signal

import hypothesis
import pytest

from tests.browser import Visit, find_browser

SEED_VARIABLE = "CLUSTRAINT_TEST_SEED"

hypothesis.settings.register_profile("default", max_examples=50, deadline=None, print_blob=True)
# For mutants, which run the tests again and again.
hypothesis.settings.register_profile("quick", max_examples=10, deadline=None)
hypothesis.settings.register_profile("slow", max_examples=1000, deadline=None, print_blob=True)
hypothesis.settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    # Worker processes inherit the environment, hence the seed.
    os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(10_000)))
    # The order of the tests comes from the same seed, so that one number repeats a run. Nothing
    # else does: whatever draws from a global generator by mistake is to show.
    if getattr(config.option, "randomly_seed", None) == "default":
        config.option.randomly_seed = int(os.environ[SEED_VARIABLE])
    config.option.randomly_reset_seed = False
    # Small inputs would run as plain Python until it pays to compile; tests are about what large
    # ones run through. tests/kernels/test_jit.py compares the two.
    os.environ.setdefault("CLUSTRAINT_COMPILE", "always")
    # A shell without job control, as one that runs a script, starts what stands before "&" with
    # SIGINT ignored. Python leaves it so, and all processes that tests start would inherit it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    # One folder of compiled kernels for all worker processes (numba replaces its files
    # atomically), that is not the user's own.
    kernels = session.config.rootpath / ".pytest_cache" / "d" / "kernels"
    os.environ.setdefault("XDG_CACHE_HOME", str(kernels))


def seed_line():
    return f"{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"


def pytest_report_header():
    return seed_line()


def pytest_terminal_summary(terminalreporter):
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(f"to repeat: {seed_line()} ./dev test", yellow=True)


@pytest.fixture(scope="session")
def global_random_seed():
    """A seed that differs from run to run: any seed must pass."""
    return int(os.environ[SEED_VARIABLE])


@pytest.fixture(scope="module")
def browser():
    """A running browser; only pages of ours are shown, so it needs no sandbox, as root has none."""
    path = find_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Show a report in a window of its own; keywords are those of playwright's new_context."""
    contexts = []

    def show(report, **options):
        contexts.append(browser.new_context(**options))
        visited = Visit(contexts[-1].new_page())
        visited.page.goto(report.save(tmp_path / f"report-{len(contexts)}.html").as_uri())
        return visited

    yield show
    for context in contexts:
        context.close()
