"""The web view measured: pictures sent, its share of a core, and whether many visitors make a match stutter.

python -m bench.views                        # 3v3 and 11v11, one visitor: pictures per second, share of a core
python -m bench.views --storm 120            # three visitors who come, reload and go at random for two minutes
python -m bench.views --storm 60 --rounds 3  # several storms in a row: what the view's memory is after each
python -m bench.views --storm 120 --chromium # with real browsers

A visitor is a websocket client that takes all that the page's browser would take. Shares of a core are those
of the web view's process; the pace is what the physics says of itself, second by second.

Real browsers (Debian's Chromium, headless, a window of 480 x 320) draw with the processor where there is no graphics
card, and three of them take more than two cores have. They run at the lowest priority, as if they were on other
machines, so that what is measured is the view and not the drawing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec
import rclpy
import viser
import zstandard
from rclpy.context import Context
from rclpy.node import Node
from websockets.sync.client import connect

from robohockey_core.ros import topics
from robohockey_core.ros.conversions import status_values
from robohockey_core.ros.running import make_executor

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# A browser counts as a visitor once it has said where its camera is.
CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (0.0, -2.0, 2.0),
    "fov": 0.6,
    "near": 0.1,
    "far": 100.0,
    "image_height": 720,
    "image_width": 950,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}
WARM_UP_S = 40.0
PORT = 18200
QUIET_S = 8.0
"""After a storm: what was sent to those who left is let go of."""
LEAGUES = ("micro_hockey", "mirosot_11v11")
BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=480,320",
    "--remote-debugging-port=0",
)
LOWEST_PRIORITY = "19"
TCP_ESTABLISHED = "01"


class Guest(Protocol):
    """Somebody who watches the page."""

    def reload(self) -> None: ...

    def leave(self) -> None: ...


class Visitor:
    """Takes what the page sends, and counts the pictures in which something moved."""

    def __init__(self, url: str) -> None:
        self.pictures = 0
        self._url = url.replace("http", "ws", 1)
        self._come()

    def _come(self) -> None:
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._url,), daemon=True)
        self._thread.start()

    def reload(self) -> None:
        self.leave()
        self._come()

    def _run(self, url: str) -> None:
        unpack = zstandard.ZstdDecompressor()
        with connect(url, subprotocols=[f"viser-v{viser.__version__}"], max_size=None, compression=None) as socket:
            socket.send(msgspec.msgpack.encode(CAMERA))
            while not self._ending.is_set():
                try:
                    data = socket.recv(timeout=0.5)
                except TimeoutError:
                    continue
                size, packed = (int.from_bytes(data[at : at + 8], "little") for at in (0, 8))
                if size < 20_000:  # the scene itself comes once and is large
                    self.pictures += b"SetPositionMessage" in unpack.decompress(data[16 : 16 + packed])

    def leave(self) -> None:
        self._ending.set()
        self._thread.join()


class Match:
    """A match in processes of its own, and its pace as the physics tells it."""

    def __init__(self, league: str) -> None:
        domain = str(50 + os.getpid() % 40)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self._environment = {**os.environ, "ROS_DOMAIN_ID": domain}
        command = [sys.executable, "-m", "robohockey_match.cli", "match", "--league", league, "--port", str(PORT)]
        self._process = subprocess.Popen(command, env=self._environment, text=True, stdout=subprocess.PIPE)
        self.url = next(m[1] for line in self._process.stdout if (m := re.search(r"web view: (http://\S+)", line)))
        threading.Thread(target=lambda: list(self._process.stdout), daemon=True).start()
        self.paces: list[float] = []
        self.latest_s: list[float] = []
        self._context = Context()
        rclpy.init(context=self._context, domain_id=int(domain))
        self._node = Node("bench", context=self._context)
        topics.subscription(self._node, topics.DIAGNOSTICS, self._hear)
        self._executor = make_executor(self._context)
        self._executor.add_node(self._node)
        self._ending = threading.Event()
        self._spinner = threading.Thread(target=self._spin, daemon=True)
        self._spinner.start()
        while not self.paces:
            time.sleep(0.1)

    def _spin(self) -> None:
        while not self._ending.is_set():
            self._executor.spin_once(timeout_sec=0.05)

    def _hear(self, message: object) -> None:
        for status in message.status:
            values = status_values(status)
            if "real_time_factor" in values:
                self.paces.append(float(values["real_time_factor"]))
                self.latest_s.append(float(values["latest_step_s"]))

    def process_of(self, module: str) -> int:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                line = (entry / "cmdline").read_bytes()
                variables = (entry / "environ").read_bytes()
            except OSError:
                continue
            if module.encode() in line and f"ROS_DOMAIN_ID={self._environment['ROS_DOMAIN_ID']}".encode() in variables:
                return int(entry.name)
        raise RuntimeError(f"no process of {module}")

    def end(self) -> None:
        self._ending.set()
        self._spinner.join()
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def memory_mb(pid: int) -> float:
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024.0


def connections(port: int) -> int:
    """How many browsers hold a connection to the page."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == TCP_ESTABLISHED for row in rows)


