# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Mosaic GPU kernels."""
from __future__ import annotations

import contextlib
import functools

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.indexing import Slice
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.pallas.mosaic_gpu import primitives as gpu
from jax._src.pallas.primitives import DeviceIdType
from jax._src.state import indexing
from jax.experimental.mosaic import gpu as mosaic_gpu

from .. import release
from ..errors import ExportError
from . import types as T
from .composite import tracing, trace
from .kernel import takes_constants
from .operands import Device, as_i32, operands, unflatten
from .refs import place, trivial_indexer, view, viewed
from .registry import rule
from .shapes import i64_attr, insert, slice_static


def split_leaves(leaves, *trees):
  """Leaves of several trees, one after the other; a missing tree means no transforms."""
  *parts, _ = split_predicated_leaves({}, leaves, *trees)
  return parts


def split_predicated_leaves(params, leaves, *trees):
  """The same where a predicate may follow; it is the last part, or None."""
  parts = []
  for tree in trees:
    if tree is None:
      parts.append(())
      continue
    parts.append(unflatten(tree, leaves[:tree.num_leaves]))
    leaves = leaves[tree.num_leaves:]
  predicate, *rest = leaves if params.get("has_user_predicate") else [None, *leaves]
  if rest:
    raise ExportError(f"the primitive has {len(rest)} operands more than this exporter knows")
  return *parts, predicate


@contextlib.contextmanager
def when(k, predicate):
  """Inside, operations run where the predicate holds, if there is one."""
  if predicate is None:
    yield
    return
  op = k.do("scf.if", [k.materialize(predicate.value, predicate.aval)], [], regions=2)
  with k.inside(k.b.add_block(op, 0, [])):
    yield
    k.do("scf.yield")


def barrier_ref(k, operand, transforms):
  """A single barrier: an array of one is indexed."""
  ref, aval = viewed(k, operand, transforms)
  shape = aval.inner_aval.shape
  if tuple(shape) == (1,):
    ref = k.do("pallas.slice_ref", [ref], None, indexer=k.b.indexer([("scalar", 0, 1, 1)])).results[0]
  return ref


def _axes(k, axes):
  if axes is None:
    return {}
  axes = axes if isinstance(axes, (tuple, list)) else (axes,)
  return {"collectiveAxes": k.b.array_attr([k.b.str_attr(str(a)) for a in axes])} if axes else {}


# Discardable attributes, which only the compiler for GPUs reads.

def _optimized(k, eqn):
  return {} if eqn.params.get("optimized", True) else {"mosaic_gpu.optimized": k.b.bool_attr(False)}


def _fill_mode(k, eqn):
  """A box over the edge is filled with zeros, which each mode allows."""
  mode = eqn.params.get("oob_mode")
  if mode is None or mode == mosaic_gpu.OOBFillMode.ZEROS:
    return {}
  return {"mosaic_gpu.oob_fill_mode": k.b.int_attr(k.i32, int(mode))}


@rule(gpu.copy_gmem_to_smem_p)
@takes_constants
def _copy_gmem_to_smem(k, eqn, *values):
  p = eqn.params
  source, target, *leaves = operands(eqn, values)
  barriers = [leaves.pop(0)] if p.get("has_barrier", True) else []
  ts, tt, tb, predicate = split_predicated_leaves(
      p, leaves, p["src_transforms_treedef"], p["dst_transforms_treedef"], p["barrier_transforms_treedef"])
  if ts and release.is_of(ts[0], gpu_core, "Im2ColTransform"):
    return _copy_windows(k, source, ts, viewed(k, target, tt), [barrier_ref(k, b, tb) for b in barriers], predicate)
  ends = viewed(k, source, ts), viewed(k, target, tt)
  flags, tracked = _fill_mode(k, eqn), p.get("leader_tracked")
  if tracked is not None:
    flags["leaderTracked"] = k.b.unit_attr()
    if hasattr(tracked, "axis"):
      flags["partitionedDim"] = i64_attr(k, tracked.axis)
  with when(k, predicate):
    if barriers:
      k.do("pallas.copy_gmem_to_smem", [ends[0][0], ends[1][0], barrier_ref(k, barriers[0], tb)],
           **_axes(k, p.get("collective_axes")), **flags)
    else:
      _copy_at_once(k, *ends)


