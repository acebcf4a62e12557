# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that a kernel writes for the GPU compiler itself, as far as it only synchronizes.

Such code is a function of Python that appends operations of the compiler. It is called once, on the side, and what it appended
is read: fences, barriers of one warpgroup, and barriers of the hardware by their number, at which warpgroups arrive or wait."""
from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import Any

import numpy as np
from jax._src import core as jax_core
from jax._src.interpreters import mlir as jax_mlir
from jax._src.pallas.mosaic_gpu import primitives as gpu
from jax.experimental.mosaic import gpu as mosaic_gpu
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from .. import _native
from ..errors import ExportError
from .kernel import takes_constants
from .registry import rule

_BARRIER = re.compile(r"bar\.(sync|arrive) (\$0|\d+), (\d+);")
_WARPGROUP = 128
# The hardware has as many barriers in a block.
_NUM_BARRIERS = 16


@dataclasses.dataclass(frozen=True)
class Fence:
  """Shows copies and products what lanes have written."""


@dataclasses.dataclass(frozen=True)
class Barrier:
  """Warpgroups arrive at a barrier of the hardware, and wait for the others if `waits`."""
  waits: bool
  # Its number, or which operand of the function that is.
  number: int | None
  operand: int | None
  threads: int


def _append(function, count):
  """What a function of `count` integers appends, as operations of a block with these arguments."""
  i32 = ir.IntegerType.get_signless(32)
  module = ir.Module.create()
  with ir.InsertionPoint(module.body):
    block = func.FuncOp("code", ([i32] * count, [])).add_entry_block()
  with ir.InsertionPoint(block):
    function(None, *(mosaic_gpu.FragmentedArray.splat(a, (), mosaic_gpu.WGSplatFragLayout(()), is_signed=True) for a in block.arguments))
  return module, block


def _read(op, arguments):
  """What an operation of the compiler does, or False where that is not known; None if it computes only."""
  name = op.operation.name
  if name.startswith("arith.") or name in ("gpu.thread_id", "gpu.block_dim"):
    return None
  if name == "nvvm.fence.proxy" and "async.shared" in str(op.operation.attributes["kind"]):
    return Fence()
  if name != "llvm.inline_asm":
    return False
  code = _BARRIER.fullmatch(ir.StringAttr(op.operation.attributes["asm_string"]).value)
  if not code or int(code[3]) % _WARPGROUP:
    return False
  threads, waits = int(code[3]), code[1] == "sync"
  if threads == _WARPGROUP:
    # Lanes of a warpgroup go on together.
    return None if waits else False
  if code[2] != "$0":
    return Barrier(waits, int(code[2]), None, threads)
  number = op.operation.operands[0]
  return Barrier(waits, None, arguments.index(number), threads) if number in arguments else False


def _read_code(params):
  """The synchronization that a function writes, or None where it does something else."""
  if params["flat_ret_ty"] or any(isinstance(t, gpu.RefType) for t in params["flat_arg_types"]):
    return None
  if params["mgpu_fn"].__module__ == "jax._src.pallas.mosaic_gpu.helpers" and not params["flat_arg_types"]:
    # Fences of JAX's own loops order accesses that are in order here anyway.
    return []
  with jax_mlir.make_ir_context() as context, ir.Location.unknown(context):
    mosaic_gpu.dialect.register_dialect(context)
    try:
      module, block = _append(params["mgpu_fn"], len(params["flat_arg_types"]))
    except Exception:  # The function may want anything of the compiler.
      return None
    arguments = list(block.arguments)
    found = [_read(op, arguments) for op in block.operations]
    del module
  return None if False in found else [step for step in found if step is not None]


def _barriers(jaxpr, found):
  """The kinds of arrivals at barriers of so many threads: whether they wait."""
  for eqn in jaxpr.eqns:
    if eqn.primitive is gpu.inline_mgpu_p:
      for step in _read_code(eqn.params) or ():
        if isinstance(step, Barrier):
          found.setdefault(step.threads, set()).add(step.waits)
    for inner in jax_core.jaxprs_in_params(eqn.params):
      _barriers(inner, found)
  return found


@dataclasses.dataclass(frozen=True)
class _Model:
  """Barriers of the hardware in the memory of a block, all with this number of threads. One that a warpgroup reached without waiting
  owes it a wait before it reaches it again, as waits go from phase to phase."""
  barriers: Any
  owed: Any
  thread: str | None

  def _own(self, k):
    return k.i32_constant(0) if self.thread is None else k.op("pallas.axis_index", [], k.i32, axisName=k.b.str_attr(self.thread))

  def forget(self, k):
    zeros = k.constant(0, (_NUM_BARRIERS,), np.dtype(np.int32))
    k.op("pallas.swap", [self.owed, self._own(k), zeros], k.value_type((_NUM_BARRIERS,), np.dtype(np.int32)),
         indexer=k.b.indexer([("scalar", _native.DYNAMIC, 1, 1), ("full", 0, 1, 1)]))

  def reach(self, k, number, waits):
    single = ("scalar", _native.DYNAMIC, 1, 1)
    barrier = k.do("pallas.slice_ref", [self.barriers, number], None, indexer=k.b.indexer([single])).results[0]
    if self.owed is not None:
      place = [self._own(k), number]
      owes = k.op("pallas.get", [self.owed, *place], k.i32, indexer=k.b.indexer([single, single]))
      i64 = k.parse_type("i64")
      some = k.op("arith.cmpi", [owes, k.i32_constant(0)], k.i1, predicate=k.b.int_attr(i64, 1))
      with k.inside(k.b.add_block(k.do("scf.if", [some], [], regions=2), 0, [])):
        k.do("pallas.barrier_wait", [barrier])
        k.do("scf.yield")
      k.op("pallas.swap", [self.owed, *place, k.i32_constant(not waits)], k.i32, indexer=k.b.indexer([single, single]))
    k.do("pallas.barrier_arrive", [barrier])
    if waits:
      k.do("pallas.barrier_wait", [barrier])


@contextlib.contextmanager
def hardware_barriers(k, jaxpr, mesh):
  """Inside, code of `jaxpr` has the barriers of the hardware that it names."""
  found = _barriers(jaxpr, {})
  if not found:
    yield
    return
  thread = mesh.thread_name and str(mesh.thread_name)
  space = k.b.memory_space("smem", None)
  types = []
  for threads, kinds in found.items():
    types.append(k.b.ref_type([_NUM_BARRIERS], k.parse_type(f"!pallas.barrier<numArrivals = {threads // _WARPGROUP}>"), space, None))
    if len(kinds) == 2:
      types.append(k.b.ref_type([mesh.num_threads or 1, _NUM_BARRIERS], k.i32, space, None))
  attributes = {"collectiveAxes": k.b.array_attr([k.b.str_attr(thread)])} if thread else {}
  op = k.do("pallas.run_scoped", regions=1, **attributes)
  saved = k.hardware_barriers
  with k.inside(k.b.add_block(op, 0, types)) as refs:
    refs = iter(refs)
    k.hardware_barriers = {n: _Model(next(refs), next(refs) if len(kinds) == 2 else None, thread) for n, kinds in found.items()}
    for model in k.hardware_barriers.values():
      if model.owed is not None:
        model.forget(k)
    yield
    k.do("pallas.yield")
  k.hardware_barriers = saved


@rule(gpu.inline_mgpu_p)
@takes_constants
def _inline_mgpu(k, eqn, *values):
  steps = _read_code(eqn.params)
  if steps is None:
    raise ExportError(f"inline_mgpu hands the function '{eqn.params['mgpu_fn'].__name__}' to JAX's compiler for GPUs, which no other one can run; "
                      "write what it does with operations of Pallas")
  for step in steps:
    if isinstance(step, Fence):
      k.do("pallas.commit_smem")
      continue
    model = k.hardware_barriers.get(step.threads)
    if model is None or type(k.mesh).__name__ == "WarpMesh":
      raise ExportError(f"inline_mgpu reaches a barrier of {step.threads} threads in the code of one warp; whole warpgroups do so")
    operand = step.operand
    number = k.i32_constant(step.number) if operand is None else k.materialize(values[operand], eqn.invars[operand].aval)
    model.reach(k, number, step.waits)
