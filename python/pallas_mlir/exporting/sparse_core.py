# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of the SparseCore: masks that compress, scans, accesses by lists of indices, its barrier."""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic import sc_primitives as sc

from .. import release
from ..errors import ExportError
from . import types as T
from .arith import convert
from .composite import trace
from .kernel import takes_constants
from .masked import may_leave
from .operands import as_i32, operands, unflatten
from .refs import indexer_of_elements, place, view
from .registry import rule
from .tpu import bitcast_side_by_side
from .shapes import i64_attr


def _by_jax(k, eqn, function, values):
  return trace(k, function, [v.aval for v in eqn.invars], list(values))


# Accesses

def _accessed(k, ref, flat, tree):
  """What an access selects: a ref, an indexer and its operands; and whether it may leave the ref."""
  transforms = unflatten(tree, flat)
  return place(k, ref.value, ref.aval, transforms), may_leave(k, transforms, slices_only=False)


def _positions(mask):
  """Which element each true one of the mask is; what is false lies behind the end."""
  return jnp.where(mask, jnp.cumsum(mask.astype(jnp.int32)) - 1, mask.shape[0])


# Lanes have addresses of their own, from the start of a slice on: they stay in place where others lie outside.

def _read(k, accessed, aval):
  (target, indexer, indices), leaves = accessed
  if not leaves:
    return k.op("pallas.get", [target, *indices], k.type_of(aval), indexer=indexer)
  return k.op("pallas.masked_load", [target, *indices], k.type_of(aval), indexer=indexer,
              operandSegmentSizes=k.b.i32_array([1, len(indices), 0, 0]))


def _write(k, accessed, stored, mask, aval):
  """Stores where the mask, which may be None, allows it."""
  (target, indexer, indices), leaves = accessed
  if mask is None and not leaves:
    return k.op("pallas.swap", [target, *indices, stored], k.type_of(aval), indexer=indexer)
  mask = k.constant(True, aval.shape, np.dtype(bool)) if mask is None else mask
  return k.op("pallas.masked_swap", [target, *indices, stored, mask], k.type_of(aval), indexer=indexer)


@rule(sc.load_p)
@takes_constants
def _load(k, eqn, *values):
  ref, *flat = operands(eqn, values)
  mask = flat.pop() if eqn.params["has_mask"] else None
  aval = eqn.outvars[0].aval
  whole = _read(k, _accessed(k, ref, flat, eqn.params["tree"]), aval)
  if mask is None:
    return whole
  return trace(k, lambda v, m: jnp.take(v, _positions(m), mode="clip"), [aval, mask.aval], [whole, mask.value])[0]


@rule(sc.swap_p)
@takes_constants
def _store(k, eqn, *values):
  """Adds where it is asked to. Where it compresses, a mask stores its true elements side by side."""
  ref, value, *flat = operands(eqn, values)
  mask = flat.pop() if eqn.params["has_mask"] else None
  accessed = _accessed(k, ref, flat, eqn.params["tree"])
  stored, chosen = k.materialize(value.value, value.aval), None
  # Before 0.12 a mask always compressed.
  if mask is not None and eqn.params.get("compress", True):
    def compressed(new, m):
      return jnp.zeros_like(new).at[_positions(m)].set(new, mode="drop"), jnp.arange(m.shape[0]) < jnp.sum(m.astype(jnp.int32))
    stored, chosen = trace(k, compressed, [value.aval, mask.aval], [stored, mask.value])
  elif mask is not None:
    chosen = k.materialize(mask.value, mask.aval)
  if eqn.params["add"]:
    old = _read(k, accessed, value.aval)
    stored = trace(k, lambda a, b: a + b, [value.aval] * 2, [old, stored])[0]
  return _write(k, accessed, stored, chosen, value.aval)


