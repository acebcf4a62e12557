# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Semaphores and async copies."""
from __future__ import annotations

import dataclasses

import numpy as np
from jax._src import core as jax_core
from jax._src.indexing import Slice
from jax._src.pallas import primitives as pallas_primitives
from jax._src.state import indexing
from jax._src.state import types as state_types

from .. import release
from ..errors import ExportError
from . import types as T
from .kernel import takes_constants
from .operands import Device, Operand, as_i32, operands, unflatten
from .refs import for_each_choice, read_indices, view, viewed
from .registry import rule


@rule(pallas_primitives.semaphore_signal_p)
@takes_constants
def _semaphore_signal(k, eqn, *values):
  ref, transforms, increment, device_id, core_index = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  device = Device(k, device_id, eqn.params["device_id_type"])
  core = [] if core_index is None else [as_i32(k, core_index)]
  k.do("pallas.semaphore_signal", [semaphore, as_i32(k, increment), *device.ids, *core],
       operandSegmentSizes=k.b.i32_array([1, 1, len(device.ids), len(core)]), **device.attributes)


@rule(pallas_primitives.semaphore_wait_p)
@takes_constants
def _semaphore_wait(k, eqn, *values):
  ref, transforms, count, decrement = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  if isinstance(decrement, Operand):
    decrement = bool(k.known(decrement.value))
  k.do("pallas.semaphore_wait", [semaphore, as_i32(k, count)], decrement=k.b.bool_attr(bool(decrement)))


@rule("semaphore_read")
@takes_constants
def _semaphore_read(k, eqn, *values):
  ref, transforms = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  return k.op("pallas.semaphore_read", [semaphore], k.i32)


@rule("get_barrier_semaphore")
def _get_barrier_semaphore(k, eqn):
  return k.op("pallas.get_barrier_semaphore", [], k.type_of(eqn.outvars[0].aval))


def _counts_copies(end) -> bool:
  """Whether a semaphore is a regular one, which counts copies instead of bytes."""
  while isinstance(end, state_types.TransformedRef):
    end = end.ref[0] if end.multiref else end.ref
  return T.element_spelling(end.aval.inner_aval.dtype) == "!pallas.semaphore"


def _copy_at_once(k, source, target, attributes):
  op = k.do("pallas.run_scoped", regions=1)
  own = k.b.ref_type([], k.parse_type("!pallas.dma_semaphore"), k.b.memory_space("semaphore", None), None)
  with k.inside(k.b.add_block(op, 0, [own])) as [done]:
    for name, more in (("pallas.dma_start", attributes), ("pallas.dma_wait", {})):
      k.do(name, [source, target, done], operandSegmentSizes=k.b.i32_array([1, 1, 1, 0, 0, 0]), **more)
    k.do("pallas.yield")


def _ignores(end):
  """The indices of rows of one end of a copy, some of which it leaves out; or None."""
  if not isinstance(end, state_types.TransformedRef) or end.multiref or not end.transforms:
    return None
  first = getattr(end.transforms[-1], "indices", (None,))[0]
  return first if getattr(first, "ignored_value", None) is not None else None


def _copy_some_rows(k, source, target, semaphore, attributes):
  """Row by row, but for those left out; the semaphore counts the bytes of all."""
  indexed, other = (source, target) if _ignores(source) else (target, source)
  if _ignores(other):
    raise ExportError("a copy that leaves out indices at both ends is not supported; copy by way of a buffer")
  entry, [*outer, last] = _ignores(indexed), indexed.transforms
  places = read_indices(k, dataclasses.replace(entry, ignored_value=None))
  whole, aval = viewed(k, other)
  i32 = jax_core.ShapedArray((), np.dtype(np.int32))
  op = k.do("scf.for", [k.i32_constant(0), k.i32_constant(places.aval.shape[0]), k.i32_constant(1)], [], regions=1)
  with k.inside(k.b.add_block(op, 0, [k.i32])) as [i]:
    at = k.op("tensor.extract", [k.materialize(places.value), k.op("arith.index_cast", [i], k.index)], k.i32)
    i64 = k.parse_type("i64")
    counts = k.op("arith.cmpi", [at, k.i32_constant(entry.ignored_value)], k.i1, predicate=k.b.int_attr(i64, 1))
    branch = k.do("scf.if", [counts], [], regions=2)
    with k.inside(k.b.add_block(branch, 0, [])):
      row = dataclasses.replace(last, indices=(Operand(at, i32), *last.indices[1:]), int_indexer_shape=())
      there, _ = view(k, indexed.ref.value, indexed.ref.aval, [*outer, row])
      here, _ = view(k, whole, aval, [indexing.NDIndexer((Operand(i, i32), *(Slice(0, d) for d in aval.shape[1:])), aval.shape, ())])
      _copy_at_once(k, *((there, here) if indexed is source else (here, there)), attributes)
      k.do("scf.yield")
    k.do("scf.yield")
  k.do("pallas.dma_start", [whole, whole, viewed(k, semaphore)[0]], operandSegmentSizes=k.b.i32_array([1, 1, 1, 0, 0, 0]))