def _copy_at_once(k, source, target):
  """A copy that nothing signals: GPUs before Hopper wait for their number. It is over here before it can be waited for."""
  type_ = k.type_of(target[1].inner_aval)
  value = k.op("pallas.get", [source[0]], type_, indexer=trivial_indexer(k))
  k.op("pallas.swap", [target[0], value], type_, indexer=trivial_indexer(k))


def _copy_windows(k, source, transforms, target, barriers, predicate):
  """Copies one place of each of some windows over an array that zeros surround; it is over when it returns."""
  windows, *slices = transforms
  if len(slices) != 1 or not isinstance(slices[0], indexing.NDIndexer):
    raise ExportError("windows of im2col_ref are copied by one slice; write view.at[rows, *places, channels]")
  rows, *places, channels = slices[0].indices
  if not all(isinstance(e, Slice) and e.stride == 1 for e in (rows, channels)) or any(isinstance(e, Slice) for e in places):
    raise ExportError("windows of im2col_ref are copied by slices of rows and channels at one place of each; "
                      "write view.at[rows, *places, channels]")
  array = source.aval.inner_aval
  spatial = windows.spatial_out_shape(array.shape)

  def copied(x, row, channel, *places):
    at, offsets = row + jnp.arange(rows.size, dtype=jnp.int32), []
    for size, place, (low, _) in reversed(list(zip(spatial, places, windows.padding))):
      offsets.insert(0, (at % size + place - low)[:, None])
      at = at // size
    columns = (channel + jnp.arange(channels.size, dtype=jnp.int32))[None]
    # Indices that count from the back are none here.
    inside = functools.reduce(jnp.logical_and, [o >= 0 for o in offsets])
    found = x.at[(at[:, None], *offsets, columns)].get(mode="fill", fill_value=0)
    return jnp.where(inside, found, jnp.zeros((), x.dtype))

  i32 = jax_core.ShapedArray((), np.dtype(np.int32))
  numbers = [as_i32(k, n) for n in (rows.start, channels.start, *places)]
  with when(k, predicate):
    whole = k.op("pallas.get", [source.value], k.type_of(array), indexer=trivial_indexer(k))
    with tracing([array]):
      [part] = trace(k, copied, [array] + [i32] * len(numbers), [whole, *numbers])
    k.op("pallas.swap", [target[0], part], k.type_of(target[1].inner_aval), indexer=trivial_indexer(k))
    for barrier in barriers:
      k.do("pallas.barrier_arrive", [barrier])


@rule(*release.primitives(gpu, "wait_gmem_to_smem_p"))
def _wait_gmem_to_smem(k, eqn):
  """Copies without a barrier are over when they return."""


@rule(gpu.copy_smem_to_gmem_p)
@takes_constants
def _copy_smem_to_gmem(k, eqn, *values):
  p = eqn.params
  source, target, *leaves = operands(eqn, values)
  ts, tt, given = split_predicated_leaves(p, leaves, p["src_transforms_treedef"], p["dst_transforms_treedef"])
  predicate = [] if given is None else [k.materialize(given.value, given.aval)]
  attributes = {"commitGroup": k.b.bool_attr(bool(p["commit_group"]))}
  if p.get("reduction_op") is not None:
    op = p["reduction_op"]
    attributes["reduction"] = k.attr(f"#pallas.atomic<{getattr(op, 'value', op)}>")

  place = viewed(k, target, tt)[0]
  k.do("pallas.copy_smem_to_gmem", [viewed(k, source, ts)[0], place, *predicate], **attributes)