def _element_indices(k, ref, transforms, indices):
  """The ref and its indexer for an array of indices along each dimension."""
  target, _ = view(k, ref.value, ref.aval, transforms or ())
  values = [convert(k, k.materialize(i.value, i.aval), i.aval.shape, i.aval.dtype, np.dtype(np.int32)) for i in indices]
  return target, k.b.indexer([("gather", 0, 0, 1)] * len(values)), values


@rule(sc.gather_p)
@takes_constants
def _gather(k, eqn, *values):
  ref, transforms, indices, mask = eqn.params["tree"].unflatten(operands(eqn, values))
  target, indexer, at = _element_indices(k, ref, transforms, indices)
  type_ = k.type_of(eqn.outvars[0].aval)
  if mask is None:
    return k.op("pallas.get", [target, *at], type_, indexer=indexer)
  return k.op("pallas.masked_load", [target, *at, k.materialize(mask.value, mask.aval)], type_, indexer=indexer,
              operandSegmentSizes=k.b.i32_array([1, len(at), 1, 0]))


@rule(sc.scatter_p)
@takes_constants
def _scatter(k, eqn, *values):
  ref, transforms, indices, value, mask = eqn.params["tree"].unflatten(operands(eqn, values))
  target, indexer, at = _element_indices(k, ref, transforms, indices)
  type_, stored = k.type_of(value.aval), k.materialize(value.value, value.aval)
  masks = [] if mask is None else [k.materialize(mask.value, mask.aval)]
  if eqn.params["add"]:
    k.op("pallas.atomic_rmw", [target, *at, stored, *masks], type_, indexer=indexer, kind=k.attr("#pallas.atomic<add>"),
         operandSegmentSizes=k.b.i32_array([1, len(at), 1, len(masks)]))
  else:
    k.op("pallas.masked_swap" if masks else "pallas.swap", [target, *at, stored, *masks], type_, indexer=indexer)


@rule(sc.fetch_and_add_p)
@takes_constants
def _fetch_and_add(k, eqn, *values):
  ref, value, *indices, subcore = operands(eqn, values)
  axes = k.b.array_attr([k.b.str_attr(str(k.mesh.subcore_axis_name))])
  there = k.op("pallas.remote_ref", [ref.value, as_i32(k, subcore)], k.type_of(ref.aval), deviceAxes=axes,
               deviceIdType=k.attr("#pallas<device_id_type mesh>"))
  indexer, at = indexer_of_elements(k, indices)
  return k.op("pallas.atomic_rmw", [there, *at, as_i32(k, value)], k.i32, indexer=indexer, kind=k.attr("#pallas.atomic<add>"),
              operandSegmentSizes=k.b.i32_array([1, len(at), 1, 0]))


@rule(sc.barrier_p)
def _barrier(k, eqn):
  k.do("pallas.core_barrier", axisName=k.b.str_attr(str(k.mesh.subcore_axis_name)))


# Scans and sorts

@rule(sc.scan_count_p)
def _scan_count(k, eqn, value, mask):
  return k.do("pallas.scan_count", [value, mask], [k.type_of(v.aval) for v in eqn.outvars]).results


def _scan(cumulative, least=None):
  """A running combination of what the mask selects; before the first of these elements stay what they are."""
  def scanned(x, mask):
    if least is None:
      return cumulative(jnp.where(mask, x, jnp.zeros_like(x)))
    running = cumulative(jnp.where(mask, x, least(x.dtype)))
    return jnp.where(jnp.cumsum(mask.astype(jnp.int32)) > 0, running, x)

  @takes_constants
  def lower(k, eqn, *values):
    return _by_jax(k, eqn, scanned, values)
  return lower


def _lowest(dtype):
  return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _highest(dtype):
  return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


rule(sc.masked_cumsum_p)(_scan(lax.cumsum))
rule(sc.masked_cummax_p)(_scan(lax.cummax, _lowest))
rule(sc.masked_cummin_p)(_scan(lax.cummin, _highest))


