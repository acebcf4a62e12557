"""Tensor memory of GPUs, and the products that it takes."""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax._src import core as jax_core
from jax._src import dtypes
from jax._src.pallas.mosaic_gpu import primitives as gpu

from ..errors import ExportError
from .composite import trace, tracing
from .gpu import barrier_ref, split_leaves
from .kernel import takes_constants
from .refs import operands, trivial_indexer, viewed
from .registry import rule


@rule(gpu.async_load_tmem_p)
@takes_constants
def _async_load_tmem(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  (transforms,), _ = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  return k.op("pallas.async_load_tmem", [viewed(k, ref, transforms)[0]], k.type_of(eqn.outvars[0].aval))


@rule(gpu.async_store_tmem_p)
@takes_constants
def _async_store_tmem(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  (transforms,), _ = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  k.do("pallas.async_store_tmem", [k.materialize(value.value, value.aval), viewed(k, ref, transforms)[0]])


@rule(gpu.wait_load_tmem_p)
def _wait_load_tmem(k, eqn):
  k.do("pallas.wait_load_tmem")


@rule(gpu.commit_tmem_p)
def _commit_tmem(k, eqn):
  k.do("pallas.commit_tmem")


def _copied(k, eqn, values):
  """Both ends of a copy, with their types."""
  p = eqn.params
  if p.get("collective_axis") is not None:
    raise ExportError("copies to the tensor memory of two blocks at once are not supported; let each block copy its part")
  source, target, *leaves = operands(eqn, values)
  (ts, tt), _ = split_leaves(leaves, p["smem_tree"], p["tmem_tree"])
  return viewed(k, source, ts), viewed(k, target, tt)


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
  (source, aval), (target, _) = _copied(k, eqn, values)
  _store(k, _read(k, source, aval), target)


def _copy_tiles(k, eqn, values, arrange):
  """Stores what `arrange` makes of the tiles in shared memory."""
  (source, tiles), (target, aval) = _copied(k, eqn, values)
  tiles, whole = (jax_core.ShapedArray(a.shape, a.dtype) for a in (tiles, aval))
  [value] = _traced(k, lambda tiles: [arrange(tiles).reshape(whole.shape)], [tiles], [_read(k, source, tiles)])
  _store(k, k.materialize(value, whole), target)


@rule(gpu.async_copy_sparse_metadata_to_tmem_p)
@takes_constants
def _copy_metadata_to_tmem(k, eqn, *values):
  """Tiles of 128 rows by 64 places come one after the other; within a tile, the product knows the order."""
  _copy_tiles(k, eqn, values, lambda tiles: tiles.transpose(0, 2, 1, 3))


@rule(gpu.async_copy_scales_to_tmem_p)
@takes_constants
def _copy_scales_to_tmem(k, eqn, *values):
  """Tiles of 128 rows by 4 scales: each of their 32 rows holds the scales of four rows."""
  def arrange(tiles):
    rows, columns = tiles.shape[:2]
    return tiles.reshape(rows, columns, 32, 4, 4).transpose(0, 3, 2, 1, 4)
  _copy_tiles(k, eqn, values, arrange)


def _in_order(places, bits):
  """The places of each row one after the other; factors of 16 bits have them in an order of their own."""
  rows, columns = places.shape
  if bits == 8:
    return places
  tiles = places.reshape(rows // 128, 8, 2, 8, columns // 64, 4, 2, 8)
  return tiles.transpose(0, 1, 6, 3, 4, 5, 2, 7).reshape(rows, columns)


def _with_zeros(factor, places):
  """Of four elements in a row, a factor holds two, and `places` says which."""
  rows, columns = factor.shape
  places = _in_order(places.astype(np.int32), dtypes.itemsize_bits(factor.dtype)).reshape(rows, columns // 2, 2, 1)
  here = places == np.arange(4, dtype=np.int32)
  held = jnp.where(here, factor.reshape(rows, columns // 2, 2, 1), jnp.zeros((), factor.dtype))
  # At most one of the two is not zero.
  return jnp.where(here[:, :, 0], held[:, :, 0], held[:, :, 1]).reshape(rows, 2 * columns)


def _scaled(factor, scales):
  """A factor in f32; elements in a row share scales in blocks."""
  return factor.astype(jnp.float32) * jnp.repeat(scales.astype(jnp.float32), factor.shape[1] // scales.shape[1], axis=1)


def _spelled_out(lhs, rhs, places, scales):
  """The factors with all that the hardware adds to them: zeros that they leave out, and scales."""
  if places:
    lhs = _with_zeros(lhs, *places)
  if scales:
    lhs_scales, rhs_scales = scales
    return [_scaled(lhs, lhs_scales), _scaled(rhs.T, rhs_scales).T]
  return [lhs, rhs]


def _product_of_copies(k, acc, factors, places, scales, more, attributes):
  """A product of factors that are less than they stand for, by way of copies that spell them out."""
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
    k.do("pallas.tcgen05_mma", [acc, *refs, *more], **attributes)
    k.do("pallas.yield")


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
  (tc, ta, tb, tbar, *tscales, tplaces), _ = split_leaves(rest, *(p[f"{name}_transforms_tree"] for name in names))
  acc, lhs, rhs = (viewed(k, r, t) for r, t in ((acc, tc), (a, ta), (b, tb)))
  more = [k.materialize(accumulate.value, accumulate.aval), *(barrier_ref(k, x, tbar) for x in barriers)]
  if scales or places:
    places, scales = ([viewed(k, r, t) for r, t in zip(refs, chains)] for refs, chains in ((places, [tplaces]), (scales, tscales)))
    _product_of_copies(k, acc[0], (lhs, rhs), places, scales, more, _pair(k, p))
  else:
    k.do("pallas.tcgen05_mma", [acc[0], lhs[0], rhs[0], *more], **_pair(k, p))


@rule(gpu.tcgen05_commit_arrive_p)
@takes_constants
def _tcgen05_commit(k, eqn, *values):
  barrier, *leaves = operands(eqn, values)
  (transforms,), _ = split_leaves(leaves, eqn.params["barrier_transforms_tree"])
  k.do("pallas.tcgen05_commit", [barrier_ref(k, barrier, transforms)], **_pair(k, eqn.params))
