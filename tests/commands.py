"""The command line in this process, and the installed command many times for the price of one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from clustraint.cli import main

COMMAND = Path(sys.executable).with_name("clustraint")


class Done(NamedTuple):
    code: int
    out: str
    err: str


def call(capsys, *arguments):
    """Run a command in this process."""
    capsys.readouterr()
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code
    return Done(code, *capsys.readouterr())


# Loads once what is heavy, then runs the installed script in a fork for each case; no table may
# be read before, as the threads of polars do not survive a fork. "closed" is a pipe that nobody
# reads; `limit` is how large a file may become. Python's own clean-up at exit is left out, but for
# what is still to be written.
DRIVER = """
import contextlib, gc, io, json, os, resource, runpy, sys
import polars
import clustraint.report, clustraint.workflow
from clustraint.cli import main
def output(kind):
    if kind == "closed":
        reading, writing = os.pipe()
        os.close(reading)
        return writing
    return os.open(kind, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
def run(case):
    os.chdir(case["folder"])
    os.dup2(os.open(case["stdin"], os.O_RDONLY), 0)
    os.dup2(output(case["stdout"]), 1)
    os.dup2(output(case["stderr"]), 2)
    if case["limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["limit"], case["limit"]))
    sys.argv = case["arguments"]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as stop:
        return stop.code
    return 98
def code_of(case):
    try:
        code = run(case)
        sys.stdout.flush()
        return code
    except OSError:
        return 120
    except BaseException:
        return 99
cases = json.load(sys.stdin)
for warm in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(warm.split())
gc.freeze()
codes = []
for case in cases:
    child = os.fork()
    if not child:
        os._exit(code_of(case))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""


class Run(NamedTuple):
    arguments: list
    folder: Path
    stdin: str = "/dev/null"
    stdout: str = ""
    limit: int = 0


def run_installed(runs, scratch, warm=()):
    """Run the installed command once for each of `runs`, after some to load what they need."""
    cases = []
    for number, run in enumerate(runs):
        stdout = run.stdout or str(scratch / f"{number}.out")
        cases.append(
            {
                "arguments": [str(COMMAND), *map(str, run.arguments)],
                "folder": str(run.folder),
                "stdin": run.stdin,
                "stdout": stdout,
                "stderr": str(scratch / f"{number}.err"),
                "limit": run.limit,
            }
        )
    answer = subprocess.run(
        [sys.executable, "-c", DRIVER, *warm],
        cwd=runs[0].folder,
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
    )
    found = []
    for case, code in zip(cases, json.loads(answer.stdout), strict=True):
        out = Path(case["stdout"])
        text = out.read_text() if out.is_file() else ""
        found.append(Done(code, text, Path(case["stderr"]).read_text()))
    return found