@rule(sc.masked_sort_p)
def _masked_sort(k, eqn, keys, values, *masks):
  """What the mask leaves out comes last, in the order that it had."""
  aval = eqn.invars[0].aval
  flags = {}
  if eqn.params["descending"]:
    flags["descending"] = k.b.unit_attr()
  if T.is_unsigned(aval.dtype):
    flags["unsignedKeys"] = k.b.unit_attr()
  types = [k.type_of(v.aval) for v in eqn.invars[:2]]
  if not masks:
    return k.do("pallas.sort", [keys, values], types, dimension=i64_attr(k, 0), **flags).results
  flags["stable"] = k.b.unit_attr()
  avals = [aval, eqn.invars[2].aval]
  descending = eqn.params["descending"]
  ranks = trace(k, lambda m: (m if descending else ~m).astype(jnp.int32), avals[1:], masks)[0]
  shown = trace(k, lambda key, m: jnp.where(m, key, jnp.zeros_like(key)), avals, [keys, *masks])[0]
  i32 = k.value_type(aval.shape, np.dtype(np.int32))
  first, _, *rest = k.do("pallas.sort", [ranks, shown, keys, values], [i32, types[0], *types], dimension=i64_attr(k, 0),
                         numKeys=i64_attr(k, 2), **flags).results
  rank_aval = aval.update(dtype=np.dtype(np.int32))
  return [*rest, trace(k, lambda r: (r == 1) if descending else (r == 0), [rank_aval], [first])[0]]


def _mask_reduction(kind):
  def lower(k, eqn, mask):
    out = eqn.outvars[0].aval
    found = k.op("pallas.mask_reduce", [mask], k.i32, kind=k.attr(f"#pallas.mask_reduction<{kind}>"))
    return k.splat(found, out.shape, out.dtype)
  return lower


rule(sc.all_reduce_population_count_p)(_mask_reduction("count"))
rule(sc.all_reduce_ffs_p)(_mask_reduction("first"))


# Elements of another width

@rule(*release.primitives(sc, "bitcast_p"))
@takes_constants
def _bitcast(k, eqn, value):
  return _by_jax(k, eqn, lambda x: bitcast_side_by_side(x, eqn.outvars[0].aval), [value])


def _check_interleaved(eqn):
  name = eqn.params["format"].name
  if name != "INTERLEAVED":
    raise ExportError(f"'{eqn.primitive.name}' in the format {name} is not supported; use INTERLEAVED")


@rule(sc.pack_p)
@takes_constants
def _pack(k, eqn, *values):
  _check_interleaved(eqn)
  out = eqn.outvars[0].aval
  return _by_jax(k, eqn, lambda a, b: jnp.stack([a, b], axis=-1).astype(out.dtype).reshape(out.shape), values)


@rule(sc.unpack_p)
@takes_constants
def _unpack(k, eqn, value):
  _check_interleaved(eqn)
  out = eqn.outvars[0].aval
  def unpacked(ab):
    pairs = ab.reshape(-1, 2).astype(out.dtype)
    return pairs[:, 0], pairs[:, 1]
  return _by_jax(k, eqn, unpacked, [value])


# Loops

@rule(sc.parallel_loop_p)
@takes_constants
def _parallel_loop(k, eqn, *values):
  """Rounds run one after the other, which any order that the loop allows includes."""
  *bounds, consts, carry = eqn.params["tree"].unflatten(operands(eqn, values))
  jaxpr, types = eqn.params["jaxpr"], [k.type_of(c.aval) for c in carry]
  init = [k.materialize(c.value, c.aval) for c in carry]
  unroll = {"pallas.parallel_loop": i64_attr(k, eqn.params["unroll"])}
  op = k.do("scf.for", [*(as_i32(k, b) for b in bounds), *init], types, regions=1, **unroll)
  with k.inside(k.b.add_block(op, 0, [k.i32, *types])) as arguments:
    outputs = k.run(jaxpr, [c.value for c in consts], arguments)
    k.do("scf.yield", [k.materialize(o, v.aval) for o, v in zip(outputs, jaxpr.outvars)])
  return op.results
