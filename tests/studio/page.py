"""A running studio and its page in a browser, for tests: the command in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time

from playwright.sync_api import expect

from tests.browser import Visit

# Seconds; the first clusters may wait for kernels to be compiled on a busy machine.
PATIENCE = 90
COMPILING = 240
expect.set_options(timeout=PATIENCE * 1000)
COMMAND = "from clustraint.cli import main; main()"


class RunningStudio:
    """`clustraint studio` in a process of its own."""

    def __init__(self, data, session, *options, environment=None):
        self.arguments = [sys.executable, "-c", COMMAND, "studio", str(data), "--no-browser"]
        self.arguments += ["-o", str(session), *map(str, options)]
        self.environment = {**os.environ, **(environment or {})}
        self.start()

    def start(self, *options):
        self.process = subprocess.Popen(
            [*self.arguments, *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://127.0.0.1:"), self.process.stderr.read()

    @property
    def host(self):
        return self.link.split("/?")[0]

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.communicate()


def until(condition, patience=PATIENCE):
    """Wait until something holds and return it; the page's own rules forbid polling inside it."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value or time.monotonic() > end:
            assert value, "it did not come about in time"
            return value
        time.sleep(0.03)


ALL_STATEMENTS = "() => studio.state.value.statements.map((each) => each.seq)"
# What was said is clustered, and what the server shows is what the page shows.
SETTLED = """
async () => {
  const now = await (await fetch("/api/state")).json(), shown = studio.state.value;
  const { id, seq } = now.clustering ?? {};
  const clustered = id !== undefined && !now.status.running && (seq === now.seq || now.problem);
  const same = shown.seq === now.seq && shown.clustering?.id === id;
  const drawn = studio.labels.value?.clustering === id && !studio.unsaved.value;
  return Boolean(clustered && same && drawn);
}
"""
PLACE = """
(row) => {
  const { places, camera } = studio.board.raster;
  const box = studio.board.over.getBoundingClientRect();
  const [x, y] = camera.toScreen(places[2 * row], places[2 * row + 1]);
  return [x + box.left, y + box.top];
}
"""
# Which samples have another one within so many pixels, so that a pointer may miss them.
LONELY = """
(room) => {
  const { raster } = studio.board, { places, camera, n } = raster, box = studio.board.over;
  const at = Array.from({ length: n }, (_, i) => camera.toScreen(places[2 * i], places[2 * i + 1]));
  const top = document.querySelector(".stage .top").offsetHeight + 30;
  const right = box.clientWidth - 70, low = box.clientHeight - 90;
  return at.flatMap(([x, y], i) => (y < top || y > low || x < 20 || x > right
    || at.some(([u, v], j) => j !== i && Math.hypot(u - x, v - y) < room) ? [] : [i]));
}
"""


class Screen(Visit):
    """A person in front of the page."""

    def __init__(self, browser, studio, person=None, **options):
        self.context = browser.new_context(**options)
        if person:
            words = json.dumps(person)
            self.context.add_init_script(f"localStorage.setItem('clustraint-person', {words})")
        super().__init__(self.context.new_page())
        self.page.set_default_timeout(PATIENCE * 1000)
        self.page.goto(studio.link)
        self.settle()

    def look(self, script, *arguments):
        return self.page.evaluate(script, *arguments)

    def settle(self):
        until(lambda: self.look("() => Boolean(globalThis.studio?.state.value)"))
        until(lambda: self.look(SETTLED), COMPILING)

    def clear(self):
        """Take back whatever was said before."""
        seqs = self.look(ALL_STATEMENTS)
        if seqs:
            self.look("(seqs) => studio.send('retract', { seqs })", seqs)
        self.settle()

    def state(self):
        return self.look("() => fetch('/api/state').then((answer) => answer.json())")

    def texts(self):
        return [each["text"] for each in self.state()["statements"]]

    def labels(self):
        return self.look("() => Array.from(studio.labels.value.of)")

    def place(self, row):
        return self.look(PLACE, row)

    def lonely(self, room=30):
        """Return samples that a pointer can hit without doubt."""
        return self.look(LONELY, room)

    def drag(self, first, second):
        self.page.mouse.move(*self.place(first))
        self.page.mouse.down()
        self.page.mouse.move(*self.place(second), steps=4)
        self.page.mouse.up()

    def link(self, key, first, second):
        """Drag from one sample to another with a tool."""
        self.page.keyboard.press(key)
        self.drag(first, second)

    def close(self):
        self.context.close()
