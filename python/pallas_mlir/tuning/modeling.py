# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates as the rules of a chip and the cost model of its kernels see them."""
from __future__ import annotations

import json
import os
import sys
import tempfile

from .workers import JudgeError, Worker, answer


def _reports(native, builder, pipeline) -> tuple[list, list[dict]]:
  """The messages of a pipeline, and the calls in the report that it writes to the file `@`."""
  with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "report.json")
    messages = native.diagnose(builder, pipeline.replace("@", file))
    if not os.path.exists(file):
      return messages, []
    with open(file) as opened:
      return messages, json.load(opened)["calls"]


def predict(text: str, chip: str, libtpu: str) -> dict:
  """Predicted `cycles`, bytes of `vmem`, and the `program` for a judge; or why the chip `refused` the module."""
  from .. import _native
  builder = _native.ModuleBuilder()
  messages = builder.parse(text, "candidate")
  if not messages:
    messages, memories = _reports(_native, builder, f"pallas-check-target{{target=tpu:{chip} json=@}}")
  errors = [m.text for m in messages if m.severity == "error"]
  if errors:
    return {"refused": errors[0]}
  try:
    program = _native.to_tpu_custom_call(builder, chip, libtpu) if libtpu else None
  except Exception as error:
    return {"refused": str(error).splitlines()[0]}
  messages, costs = _reports(_native, builder, f"pallas-to-mosaic-tpu{{chip={chip}}},tpu-analyze-cost{{chip={chip} json=@}}")
  errors = [m.text for m in messages if m.severity == "error"]
  if errors:
    return {"refused": errors[0]}
  return {"cycles": sum(c["cycles"] for c in costs) if costs else None, "program": program,
          "vmem": max((m["vmem"] for m in memories), default=0), "capacity": max((m["vmem_capacity"] for m in memories), default=0)}


class Model:
  """Predictions in a process of its own: a module may crash the compiler."""

  def __init__(self, chip: str, libtpu: str = "", seconds: float = 60):
    self.chip, self.libtpu = chip, libtpu
    self.worker = Worker(__name__, seconds=seconds, environment={"JAX_PLATFORMS": "cpu"})

  def predict(self, text: str) -> dict:
    try:
      return self.worker.ask(text=text, chip=self.chip, libtpu=self.libtpu)
    except JudgeError as error:
      return {"refused": f"lowering: {error}"}

  def close(self):
    self.worker.close()


if __name__ == "__main__":
  for line in sys.stdin:
    answer(predict(**json.loads(line)))
