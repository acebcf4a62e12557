# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads, writes and views of refs, scoped memory."""
from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import tree_util
from jax._src import core as jax_core
from jax._src.indexing import Slice
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic import core as tpu_core
from jax._src.pallas.mosaic import sc_core
from jax._src.state import indexing
from jax._src.state import types as state_types

from .. import _native, release
from ..errors import ExportError, VerificationError
from . import types as T
from .arith import convert
from .kernel import Constant, takes_constants
from .operands import Device, Operand, as_i32, operands, unflatten
from .registry import rule


# Transforms that undo the layout in the type of a ref; kernels see
# the logical array without them.
def _is_layout(transform) -> bool:
  return _is_gpu(transform, "UnswizzleRef", "UntilingTransform") or _counts_matrices(transform)


def _counts_matrices(transform) -> bool:
  """Whether a transform splits the columns of tensor memory into matrices."""
  return type(transform).__name__ == "ExpandLeadingBatchDimensionsTransform"


def _is_gpu(value, *names) -> bool:
  """Whether a value is of one of these classes of Mosaic GPU."""
  gpu_core = T.mosaic_gpu()
  return gpu_core is not None and isinstance(value, tuple(getattr(gpu_core, n) for n in names))


def _index_value(k, operand: Operand):
  """A start or scalar index: a known integer, or a value of type i32 or index."""
  if isinstance(operand, int):
    return int(operand)
  if not isinstance(operand, Operand):
    return int(np.asarray(operand))
  _check_index(operand.aval.dtype)
  _check_is_one(operand.aval)
  known = k.known(operand.value)
  if known is not None:
    return np.asarray(known).item()
  return as_i32(k, operand)


def _scalar_index(k, operand, size):
  """A scalar index into a dimension, which counts from the front where both are known.

  JAX takes `if 5 < n: ref[5]` for a ref of four elements. The verifier rejects an index that it sees to be outside,
  so in code that may never run such an index is an operand, as one that is known only at run time.
  """
  index = _index_value(k, operand)
  if not isinstance(index, int) or not isinstance(size, int):
    return index
  counted = index + size if index < 0 else index
  # The operand is the index as it was: at run time it counts from the front again.
  return k.i32_constant(index) if k.is_conditional and not 0 <= counted < size else counted


def _check_is_one(aval):
  """A start is a scalar or, in loads and stores of Triton's kind, an array of one element, such as `load(starts.at[pl.ds(i, 1)])`."""
  if math.prod(aval.shape) != 1:
    raise ExportError(f"a slice starts at one place, but its start has shape {tuple(aval.shape)}; index with an array of places instead")


def _check_index(dtype):
  if T.is_float(dtype):
    raise VerificationError(f"an index is an integer, but this one is of type {np.dtype(dtype).name}; convert it with astype(jnp.int32)")


def indexer_of(k, nd: indexing.NDIndexer, dtype):
  """The indexer attribute and its operands, in the order of the entries; of keys, all words are meant."""
  entries, values = [], []

  def place(index):
    if isinstance(index, int):
      return index
    values.append(index)
    return _native.DYNAMIC

  for entry, size in zip(nd.indices, nd.shape):
    if _is_list_of_copy(entry):
      values.append(_indices_of_copy(k, entry, nd.int_indexer_shape))
      entries.append(("gather", 0, 0, 1))
      continue
    if isinstance(entry, Slice):
      start = _index_value(k, entry.start)
      extent = entry.size if isinstance(entry.size, int) else _index_value(k, entry.size)
      if isinstance(start, int) and start == 0 and _is_same(extent, size) and entry.stride == 1:
        entries.append(("full", 0, 0, 1))
        continue
      # The text of a module names places that count from the front.
      placed = place(k.i32_constant(start) if isinstance(start, int) and start < 0 else start)
      entries.append(("slice", placed, place(extent), int(entry.stride)))
      continue
    if nd.int_indexer_shape:
      values.append(_index_array(k, entry, nd.int_indexer_shape))
      entries.append(("gather", 0, 0, 1))
      continue
    entries.append(("scalar", place(_scalar_index(k, entry, size)), 1, 1))
  entries += [("full", 0, 0, 1)] * len(T.words_of_key(dtype))
  return k.b.indexer(entries), values


def _lies_in_memory(entry) -> bool:
  return isinstance(entry, state_types.TransformedRef) or isinstance(entry, Operand) and T.is_ref(entry.aval)