def _copy_and_count(k, refs, sources, device, attributes):
  """A copy that is done at once, after which both semaphores go up by one."""
  source, target, semaphore = refs
  if device.ids:
    target = k.do("pallas.remote_ref", [target, *device.ids], None, **device.attributes).results[0]
  _copy_at_once(k, source, target, attributes)
  one = k.i32_constant(1)
  for sent in sources:
    k.do("pallas.semaphore_signal", [sent, one], operandSegmentSizes=k.b.i32_array([1, 1, 0, 0]))
  k.do("pallas.semaphore_signal", [semaphore, one, *device.ids], operandSegmentSizes=k.b.i32_array([1, 1, len(device.ids), 0]),
       **device.attributes)


def _dma(k, eqn, values, emit):
  """Calls `emit` with the refs of a copy, its semaphore at the source if it has one, and its device."""
  source, target, semaphore, source_semaphore, device_id = eqn.params["tree"].unflatten(operands(eqn, values))
  device = Device(k, device_id, eqn.params["device_id_type"])
  if semaphore is None:
    # A wait for the source waits for the whole copy.
    semaphore, source_semaphore = source_semaphore, None
  if semaphore is None:
    raise ExportError("a copy without semaphores cannot be waited for; give it one")
  ends = [source, target, semaphore] + ([] if source_semaphore is None else [source_semaphore])
  for_each_choice(k, ends, lambda refs: emit(refs[:3], refs[3:], device))


@rule("dma_start")
@takes_constants
def _dma_start(k, eqn, *values):
  attributes = {}
  if eqn.params.get("priority"):
    attributes["priority"] = k.b.int_attr(k.i32, eqn.params["priority"])
  if eqn.params.get("add"):
    attributes["add"] = k.b.unit_attr()
  if release.is_fetch(eqn):
    attributes["pallas.fills_buffer"] = k.b.unit_attr()
  source, target, semaphore, source_semaphore, _ = eqn.params["tree"].unflatten(operands(eqn, values))
  if _ignores(source) or _ignores(target):
    return _copy_some_rows(k, source, target, semaphore, attributes)

  def emit(refs, sources, device):
    if _counts_copies(source_semaphore if semaphore is None else semaphore):
      return _copy_and_count(k, refs, sources, device, attributes)
    k.do("pallas.dma_start", [*refs, *sources, *device.ids],
         operandSegmentSizes=k.b.i32_array([1, 1, 1, len(sources), len(device.ids), 0]), **attributes, **device.attributes)
  _dma(k, eqn, values, emit)


@rule("dma_wait")
@takes_constants
def _dma_wait(k, eqn, *values):
  source, target, semaphore, *_ = eqn.params["tree"].unflatten(operands(eqn, values))
  if _ignores(source) or _ignores(target):
    whole = viewed(k, target if _ignores(source) else source)[0]
    k.do("pallas.dma_wait", [whole, whole, viewed(k, semaphore)[0]], operandSegmentSizes=k.b.i32_array([1, 1, 1, 0, 0, 0]))
    return

  # The semaphore behind the target counts, also where JAX swaps the ends to
  # wait for the source of a remote copy. The other one plays no role.
  def emit(refs, _, device):
    k.do("pallas.dma_wait", [*refs, *device.ids],
         operandSegmentSizes=k.b.i32_array([1, 1, 1, 0, len(device.ids), 0]), **device.attributes)
  _dma(k, eqn, values, emit)


# The name since 0.12 comes last.
@rule("debug_barrier_p", "debug_barrier")
def _debug_barrier(k, eqn):
  """The threads of a program meet; programs are of one thread here."""
