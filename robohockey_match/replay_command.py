"""`robohockey replay` and `robohockey report`: a recorded match in the browser, and on one page."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path
from typing import Any

from robohockey_core.checked import InputError


def add_replay(commands: Any) -> None:
    """Add both commands to the parser's."""
    replay = commands.add_parser("replay", help="show a recorded match in the browser, with a time line")
    replay.add_argument("folder", type=Path, help="the recording's folder, or its .mcap file")
    replay.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s; 0.0.0.0: all)")
    replay.add_argument("--port", type=int, default=8080, help="first port to try (default %(default)s)")
    replay.add_argument("--token", help="what visitors of other machines must know to control (default: made up)")
    replay.set_defaults(run=_replay)
    report = commands.add_parser("report", help="write one HTML page about a recorded match")
    report.add_argument("folder", type=Path, help="the recording's folder, or its .mcap file")
    report.add_argument("--output", type=Path, help="where to write it (default: report.html in the recording's folder)")
    report.set_defaults(run=_report)


def _replay(options: argparse.Namespace) -> int:
    # Viser takes a second to load: other commands do without it.
    from robohockey_viz.access import Access  # noqa: PLC0415
    from robohockey_viz.page import quiet_server  # noqa: PLC0415
    from robohockey_viz.ports import free_port, links  # noqa: PLC0415
    from robohockey_viz.recording import read_recording  # noqa: PLC0415
    from robohockey_viz.replay_page import ReplayPage  # noqa: PLC0415

    recording = read_recording(options.folder)
    port = free_port(options.host, options.port)
    server = quiet_server(options.host, port, "RoboHockey replay")
    access = Access(options.token)
    page = ReplayPage(server, recording, access)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    length = f"{recording.duration_s:.0f} s, {len(recording.calls())} calls"
    here, elsewhere = links(options.host, port)
    print(f"robohockey: replay of {length}: {here}; Ctrl-C ends it", flush=True)
    if elsewhere:
        print(f"robohockey: from another machine: {elsewhere}; who gives the token {access.token} controls it", flush=True)
    page.run(stop)
    server.stop()
    return 0


def _report(options: argparse.Namespace) -> int:
    from robohockey_viz.recording import read_recording  # noqa: PLC0415
    from robohockey_viz.report import report_html  # noqa: PLC0415

    folder = options.folder if options.folder.is_dir() else options.folder.parent
    output = options.output or folder / "report.html"
    content = report_html(read_recording(options.folder))
    try:
        output.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from None
    print(f"robohockey: {output}")
    return 0