def _is_list_of_copy(entry) -> bool:
  """Whether these are indices that only copies of the SparseCore take."""
  return hasattr(entry, "ignored_value") or _lies_in_memory(entry)


def _bare_indices(entry):
  if getattr(entry, "ignored_value", None) is not None:
    raise ExportError(f"accesses that leave out the index {entry.ignored_value} are not supported; only copies of rows are")
  return getattr(entry, "values", entry)


def _indices_of_copy(k, entry, shape):
  """The copy itself reads indices in memory, so the ref is passed in their place."""
  entry = _bare_indices(entry)
  if not _lies_in_memory(entry):
    return _index_array(k, entry, shape)
  ref, aval = viewed(k, entry)
  _check_index(aval.dtype)
  return ref


def read_indices(k, entry):
  """The indices that a ref holds, as a value; others are unchanged."""
  entry = _bare_indices(entry)
  if not _lies_in_memory(entry):
    return entry
  ref, aval = viewed(k, entry)
  inner = aval.inner_aval
  return Operand(k.op("pallas.get", [ref], k.type_of(inner), indexer=trivial_indexer(k)), inner)


def indexer_of_elements(k, indices):
  """The indexer attribute of a single element, and its operands."""
  known = [_index_value(k, i) for i in indices]
  entries = [("scalar", i if isinstance(i, int) else _native.DYNAMIC, 1, 1) for i in known]
  return k.b.indexer(entries), [i for i in known if not isinstance(i, int)]


def _index_array(k, entry, shape):
  i32 = jnp.dtype("int32")
  if not isinstance(entry, Operand):
    return k.constant(np.int32(entry), shape, i32)
  _check_index(entry.aval.dtype)
  if isinstance(entry.value, Constant):
    return k.constant(np.asarray(entry.value.value).astype(np.int32), shape, i32)
  value = convert(k, entry.value, entry.aval.shape, entry.aval.dtype, i32)
  return value if entry.aval.shape == tuple(shape) else k.splat(value, shape, i32)


def trivial_indexer(k):
  return k.b.indexer([])


def _is_whole(nd) -> bool:
  return all(isinstance(e, Slice) and isinstance(e.start, int) and e.start == 0 and e.stride == 1 and
             _is_same(e.size, d) for e, d in zip(nd.indices, nd.shape))


def _is_same(size, other) -> bool:
  """Whether two sizes are known and equal; JAX leaves a tracer where only the kernel knows one."""
  return isinstance(size, int) and isinstance(other, int) and size == other


def slice_ref(k, ref, nd, dtype):
  if _is_whole(nd):
    return ref
  attribute, values = indexer_of(k, nd, dtype)
  return k.do("pallas.slice_ref", [ref, *values], None, indexer=attribute).results[0]


def _plus(k, start, offset, stride):
  """start + offset * stride, of numbers known now or operands."""
  if isinstance(offset, int):
    offset *= stride
  elif stride != 1:
    offset = k.op("arith.muli", [as_i32(k, offset), k.i32_constant(stride)], k.i32)
  if isinstance(start, int) and isinstance(offset, int):
    return start + offset
  if isinstance(offset, int) and offset == 0:
    return start
  parts = [p if not isinstance(p, (int, Operand)) else as_i32(k, p) for p in (start, offset)]
  return Operand(k.op("arith.addi", parts, k.i32), jax_core.ShapedArray((), np.dtype(np.int32)))


def _slice_of_slice(k, outer, inner):
  """What `inner` selects of what `outer` does, as one indexer, or None."""
  if outer.int_indexer_shape or inner.int_indexer_shape or outer.is_dynamic_size:
    return None
  entries, rest = [], iter(inner.indices)
  for entry in outer.indices:
    if not isinstance(entry, Slice):
      entries.append(entry)
      continue
    part = next(rest)
    start = _plus(k, entry.start, part.start if isinstance(part, Slice) else part, entry.stride)
    entries.append(Slice(start, part.size, part.stride * entry.stride) if isinstance(part, Slice) else start)
  return indexing.NDIndexer(tuple(entries), outer.shape, ())


