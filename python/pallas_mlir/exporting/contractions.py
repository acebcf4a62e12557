# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions, reductions, running combinations, sorting, gathers and scatters."""
from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.lax import slicing

from . import types as T
from .arith import Elementwise, convert
from .registry import rule
from .shapes import i64_attr, reshape

_PRECISIONS = {lax.Precision.DEFAULT: "default", lax.Precision.HIGH: "high", lax.Precision.HIGHEST: "highest"}


def _precision(precision) -> str:
  if precision is None:
    return "default"
  if isinstance(precision, tuple):
    order = ["default", "high", "highest"]
    return max((_precision(p) for p in precision), key=order.index)
  if precision in _PRECISIONS:
    return _PRECISIONS[precision]
  # Named algorithms that ask for more than the operands hold.
  name = getattr(precision, "name", str(precision))
  return "highest" if name in ("F32_F32_F32", "F64_F64_F64") else "default"


def _is_exact(source, target) -> bool:
  """Whether a float type has every value of another type of numbers."""
  wide = jnp.finfo(target)
  if not T.is_float(source):
    bits = T.bit_width(source) - (not T.is_unsigned(source)) if not T.is_bool(source) else 1
    return T.has_zero(target) and bits <= min(wide.nmant + 1, wide.maxexp - 1)
  narrow = jnp.finfo(source)
  return narrow.nmant <= wide.nmant and narrow.maxexp <= wide.maxexp and narrow.smallest_subnormal >= wide.smallest_subnormal


def _multiplies_as_is(lhs, rhs) -> bool:
  """Whether JAX multiplies floats as they are, and converts only their sum.

  These are floats of one type, and those of 8 bits that XLA mixes. Everything
  else is converted to the type of the result before it is multiplied.
  """
  def is_byte(dtype):
    return T.bit_width(dtype) == 8 and dtype != jnp.float8_e4m3b11fnuz
  return T.is_float(lhs) and T.is_float(rhs) and (lhs == rhs or is_byte(lhs) and is_byte(rhs))


def _converted(k, value, aval, other, out):
  """An operand as JAX multiplies it, and its dtype.

  `pallas.dot_general` widens operands to the type of its sum by itself, in
  registers, so only what JAX makes narrower is converted here.
  """
  if not T.is_float(out):
    stays = not T.is_float(aval.dtype)
  elif T.is_float(aval.dtype):
    # XLA converts operands to another type of their width, too: f16 to bf16.
    is_wider = T.bit_width(aval.dtype) > T.bit_width(out)
    stays = _is_exact(aval.dtype, out) or is_wider and _multiplies_as_is(aval.dtype, other.dtype)
  else:
    stays = T.bit_width(out) >= 32 or _is_exact(aval.dtype, out)
  if stays:
    return value, aval.dtype
  return convert(k, value, aval.shape, aval.dtype, out), out


@rule("dot_general")
def _dot_general(k, eqn, lhs, rhs):
  lhs_aval, rhs_aval, out = eqn.invars[0].aval, eqn.invars[1].aval, eqn.outvars[0].aval
  sum_dtype = out.dtype
  if _multiplies_as_is(lhs_aval.dtype, rhs_aval.dtype) and not T.is_float(out.dtype):
    # XLA rounds the sum to the type that it has where no other is preferred.
    sum_dtype = max(lhs_aval.dtype, rhs_aval.dtype, key=lambda dtype: (jnp.finfo(dtype).maxexp, jnp.finfo(dtype).nmant))
  product = _contract if lhs_aval.shape and rhs_aval.shape else _multiply
  value = product(k, eqn, lhs, rhs, out.update(dtype=sum_dtype))
  return convert(k, value, out.shape, sum_dtype, out.dtype)


def _multiply(k, eqn, lhs, rhs, out):
  """Of which one has no dimensions: there is nothing to sum up."""
  lhs_aval, rhs_aval = eqn.invars[0].aval, eqn.invars[1].aval
  dtype = out.dtype
  if _multiplies_as_is(lhs_aval.dtype, rhs_aval.dtype):
    dtype = max(lhs_aval.dtype, rhs_aval.dtype, dtype, np.dtype(np.float32), key=T.bit_width)
  e = Elementwise(k, out.shape)
  a = e.operand(convert(k, lhs, lhs_aval.shape, lhs_aval.dtype, dtype), lhs_aval.update(dtype=dtype))
  b = e.operand(convert(k, rhs, rhs_aval.shape, rhs_aval.dtype, dtype), rhs_aval.update(dtype=dtype))
  product = e.op("arith.mulf" if T.is_float(dtype) else "arith.muli", dtype, a, b)
  return convert(k, product, out.shape, dtype, out.dtype)


