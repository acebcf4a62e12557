# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When kernels did what, as a trace for Perfetto."""
from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import threading
from typing import Any

import jax

from . import _native
from . import jax as compiled
from .limited import taken

_lock = threading.Lock()


@dataclasses.dataclass
class Trace:
  """What a call did, in the Trace Event Format. Time is counted: 1 us is 1 byte that an access or a copy touches."""
  text: str
  complete: bool
  result: Any
  _recorder: Any = dataclasses.field(default=None, repr=False)

  def stop(self) -> None:
    """Keeps the events so far; what still runs goes on without records."""
    self.text, self.complete = self._recorder.end()

  @property
  def events(self) -> list[dict[str, Any]]:
    return json.loads(self.text)["traceEvents"]

  def save(self, path) -> None:
    """Writes a file that Perfetto opens."""
    with open(path, "w") as file:
      file.write(self.text)

  def __repr__(self):
    events = self.events
    counts = collections.Counter(e["cat"] for e in events if e["ph"] in "Xb")
    devices = {e["pid"] for e in events if e["ph"] == "M"}
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"<Trace of {len(devices)} device{'s' * (len(devices) != 1)}: {listed or 'no kernel ran'}{'' if self.complete else ', the end is left out'}>"


@contextlib.contextmanager
def recording(**limit):
  """Records the checked kernels that run inside, on all threads; yields what is filled in on leaving."""
  trace = Trace("", True, None)
  with taken(_lock, "a timeline"):
    # Results of calls before this one are no part of it.
    compiled._wait()
    trace._recorder = _native.Recording(**limit)
    try:
      yield trace
    finally:
      compiled._wait()
      trace.stop()


def record(fn, args, kwargs) -> Trace:
  """Runs the kernels of a call so that they report what they do; their mistakes are for `checked`."""
  everything = ",".join(_native.kinds_of_mistakes())
  with recording() as trace, compiled._interpret(True), compiled.checked(allow=everything):
    trace.result = jax.block_until_ready(fn(*args, **kwargs))
  return trace