def _composed(k, aval, transforms, is_copied=False):
  """Slices of slices of what is copied, or of a GPU's global memory, as one slice.

  The outer one may leave the array where nothing is accessed.
  """
  # What a program promises about its accesses changes none of them.
  transforms = [t for t in transforms if not release.is_of(t, tpu_core, "AccessAssumptionTransform")]
  is_global = _is_gpu(aval.memory_space, "MemorySpace") and aval.memory_space.name == "GMEM"
  if not is_copied and not is_global:
    return transforms
  done = []
  for transform in transforms:
    both = isinstance(transform, indexing.NDIndexer) and done and isinstance(done[-1], indexing.NDIndexer)
    one = _slice_of_slice(k, done[-1], transform) if both else None
    done[len(done) - (one is not None):] = [one or transform]
  return done


def view(k, ref, aval, transforms, is_copied=False):
  """The ref after all transforms, and its type as JAX has it."""
  for transform in _composed(k, aval, transforms, is_copied):
    if isinstance(ref, Union):
      ref, aval = ref.members[_member_key(transform)], _transformed(transform, aval)
      continue
    if _is_gpu(transform, "ClusterRefTransform"):
      for axis, index in zip(transform.dims, transform.idxs):
        ref = k.do("pallas.cluster_ref", [ref, as_i32(k, index)], None, axisName=k.b.str_attr(str(axis))).results[0]
      continue
    if _is_layout(transform):
      aval = _transformed(transform, aval)
      continue
    if isinstance(transform, indexing.NDIndexer):
      ref = slice_ref(k, ref, transform, aval.dtype)
      aval = _indexed(transform, aval)
      continue
    if release.is_of(transform, state_types, "MemorySpaceCastTransform"):
      _check_cast(aval.memory_space, transform.memory_space)
    before, aval = aval, _transformed(transform, aval)
    if isinstance(transform, state_types.BitcastTransform):
      ref = k.op("pallas.bitcast_ref", [ref], k.view_type(ref, aval))
    elif isinstance(transform, state_types.ReshapeTransform):
      ref = k.op("pallas.reshape_ref", [ref], k.view_type(ref, aval))
    elif release.is_of(transform, state_types, "MemorySpaceCastTransform"):
      # The memory is where it was; only what JAX knows of it changes.
      pass
    elif release.is_of(transform, sc_core, "SharedMemRefSliceTransform"):
      ref = _part_of_subcore(k, ref, before.shape, aval.shape[-1])
    elif isinstance(transform, state_types.TransposeTransform):
      ref = k.op("pallas.transpose_ref", [ref], k.view_type(ref, aval), permutation=k.b.i64_array(list(transform.permutation)))
    elif _is_gpu(transform, "MulticastRef"):
      ref = on_all_devices(k, ref, transform.collective_axes)
    elif _is_gpu(transform, "PeerMemRef"):
      device = Device(k, transform.device_id, transform.device_id_type)
      ref = k.do("pallas.remote_ref", [ref, *device.ids], None, **device.attributes).results[0]
    else:
      raise ExportError(f"ref transform {type(transform).__name__} is not supported")
  return ref, aval


def _check_cast(space, other):
  """A cast names the memory of a ref that may be in any; it moves nothing."""
  have, asked = T.space_of(space)[0], T.space_of(other)[0]
  if have not in ("any", "default", asked):
    raise VerificationError(f"a ref in {have} memory is cast to {asked}, but a cast moves nothing; copy it to a ref there")


def _part_of_subcore(k, ref, shape, size):
  """The part of shared memory that belongs to the vector subcore which runs this: one of those along the last dimension."""
  name = getattr(k.mesh, "subcore_axis_name", None)
  if name is None:
    raise ExportError("only vector subcores have a part of shared memory each; run the kernel on a plsc.VectorSubcoreMesh")
  subcore = k.op("pallas.axis_index", [], k.i32, axisName=k.b.str_attr(str(name)))
  start = k.op("arith.muli", [subcore, k.i32_constant(size)], k.i32)
  entries = [("full", 0, 0, 1)] * (len(shape) - 1) + [("slice", _native.DYNAMIC, size, 1)]
  return k.do("pallas.slice_ref", [ref, start], None, indexer=k.b.indexer(entries)).results[0]


def _transformed(transform, aval):
  inner = getattr(aval, "inner_aval", None)
  if isinstance(inner, _DynamicArray):
    if not isinstance(transform, state_types.TransposeTransform):
      raise ExportError(f"{type(transform).__name__} of a view whose size is known at run time only is not supported; "
                        "apply it to the ref, and slice behind it")
    return aval.update(inner_aval=inner.update(shape=tuple(inner.shape[d] for d in transform.permutation)))
  return transform.transform_type(aval)


