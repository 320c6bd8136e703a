"""Kill a studio's server under writing, again and again: python crash.py FOLDER ROUNDS SEED

A process that has imported everything forks a server for each round, which is then a process of its
own that is killed without warning. Prints what was acknowledged and what was lost as JSON.
"""

import http.client
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

from clustraint.studio import _exports, _server, serve

N_SAMPLES = 400
# A server takes these when it starts; imported here, each fork has them.
IMPORTED = (_exports, _server)


def start(data, path):
    """Fork a server and return its process and link."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            serve(
                data,
                path,
                n_clusters=3,
                open_browser=False,
                announce=lambda link: os.write(writing, link.encode() + b"\n"),
            )
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return child, pipe.readline().strip()


def connected(link):
    address = urlsplit(link)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
    connection.request("GET", f"/?{address.query}")
    answer = connection.getresponse()
    answer.read()
    cookie = answer.headers["set-cookie"].split(";")[0]
    return connection, {
        "cookie": cookie,
        "origin": f"http://127.0.0.1:{address.port}",
        "content-type": "application/json",
    }


def write(link, acknowledged, rng):
    """Say one thing after the other until the server is gone."""
    try:
        connection, headers = connected(link)
        while True:
            row = rng.randrange(0, N_SAMPLES, 2)
            command = str(uuid.uuid4())
            body = {"command": command, "kind": "together", "body": {"rows": [row, row + 1]}}
            connection.request("POST", "/api/events", json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                acknowledged.append(command)
    except (OSError, http.client.HTTPException):
        return


def main(folder, rounds, seed):
    rng = random.Random(seed)
    data, path = folder / "data.csv", folder / "data.studio"
    lines = [f"s{row},{rng.random()},{rng.random()}" for row in range(N_SAMPLES)]
    data.write_text("\n".join(["name,x,y", *lines]))
    acknowledged, seen = [], 0
    for _ in range(rounds):
        child, link = start(data, path)
        writer = threading.Thread(target=write, args=(link, acknowledged, random.Random(seed)))
        writer.start()
        # At any moment: before the first word, in the midst of one, or after some.
        end = time.monotonic() + 60
        wanted = len(acknowledged) + rng.randrange(6)
        while len(acknowledged) < wanted and writer.is_alive() and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        writer.join()
        with sqlite3.connect(path) as database:
            commands = {row[0] for row in database.execute("SELECT command FROM event")}
            intact = database.execute("PRAGMA integrity_check").fetchone()[0]
        database.close()
        lost = [command for command in acknowledged if command not in commands]
        if lost or intact != "ok" or len(commands) < seen:
            break
        seen = len(commands)
    result = {"rounds": rounds, "acknowledged": len(acknowledged), "lost": len(lost)}
    print(json.dumps({**result, "kept": len(commands), "intact": intact}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
