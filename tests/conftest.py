import os
import random

import hypothesis
import pytest

SEED_VARIABLE = "CLUSTRAINT_TEST_SEED"

hypothesis.settings.register_profile("default", max_examples=50, deadline=None, print_blob=True)
hypothesis.settings.register_profile("slow", max_examples=1000, deadline=None, print_blob=True)
hypothesis.settings.load_profile("default")


def pytest_configure(config):
    # Worker processes inherit the environment: one seed, and one folder of compiled
    # kernels (numba replaces its files atomically), that is not the user's own.
    os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(10_000)))
    os.environ.setdefault("XDG_CACHE_HOME", str(config.cache.mkdir("kernels")))


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
