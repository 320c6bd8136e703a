"""What a run was measured on: the machine and the versions of both sides."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CPU_INFO = Path("/proc/cpuinfo")
PACKAGES = (
    "clustraint",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "active-semi-supervised-clustering",
    "fastcluster",
    "kmedoids",
    "tralda",
)


def surroundings() -> dict[str, Any]:
    """Return the machine, the versions and the day."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "memory_gb": memory(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "versions": {"python": platform.python_version(), **versions()},
    }


def processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> int | None:
    """Return the gigabytes of memory, as far as the system tells them."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, OSError, ValueError):
        return None


def versions() -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    estimates = {}
    for package in PACKAGES:
        try:
            estimates[package] = version(package)
        except PackageNotFoundError:
            continue
    return estimates


def described(record: dict[str, Any]) -> str:
    """Return surroundings as a sentence."""
    machine, used = record["machine"], dict(record["versions"])
    memory_told = f", {machine['memory_gb']} GB" if machine["memory_gb"] else ""
    python = used.pop("python")
    packages = ", ".join(f"{name} {number}" for name, number in used.items())
    return (
        f"Measured on {record['date']}: {machine['processor']}, {machine['cores']} cores"
        f"{memory_told}, {machine['system']}; Python {python}, {packages}."
    )
