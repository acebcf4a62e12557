# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles that the compiler for TPUs estimates for the kernels of a program, ahead of time: it needs libtpu and no TPU. The
figures are deterministic."""
from __future__ import annotations

import importlib.metadata
import os
import pathlib
import re
import sys
import tempfile

from .workers import JudgeError, Worker, answer, questions

# How the compiler names one host of each chip that its simulator knows.
TOPOLOGIES = {"v5e": "v5e:2x2", "v5p": "v5p:2x2x1", "v6e": "v6e:2x2", "tpu7x": "tpu7x:2x2x1"}
# The compiler asks the cloud and the machine for its TPU otherwise.
ENVIRONMENT = dict(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_WORKER_HOSTNAMES="localhost")


def release() -> str:
  """The release that judges; calls are written for it."""
  try:
    return importlib.metadata.version("libtpu")
  except importlib.metadata.PackageNotFoundError:
    raise ValueError("the judge of TPU kernels is the package libtpu, which is not installed; run pip install libtpu") from None


def compile_stablehlo(text: str, topology: str):
  """Compiles a StableHLO module; raises where the compiler refuses it."""
  os.environ.update(ENVIRONMENT)
  import numpy as np
  from jax._src import compiler
  from jax._src.interpreters import mlir
  from jax._src.lib import xla_client
  from jax.experimental import topologies
  from jaxlib.mlir import ir
  description = topologies.get_topology_desc(platform="tpu", topology_name=topology)
  with mlir.make_ir_context():
    module = ir.Module.parse(text)
    attributes = module.operation.attributes
    count = 1
    if "mhlo.num_partitions" in attributes:
      count = ir.IntegerAttr(attributes["mhlo.num_partitions"]).value
    devices = description.devices[:count]
    if len(devices) < count:
      raise ValueError(f"{topology} has {len(devices)} devices, but the module runs on {count}")
    # Remote copies need to know where each partition runs.
    options = compiler.get_compile_options(num_replicas=1, num_partitions=count, device_assignment=np.arange(count).reshape(1, count))
    options.executable_build_options.use_spmd_partitioning = count > 1
    return devices[0].client.compile(module, xla_client.DeviceList(tuple(devices)), options)


def _kernel_names(executable) -> set[str]:
  """What the compiler calls the calls of kernels, among its own operations around them."""
  text = "\n".join(module.to_string() for module in executable.hlo_modules())
  return set(re.findall(r'%([\w.-]+) = [^\n]*custom_call_target="tpu_custom_call"', text))


def _read_cycles(folder, kernels) -> int | None:
  """The cycles of all kernels of the program together, from the profiles that the compiler has written."""
  cycles = None
  for profile in pathlib.Path(folder).glob("*_static_llo_profile.textproto"):
    for name, count in re.findall(r'hlo_op_name: "([^"]*)"\s*estimated_cycles: (\d+)', profile.read_text()):
      if name in kernels:
        cycles = (cycles or 0) + int(count)
  return cycles


def serve(topology, folder):
  """Compiles the modules whose paths come in and answers with their cycles, or with the compiler's reason."""
  for question in questions():
    for old in pathlib.Path(folder).iterdir():
      old.unlink()
    try:
      executable = compile_stablehlo(pathlib.Path(question["path"]).read_text(), topology)
      answer({"cycles": _read_cycles(folder, _kernel_names(executable))})
    except Exception as error:
      answer({"cycles": None, "refused": str(error)[:300]})


class Compiler:
  """The compiler for one chip, in a process of its own: its simulator aborts on some kernels."""

  def __init__(self, chip: str, seconds: float = 120):
    release()
    if chip not in TOPOLOGIES:
      raise ValueError(f"the compiler has no figures for '{chip}'; it has them for {', '.join(TOPOLOGIES)}")
    self.folder = tempfile.TemporaryDirectory()
    self.worker = Worker(__name__, TOPOLOGIES[chip], self.folder.name, seconds=seconds,
                         environment=ENVIRONMENT | {"LIBTPU_INIT_ARGS": f"--xla_jf_dump_static_llo_profile_to={self.folder.name}", "JAX_PLATFORMS": "cpu"})

  def judge(self, program: str) -> dict:
    """`cycles` of all kernels of a program together, None where the compiler has no figures, and why it `refused`. Raises
    `JudgeError` where it crashed or took too long, which is no answer."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
      file.write(program)
      file.flush()
      return self.worker.ask(path=file.name)

  def cycles(self, program: str) -> int | None:
    try:
      return self.judge(program)["cycles"]
    except JudgeError:
      return None

  def close(self):
    self.worker.close()


if __name__ == "__main__":
  serve(*sys.argv[1:])
