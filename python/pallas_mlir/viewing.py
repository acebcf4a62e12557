# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page about kernels: how their grids walk over blocks, what they take, what is wrong, and what becomes of them.

The facts come from the analyses and the checked mode; the page (`page/`) only draws them.
"""
from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import functools
import hashlib
import html
import json
import linecache
import os
import pathlib
import re
import sys
import typing

from . import _native
from .errors import KernelError, StillRunning, VerificationError
from .explanation import CallExplanation, _messages, predict_cycles, read_report
from .findings import split_place
from .limited import run_limited

FOLDER = pathlib.Path(__file__).parent / "page"
# The parts of a page's script, in the order in which they need each other.
SCRIPTS = ("draw", "blocks", "timeline", "memory", "page")
NOTE = "From a checked run on the CPU. Time is counted: 1 us is 1 byte that an access or a copy touches, on each core by itself."
MOST_EVENTS = 60_000
# Changes of the memory of a core.
MOST_COUNTS = 4_000
MOST_LINES = 1_500
# Operations of a stage that are printed: some, as those of index maps, share a line. Of larger modules than MOST_LOWERED, passes
# would take longer than everything else on a page.
MOST_OPERATIONS = 2 * MOST_LINES
MOST_LOWERED = 30_000
MOST_SOURCE_LINES = 600
# Programs of a grid for which index maps are evaluated.
MOST_PROGRAMS = 1 << 21


class Page:
  """A page in one file. It shows itself in notebooks; `save` writes it elsewhere."""

  def __init__(self, title: str, calls: list[dict], timeline: dict | None, summary: str, no_timeline: str):
    self.title, self.summary = title, summary
    # Calls of one module share its stages, and those near each other their source.
    shared = {key: {id(call[key]): call[key] for call in calls} for key in ("stages", "source")}
    numbers = {part: number for parts in shared.values() for number, part in enumerate(parts)}
    calls = [call | {key: numbers[id(call[key])] for key in shared} for call in calls]
    data = dict(calls=calls, timeline=timeline, noTimeline=no_timeline, **{key: list(parts.values()) for key, parts in shared.items()})
    # What could end the element or begin another one is spelled in another way.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    script = "\"use strict\";\n(() => {\n" + "\n".join((FOLDER / f"{name}.js").read_text() for name in SCRIPTS) + "})();\n"
    parts = dict(TITLE=html.escape(title), SUMMARY=html.escape(summary), STYLE=(FOLDER / "page.css").read_text(), DATA=text, SCRIPT=script,
                 HASH=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())
    # Of one pass: what is put in may look like a name of a part.
    self.html = re.sub("@([A-Z]+)@", lambda part: parts[part[1]], (FOLDER / "page.html").read_text())
    self.path: str | None = None

  def save(self, path) -> str:
    with open(path, "w", encoding="utf-8") as file:
      file.write(self.html)
    self.path = os.fspath(path)
    return self.path

  def _repr_html_(self):
    return f'<iframe style="width: 100%; height: 52rem; border: 0" srcdoc="{html.escape(self.html)}"></iframe>'

  def __repr__(self):
    return f"<Page of {self.title}{': ' + self.path if self.path else ''}>"


def _report(builder, name, **options) -> tuple[list, list[dict]]:
  """Messages of a pass about the calls of a module, and what it writes as JSON."""
  messages, calls = read_report(builder, name, **options)
  messages = _messages(messages)
  if calls is None:
    raise ValueError("; ".join(m.text for m in messages if m.severity == "error"))
  return messages, calls


# Locations behind operations.
_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NESTED = r"[^()\"]"
for _ in range(6):
  _NESTED = rf"(?:[^()\"]|{_QUOTED}|\({_NESTED}*\))"
_LOCATION = re.compile(rf" ?\bloc\(({_NESTED}*)\)")
_FILE_LINE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')


def _link_lines(text: str, file: str) -> list[list]:
  """Lines without their locations, each with the line of `file` that it comes from, or 0. Behind MOST_LINES nothing is shown."""
  given = text.splitlines()
  aliases = {m[1]: m[2] for m in (_ALIAS.match(line) for line in given if line.startswith("#loc")) if m}

  def find(location, depth=0):
    """The innermost place in the file."""
    for name, line, alias in re.findall(_FILE_LINE.pattern + r"|(#loc\d*)", location):
      if line and name.replace("\\\\", "\\") == file:
        return int(line)
      if alias and depth < 20 and (line := find(aliases.get(alias, ""), depth + 1)):
        return line
    return 0

  lines = []
  for line in given:
    if line.startswith("#loc"):
      continue
    # Only the end of an operation tells something about a line that is shown.
    if len(lines) >= MOST_LINES and not line.lstrip().startswith("}"):
      lines.append([line, 0])
      continue
    places = list(_LOCATION.finditer(line))
    own = places[-1][1] if places and places[-1].end() == len(line) else ""
    lines.append([_LOCATION.sub("", line), find(own)])
  _link_heads(lines)
  return lines


def _link_heads(lines) -> None:
  """Gives the first lines of operations with regions the place that is written behind their last one."""
  heads: dict[int, int] = {}
  for number, (text, place) in enumerate(lines):
    depth = len(text) - len(text.lstrip())
    if not text.startswith("}", depth):
      heads[depth] = number
    elif place and depth in heads:
      for head in range(heads[depth], number):
        if lines[head][1]:
          break
        lines[head][1] = place
        # The body begins behind it.
        if lines[head][0].endswith("{"):
          break


def _stages(builder, pipeline: str) -> list[tuple[str, str, int]]:
  """The module as it is and after each pass that changed it: names, texts, and how many operations those lack."""
  _native.check_pipeline(builder, pipeline)
  first = _native.list_stages(builder, "", MOST_OPERATIONS)[0][0]
  if (number := first.left_out + MOST_OPERATIONS) > MOST_LOWERED:
    note = (f"{pipeline} does not run for a page about {number} operations, of which there may be {MOST_LOWERED}; "
            "pallas-opt --dump-stages=DIR writes the stages of any module")
    return [(first.name, first.text, first.left_out), ("no other stages", note, 0)]
  stages, failure = _native.list_stages(builder, pipeline, MOST_OPERATIONS)
  return [(stage.name, stage.text, stage.left_out) for stage in stages] + ([(f"{pipeline} fails", failure, 0)] if failure else [])


def _shown_stages(stages, file: str) -> list[dict]:
  """Stages whose lines are linked to those of a file."""
  shown = []
  for number, (name, text, left_out) in enumerate(stages):
    lines = _link_lines(text, file)
    if (more := len(lines) - MOST_LINES) > 0 or left_out:
      also = f" and {left_out} operations" if left_out else ""
      lines = lines[:MOST_LINES] + [[f"... {max(more, 0)} more lines{also}", 0]]
    shown.append(dict(name=f"{number} {name}", lines=lines))
  return shown


def _first_shown(line: int) -> int:
  """The first line of the source that a call at this one is shown with; calls near each other have the same."""
  step = MOST_SOURCE_LINES // 3
  return max(0, line // step - 1) * step + 1


def _source_from(file: str, first: int) -> dict:
  lines = linecache.getlines(file)
  if len(lines) <= MOST_SOURCE_LINES:
    first = 1
  return dict(file=os.path.basename(file), first=first, lines=[text.rstrip("\n") for text in lines[first - 1:first - 1 + MOST_SOURCE_LINES]])


def _memory(report: dict, target: dict) -> list[dict]:
  """Bytes per space; those of the target, which fill up tiles and know the space of windows that name none, where it has them."""
  sizes = dict(report.get("bytes", {}))
  # Of meshes, targets know the capacities only.
  if "buffers" in target:
    sizes.pop("default", None)
    sizes |= {space: target[space] for space in ("vmem", "smem") if target.get(space)}
  spaces = []
  for space, size in sizes.items():
    names = (space, "default") if target and space == "vmem" else (space,)
    # Plans for GPUs have one of each.
    planned = [dict(b, buffers=b.get("buffers", 1)) for b in (target if space in target else report)["buffers"]]
    buffers = [b for b in planned if b["space"] in names and b["buffers"] and b["bytes"] is not None]
    spaces.append(dict(space=space, bytes=size, capacity=target.get(f"{space}_capacity"), buffers=buffers))
  return spaces


def _memory_source(target: dict, meshes: list) -> str:
  if "buffers" not in target:
    points = " Each core or subcore has such memory, except what they share and what lies in hbm." if meshes else ""
    if target.get("vmem_capacity"):
      points += f" Capacities are those of {'a subcore' if any(mesh['kind'] == 'sc_vector' for mesh in meshes) else 'a core'} of {target['chip']}."
    return f"As the kernel is written, without tiles and padding: from pallas-analyze-memory, since the target has no plan of its own.{points}"
  if "arch" in target:
    return (f"Planned for {target['arch']} by pallas-check-target: shared memory of a block with its {target['barriers']} barriers; accumulators take "
            f"{target['accumulator_registers']} of {target['registers']} registers of a thread.")
  return (f"Planned for {target['chip']} by pallas-check-target, in whole tiles; the steps follow from the index maps: "
          "while one computes, the next window arrives and the last result leaves.")


def _mistakes(found) -> list[dict]:
  shown = []
  for place, rule, what, remedy, comment in found:
    file, line = split_place(place)
    shown.append(dict(severity="error", by="check", file=os.path.basename(file), line=line, text=f"{rule}: {what}",
                      notes=[remedy, f"to allow it here, write '{comment}'"]))
  return shown


# What a run fails with begins with XLA's status and the place.
_FAILURE = re.compile(r"^(?:[A-Z_]+: )?(?:([^\n]+?:\d+):\d+: )?(.*)$", re.S)


def _failed_run(text: str) -> dict:
  place, what = _FAILURE.match(text).groups()
  file, line = split_place(place or "")
  return dict(severity="error", by="run", file=os.path.basename(file), line=line, text=what, notes=[])


def _find(reports, call):
  keys = ("function", "name", "location")
  return next((r for r in reports if all(r.get(key) == call.get(key) for key in keys)), {})


def _find_cycles(predicted, call, number: int) -> dict | None:
  """Lowered kernels have names and lines, but no functions."""
  file, line = split_place(call["location"])
  found = predicted if number == 1 else [c for c in predicted if f'"{file}":{line}:' in c["location"]]
  return found[0] if len(found) == 1 else None


def _estimate(builder, target: str) -> dict:
  """What the compiler of a chip estimates for the kernels of a module, or why there is no figure."""
  from .tuning import libtpu
  from .tuning.workers import JudgeError
  by = f"libtpu {libtpu.release()}"
  kind, _, chip = target.partition(":")
  if kind != "tpu" or not chip:
    return dict(by=by, missing=f"no figure for {target}; name a chip, as in tpu:v5e")
  try:
    with contextlib.closing(libtpu.Compiler(chip)) as compiler:
      answer = compiler.judge(_native.to_tpu_custom_call(builder, chip, libtpu.release(), coarsen="off"))
  except (JudgeError, ValueError) as error:
    return dict(by=by, missing=f"no answer: {error}")
  if answer["cycles"] is None:
    return dict(by=by, missing=f"refused: {answer['refused']}" if "refused" in answer else "no figure")
  return dict(by=by, cycles=answer["cycles"])


def _describe(builder, target: str, pipeline: str, mistakes, entry: str = "", evaluated=None, libtpu=False) -> tuple[list[dict], list[str]]:
  """The calls of a module for the page, and what their summaries tell; `evaluated` is the same module with what index maps read."""
  refusals, targets = _report(builder, "pallas-check-target", target=target)
  warned, coverages = _report(evaluated or builder, "pallas-analyze-coverage", walk="true", **{"max-programs": MOST_PROGRAMS})
  _, memories = _report(builder, "pallas-analyze-memory")
  _, costs = _report(builder, "pallas-analyze-cost")
  refused = any(m.severity == "error" for m in refusals)
  cycles = [] if refused else predict_cycles(builder, target)
  estimate = _estimate(builder, target) if libtpu and not refused else None
  stages = _stages(builder, pipeline)
  shown_stages = functools.cache(lambda file: _shown_stages(stages, file))
  source = functools.cache(_source_from)
  calls, texts = [], []
  # Calls of meshes have points instead of a grid, and operands as a whole.
  shown_calls = coverages + [dict(m, grid=[], blocks=[]) for m in memories if m.get("meshes")]
  for call in shown_calls:
    file, line = split_place(call["location"])
    problems = [m for m in (*refusals, *warned) if m.severity in ("error", "warning") and (len(shown_calls) == 1 or m.where == f"{file}:{line}")]
    memory, cost, predicted = _find(memories, call), _find(costs, call), _find_cycles(cycles, call, len(shown_calls))
    shown = [dict(severity=m.severity, by=target if m in refusals else "coverage", file=os.path.basename(split_place(m.where)[0]),
                  line=split_place(m.where)[1], text=m.text, notes=[]) for m in problems]
    name = call.get("name") or entry or call["function"]
    plan = _find(targets, call)
    calls.append(dict(name=name, where=call["location"], grid=call["grid"], blocks=call["blocks"], meshes=call.get("meshes", []),
                      chip=plan.get("chip") or plan.get("arch") or target, memory=_memory(memory, plan), memorySource=_memory_source(plan, call.get("meshes", [])),
                      cycles=predicted, estimate=estimate if len(shown_calls) == 1 else None, findings=_mistakes(mistakes) + shown, checked=bool(entry),
                      stages=shown_stages(file), source=source(file, _first_shown(line))))
    texts.append(_text(CallExplanation(name, f"{file}:{line}", problems, memory, cost, call, predicted or {}), mistakes, target))
    if estimate:
      texts[-1] += f"\n  {estimate['by']}: " + (f"{estimate['cycles']} cycles" if "cycles" in estimate else estimate["missing"])
  return calls, texts


def _text(explanation: CallExplanation, mistakes, target) -> str:
  lines = [f"({explanation.where}) on {target}"]
  rows = [("mistake", f"{place}: {rule}: {what}") for place, rule, what, *_ in mistakes] + list(explanation.rows())
  width = max((len(label) for label, _ in rows), default=0)
  return "\n".join(lines + [f"  {label:<{width}} | {text}" for label, text in rows])


# What the page takes from an event of each kind.
_NEEDED = {"M": {"name": str, "pid": int, "args": dict}, "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": int, "dur": int},
           "b": {"name": str, "cat": str, "id2": dict, "pid": int, "tid": int, "ts": int}, "e": {"id2": dict, "pid": int, "tid": int, "ts": int},
           "C": {"name": str, "pid": int, "ts": int, "args": dict}}


def _shown_events(text: str) -> tuple[list[dict], int]:
  """The events of a trace that the page draws, and how many were left out; an error if they are not as `pallas-run --perfetto` writes them."""
  try:
    trace = json.loads(text)
    events = trace["traceEvents"]
    if not isinstance(events, list):
      raise TypeError("traceEvents is no list")
    other = trace.get("otherData")
    left_out = other.get("events_left_out", 0) if isinstance(other, dict) else 0
  except (ValueError, KeyError, TypeError, RecursionError) as error:
    raise ValueError("it has no list of traceEvents") from error
  shown: list[dict] = []
  begun = set()
  for number, event in enumerate(events):
    kind = event.get("ph") if isinstance(event, dict) else None
    if not isinstance(kind, str):
      raise ValueError(f"event {number} has no ph")
    for key, wanted in _NEEDED.get(kind, {}).items():
      if type(event.get(key)) is not wanted:
        raise ValueError(f"event {number}, of kind {kind}, has no {key} of type {wanted.__name__}")
      if wanted is int and not 0 <= event[key] < 1 << 53:
        raise ValueError(f"event {number} has {key} {event[key]}; numbers go from 0 to 2^53")
    if not isinstance(event.get("args", {}), dict):
      raise ValueError(f"event {number} has args that are no object")
    if kind in ("b", "e"):
      event["id"] = event["id2"].get("local")
      slice_of = (event["pid"], event["tid"], event["id"])
      if not isinstance(event["id"], str):
        raise ValueError(f"event {number}, of kind {kind}, has an id2 without a local id")
      if kind == "b":
        begun.add(slice_of)
      elif slice_of not in begun:
        raise ValueError(f"event {number} ends the slice {event['id']}, which has not begun")
    if kind in _NEEDED:
      shown.append(event)
  return shown, left_out if isinstance(left_out, int) else 0


def _memory_over_time(counts: list[dict], target: str) -> list[dict]:
  """Bytes of each core and space in the order of time. A TPU has windows and scratch that name no space in its VMEM."""
  changes: dict[tuple, list] = collections.defaultdict(list)
  before: dict[tuple, int] = collections.defaultdict(int)
  for number, event in enumerate(counts):
    space, _, core = event["name"].partition(" of ")
    key, value = (event["pid"], core, space), event["args"]["bytes"]
    shown = (event["pid"], core, "vmem" if space == "default" and target.startswith("tpu") else space)
    changes[shown].append((event["ts"], number, value - before[key]))
    before[key] = value
  found = []
  for (device, core, space), deltas in changes.items():
    times, values, total = [], [], 0
    for time, _, delta in sorted(deltas):
      total += delta
      if times and times[-1] == time:
        values[-1] = total
      else:
        times.append(time)
        values.append(total)
    # Of neighbours the larger one is kept, so that peaks show.
    while len(times) > MOST_COUNTS:
      times, values = times[::2], [max(values[i:i + 2]) for i in range(0, len(values), 2)]
    found.append(dict(device=device, core=core, space=space, times=times, values=values))
  return found


def _timeline(text: str, target: str) -> dict:
  (events, left_out), note = _shown_events(text), NOTE
  counts = [e for e in events if e["ph"] == "C"]
  events = [e for e in events if e["ph"] != "C"]
  if any(e.get("args", {}).get("unfinished") for e in events):
    note += " What has not ended was still running when the run was given up."
  number = len(events) + left_out
  events = events[:MOST_EVENTS]
  if len(events) < number:
    note += f" Only the first {len(events)} of {number} events are shown."
  # Async slices whose end is left out are, too.
  ended = {e["id"] for e in events if e["ph"] == "e"}
  return dict(events=[e for e in events if e["ph"] != "b" or e["id"] in ended], note=note,
              memory=_memory_over_time([e for e in counts if type(e["args"].get("bytes")) is int and " of " in e["name"]], target))


def _run_checked(fn, args, kwargs, begun: list):
  """Runs a function with its kernels checked; returns its mistakes and its timeline, that of a run that failed, too.

  The timeline is in `begun` as soon as it is recorded."""
  import jax

  from . import jax as compiled
  from .timeline import recording
  mistakes, failure = (), ""
  with recording(limit=MOST_EVENTS) as trace:
    begun.append(trace)
    try:
      with compiled._interpret(True), compiled.checked():
        jax.block_until_ready(fn(*args, **kwargs))
    except KernelError as error:
      mistakes = error.findings
    except jax.errors.JaxRuntimeError as error:
      failure = str(error)
  return mistakes, trace.text, failure


class _Run(typing.NamedTuple):
  """The outcome of a run. One that was given up has the pairs of modules and the timeline that it got to."""
  pairs: list
  mistakes: tuple | list = ()
  trace: str = ""
  failure: str = ""


def _run_limited(fn, args, kwargs, seconds: float) -> _Run:
  """Evaluates what index maps read and runs the kernels checked, for as long as that; the timeline of a kernel that goes on ends then."""
  from .module import collect_calls
  collected = collect_calls(fn, *args, **kwargs)
  pairs, checked, begun = [], [], []

  def run():
    # A kernel or a loop without end may compute the prefetched arguments.
    pairs.extend(collected.evaluate())
    checked.append(_run_checked(fn, args, kwargs, begun))

  try:
    ended = run_limited(run, seconds)
  except StillRunning as error:
    return _Run(pairs, failure=f"not run: {error}")
  if ended:
    return _Run(pairs, *checked[0])
  for trace in begun:
    trace.stop()
  where, whom = ("the kernels have", "them") if pairs else ("what computes the prefetched arguments has", "it")
  shown = "the timeline ends there" if begun else "there is no timeline"
  return _Run(pairs or collected.pairs(), trace=begun[0].text if begun else "",
              failure=f"{where} not ended within {seconds:g} seconds, so {shown}; seconds= gives {whom} longer")


def view_function(fn, args, kwargs, target: str, pipeline: str, seconds: float, libtpu: bool = False) -> Page:
  pairs, mistakes, trace, failure = _run_limited(fn, args, kwargs, seconds)
  calls, texts = [], []
  for exporter, evaluated in pairs:
    shown, told = _describe(exporter.k.b, target, pipeline, mistakes, exporter.entries[0], evaluated.k.b, libtpu)
    calls += shown
    texts += told
  if failure:
    for call in calls:
      call["findings"].insert(0, _failed_run(failure))
  timeline = _timeline(trace, target) if trace else dict(events=[])
  return _page([name for e, _ in pairs for name in e.entries], calls, timeline if timeline["events"] else None, texts, "No kernel ran to its end on the CPU.",
               f"The run failed: {failure}" if failure else "")


def _number(calls) -> None:
  """Gives each call an anchor, and a title of its own where several have a name."""
  names = [call["name"] for call in calls]
  for number, (call, name) in enumerate(zip(calls, names), 1):
    call["id"] = f"call-{number}"
    if (count := names.count(name)) > 1:
      call["name"] = f"{name} ({names[:number].count(name)} of {count})"


def _page(names, calls, timeline, texts, no_timeline, failure="") -> Page:
  if not calls:
    raise VerificationError("there is no call of a kernel to show; a page is about pallas.pallas_call, pallas.mpmd_map and pallas.core_map")
  _number(calls)
  told = [f"{call['name']} {text}" for call, text in zip(calls, texts)] + ([failure] if failure else [])
  return Page(", ".join(dict.fromkeys(names)), calls, timeline, "\n\n".join(told), no_timeline)


def view_module(text: str, file: str, target: str, pipeline: str, trace: str | None = None, libtpu: bool = False) -> Page:
  """The page of a module in text, and of a trace that pallas-run has written."""
  builder = _native.ModuleBuilder()
  messages = builder.parse(text, file)
  if messages:
    first = messages[0]
    raise VerificationError(first.text, f"{first.file}:{first.line}" if first.file else file)
  calls, texts = _describe(builder, target, pipeline, (), libtpu=libtpu)
  try:
    timeline = _timeline(trace, target) if trace is not None else None
  except ValueError as error:
    raise ValueError(f"the timeline is no trace of pallas-run --perfetto: {error}") from error
  return _page([os.path.basename(file)], calls, timeline, texts,
               "None was given: pallas-run --perfetto=FILE writes one, and pallas-viz --trace=FILE shows it.")


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(prog="pallas-viz", description="Make a page about the kernels of a module: grids, blocks, memory, findings, stages.")
  parser.add_argument("file", help="module of the pallas dialect in text, or - for the standard input")
  parser.add_argument("-o", dest="output", metavar="PAGE.html", help="where to put the page (default: the name of the module, in the current folder)")
  parser.add_argument("--target", default="tpu", help="target whose rules and capacities are shown: tpu, or a chip such as tpu:v5e")
  parser.add_argument("--pipeline", default="pallas-to-llvm", help="whose stages are shown (default: %(default)s)")
  parser.add_argument("--trace", metavar="FILE", help="timeline that pallas-run --perfetto has written")
  parser.add_argument("--libtpu", action="store_true", help="add the cycles that the compiler of the chip estimates; it takes seconds")
  options = parser.parse_args(argv)
  try:
    text = sys.stdin.read() if options.file == "-" else pathlib.Path(options.file).read_text()
    trace = pathlib.Path(options.trace).read_text() if options.trace else None
    output = options.output or ("page.html" if options.file == "-" else pathlib.Path(options.file).stem + ".html")
    for read in (options.file, options.trace):
      if read and read != "-" and os.path.exists(output) and os.path.samefile(read, output):
        raise ValueError(f"the page would overwrite {read}, which it is made of; choose another file by -o")
    page = view_module(text, "<stdin>" if options.file == "-" else options.file, options.target, options.pipeline, trace, options.libtpu)
    print(page.save(output))
  except (OSError, ValueError) as error:
    print(f"pallas-viz: {error}", file=sys.stderr)
    return 1
  return 0