def _contract(k, eqn, lhs, rhs, out):
  (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = eqn.params["dimension_numbers"]
  lhs_aval, rhs_aval = eqn.invars[0].aval, eqn.invars[1].aval
  lhs, lhs_dtype = _converted(k, lhs, lhs_aval, rhs_aval, out.dtype)
  rhs, rhs_dtype = _converted(k, rhs, rhs_aval, lhs_aval, out.dtype)
  attributes = dict(lhsContracting=k.b.i64_array(list(lhs_contract)), rhsContracting=k.b.i64_array(list(rhs_contract)))
  if lhs_batch:
    attributes.update(lhsBatch=k.b.i64_array(list(lhs_batch)), rhsBatch=k.b.i64_array(list(rhs_batch)))
  precision = _precision(eqn.params["precision"])
  if precision != "default":
    attributes["precision"] = k.attr(f"#pallas<precision {precision}>")
  for name, dtype in (("unsignedLhs", lhs_dtype), ("unsignedRhs", rhs_dtype)):
    if T.is_unsigned(dtype):
      attributes[name] = k.b.unit_attr()
  return k.op("pallas.dot_general", [lhs, rhs], k.type_of(out), **attributes)


def _reduce(kind, unsigned_kind=None):
  def lower(k, eqn, value):
    aval, axes = eqn.invars[0].aval, eqn.params["axes"]
    name = unsigned_kind if unsigned_kind and T.is_unsigned(aval.dtype) else kind
    return _reduced(k, value, eqn.outvars[0].aval, name, axes)
  return lower


def _reduced(k, value, out, kind, dimensions):
  if not dimensions:
    return value
  return k.op("pallas.reduce", [value], k.type_of(out), kind=k.attr(f"#pallas.combining<{kind}>"), dimensions=k.b.i64_array(list(dimensions)))


rule("reduce_sum")(_reduce("add"))
rule("reduce_prod")(_reduce("mul"))
rule("reduce_max")(_reduce("max", "umax"))
rule("reduce_min")(_reduce("min", "umin"))
rule("reduce_and")(_reduce("and"))
rule("reduce_or")(_reduce("or"))
rule("reduce_xor")(_reduce("xor"))


_KINDS = {"add": ("add",) * 2, "mul": ("mul",) * 2, "max": ("max", "umax"), "min": ("min", "umin"),
          "and": ("and",) * 2, "or": ("or",) * 2, "xor": ("xor",) * 2}


def combining(jaxpr):
  """The name of the primitive that combines both arguments, if the function does nothing else."""
  if len(jaxpr.eqns) != 1 or len(jaxpr.invars) != 2:
    return None
  [eqn], (a, b) = jaxpr.eqns, jaxpr.invars
  takes_both = len(eqn.invars) == 2 and any(eqn.invars[0] is x and eqn.invars[1] is y for x, y in ((a, b), (b, a)))
  return eqn.primitive.name if takes_both and jaxpr.outvars[0] is eqn.outvars[0] and eqn.primitive.name in _KINDS else None


def _reduce_one_by_one(p, *values):
  """By a function of one's own, on one array or on several together: slice after slice along the reduced dimensions."""
  count, dimensions, closed = len(values) // 2, tuple(p["dimensions"]), p["jaxpr"]
  if not dimensions:
    return list(values[:count])
  rest = [i for i in range(values[0].ndim) if i not in dimensions]
  shape = tuple(values[0].shape[i] for i in rest)
  slices = [lax.transpose(v, (*dimensions, *rest)).reshape(-1, *shape) for v in values[:count]]
  start = tuple(jnp.broadcast_to(initial, shape) for initial in values[count:])
  if 0 in values[0].shape:
    return list(start)

  def combine(totals, new):
    return tuple(jax_core.eval_jaxpr(closed.jaxpr, closed.consts, *totals, *new))
  for _ in shape:
    combine = jax.vmap(combine)
  step = lambda i, totals: combine(totals, tuple(lax.dynamic_index_in_dim(x, i, keepdims=False) for x in slices))
  return list(lax.fori_loop(0, slices[0].shape[0], step, start))


@rule("reduce")
def _general_reduce(k, eqn, *values):
  name = combining(eqn.params["jaxpr"].jaxpr)
  if name is None:
    from .composite import trace_and_run
    return trace_and_run(k, eqn, functools.partial(_reduce_one_by_one, eqn.params), values)
  value, initial = values
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  kind = _KINDS[name][T.is_unsigned(aval.dtype)]
  total = _reduced(k, value, out, kind, eqn.params["dimensions"])
  if not eqn.params["dimensions"]:
    return total
  e = Elementwise(k, out.shape)
  suffix = "f" if T.is_float(out.dtype) else "i"
  combine = {"add": f"arith.add{suffix}", "mul": f"arith.mul{suffix}", "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori",
             "max": "arith.maximumf" if suffix == "f" else "arith.maxsi", "min": "arith.minimumf" if suffix == "f" else "arith.minsi",
             "umax": "arith.maxui", "umin": "arith.minui"}[kind]
  return e.op(combine, out.dtype, total, e.operand(initial, eqn.invars[1].aval))


def _arg_reduce(kind, unsigned_kind):
  def lower(k, eqn, value):
    aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
    [axis] = eqn.params["axes"]
    name = unsigned_kind if T.is_unsigned(aval.dtype) else kind
    return k.op("pallas.arg_reduce", [value], k.type_of(out), kind=k.attr(f"#pallas.combining<{name}>"),
                dimension=i64_attr(k, axis), indexType=k.b.type_attr(k.element(out.dtype)))
  return lower


rule("argmax")(_arg_reduce("max", "umax"))
rule("argmin")(_arg_reduce("min", "umin"))


def _cumulative(kind, unsigned_kind=None):
  def lower(k, eqn, value):
    aval = eqn.invars[0].aval
    name = unsigned_kind if unsigned_kind and T.is_unsigned(aval.dtype) else kind
    attributes = {"reverse": k.b.unit_attr()} if eqn.params.get("reverse") else {}
    return k.op("pallas.cumulative", [value], k.type_of(aval), kind=k.attr(f"#pallas.cumulative<{name}>"),
                dimension=i64_attr(k, eqn.params["axis"]), **attributes)
  return lower


rule("cumsum")(_cumulative("sum"))
rule("cumprod")(_cumulative("prod"))
rule("cummax")(_cumulative("max", "umax"))
rule("cummin")(_cumulative("min", "umin"))
rule("cumlogsumexp")(_cumulative("logsumexp"))


@rule("sort")
def _sort(k, eqn, *values):
  p = eqn.params
  attributes = dict(dimension=i64_attr(k, p["dimension"]))
  if p["num_keys"] != 1:
    attributes["numKeys"] = i64_attr(k, p["num_keys"])
  if p["is_stable"]:
    attributes["stable"] = k.b.unit_attr()
  avals = [v.aval for v in eqn.invars]
  unsigned = [T.is_unsigned(a.dtype) for a in avals[:p["num_keys"]]]
  integers = [u for u, a in zip(unsigned, avals) if not T.is_float(a.dtype)]
  # Of keys of both kinds, the operation compares all as signed integers.
  mixed = [i for i, u in enumerate(unsigned) if u] if any(integers) and not all(integers) else []
  if any(integers) and not mixed:
    attributes["unsignedKeys"] = k.b.unit_attr()
  if p.get("descending"):
    attributes["descending"] = k.b.unit_attr()
  values, types = list(values), [k.type_of(a) for a in avals]
  for i in mixed:
    values[i], types[i] = _as_signed_key(k, values[i], avals[i])
  results = list(k.do("pallas.sort", values, types, **attributes).results)
  for i in mixed:
    results[i] = _as_unsigned_key(k, results[i], avals[i])
  return results


def _as_signed_key(k, value, aval):
  """Signed integers in the order of unsigned ones, and their type."""
  e = Elementwise(k, aval.shape)
  if T.is_bool(aval.dtype):
    return convert(k, value, aval.shape, aval.dtype, jnp.dtype("int8")), e.type(jnp.dtype("int8"))
  return e.op("arith.xori", aval.dtype, value, e.const(1 << (T.bit_width(aval.dtype) - 1), aval.dtype)), e.type(aval.dtype)


def _as_unsigned_key(k, value, aval):
  if T.is_bool(aval.dtype):
    return convert(k, value, aval.shape, jnp.dtype("int8"), aval.dtype)
  return _as_signed_key(k, value, aval)[0]


_MODES = {slicing.GatherScatterMode.CLIP: "clip", slicing.GatherScatterMode.FILL_OR_DROP: "fill",
          slicing.GatherScatterMode.PROMISE_IN_BOUNDS: "promise_in_bounds",
          slicing.GatherScatterMode.ONE_HOT: "clip"}


def _take_along_dimension(eqn):
  """The dimension of a gather that `take_along_axis` makes, if it is one."""
  operand, indices = eqn.invars[0].aval, eqn.invars[1].aval
  d, out = eqn.params["dimension_numbers"], eqn.outvars[0].aval
  if d.offset_dims or len(d.start_index_map) != 1 or any(s != 1 for s in eqn.params["slice_sizes"]):
    return None
  [axis] = d.start_index_map
  others = tuple(i for i in range(operand.ndim) if i != axis)
  if d.collapsed_slice_dims != (axis,) or tuple(d.operand_batching_dims) != others:
    return None
  if indices.ndim != operand.ndim + 1 or tuple(d.start_indices_batching_dims) != others:
    return None
  return axis if out.ndim == operand.ndim else None


@rule("gather")
def _gather(k, eqn, operand, indices):
  p, out = eqn.params, eqn.outvars[0].aval
  d = p["dimension_numbers"]
  mode = _MODES[slicing.GatherScatterMode.from_any(p["mode"])]
  index_aval = eqn.invars[1].aval
  fill = p.get("fill_value")
  axis = _take_along_dimension(eqn)
  # What pallas.take_along fills floats with.
  fills_nan = axis is not None and jnp.issubdtype(out.dtype, jnp.floating) and fill is not None and np.isnan(fill)
  if mode == "fill" and fill is not None and not fills_nan:
    return _gather_with_fill(k, eqn, operand, indices)
  indices, index_aval = _signed_indices(k, indices, index_aval)
  if axis is not None:
    flat = reshape(k, indices, index_aval, index_aval.shape[:-1])
    attributes = {} if mode == "promise_in_bounds" else {"mode": k.attr(f"#pallas<gather_mode {mode}>")}
    return k.op("pallas.take_along", [operand, flat], k.type_of(out), dimension=i64_attr(k, axis), **attributes)
  attributes = {} if mode == "clip" else {"mode": k.attr(f"#pallas<gather_mode {mode}>")}
  return k.op("pallas.gather", [operand, indices], k.type_of(out),
              offsetDims=k.b.i64_array(list(d.offset_dims)),
              collapsedSliceDims=k.b.i64_array(list(d.collapsed_slice_dims)),
              operandBatchingDims=k.b.i64_array(list(d.operand_batching_dims)),
              startIndicesBatchingDims=k.b.i64_array(list(d.start_indices_batching_dims)),
              startIndexMap=k.b.i64_array(list(d.start_index_map)),
              sliceSizes=k.b.i64_array(list(p["slice_sizes"])), **attributes)


def _signed_indices(k, indices, aval):
  """Indices as signed integers of at least 32 bits: unsigned ones could wrap."""
  if not T.is_unsigned(aval.dtype) and T.bit_width(aval.dtype) >= 32:
    return indices, aval
  target = jnp.dtype("int32") if T.bit_width(aval.dtype) < 32 else jnp.dtype("int64")
  return convert(k, indices, aval.shape, aval.dtype, target), aval.update(dtype=target)


def _gather_with_fill(k, eqn, operand, indices):
  """A value of one's own for what lies outside: JAX's expansion does it by a mask."""
  from .composite import trace_and_run
  p = dict(eqn.params)
  def clipped(operand, indices):
    d = p["dimension_numbers"]
    # Narrow integers need not hold the limits.
    if jnp.iinfo(indices.dtype).bits < 32:
      indices = indices.astype(jnp.int32)
    limits = np.array([operand.shape[i] - p["slice_sizes"][i] for i in d.start_index_map], np.int64)
    inside = jnp.all((indices >= 0) & (indices <= limits.astype(indices.dtype)), axis=-1)
    got = lax.gather(operand, indices, d, p["slice_sizes"], mode="clip")
    batch = [i for i in range(got.ndim) if i not in d.offset_dims]
    return jnp.where(lax.broadcast_in_dim(inside, got.shape, batch), got, jnp.asarray(p["fill_value"], got.dtype))
  return trace_and_run(k, eqn, clipped, [operand, indices])


def _scatter(kind, unsigned_kind=None):
  def lower(k, eqn, operand, indices, updates):
    p, d, aval = eqn.params, eqn.params["dimension_numbers"], eqn.invars[0].aval
    attributes = {}
    if kind:
      name = unsigned_kind if unsigned_kind and T.is_unsigned(aval.dtype) else kind
      attributes["kind"] = k.attr(f"#pallas.combining<{name}>")
    if slicing.GatherScatterMode.from_any(p["mode"]) == slicing.GatherScatterMode.CLIP:
      indices = _clip_scatter_indices(k, eqn, indices)
    indices, _ = _signed_indices(k, indices, eqn.invars[1].aval)
    return k.op("pallas.scatter", [operand, indices, updates], k.type_of(aval),
                updateWindowDims=k.b.i64_array(list(d.update_window_dims)),
                insertedWindowDims=k.b.i64_array(list(d.inserted_window_dims)),
                operandBatchingDims=k.b.i64_array(list(d.operand_batching_dims)),
                scatterIndicesBatchingDims=k.b.i64_array(list(d.scatter_indices_batching_dims)),
                scatterDimsToOperandDims=k.b.i64_array(list(d.scatter_dims_to_operand_dims)), **attributes)
  return lower


def _clip_scatter_indices(k, eqn, indices):
  from .composite import trace
  operand, index_aval, updates = (v.aval for v in eqn.invars[:3])
  d = eqn.params["dimension_numbers"]
  def clip(indices):
    return slicing._clamp_scatter_indices(
        jnp.zeros(operand.shape, operand.dtype), indices, jnp.zeros(updates.shape, updates.dtype), dnums=d)
  return trace(k, clip, [index_aval], [indices])[0]


@rule("scatter-sub")
def _scatter_sub(k, eqn, operand, indices, updates):
  aval = eqn.invars[2].aval
  e = Elementwise(k, aval.shape)
  if T.is_float(aval.dtype):
    negated = e.op("arith.negf", aval.dtype, updates)
  else:
    negated = e.op("arith.subi", aval.dtype, e.const(0, aval.dtype), updates)
  return _scatter("add")(k, eqn, operand, indices, negated)


@rule("scatter")
def _scatter_set(k, eqn, operand, indices, updates):
  if not eqn.params["update_jaxpr"] or not eqn.params["update_jaxpr"].eqns:
    return _scatter(None)(k, eqn, operand, indices, updates)
  from .composite import trace_and_run
  apply = functools.partial(_scatter_apply, eqn.params)
  return trace_and_run(k, eqn, apply, [operand, indices, updates])


def _with_places_of_batches(d, indices):
  """A scatter without batches, which has the place of each batch among its indices."""
  if indices.dtype.itemsize < 4:
    indices = indices.astype(jnp.int32)  # A place may be beyond what the indices count to.
  places = [lax.broadcasted_iota(indices.dtype, (*indices.shape[:-1], 1), i) for i in d.scatter_indices_batching_dims]
  flat = slicing.ScatterDimensionNumbers(d.update_window_dims, tuple(sorted((*d.inserted_window_dims, *d.operand_batching_dims))),
                                         (*d.operand_batching_dims, *d.scatter_dims_to_operand_dims))
  return flat, jnp.concatenate([*places, indices], axis=-1)


def _scatter_apply(p, operand, indices, updates):
  """A function of one's own, applied to one window after the other: they may coincide."""
  d = p["dimension_numbers"]
  if d.operand_batching_dims:
    d, indices = _with_places_of_batches(d, indices)
  gather = slicing.GatherDimensionNumbers(offset_dims=tuple(range(len(d.update_window_dims))), collapsed_slice_dims=d.inserted_window_dims,
                                          start_index_map=d.scatter_dims_to_operand_dims)
  single = slicing.ScatterDimensionNumbers(gather.offset_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims)
  window = iter(updates.shape[i] for i in d.update_window_dims)
  sizes = tuple(1 if i in d.inserted_window_dims else next(window) for i in range(operand.ndim))
  flat = indices.reshape(-1, indices.shape[-1])
  def step(i, operand):
    at = lax.dynamic_index_in_dim(flat, i, keepdims=False)
    old = lax.gather(operand, at, gather, sizes, mode="clip")
    # The function is of what is there; the updates only give shapes.
    [new] = jax_core.eval_jaxpr(p["update_jaxpr"], p["update_consts"], *[old] * len(p["update_jaxpr"].invars))
    return lax.scatter(operand, at, new, single, mode=p["mode"])
  return lax.fori_loop(0, flat.shape[0], step, operand)


rule("scatter-add")(_scatter("add"))
rule("scatter-mul")(_scatter("mul"))
rule("scatter-min")(_scatter("min", "umin"))
rule("scatter-max")(_scatter("max", "umax"))
