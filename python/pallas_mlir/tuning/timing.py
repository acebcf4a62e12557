# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long compiled candidates take on this CPU. They are timed in turn, so that what else the machine does falls on all alike."""
from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import pathlib
import statistics
import time

from .workers import JudgeError, Worker, answer, questions

# Candidates within this of the best after a first look are timed in turn: what else the machine did then may not decide.
NEAR = 2
ROUNDS = 15


def save(fn, args, kwargs, path) -> None:
  """Writes a function compiled for this CPU, and its arguments, for another process."""
  import jax
  import numpy as np

  from .. import jax as compiled
  leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((args, kwargs))]
  exported = jax.export.export(jax.jit(fn), platforms=["cpu"], disabled_checks=[jax.export.DisabledSafetyCheck.custom_call(compiled.TARGET)])(*args, **kwargs)
  pathlib.Path(path).write_bytes(exported.serialize())
  np.savez(f"{path}.npz", *[np.frombuffer(leaf.tobytes(), np.uint8) for leaf in leaves])


# Sums in another order stay within this, relative to 1 + their size.
TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 5e-3, "bfloat16": 4e-2}


def _difference(found, expected) -> str:
  """How results differ from those of the first candidate; empty if they agree."""
  import numpy as np
  if [(a.shape, a.dtype) for a in found] != [(a.shape, a.dtype) for a in expected]:
    return "its results have other types than those of the first candidate"
  for number, (left, right) in enumerate(zip(found, expected)):
    near = TOLERANCE.get(left.dtype.name, 0.26 if left.dtype.name.startswith("float8") else 0)
    left, right = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
      same = (left == right) | (np.isnan(left) & np.isnan(right)) | (np.abs(left - right) <= near * (1 + np.abs(right)))
    if not same.all():
      return f"{(~same).sum()} of {same.size} elements of result {number} are not those of the first candidate"
  return ""


# Of mallopt in glibc. The byte fills what is freed, and its complement what is allocated: 0x7f7f... is large, or no number, in each format of floats.
_M_PERTURB, _FREED = -6, 0x80


@contextlib.contextmanager
def _filled_memory():
  """Fills new memory, so that what a candidate doesn't write is not found there from the one before it, which wrote it right."""
  mallopt = getattr(ctypes.CDLL(None), "mallopt", lambda *_: None)
  mallopt(_M_PERTURB, _FREED)
  try:
    yield
  finally:
    mallopt(_M_PERTURB, 0)


class _Candidate:
  def __init__(self, path):
    import jax
    import jax.numpy as jnp
    import numpy as np

    from .. import jax as compiled
    del compiled
    exported = jax.export.deserialize(pathlib.Path(path).read_bytes())
    with np.load(f"{path}.npz") as file:
      # As bytes, since NumPy's files know no narrow floats.
      leaves = [jnp.asarray(file[name].view(aval.dtype).reshape(aval.shape)) for name, aval in zip(file.files, exported.in_avals)]
    args, kwargs = jax.tree.unflatten(exported.in_tree, leaves)
    function = jax.jit(exported.call)
    self.call = lambda: jax.block_until_ready(function(*args, **kwargs))
    # The first calls compile, and fill caches.
    self.call()
    with _filled_memory():
      self.results = [np.asarray(r) for r in jax.tree.leaves(self.call())]
    # Short calls are repeated: a clock that is read too often counts itself.
    self.repeats = 1
    while self.time() * self.repeats < 1e-3 and self.repeats < 1024:
      self.repeats *= 2

  def time(self):
    start = time.perf_counter()
    for _ in range(self.repeats):
      self.call()
    return (time.perf_counter() - start) / self.repeats


def serve():
  candidates, expected = {}, None
  for question in questions():
    path = question["path"]
    try:
      if path not in candidates:
        candidate = _Candidate(path)
        expected = candidate.results if expected is None else expected
        if difference := _difference(candidate.results, expected):
          answer({"refused": difference})
          continue
        candidates[path] = candidate
      answer({"time": candidates[path].time()})
    except Exception as error:
      answer({"refused": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]})


class Timer:
  """Times of saved functions, in a process of its own."""

  def __init__(self, seconds: float = 120):
    if not importlib.util.find_spec("flatbuffers"):
      raise ValueError("functions are handed to the process that times them by the package flatbuffers, which is not installed; "
                       "run pip install 'pallas-mlir[tune]'")
    self.worker = Worker(__name__, seconds=seconds)

  def _time(self, path) -> dict:
    try:
      return self.worker.ask(path=str(path))
    except JudgeError as error:
      return {"refused": str(error)}

  def look(self, path) -> dict:
    """A first time, or why there is none."""
    looks = [self._time(path)]
    while "time" in looks[-1] and len(looks) < 5:
      looks.append(self._time(path))
    return min(looks, key=lambda look: look["time"]) if "time" in looks[-1] else looks[-1]

  def compare(self, paths, report=lambda rounds: None) -> list[dict]:
    """Medians of times taken in turn, with quartiles."""
    times = [[] for _ in paths]
    for number in range(ROUNDS):
      for path, own in zip(paths, times):
        taken = self._time(path)
        if "time" in taken:
          own.append(taken["time"])
      report(number + 1)
    found = []
    for own in times:
      if len(own) < 2:
        found.append({"refused": "it ran once and failed later"})
        continue
      low, middle, high = statistics.quantiles(own, n=4)
      found.append({"time": middle, "low": low, "high": high})
    return found

  def close(self):
    self.worker.close()


if __name__ == "__main__":
  serve()