def _indexed(nd, aval):
  shape = nd.get_indexer_shape()
  inner = aval.inner_aval
  static = tuple(d if isinstance(d, int) else _native.DYNAMIC for d in shape)
  return aval.update(inner_aval=_with_shape(inner, static))


def _with_shape(inner, shape):
  if any(d == _native.DYNAMIC for d in shape):
    return _DynamicArray(shape, inner.dtype)
  return inner.update(shape=shape)


@dataclasses.dataclass(frozen=True)
class _DynamicArray:
  """An array type with sizes that only the kernel knows."""
  shape: tuple
  dtype: Any

  def update(self, **changes):
    return dataclasses.replace(self, **changes)


def place(k, ref, aval, transforms):
  """What an access needs: the viewed ref, the indexer attribute and its operands."""
  if T.is_accumulator(aval):
    raise VerificationError("the accumulator of a matrix unit is read or written as memory; "
                            "add products with pltpu.matmul_acc_lhs, and take the sum with pltpu.matmul_pop")
  transforms = _composed(k, aval, transforms)
  while transforms and _is_layout(transforms[-1]):
    transforms.pop()
  if transforms and isinstance(transforms[-1], indexing.NDIndexer):
    ref, _ = view(k, ref, aval, transforms[:-1])
    if _is_whole(transforms[-1]):
      return ref, trivial_indexer(k), []
    attribute, values = indexer_of(k, transforms[-1], aval.dtype)
    return ref, attribute, values
  ref, _ = view(k, ref, aval, transforms)
  return ref, trivial_indexer(k), []


def axes_attr(k, axes):
  """Names of axes of the mesh of devices; one may be given alone."""
  return k.b.array_attr([k.b.str_attr(str(axis)) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,))])


def on_all_devices(k, ref, axes):
  """The memory of a ref on all devices along axes of their mesh."""
  return k.do("pallas.multicast_ref", [ref], None, deviceAxes=axes_attr(k, axes)).results[0]


def viewed(k, operand_or_transformed, transforms=()):
  """The ref value of an `Operand` or of a `TransformedRef` around one."""
  if isinstance(operand_or_transformed, state_types.TransformedRef):
    if operand_or_transformed.multiref:
      raise ExportError("selecting among several refs is not supported")
    operand, inner = operand_or_transformed.ref, operand_or_transformed.transforms
  else:
    operand, inner = operand_or_transformed, ()
  return view(k, operand.value, operand.aval, [*inner, *(transforms or ())])


def for_each_choice(k, ends, emit):
  """Calls `emit` with the ref values of these ends; where an end selects among refs, in a branch for each of them."""
  def settle(done, rest):
    if not rest:
      emit(done)
    else:
      choose(done, rest[0], (), rest[1:])

  def choose(done, end, transforms, rest):
    if not isinstance(end, state_types.TransformedRef):
      settle([*done, view(k, end.value, end.aval, transforms, is_copied=True)[0]], rest)
    elif not end.multiref:
      choose(done, end.ref, (*end.transforms, *transforms), rest)
    else:
      branches(end.transforms[0], [lambda option=option: choose(done, option, transforms, rest) for option in end.ref])

  def branches(select, options):
    if not isinstance(select, state_types.SelectTransform):
      raise ExportError(f"ref transform {type(select).__name__} is not supported")
    index = _index_value(k, select.idx)
    if isinstance(index, int):
      return options[index]()
    op = k.do("scf.index_switch", [k.op("arith.index_cast", [index], k.index)], [], regions=len(options),
              cases=k.b.i64_array(list(range(len(options) - 1))))
    # Every index outside selects the last one.
    for region, option in enumerate([options[-1], *options[:-1]]):
      with k.inside(k.b.add_block(op, region, [])):
        option()
        k.do("scf.yield")

  settle([], list(ends))


# Reads and writes