@rule(gpu.async_prefetch_p)
@takes_constants
def _async_prefetch(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  transforms, predicate = split_predicated_leaves(eqn.params, leaves, eqn.params["ref_transforms_treedef"])
  target = viewed(k, ref, transforms)[0]
  with when(k, predicate):
    k.do("pallas.async_prefetch", [target])


def _barrier_rule(*names, results=False):
  @takes_constants
  def lower(k, eqn, *values):
    barrier, *leaves = operands(eqn, values)
    transforms, predicate = split_predicated_leaves(eqn.params, leaves, eqn.params["transforms_treedef"])
    ref = barrier_ref(k, barrier, transforms)
    if results:
      return k.op(names[0], [ref], k.i1)
    with when(k, predicate):
      for name in names:
        k.do(name, [ref])
  return lower


rule(gpu.barrier_arrive_p)(_barrier_rule("pallas.barrier_arrive"))
rule(gpu.barrier_wait_p)(_barrier_rule("pallas.barrier_wait"))
rule(gpu.barrier_test_p)(_barrier_rule("pallas.barrier_test", results=True))
rule(*release.primitives(gpu, "barrier_arrive_and_wait_p"))(_barrier_rule("pallas.barrier_arrive", "pallas.barrier_wait"))


def _number(k, eqn, values, what):
  """A number known while compiling: a parameter, which before 0.11.2 was an operand."""
  if "n" in eqn.params:
    return i64_attr(k, int(eqn.params["n"]))
  known = k.known(values[0])
  if known is None:
    raise ExportError(f"{what} must be a number known at compile time")
  return i64_attr(k, int(known))


@rule(gpu.wait_smem_to_gmem_p)
@takes_constants
def _wait_smem_to_gmem(k, eqn, *values):
  flags = {"readOnly": k.b.unit_attr()} if eqn.params["wait_read_only"] else {}
  k.do("pallas.wait_smem_to_gmem", pending=_number(k, eqn, values, "the number of pending copies"), **flags)


@rule(gpu.commit_group_p)
def _commit_group(k, eqn):
  k.do("pallas.commit_smem_to_gmem_group")


@rule(gpu.commit_smem_p)
def _commit_smem(k, eqn):
  k.do("pallas.commit_smem")


@rule(gpu.wgmma_ref_p)
@takes_constants
def _wgmma_ref(k, eqn, *values):
  p = eqn.params
  acc, a, b, *leaves = operands(eqn, values)
  tacc, ta, tb = split_leaves(leaves, p["acc_transforms_tree"], p["a_transforms_tree"], p["b_transforms_tree"])
  lhs = viewed(k, a, ta)[0] if T.is_ref(a.aval) else k.materialize(a.value, a.aval)
  rhs = viewed(k, b, tb)[0]
  if not tacc:
    k.do("pallas.wgmma_ref", [acc.value, lhs, rhs])
    return
  # There are no views of registers: the part is taken out, and put back.
  starts, sizes = _part_of_accumulator(tacc)
  whole = k.op("pallas.accumulator_deref", [acc.value], k.type_of(acc.aval.inner_aval))
  part = slice_static(k, whole, acc.aval, starts, sizes, (1,) * len(sizes))
  part = k.op("pallas.wgmma", [part, lhs, rhs], k.value_type(sizes, acc.aval.dtype))
  if tuple(sizes) != tuple(acc.aval.shape):
    part = insert(k, part, whole, starts, [], sizes, (1,) * len(sizes), acc.aval.inner_aval)
  k.do("pallas.accumulator_store", [acc.value, part])


def _part_of_accumulator(transforms):
  """Starts and sizes of a slice of an accumulator, which are known while compiling."""
  if len(transforms) == 1 and isinstance(transforms[0], indexing.NDIndexer):
    entries = transforms[0].indices
    if all(isinstance(e, Slice) and isinstance(e.start, int) and isinstance(e.size, int) and e.stride == 1 for e in entries):
      return [e.start for e in entries], [e.size for e in entries]
  raise ExportError("products add to an accumulator, or to a slice of it with bounds known now; use several accumulators")


@rule(gpu.wgmma_p)
@takes_constants
def _wgmma(k, eqn, *values):
  p = eqn.params
  acc, a, b, *leaves = operands(eqn, values)
  ta, tb = split_leaves(leaves, p["a_transforms_tree"], p["b_transforms_tree"])
  lhs = viewed(k, a, ta)[0] if T.is_ref(a.aval) else k.materialize(a.value, a.aval)
  return k.op("pallas.wgmma", [k.materialize(acc.value, acc.aval), lhs, viewed(k, b, tb)[0]], k.type_of(eqn.outvars[0].aval))


@rule(gpu.wgmma_wait_p)
@takes_constants
def _wgmma_wait(k, eqn, *values):
  k.do("pallas.wgmma_wait", pending=_number(k, eqn, values, "the number of pending products"))


@rule(gpu.wgmma_accumulator_deref_p)
def _accumulator_deref(k, eqn, acc):
  wait = eqn.params["wait_n"]
  attributes = {} if wait is None else {"waitN": i64_attr(k, wait)}
  return k.op("pallas.accumulator_deref", [acc], k.type_of(eqn.outvars[0].aval), **attributes)


@rule(gpu.wgmma_accumulator_store_p)
def _accumulator_store(k, eqn, acc, value):
  k.do("pallas.accumulator_store", [acc, value])
  return value


@rule(gpu.load_p)
@takes_constants
def _load(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  tree = eqn.params.get("args_tree") or eqn.params.get("tree")
  transforms = unflatten(tree, leaves)
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  return k.op("pallas.get", [target, *indices], k.type_of(eqn.outvars[0].aval), indexer=indexer, **_optimized(k, eqn))


@rule(*release.primitives(gpu, "store_p"))
@takes_constants
def _store(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  target, indexer, indices = place(k, ref.value, ref.aval, unflatten(eqn.params["tree"], leaves))
  stored = k.materialize(value.value, value.aval)
  k.op("pallas.swap", [target, *indices, stored], k.type_of(value.aval), indexer=indexer, **_optimized(k, eqn))


@rule(*release.primitives(gpu, "mma_p"))
@takes_constants
def _mma(k, eqn, *values):
  """A product of registers, which is over when it returns."""
  def product(acc, a, b):
    return acc + lax.dot(a, b, preferred_element_type=acc.dtype)
  return trace(k, product, [v.aval for v in eqn.invars], list(values))


def _reduce_rule(function):
  @takes_constants
  def lower(k, eqn, value):
    return trace(k, lambda x: function(x, axis=eqn.params["axes"]), [eqn.invars[0].aval], [value])
  return lower


for _name, _function in (("sum", jnp.sum), ("max", jnp.max), ("min", jnp.min), ("prod", jnp.prod)):
  rule(*release.primitives(gpu, f"reduce_{_name}_p"))(_reduce_rule(_function))


@rule(gpu.set_max_registers_p)
@takes_constants
def _set_max_registers(k, eqn, *values):
  flags = {"increase": k.b.unit_attr()} if eqn.params["action"] == "increase" else {}
  k.do("pallas.set_max_registers", count=_number(k, eqn, values, "the number of registers"), **flags)


def _layout_dims(dims) -> str:
  """Dimensions of a tiled layout that warps or lanes hold, among them copies."""
  return ", ".join(f"#mosaic_gpu.Replicated<times = {dim.times}>" if hasattr(dim, "times") else str(dim) for dim in dims)


def layout_text(layout) -> str:
  """How lanes hold an array, as mosaic_gpu spells it, or the name of a layout that it doesn't know."""
  concrete = layout.to_mgpu()
  if isinstance(concrete, mosaic_gpu.TiledLayout):
    tiles = ", ".join(str(list(tile)) for tile in concrete.tiling.tiles)
    return (f"#mosaic_gpu.TiledLayout<[{tiles}], warp_dims = [{_layout_dims(concrete.warp_dims)}], "
            f"lane_dims = [{_layout_dims(concrete.lane_dims)}], vector_dim = {concrete.vector_dim}>")
  if isinstance(concrete, mosaic_gpu.WGStridedFragLayout):
    return f"#mosaic_gpu.WGStridedFragLayout<{list(concrete.shape)}, {concrete.vec_size}>"
  return str(layout)


@rule(gpu_core.layout_cast_p)
def _layout_cast(k, eqn, value):
  return k.op("pallas.layout_cast", [value], k.type_of(eqn.outvars[0].aval),
              layout=k.b.str_attr(layout_text(eqn.params["new_layout"])))


@rule(gpu.griddepcontrol_wait_p)
def _griddepcontrol_wait(k, eqn):
  k.do("pallas.grid_dependency")


@rule(gpu.griddepcontrol_launch_dependents_p)
def _griddepcontrol_launch(k, eqn):
  k.do("pallas.grid_dependency", launch=k.b.unit_attr())


@rule(gpu.print_layout_p)
def _print_layout(k, eqn, *values):
  """Prints while compiling for a GPU only."""


@rule(gpu.semaphore_signal_p)
@takes_constants
def _semaphore_signal(k, eqn, *values):
  from .sync import _semaphore_signal as signal
  return signal(k, eqn, *values)


@rule(gpu.semaphore_wait_p)
@takes_constants
def _semaphore_wait(k, eqn, *values):
  from .sync import _semaphore_wait as wait
  return wait(k, eqn, *values)


@rule(gpu.semaphore_signal_parallel_p)
@takes_constants
def _semaphore_signal_parallel(k, eqn, *values):
  """One after the other, which any order includes."""
  refs, transforms, increments, devices = unflatten(eqn.params["args_tree"], operands(eqn, values))
  for ref, chain, increment, device_id in zip(refs, transforms, increments, devices):
    device = Device(k, device_id, DeviceIdType.MESH)
    k.do("pallas.semaphore_signal", [viewed(k, ref, chain)[0], as_i32(k, increment), *device.ids],
         operandSegmentSizes=k.b.i32_array([1, 1, len(device.ids), 0]), **device.attributes)


# Work that blocks take over from clusters that have not started.

@rule(gpu.try_cluster_cancel_p)
@takes_constants
def _try_cluster_cancel(k, eqn, *values):
  p = eqn.params
  answer, barrier, *leaves = operands(eqn, values)
  ta, tb = split_leaves(leaves, p["result_transforms_tree"], p["barrier_transforms_tree"])
  # Until 0.12, all warpgroups and blocks of a cluster asked together.
  axes = p.get("collective_axes")
  together = {} if axes is None else {"collectiveAxes": k.b.array_attr([k.b.str_attr(str(axis)) for axis in axes])}
  k.do("pallas.try_cluster_cancel", [viewed(k, answer, ta)[0], barrier_ref(k, barrier, tb)], **together)


@rule(gpu.query_cluster_cancel_p)
@takes_constants
def _query_cluster_cancel(k, eqn, *values):
  answer, *leaves = operands(eqn, values)
  [transforms] = split_leaves(leaves, eqn.params["transforms_tree"])
  names = k.b.array_attr([k.b.str_attr(str(name)) for name in eqn.params["grid_names"]])
  return k.do("pallas.query_cluster_cancel", [viewed(k, answer, transforms)[0]], None, axisNames=names).results


def _atomic_kind(k, kind, dtype):
  prefix = "u" if T.is_unsigned(dtype) and kind in ("max", "min") else ""
  return k.attr(f"#pallas.atomic<{prefix}{kind}>")


def _update(k, eqn, kind, value, target, indexer, indices):
  k.op("pallas.atomic_rmw", [target, *indices, k.materialize(value.value, value.aval)], k.type_of(value.aval), indexer=indexer,
       kind=_atomic_kind(k, kind, value.aval.dtype), operandSegmentSizes=k.b.i32_array([1, len(indices), 1, 0]), **_optimized(k, eqn))


@rule(gpu.async_store_smem_p)
@takes_constants
def _async_store_smem(k, eqn, *values):
  """Stores into the memory of another block of the cluster and arrives at its barrier."""
  p = eqn.params
  value, ref, barrier, index, *leaves = operands(eqn, values)
  chain, barrier_chain = split_leaves(leaves, p["ref_transforms_treedef"], p["barrier_transforms_treedef"])
  there = gpu_core.ClusterRefTransform((p["cluster_dim"],), (index,))
  target, indexer, indices = place(k, *view(k, ref.value, ref.aval, [there]), chain)
  if p["atomic"]:
    _update(k, eqn, p["atomic"], value, target, indexer, indices)
  else:
    k.op("pallas.swap", [target, *indices, k.materialize(value.value, value.aval)], k.type_of(value.aval), indexer=indexer, **_optimized(k, eqn))
  k.do("pallas.barrier_arrive", [barrier_ref(k, barrier, [there, *barrier_chain])])


@rule("mgpu_atomic_store")
@takes_constants
def _atomic_store(k, eqn, *values):
  ref, transforms, value = unflatten(eqn.params["args_tree"], operands(eqn, values))
  target, indexer, indices = place(k, ref.value, ref.aval, transforms or ())
  _update(k, eqn, eqn.params["atomic_type"].value, value, target, indexer, indices)
