# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a target has against kernels, and what they take."""
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
  """What the target says: an error where it refuses, a warning where it works harder."""
  severity: str
  where: str
  text: str


@dataclasses.dataclass
class CallExplanation:
  """One Pallas call: `memory`, `cost` and `coverage` are what the analyses report."""
  name: str
  where: str
  findings: list[Finding]
  memory: dict[str, Any]
  cost: dict[str, Any]
  coverage: dict[str, Any]

  @property
  def violations(self) -> list[Finding]:
    return [f for f in self.findings if f.severity in ("error", "warning")]

  def rows(self):
    for finding in self.findings:
      label = {"error": "refused", "warning": "warning"}.get(finding.severity, "note")
      yield label, f"{finding.where}: {finding.text}" if finding.where and finding.where != self.where else finding.text
    for space, size in self.memory.get("bytes", {}).items():
      parts = [f"{b['role']} {b['index']}: {b['buffers']} x {b['bytes'] // b['buffers']}" if b["buffers"] > 1 else f"{b['role']} {b['index']}: {b['bytes']}"
               for b in self.memory["buffers"] if b["space"] == space and b["buffers"]]
      yield space, f"{size} bytes ({', '.join(parts)})"
    computed = self.cost.get("computed", {})
    if computed:
      about = "" if computed.get("exact", True) else "about "
      yield "cost", (f"{about}{computed['flops']} operations, {computed['transcendentals']} transcendental, "
                     f"{computed['bytes_accessed']} bytes of arrays, {computed['bytes_moved']} bytes moved")
    for block in self.coverage.get("blocks", ()):
      if block["kind"] == "output" and "total" in block:
        yield "coverage", f"output {block['index']}: {block['visited']} of {block['total']} blocks are visited"


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
    passes = ",".join(f"pallas-analyze-{name}{{json={file}}}" for name, file in files.items())
    findings = [f for f in _messages(_native.diagnose(builder, passes)) if f.severity in ("error", "warning")]
    reports = []
    for file in files.values():
      with open(file) as opened:
        calls = json.load(opened)["calls"]
      reports.append(calls[0] if calls else {})
    return findings, reports


def explain_calls(exporters, target: str) -> Explanation:
  """Explains modules of one call each."""
  calls = []
  for exporter in exporters:
    builder = exporter.k.b
    findings = _messages(_native.diagnose(builder, f"pallas-check-target{{target={target}}}"))
    for finding in findings:
      if finding.severity == "error" and not finding.where:
        raise ValueError(finding.text)
    warnings, (memory, cost, coverage) = _analyse(builder)
    findings += warnings
    where = ":".join(memory.get("location", "").split(":")[:2])
    calls.append(CallExplanation(exporter.entries[0], where, findings, memory, cost, coverage))
  return Explanation(target, calls)
