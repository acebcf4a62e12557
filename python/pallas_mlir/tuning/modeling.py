# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates as the rules of a chip and the cost model of its kernels see them."""
from __future__ import annotations


from .workers import JudgeError, Worker, answer, questions


def predict(text: str, chip: str, libtpu: str) -> dict:
  """Predicted `cycles`, bytes of `vmem`, and the `program` for a judge; or why the chip `refused` the module."""
  from .. import _native
  from ..explanation import pass_with, read_report
  builder = _native.ModuleBuilder()
  messages = builder.parse(text, "candidate")
  if not messages:
    messages, memories = read_report(builder, "pallas-check-target", target=f"tpu:{chip}")
  errors = [m.text for m in messages if m.severity == "error"]
  if errors:
    return {"refused": errors[0]}
  # As it is written: joined steps would make small blocks as fast as large ones.
  try:
    program = _native.to_tpu_custom_call(builder, chip, libtpu, coarsen="off") if libtpu else None
  except Exception as error:
    return {"refused": str(error).splitlines()[0]}
  messages, costs = read_report(builder, "tpu-analyze-cost", pass_with("pallas-to-mosaic-tpu", chip=chip, coarsen="off"), chip=chip)
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
  for question in questions():
    answer(predict(**question))
