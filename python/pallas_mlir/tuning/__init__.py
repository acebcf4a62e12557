# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches configurations of kernels for the fastest.

The rules of the target leave out what cannot be compiled, a model ranks the rest, and a judge measures the best of them: the
compiler's cycles for TPUs, time for this CPU.
"""
from __future__ import annotations

import dataclasses
import pathlib
import sys
import tempfile
import time

from . import candidates as choices
from . import libtpu, pools, timing
from .cache import Cache, default_folder
from .candidates import Candidate
from .report import picture, spell, table

__all__ = ["Candidate", "Result", "tune", "tune_module"]


@dataclasses.dataclass
class Result:
  """What a search has found, the best first. `complete` means that nothing interrupted it."""
  target: str
  candidates: list[Candidate]
  complete: bool = True

  @property
  def best(self) -> Candidate | None:
    """The candidate that the judge measured as the fastest; without any, the one that the model prefers."""
    return next((c for c in self.candidates if not c.refused), None)

  @property
  def unit(self) -> str:
    return "seconds" if self.target == "cpu" else "cycles"

  def __str__(self):
    return table(self)

  __repr__ = __str__

  def to_json(self) -> dict:
    fields = ("config", "predicted", "measured", "low", "high", "vmem", "refused")
    return dict(target=self.target, unit=self.unit, complete=self.complete,
                candidates=[{f: getattr(c, f) for f in fields if getattr(c, f) not in (None, "")} for c in self.candidates])

  def save_picture(self, path) -> None:
    """Writes predicted against measured, and measured against VMEM, as SVG."""
    pathlib.Path(path).write_text(picture(self))


class _Progress:
  """One line that is written over: what is done, the best so far, and the time left."""

  def __init__(self, shown: bool):
    self.shown, self.start, self.width = shown, time.monotonic(), 0

  def restart(self):
    self.start = time.monotonic()

  def show(self, what: str, done: int, total: int, best: str = ""):
    if not self.shown or not total:
      return
    left = (time.monotonic() - self.start) / max(done, 1) * (total - done)
    line = f"{what} {done} of {total}{f', best {best}' if best else ''}, about {int(left) // 60}:{int(left) % 60:02} left"
    print(f"\r{line:<{self.width}}", end="", file=sys.stderr, flush=True)
    self.width = len(line)

  def end(self):
    if self.shown and self.width:
      print(f"\r{'':<{self.width}}\r", end="", file=sys.stderr, flush=True)


def _split_target(target: str) -> tuple[str, str]:
  kind, _, chip = target.partition(":")
  if kind == "tpu" and chip in libtpu.TOPOLOGIES or target == "cpu":
    return kind, chip
  raise ValueError(f"there is no judge for the target '{target}'; there are cpu and {', '.join(f'tpu:{c}' for c in libtpu.TOPOLOGIES)}")


def _ranked(found: list[Candidate]) -> list[Candidate]:
  infinite = float("inf")
  return sorted(found, key=lambda c: (bool(c.refused), infinite if c.measured is None else c.measured, infinite if c.predicted is None else c.predicted))


def _best_of(found) -> str:
  measured = [c for c in found if c.measured is not None]
  best = min(measured, key=lambda c: c.measured, default=None)
  unit = "seconds" if best and isinstance(best.measured, float) else "cycles"
  return f"{spell(best.measured, unit)} ({best.name})" if best else ""


def _search_tpu(found, chip, budget, pool, cache, progress):
  waiting = [c for c in found if not c.refused]
  for done, (number, prediction) in enumerate(pool.answers("model", chip, [c.text for c in waiting]), 1):
    candidate = waiting[number]
    candidate.refused, candidate.predicted = prediction.get("refused") or prediction.get("failed", ""), prediction.get("cycles")
    candidate.vmem, candidate.program = prediction.get("vmem"), prediction.get("program", "")
    progress.show("modelled", done, len(waiting))
  progress.restart()
  # The model ranks; what it has no figures for comes last.
  waiting = _ranked([c for c in waiting if not c.refused])[:budget]
  # Configurations may come to one program, which is judged once.
  alike: dict[str, list[Candidate]] = {}
  for candidate in waiting:
    alike.setdefault(candidate.program, []).append(candidate)
  question = lambda program: ("libtpu", libtpu.release(), chip, program)
  known = {program: answer for program in alike if (answer := cache.get(*question(program))) is not None}
  for program, answer in known.items():
    _judged(alike[program], answer)
  asked = [program for program in alike if program not in known]
  for done, (number, answer) in enumerate(pool.answers("libtpu", chip, asked), len(known) + 1):
    program = asked[number]
    if "failed" not in answer:
      cache.put(answer, *question(program))
    _judged(alike[program], answer)
    progress.show("judged", done, len(alike), _best_of(found))


def _judged(candidates: list[Candidate], answer: dict):
  for candidate in candidates:
    candidate.measured = answer.get("cycles")
    if candidate.measured is None:
      candidate.refused = answer.get("failed") or f"libtpu: {answer.get('refused', 'no figures').splitlines()[0]}"


def _search_cpu(found, budget, seconds, progress):
  timer = timing.Timer(seconds)
  with tempfile.TemporaryDirectory() as folder:
    try:
      waiting = [c for c in found if not c.refused][:budget]
      paths = {}
      for number, candidate in enumerate(waiting, 1):
        try:
          paths[number] = path = f"{folder}/{number}"
          timing.save(*candidate.call, path)
        except Exception as error:
          candidate.refused = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
          continue
        # Times of another session would be unfair to those of this one.
        answer = timer.look(path)
        candidate.measured, candidate.refused = answer.get("time"), answer.get("refused", "")
        progress.show("timed", number, len(waiting), _best_of(found))
      timed = {n: c for n, c in enumerate(waiting, 1) if c.measured is not None}
      fastest = min((c.measured for c in timed.values()), default=0)
      near = {n: c for n, c in timed.items() if c.measured <= fastest * timing.NEAR}
      progress.restart()
      answers = timer.compare([paths[n] for n in near], lambda done: progress.show("compared", done, timing.ROUNDS, _best_of(found)))
      for candidate, answer in zip(near.values(), answers):
        candidate.measured, candidate.refused = answer.get("time"), answer.get("refused", "")
        candidate.low, candidate.high = answer.get("low"), answer.get("high")
    finally:
      timer.close()


def _make_pool(kind: str, jobs: int | None, cluster: str | None, seconds: float):
  if cluster and jobs is not None:
    raise ValueError(f"jobs={jobs} are processes of this machine, and cluster='{cluster}' has its own; give one of the two")
  if kind == "cpu" and (cluster or jobs not in (None, 1)):
    raise ValueError("candidates for the cpu are timed one at a time on this machine, since others beside them would take its caches; leave out jobs and cluster")
  return pools.Cluster(cluster, seconds) if cluster else pools.Processes(jobs, seconds)


def _search(found: list[Candidate], target: str, budget: int | None, seconds: float, cache, shown: bool, jobs: int | None, cluster: str | None) -> Result:
  kind, chip = _split_target(target)
  if budget is None:
    budget = 20 if kind == "tpu" else len(found)
  if budget < 1:
    raise ValueError(f"a budget of {budget} lets the judge measure nothing; use one of at least 1")
  result, progress = Result(target, found), _Progress(shown)
  cache = Cache(pathlib.Path(cache or default_folder()) / "answers.jsonl")
  if kind == "tpu":
    libtpu.release()
  pool = _make_pool(kind, jobs, cluster, seconds)
  try:
    if kind == "tpu":
      _search_tpu(found, chip, budget, pool, cache, progress)
    else:
      _search_cpu(found, budget, seconds, progress)
  except KeyboardInterrupt:
    result.complete = False
  finally:
    pool.close()
    progress.end()
  result.candidates = _ranked(found)
  return result


def tune(make, configs, *args, target: str = "cpu", budget: int | None = None, seconds: float = 120, cache=None, progress: bool = True,
         jobs: int | None = None, cluster: str | None = None, **kwargs) -> Result:
  """Searches `configs` for the one with which `make(config)(*args)` is fastest on a target.

  `make` takes a configuration, a dictionary by its keys, and returns a function that reaches Pallas calls. Configurations that
  cannot be made, exported or compiled are part of the result, with the reason. For `tpu:v5e` and the like a model ranks the
  others and libtpu's estimate judges the best `budget` (20); answers are kept in the folder `cache`, so that a search that was
  interrupted goes on where it was. On the `cpu` up to `budget` (all) are timed, and those near the fastest in turn; one whose
  results are not those of the first is left out. One may take `seconds`; the interrupt of the keyboard ends the search with
  the best so far.

  For TPUs `jobs` processes of this machine, one per processor without it, predict and judge at the same time, or the workers of
  the Ray cluster at the address `cluster`; `local` makes one here.
  """
  _split_target(target)
  found = choices.of_function(make, configs, args, kwargs)
  if not found:
    raise ValueError("there is no configuration to search; give at least one")
  return _search(found, target, budget, seconds, cache, progress, jobs, cluster)


def tune_module(text: str, *, target: str = "cpu", arrays=None, budget: int | None = None, seconds: float = 120, cache=None, progress: bool = True,
                jobs: int | None = None, cluster: str | None = None, reassociate: bool = False) -> Result:
  """Searches the coarsening factors of the grids of a module for the fastest; `arrays` are arguments to time it with.

  With `reassociate` the steps of a sum may become one longer contraction, which adds floats in another order.
  """
  kind, _ = _split_target(target)
  found = choices.of_module(text, reassociate)
  if kind == "cpu":
    for candidate in found:
      if not candidate.refused:
        try:
          function, arguments = choices.as_function(candidate.text, arrays)
          candidate.call = (function, tuple(arguments), {})
        except ValueError as error:
          if candidate.config == {}:
            raise
          candidate.refused = str(error).splitlines()[0]
  return _search(found, target, budget, seconds, cache, progress, jobs, cluster)
