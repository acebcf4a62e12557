# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory of GPUs, and the products that it takes."""
from __future__ import annotations

import contextlib

import jax.numpy as jnp
import numpy as np
from jax._src import core as jax_core
from jax._src import dtypes
from jax._src.pallas.mosaic_gpu import primitives as gpu

from ..errors import ExportError
from .arith import Elementwise
from .composite import trace, tracing
from .gpu import barrier_ref, split_leaves, split_predicated_leaves, when
from .kernel import takes_constants
from .refs import operands, trivial_indexer, viewed
from .registry import rule


@rule(gpu.async_load_tmem_p)
@takes_constants
def _async_load_tmem(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  [transforms] = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  loaded = k.op("pallas.async_load_tmem", [viewed(k, ref, transforms)[0]], k.type_of(eqn.outvars[0].aval))
  reduction = eqn.params.get("reduce")
  if reduction is None:
    return loaded
  magnitude = jnp.abs if reduction.startswith("abs") else lambda x: x
  combine = jnp.max if reduction.endswith("max") else jnp.min
  [reduced] = trace(k, lambda x: combine(magnitude(x), axis=-1), [eqn.outvars[0].aval], [loaded])
  return loaded, reduced


@rule(gpu.async_store_tmem_p)
@takes_constants
def _async_store_tmem(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  [transforms] = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  k.do("pallas.async_store_tmem", [k.materialize(value.value, value.aval), viewed(k, ref, transforms)[0]])


@rule(gpu.wait_load_tmem_p)
def _wait_load_tmem(k, eqn):
  k.do("pallas.wait_load_tmem")


@rule(gpu.commit_tmem_p)
def _commit_tmem(k, eqn):
  k.do("pallas.commit_tmem")


@contextlib.contextmanager
def _in_first_block(k, axis):
  """Writes what the first of the blocks that work together along `axis` does; it does the other one's part as well."""
  block = k.op("pallas.axis_index", [], k.i32, axisName=k.b.str_attr(str(axis)))
  i32 = np.dtype(np.int32)
  op = k.do("scf.if", [Elementwise(k, ()).compare("eq", block, k.i32_constant(0), i32)], [], regions=2)
  with k.inside(k.b.add_block(op, 0, [])):
    yield
    k.do("scf.yield", [])


def _in_block(k, ref, axis, block):
  """The memory of the first or second block, seen from the first."""
  if not block:
    return ref
  return k.do("pallas.cluster_ref", [ref, k.i32_constant(block)], None, axisName=k.b.str_attr(str(axis))).results[0]


def _half(k, ref, aval, dim, half):
  """The first or second half of a matrix along a dimension."""
  shape = list(aval.shape)
  shape[dim] //= 2
  entries = [("slice", half * size if d == dim else 0, size, 1) for d, size in enumerate(shape)]
  return k.do("pallas.slice_ref", [ref], None, indexer=k.b.indexer(entries)).results[0], jax_core.ShapedArray(shape, aval.dtype)


def _copy(k, eqn, values, emit):
  """Calls `emit` with both ends of a copy, each with its type; where two blocks copy, with those of both."""
  p = eqn.params
  source, target, *leaves = operands(eqn, values)
  ts, tt = split_leaves(leaves, p["smem_tree"], p["tmem_tree"])
  ends, axis = (viewed(k, source, ts), viewed(k, target, tt)), p.get("collective_axis")
  if axis is None:
    return emit(*ends)
  with _in_first_block(k, axis):
    for block in range(2):
      emit(*((_in_block(k, ref, axis, block), aval) for ref, aval in ends))


def _read(k, ref, aval):
  return k.op("pallas.get", [ref], k.value_type(aval.shape, aval.dtype), indexer=trivial_indexer(k))


def _store(k, value, ref):
  """Products and commits that follow see what is stored."""
  k.do("pallas.async_store_tmem", [value, ref])
  k.do("pallas.commit_tmem")


def _traced(k, function, avals, values):
  """What `function` does with tensors of these types."""
  with tracing(avals):
    return trace(k, function, avals, values)


@rule(gpu.async_copy_smem_to_tmem_p)
@takes_constants
def _copy_to_tmem(k, eqn, *values):
  _copy(k, eqn, values, lambda source, target: _store(k, _read(k, *source), target[0]))


def _copy_tiles(k, eqn, values, arrange):
  """Stores what `arrange` makes of the tiles in shared memory."""
  def copy(source, target):
    tiles, whole = (jax_core.ShapedArray(a.shape, a.dtype) for _, a in (source, target))
    [value] = _traced(k, lambda tiles: [arrange(tiles).reshape(whole.shape)], [tiles], [_read(k, source[0], tiles)])
    _store(k, k.materialize(value, whole), target[0])
  _copy(k, eqn, values, copy)


@rule(gpu.async_copy_sparse_metadata_to_tmem_p)
@takes_constants
def _copy_metadata_to_tmem(k, eqn, *values):
  """Tiles of 128 rows by 64 places come one after the other; within a tile, the product knows the order."""
  _copy_tiles(k, eqn, values, lambda tiles: tiles.transpose(0, 2, 1, 3))


@rule(gpu.async_copy_scales_to_tmem_p)
@takes_constants
def _copy_scales_to_tmem(k, eqn, *values):
  """Tiles of 128 rows by 4 scales: each of their 32 rows holds the scales of four rows; two such may be one tile."""
  def arrange(tiles):
    rows, columns, height = tiles.shape[:3]
    return tiles.reshape(rows, columns, height // 32, 32, 4, 4).transpose(0, 2, 4, 3, 1, 5)
  _copy_tiles(k, eqn, values, arrange)


def _in_order(places, bits):
  """The places of each row one after the other; operands of 16 bits have them in another order."""
  rows, columns = places.shape
  if bits == 8:
    return places
  tiles = places.reshape(rows // 128, 8, 2, 8, columns // 64, 4, 2, 8)
  return tiles.transpose(0, 1, 6, 3, 4, 5, 2, 7).reshape(rows, columns)


def _with_zeros(factor, places):
  """Of four elements in a row, an operand holds two, and `places` has their positions."""
  rows, columns = factor.shape
  places = _in_order(places.astype(np.int32), dtypes.itemsize_bits(factor.dtype)).reshape(rows, columns // 2, 2, 1)
  here = places == np.arange(4, dtype=np.int32)
  held = jnp.where(here, factor.reshape(rows, columns // 2, 2, 1), jnp.zeros((), factor.dtype))
  # At most one of the two is not zero.
  return jnp.where(here[:, :, 0], held[:, :, 0], held[:, :, 1]).reshape(rows, 2 * columns)


def _scaled(factor, scales):
  """An operand in f32; elements in a row share scales in blocks. Tiles of scales may have more rows."""
  scales = scales[:factor.shape[0]]
  return factor.astype(jnp.float32) * jnp.repeat(scales.astype(jnp.float32), factor.shape[1] // scales.shape[1], axis=1)


def _spelled_out(lhs, rhs, places, scales):
  """The operands with all that the hardware adds to them: zeros that they leave out, and scales."""
  if places:
    lhs = _with_zeros(lhs, *places)
  if scales:
    lhs_scales, rhs_scales = scales
    return [_scaled(lhs, lhs_scales), _scaled(rhs.T, rhs_scales).T]
  return [lhs, rhs]


def _product_of_copies(k, acc, factors, places, scales, more):
  """A product of compressed or scaled operands, through copies that are expanded."""
  (lhs, lhs_aval), (rhs, rhs_aval) = factors
  if places and dtypes.itemsize_bits(lhs_aval.dtype) not in (8, 16):
    raise ExportError(f"sparse products of elements of type {lhs_aval.dtype} are not supported; convert them to 8 or 16 bits")
  avals = [jax_core.ShapedArray(a.shape, a.dtype) for a in (lhs_aval, rhs_aval, *(aval for _, aval in (*places, *scales)))]
  values = [_read(k, lhs, lhs_aval), _read(k, rhs, rhs_aval)]
  values += [k.op("pallas.async_load_tmem", [ref], k.value_type(aval.shape, aval.dtype)) for ref, aval in (*places, *scales)]
  count = len(places)
  whole = _traced(k, lambda lhs, rhs, *more: _spelled_out(lhs, rhs, more[:count], more[count:]), avals, values)
  depth, dtype = rhs_aval.shape[0], np.dtype(np.float32) if scales else None
  wholes = [jax_core.ShapedArray((lhs_aval.shape[0], depth), dtype or lhs_aval.dtype), jax_core.ShapedArray(rhs_aval.shape, dtype or rhs_aval.dtype)]
  space = k.b.memory_space("smem", None)
  op = k.do("pallas.run_scoped", regions=1)
  with k.inside(k.b.add_block(op, 0, [k.b.ref_type(list(a.shape), k.element(a.dtype), space, None) for a in wholes])) as refs:
    for ref, aval, value in zip(refs, wholes, whole):
      k.op("pallas.swap", [ref, k.materialize(value, aval)], k.type_of(aval), indexer=trivial_indexer(k))
    k.do("pallas.commit_smem")
    k.do("pallas.tcgen05_mma", [acc, *refs, *more])
    k.do("pallas.yield")


def _product_of_blocks(k, axis, acc, factors, places, scales, more):
  """Such a product of two blocks, whose halves the first one multiplies: each has rows of its own and half of the columns."""
  accumulate, *barriers = more
  (lhs, lhs_aval), (rhs, rhs_aval) = factors
  with _in_first_block(k, axis):
    for rows in range(2):
      def of_rows(ref):
        return _in_block(k, ref, axis, rows)
      for columns in range(2):
        part, _ = _half(k, *acc, 1, columns)
        of_both = [(of_rows(scales[0][0]), scales[0][1]), _half(k, *scales[1], 0, columns)] if scales else []
        _product_of_copies(k, of_rows(part), ((of_rows(lhs), lhs_aval), (_in_block(k, rhs, axis, columns), rhs_aval)),
                           [(of_rows(ref), aval) for ref, aval in places], of_both, [accumulate])
  for barrier in barriers:
    k.do("pallas.tcgen05_commit", [barrier], collectiveAxis=k.b.str_attr(str(axis)))


def _pair(k, params):
  """The axis of the cluster along which two blocks multiply together."""
  axis = params.get("collective_axis")
  return {} if axis is None else {"collectiveAxis": k.b.str_attr(str(axis))}


@rule(gpu.tcgen05_mma_p)
@takes_constants
def _tcgen05_mma(k, eqn, *values):
  p = eqn.params
  acc, a, b, accumulate, *rest = operands(eqn, values)
  counts = [bool(p.get("arrive")), 2 * bool(p.get("scaled")), bool(p.get("sparse"))]
  barriers, scales, places = ([rest.pop(0) for _ in range(count)] for count in counts)
  names = ("acc", "a", "b", "barrier", "a_scale", "b_scale", "a_sparse_metadata")
  tc, ta, tb, tbar, *tscales, tplaces = split_leaves(rest, *(p[f"{name}_transforms_tree"] for name in names))
  acc, lhs, rhs = (viewed(k, r, t) for r, t in ((acc, tc), (a, ta), (b, tb)))
  more = [k.materialize(accumulate.value, accumulate.aval), *(barrier_ref(k, x, tbar) for x in barriers)]
  if scales or places:
    places, scales = ([viewed(k, r, t) for r, t in zip(refs, chains)] for refs, chains in ((places, [tplaces]), (scales, tscales)))
    if p.get("collective_axis") is None:
      _product_of_copies(k, acc[0], (lhs, rhs), places, scales, more)
    else:
      _product_of_blocks(k, p["collective_axis"], acc, (lhs, rhs), places, scales, more)
  else:
    k.do("pallas.tcgen05_mma", [acc[0], lhs[0], rhs[0], *more], **_pair(k, p))


@rule(gpu.tcgen05_commit_arrive_p)
@takes_constants
def _tcgen05_commit(k, eqn, *values):
  barrier, *leaves = operands(eqn, values)
  transforms, predicate = split_predicated_leaves(eqn.params, leaves, eqn.params["barrier_transforms_tree"])
  ref = barrier_ref(k, barrier, transforms)
  with when(k, predicate):
    k.do("pallas.tcgen05_commit", [ref], **_pair(k, eqn.params))