def measure(league: str, seconds: float) -> None:
    match = Match(league)
    try:
        pid = match.process_of("nodes.web_view")
        visitor = Visitor(match.url)
        time.sleep(5.0)
        match.paces.clear()
        pictures, used_s, began_s = visitor.pictures, cpu_s(pid), time.monotonic()
        time.sleep(seconds)
        elapsed_s = time.monotonic() - began_s
        rate, share = (visitor.pictures - pictures) / elapsed_s, (cpu_s(pid) - used_s) / elapsed_s
        pace = statistics.median(match.paces)
        print(f"{league:16} {rate:5.1f} pictures/s   {share:5.2f} of a core   real-time factor {pace:.3f}", flush=True)
        visitor.leave()
    finally:
        match.end()


class Browser:
    """A Chromium that shows the page, at the lowest priority."""

    def __init__(self, url: str) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="bench_views_"))
        command = ["nice", "-n", LOWEST_PRIORITY, "chromium", *BROWSER_FLAGS, f"--user-data-dir={self._profile}", url]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        # Kernels that group processes by session weigh the groups, and niceness only inside of one.
        group = Path(f"/proc/{self._process.pid}/autogroup")
        if group.exists():
            group.write_text(LOWEST_PRIORITY)

    def reload(self) -> None:
        """Ask the browser to, as its reload button does; one that is not up yet has nothing to reload."""
        try:
            port = (self._profile / "DevToolsActivePort").read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10.0) as answer:
                page = next(target for target in json.load(answer) if target["type"] == "page")
            with connect(page["webSocketDebuggerUrl"], open_timeout=10.0) as socket:
                socket.send(json.dumps({"id": 1, "method": "Page.reload"}))
                socket.recv(timeout=10.0)
        except (OSError, StopIteration, TimeoutError, IndexError):
            return

    def leave(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)


def storm(
    match: Match, pid: int, come: Callable[[str], Guest], seconds: float, longest_stay_s: float, chance: random.Random
) -> None:
    """Three visitors come, reload and go at random; print how the match and the view's memory took it."""
    places: list[Guest | None] = [None, None, None]
    match.paces.clear()
    match.latest_s.clear()
    most_mb, visits, held, ending_s = 0.0, 0, [0], time.monotonic() + seconds
    while time.monotonic() < ending_s:
        place = chance.randrange(3)
        guest = places[place]
        if guest is None:
            places[place] = come(match.url)
        elif chance.random() < 0.5:
            guest.reload()
        else:
            guest.leave()
            places[place] = None
        visits += places[place] is not None
        time.sleep(chance.uniform(0.2, longest_stay_s))
        most_mb = max(most_mb, memory_mb(pid))
        held.append(connections(PORT))
    paces = sorted(match.paces)
    for guest in filter(None, places):
        guest.leave()
    time.sleep(QUIET_S)
    print(
        f"{visits} visits in {seconds:.0f} s, {statistics.mean(held):.1f} pages open on average, {max(held)} at most: "
        f"real-time factor mean {statistics.mean(paces):.3f}, least {paces[0]:.3f}, latest step "
        f"{1000.0 * max(match.latest_s):.0f} ms late; "
        f"the view's memory {most_mb:.0f} MB at most, {memory_mb(pid):.0f} MB after",
        flush=True,
    )


def storms(seconds: float, rounds: int, chromium: bool, seed: int) -> None:
    chance = random.Random(seed)
    come: Callable[[str], Guest] = Browser if chromium else Visitor
    match = Match("micro_hockey")
    try:
        pid = match.process_of("nodes.web_view")
        print(f"memory before the first visit {memory_mb(pid):.0f} MB", flush=True)
        # The first visit fills caches that stay, and the last 20 s are kept for the instant replay.
        first = come(match.url)
        time.sleep(WARM_UP_S)
        first.leave()
        for _ in range(rounds):
            storm(match, pid, come, seconds, 12.0 if chromium else 3.0, chance)
    finally:
        match.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each league is measured")
    parser.add_argument("--storm", type=float, default=0.0, help="seconds of three visitors at random")
    parser.add_argument("--rounds", type=int, default=1, help="storms in a row")
    parser.add_argument("--chromium", action="store_true", help="with real browsers")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.storm:
        storms(options.storm, options.rounds, options.chromium, options.seed)
        return
    for league in LEAGUES:
        measure(league, options.seconds)


if __name__ == "__main__":
    main()
