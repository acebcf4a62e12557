# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problems that a target has with kernels, and the memory they take."""
from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from typing import Any

from . import _native

ANALYSES = ("memory", "cost", "coverage")


@dataclasses.dataclass
class Finding:
  """The diagnostic of the target: an error where it refuses, a warning where it works harder."""
  severity: str
  where: str
  text: str


@dataclasses.dataclass
class CallExplanation:
  """One Pallas call: `memory`, `cost` and `coverage` are what the analyses report, and `cycles` what `tpu-analyze-cost` predicts for
  a chip that has figures; it is empty for others, and for kernels that are refused."""
  name: str
  where: str
  findings: list[Finding]
  memory: dict[str, Any]
  cost: dict[str, Any]
  coverage: dict[str, Any]
  cycles: dict[str, Any] = dataclasses.field(default_factory=dict)

  @property
  def violations(self) -> list[Finding]:
    return [f for f in self.findings if f.severity in ("error", "warning")]

  def rows(self):
    for finding in self.findings:
      label = {"error": "refused", "warning": "warning"}.get(finding.severity, "note")
      yield label, f"{finding.where}: {finding.text}" if finding.where and finding.where != self.where else finding.text
    for space, size in self.memory.get("bytes", {}).items():
      parts = [f"{b['role']} {b['index']}: {b['buffers']} x {b['bytes'] // b['buffers']}" if b["buffers"] > 1 else f"{b['role']} {b['index']}: {b['bytes']}"
               for b in self.memory["buffers"] if b["space"] == space and b["buffers"] and b["bytes"] is not None]
      yield space, f"{size} bytes ({', '.join(parts)})"
    computed = self.cost.get("computed", {})
    if computed:
      about = "" if computed.get("exact", True) else "about "
      yield "cost", (f"{about}{computed['flops']} operations, {computed['transcendentals']} transcendental, "
                     f"{computed['bytes_accessed']} bytes of arrays, {computed['bytes_moved']} bytes moved")
    for block in self.coverage.get("blocks", ()):
      if block["kind"] == "output" and "total" in block:
        yield "coverage", f"output {block['index']}: {block['visited']} of {block['total']} blocks are visited"
    yield from self._cycle_rows()

  def _cycle_rows(self):
    if not self.cycles:
      return
    total, steps = self.cycles["cycles"], self.cycles["steps"]
    yield "cycles", f"about {total} in {steps} step{'' if steps == 1 else 's'}; waits for {self.cycles['waits_for']} most"
    for part, cycles in sorted(self.cycles["parts"].items(), key=lambda item: -item[1]):
      yield f"  {part}", f"{cycles} ({cycles / total:.0%})"
    yield "roofline", (f"{self.cycles['compute_cycles']} cycles to compute, {self.cycles['copy_cycles']} to copy "
                       f"{self.cycles['bytes_copied']} bytes of windows")


@dataclasses.dataclass
class Explanation:
  """Prints as a table for each call."""
  target: str
  calls: list[CallExplanation]

  def __str__(self):
    lines = []
    for call in self.calls:
      lines.append(f"{call.name} ({call.where}) on {self.target}")
      rows = list(call.rows())
      width = max((len(label) for label, _ in rows), default=0)
      lines += [f"  {label:<{width}} | {text}" for label, text in rows]
    return "\n".join(lines)

  __repr__ = __str__


def pass_with(name: str, **options) -> str:
  """A pass with options, as a pipeline is written. Its syntax has no escapes, so there are values that it can't hold."""
  for key, value in options.items():
    if set(str(value)) & set("{}'\""):
      raise ValueError(f"{value!r} can't be the {key} of a pass, since it has a brace or a quote in it")
  return f"{name}{{{' '.join(f'{key}={chr(34)}{value}{chr(34)}' for key, value in options.items())}}}"


def read_report(builder, name: str, *before: str, **options) -> tuple[list, list[dict[str, Any]] | None]:
  """The messages of a pass behind others, and the calls in its report, or None if it writes none."""
  with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "report.json")
    messages = _native.diagnose(builder, ",".join([*before, pass_with(name, json=file, **options)]))
    if not os.path.exists(file):
      return messages, None
    with open(file) as opened:
      return messages, json.load(opened)["calls"]


def _messages(messages) -> list[Finding]:
  found = []
  for message in messages:
    notes = "".join(f"; {note.text}" for note in message.notes if not note.text.startswith("see current operation"))
    found.append(Finding(message.severity, f"{message.file}:{message.line}" if message.file else "", message.text + notes))
  return found


def _analyse(builder) -> tuple[list[Finding], list[dict[str, Any]]]:
  """What all analyses warn of, and their reports on the module's one call."""
  with tempfile.TemporaryDirectory() as folder:
    files = {name: os.path.join(folder, f"{name}.json") for name in ANALYSES}
    passes = ",".join(pass_with(f"pallas-analyze-{name}", json=file) for name, file in files.items())
    findings = [f for f in _messages(_native.diagnose(builder, passes)) if f.severity in ("error", "warning")]
    reports = []
    for file in files.values():
      with open(file) as opened:
        calls = json.load(opened)["calls"]
      reports.append(calls[0] if calls else {})
    return findings, reports


def predict_cycles(builder, target: str) -> list[dict[str, Any]]:
  """What the cost model predicts for the calls, or nothing without a chip that it knows."""
  kind, _, chip = target.partition(":")
  if kind != "tpu" or not chip:
    return []
  _, calls = read_report(builder, "tpu-analyze-cost", pass_with("pallas-to-mosaic-tpu", chip=chip, coarsen="off"), chip=chip)
  return calls or []


def explain_calls(exporters, target: str) -> Explanation:
  """Explains modules of one call each."""
  calls = []
  for exporter in exporters:
    builder = exporter.k.b
    findings = _messages(_native.diagnose(builder, pass_with("pallas-check-target", target=target)))
    for finding in findings:
      if finding.severity == "error" and not finding.where:
        raise ValueError(finding.text)
    warnings, (memory, cost, coverage) = _analyse(builder)
    findings += warnings
    where = ":".join(memory.get("location", "").split(":")[:2])
    refused = any(finding.severity == "error" for finding in findings)
    cycles = {} if refused else next(iter(predict_cycles(builder, target)), {})
    calls.append(CallExplanation(exporter.entries[0], where, findings, memory, cost, coverage, cycles))
  return Explanation(target, calls)
