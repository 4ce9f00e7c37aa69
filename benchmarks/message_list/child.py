"""One measurement of one list in a process of its own; prints the figures as a line of JSON.

    python -m benchmarks.message_list.child SUBJECT MEASUREMENT CORPUS DATA_DIR
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.message_list import measure_frames, measure_open, measure_place, measure_stream
from benchmarks.message_list.measure_frames import Result
from benchmarks.message_list.subject import Subject, application, make
from deepchat_desktop.presenters.message_list_model import MessageListModel

STILL: dict[str, Callable[[Subject, Path], Result]] = {
    "open_memory": measure_frames.open_from_memory, "jump": measure_frames.jump, "wheel": measure_frames.wheel,
    "drag": measure_frames.drag, "resize": measure_frames.resize, "whole": measure_frames.whole,
    "memory": measure_frames.memory, "drift": measure_stream.drift,
    "place": measure_place.place,
}  # fmt: skip
KINDS = ("mixed", "code", "paragraph", "table", "list")


def measure(subject_name: str, measurement: str, path: Path, data_dir: Path) -> Result:
    """Return the figures of a measurement; ``ValueError`` for one that is not known."""
    if measurement == "open":
        return measure_open.open_from_database(data_dir)
    application()
    model = MessageListModel()
    probe = measure_stream.FlushProbe(model)
    subject = make(subject_name, model)
    probe.close()
    subject.clock.settle(1.0)
    if measurement == "stream":
        return measure_stream.stream(subject, path, probe)
    if measurement.startswith("grow_"):
        return measure_stream.growth(subject, path, measurement.removeprefix("grow_"))
    if (still := STILL.get(measurement)) is None:
        raise ValueError(f"no measurement {measurement!r}")
    return still(subject, path)


def main(arguments: list[str]) -> None:
    subject, measurement, path, data_dir = arguments
    print(json.dumps(measure(subject, measurement, Path(path), Path(data_dir))), flush=True)
    os._exit(0)  # thousands of widgets need seconds to be taken down, which are no part of it


if __name__ == "__main__":
    main(sys.argv[1:])