@rule("get")
@takes_constants
def _get(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  transforms = unflatten(eqn.params["tree"], leaves)
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  return k.op("pallas.get", [target, *indices], k.type_of(eqn.outvars[0].aval), indexer=indexer)


@rule("swap")
@takes_constants
def _swap(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  transforms = unflatten(eqn.params["tree"], leaves)
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  stored = k.materialize(value.value, value.aval)
  return k.op("pallas.swap", [target, *indices, stored], k.type_of(eqn.outvars[0].aval), indexer=indexer)


@rule("addupdate")
@takes_constants
def _addupdate(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  transforms = unflatten(eqn.params["tree"], leaves)
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  k.do("pallas.addupdate", [target, *indices, k.materialize(value.value, value.aval)], indexer=indexer)


# Scoped memory

@dataclasses.dataclass(frozen=True)
class Union:
  """Refs that may share memory, and are never used at the same time. Each has separate memory here."""
  members: dict


def _member_key(transform):
  return transform.alias_group_idx, transform.offset


def _allocations(aval, transforms=()):
  """The types and layouts of the refs that hold what an argument of a scope names."""
  if not _is_gpu(aval, "AbstractRefUnion"):
    return [(None, aval, transforms)]
  flat = tree_util.tree_leaves(T.mosaic_gpu().flatten_ref_union(aval), is_leaf=_is_transformed)
  found = []
  for member in flat:
    extract, *layout = member.transforms
    ref = _transformed(extract, aval)
    if getattr(extract, "layout", None) is not None:
      gpu = T.mosaic_gpu()
      ref = gpu.AbstractTMEMRef(ref.inner_aval, gpu.TMEM, extract.layout, aval.collective)
    found.append((_member_key(extract), ref, layout))
  return found


def _is_transformed(value) -> bool:
  return isinstance(value, state_types.TransformedRef)


def scratch_type(k, aval, transforms=()):
  """The type of memory that a kernel or a scope allocates: its logical shape, and how it is laid out."""
  if _is_gpu(aval, "WGMMAAbstractAccumulatorRef"):
    return k.b.accumulator_type(list(aval.inner_aval.shape), k.element(aval.inner_aval.dtype))
  layout = []
  for transform in transforms:
    if not _is_layout(transform):
      raise ExportError(f"ref transform {type(transform).__name__} of scoped memory is not supported")
    aval = _transformed(transform, aval)
    if not _counts_matrices(transform):
      layout.insert(0, k.attr(_layout_spelling(transform)))
  if _is_gpu(aval, "AbstractTMEMRef") and (spelling := _tensor_memory_spelling(aval)):
    layout.append(k.attr(spelling))
  return k.ref_type(aval, transforms=k.b.array_attr(layout) if layout else None)


def _tensor_memory_spelling(aval) -> str:
  """How tensor memory holds a ref; nothing where that is row by row, with an element in each column."""
  if len(aval.shape) < 2:
    raise ExportError(f"a ref of shape {aval.shape} is in tensor memory, which holds rows and columns; give it two dimensions")
  # Dimensions in front count matrices.
  *_, rows, columns = aval.shape
  known, packing = T.mosaic_gpu().tcgen05, aval.layout.vector_length
  named = {"scales": "scales_layout", "scales_m64_collective": "b_scales_m64_collective_layout", "sparse_metadata": "sparse_meta_layout"}
  for name, function in named.items():
    if hasattr(known, function) and aval.layout == getattr(known, function)():
      fields = [f"layout = {name}"]
      break
  else:
    fields = [f"packing = {packing}"] if packing != 1 else []
    if rows == 64 and not aval.collective and aval.layout == known.tmem_m64_collective_layout(columns, packing):
      fields.insert(0, "layout = m64_collective")
    elif aval.layout != (known.tmem_default_layout(packing) if rows == 128 else
                         (known.tmem_m64_collective_layout if aval.collective else known.tmem_half_lane_layout)(columns, packing)):
      raise ExportError(f"a ref of shape {aval.shape} in tensor memory has the layout {aval.layout}, which has no form in the pallas dialect")
  if aval.collective:
    fields.append("collective = true")
  return f"#pallas.tensor_memory<{', '.join(fields)}>" if fields else ""


def _layout_spelling(transform) -> str:
  if hasattr(transform, "tiling"):
    return f"#pallas.tile<{', '.join(map(str, transform.tiling))}>"
  return f"#pallas.swizzle<{transform.swizzle}>"


def clear_accumulator(k, ref, aval):
  """Matrix units add to what is there, and leave zero when a sum is taken."""
  inner = aval.inner_aval
  k.op("pallas.swap", [ref, k.constant(0, inner.shape, inner.dtype)], k.type_of(inner), indexer=trivial_indexer(k))


def _prepare(k, ref, aval):
  """Sums start at zero. Where JAX is asked to, other new memory holds what no program counts on."""
  if T.is_accumulator(aval):
    clear_accumulator(k, ref, aval)
    return
  if not pallas_core.poison_buffers_enabled() or _is_gpu(aval, "WGMMAAbstractAccumulatorRef"):
    return
  dtype = aval.inner_aval.dtype
  if T.is_bool(dtype):
    value = True
  elif jnp.issubdtype(dtype, jnp.floating):
    value = np.nan
  elif jnp.issubdtype(dtype, jnp.integer):
    # The sign bit alone, also of unsigned integers.
    value = jnp.iinfo(dtype).min or 1 << (T.bit_width(dtype) - 1)
  else:
    return
  stored = k.constant(np.asarray(value).astype(dtype), aval.shape, dtype)
  k.op("pallas.swap", [ref, stored], k.type_of(aval.inner_aval), indexer=trivial_indexer(k))


@rule("run_scoped")
@takes_constants
def _run_scoped(k, eqn, *consts):
  jaxpr, axes = eqn.params["jaxpr"], [a for a in eqn.params["collective_axes"] or () if a is not None]
  transforms = eqn.params.get("ref_transforms") or ()
  if not any(transforms):
    # JAX records that for each argument, and lowering may have made several refs of one.
    transforms = ((),) * len(jaxpr.invars)
  places = [_allocations(v.aval, t) for v, t in zip(jaxpr.invars, transforms, strict=True)]
  types = [scratch_type(k, aval, t) for group in places for _, aval, t in group]
  attributes = {"collectiveAxes": k.b.array_attr([k.b.str_attr(str(a)) for a in axes])} if axes else {}
  op = k.do("pallas.run_scoped", [], [k.type_of(v.aval) for v in eqn.outvars], regions=1, **attributes)
  with k.inside(k.b.add_block(op, 0, types)) as refs:
    refs, arguments = iter(refs), []
    for group in places:
      members = {}
      for key, aval, _ in group:
        members[key] = next(refs)
        _prepare(k, members[key], aval)
      arguments.append(members[None] if None in members else Union(members))
    outputs = k.run(jaxpr, consts, arguments)
    k.do("pallas.yield", [k.materialize(o, v.aval) for o, v in zip(outputs, jaxpr.outvars)])
  return op.results


@rule("run_state")
@takes_constants
def _run_state(k, eqn, *values):
  """A state for each value; the refs of an outer scope stay what they are."""
  jaxpr = eqn.params["jaxpr"]
  outer = [T.is_ref(v.aval) for v in eqn.invars]
  own = [var for var, is_outer in zip(jaxpr.invars, outer) if not is_outer]
  inits = [k.materialize(v, var.aval) for v, var, is_outer in zip(values, eqn.invars, outer) if not is_outer]
  types = [k.type_of(v.aval) for v, is_outer in zip(eqn.outvars, outer) if not is_outer]
  op = k.do("pallas.run_state", inits, types, regions=1)
  with k.inside(k.b.add_block(op, 0, [scratch_type(k, v.aval) for v in own])) as refs:
    places = iter(refs)
    outputs = k.run(jaxpr, (), [v if is_outer else next(places) for v, is_outer in zip(values, outer)])
    # On GPUs, what a body returns is what its accumulators become.
    for ref, var, output, final in zip(refs, own, outputs, jaxpr.outvars):
      if _is_gpu(var.aval, "WGMMAAbstractAccumulatorRef"):
        k.do("pallas.accumulator_store", [ref, k.materialize(output, final.aval)])
    k.do("pallas.yield")
  finals = iter(op.results)
  return [v if is_outer else next(finals) for v, is_outer in zip(values, outer)]


@rule("new_ref")
def _new_ref(k, eqn, value):
  return k.op("pallas.new_ref", [value], k.type_of(eqn.outvars[0].aval))


@rule("empty_ref")
def _empty_ref(k, eqn):
  aval = eqn.outvars[0].aval
  ref = k.op("pallas.empty_ref", [], scratch_type(k, aval))
  _prepare(k, ref, aval)
  return ref


@rule("freeze")
def _freeze(k, eqn, ref):
  return k.op("pallas.freeze", [ref], k.type_of(eqn.outvars[0].aval))


@rule("free_ref")
def _free_ref(k, eqn, ref):
  k.do("pallas.free_ref", [ref])


@rule("get_global")
def _get_global(k, eqn):
  """Each of these is separate memory, which all programs of the kernel share."""
  k.num_globals += 1
  return k.op("pallas.get_global", [], k.type_of(eqn.outvars[0].aval), name=k.b.str_attr(f"global_{k.num_globals - 1}"))
