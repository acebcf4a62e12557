# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements without changing them."""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from .. import _native
from ..errors import ExportError
from . import types as T
from .arith import Elementwise, convert
from .kernel import Constant, takes_constants
from .registry import rule


def reshape(k, value, aval, shape):
  """The same elements under another shape; no dimensions make a scalar."""
  if tuple(aval.shape) == tuple(shape):
    return value
  return k.op("pallas.reshape", [value], k.value_type(shape, aval.dtype))


def broadcast(k, value, aval, shape, dims):
  if tuple(aval.shape) == tuple(shape):
    return value
  return k.op("pallas.broadcast", [value], k.value_type(shape, aval.dtype),
              **({"dimensions": k.b.i64_array(list(dims))} if dims else {}))


@rule("broadcast_in_dim")
@takes_constants
def _broadcast_in_dim(k, eqn, value, *_):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  if isinstance(value, Constant) and not np.ndim(value.value):
    return Constant(value.value, out) if not out.shape else k.constant(T.as_numpy(value.value, aval), out.shape, aval.dtype)
  return broadcast(k, k.materialize(value), aval, out.shape, eqn.params["broadcast_dimensions"])


@rule("broadcast_to")
@takes_constants
def _broadcast_to(k, eqn, value):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  if isinstance(value, Constant) and not np.ndim(value.value):
    return k.constant(T.as_numpy(value.value, aval), out.shape, aval.dtype)
  offset = len(out.shape) - len(aval.shape)
  return broadcast(k, k.materialize(value), aval, out.shape, range(offset, len(out.shape)))


@rule("reshape", "squeeze")
def _reshape(k, eqn, value, *_):
  if eqn.params.get("dimensions") is not None and eqn.primitive.name == "reshape":
    raise ExportError("a reshape that also permutes dimensions is not supported; transpose first")
  return reshape(k, value, eqn.invars[0].aval, eqn.outvars[0].aval.shape)


@rule("transpose")
def _transpose(k, eqn, value):
  if not eqn.outvars[0].aval.shape:
    return value
  return k.op("pallas.transpose", [value], k.type_of(eqn.outvars[0].aval),
              permutation=k.b.i64_array(list(eqn.params["permutation"])))


@rule("rev")
def _rev(k, eqn, value):
  if not eqn.params["dimensions"]:
    return value
  return k.op("pallas.rev", [value], k.type_of(eqn.outvars[0].aval),
              dimensions=k.b.i64_array(list(eqn.params["dimensions"])))


@rule("iota")
def _iota(k, eqn):
  out = eqn.outvars[0].aval
  if not T.is_float(out.dtype):
    return k.op("pallas.iota", [], k.type_of(out), dimension=_i64(k, eqn.params["dimension"]))
  # Counting is for integers; floats are converted from them.
  i32 = jnp.dtype("int32")
  counted = k.op("pallas.iota", [], k.value_type(out.shape, i32), dimension=_i64(k, eqn.params["dimension"]))
  return convert(k, counted, out.shape, i32, out.dtype)


@rule("empty", "empty2")
def _empty(k, eqn):
  out = eqn.outvars[0].aval
  return k.constant(0, out.shape, out.dtype)


def _i64(k, value):
  return k.b.int_attr(k.parse_type("i64"), int(value))


i64_attr = _i64


# Slices

def slice_static(k, value, aval, starts, sizes, strides):
  """`tensor.extract_slice` at places known now."""
  if tuple(sizes) == tuple(aval.shape) and all(s == 1 for s in strides):
    return value
  return extract(k, value, starts, [], sizes, strides, aval.dtype)


def extract(k, value, static_starts, dynamic_starts, sizes, strides, dtype):
  # A slice without elements is in place nowhere in a dimension without any, not even at its start.
  if 0 in sizes:
    return k.constant(0, sizes, dtype)
  return k.op("tensor.extract_slice", [value, *dynamic_starts], k.b.tensor_type(list(map(int, sizes)), k.element(dtype)),
              **_slice_attributes(k, static_starts, dynamic_starts, sizes, strides, 1))


def insert(k, update, value, static_starts, dynamic_starts, sizes, strides, aval):
  if 0 in sizes:
    return value
  return k.op("tensor.insert_slice", [update, value, *dynamic_starts], k.type_of(aval),
              **_slice_attributes(k, static_starts, dynamic_starts, sizes, strides, 2))


def _slice_attributes(k, starts, dynamic, sizes, strides, num_leading):
  return dict(static_offsets=k.b.i64_array(list(map(int, starts))),
              static_sizes=k.b.i64_array(list(map(int, sizes))),
              static_strides=k.b.i64_array(list(map(int, strides))),
              operandSegmentSizes=k.b.i32_array([1] * num_leading + [len(dynamic), 0, 0]))


@rule("slice")
def _slice(k, eqn, value):
  p = eqn.params
  strides = p["strides"] or (1,) * len(p["start_indices"])
  return slice_static(k, value, eqn.invars[0].aval, p["start_indices"], eqn.outvars[0].aval.shape, strides)


def clamped_starts(k, indices, index_vars, shape, sizes):
  """Starts of a dynamic slice, moved into the array as JAX does; static ones stay static."""
  static, dynamic = [], []
  s = Elementwise(k, ())
  for index, var, dim, size in zip(indices, index_vars, shape, sizes):
    known = k.known(index)
    limit = int(dim) - int(size)
    if known is not None:
      static.append(min(max(int(known), 0), limit))
      continue
    if limit == 0:
      static.append(0)
      continue
    dtype = var.aval.dtype
    # Narrow integers need not hold the last start.
    if T.bit_width(dtype) < 32:
      index, dtype = convert(k, index, (), dtype, np.dtype(np.int32)), np.dtype(np.int32)
    low = s.op("arith.maxsi", dtype, index, s.const(0, dtype)) if not T.is_unsigned(dtype) else index
    name = "arith.minui" if T.is_unsigned(dtype) else "arith.minsi"
    bounded = s.op(name, dtype, low, s.const(limit, dtype))
    # Bounded ones have no sign bit; compilers for TPUs lack the cast of unsigned ones.
    dynamic.append(k.op("arith.index_cast", [bounded], k.index))
    static.append(_native.DYNAMIC)
  return static, dynamic


@rule("dynamic_slice")
@takes_constants
def _dynamic_slice(k, eqn, value, *indices):
  aval, sizes = eqn.invars[0].aval, eqn.params["slice_sizes"]
  value = k.materialize(value)
  if not aval.shape:
    return value
  static, dynamic = clamped_starts(k, indices, eqn.invars[1:], aval.shape, sizes)
  if not dynamic and tuple(sizes) == tuple(aval.shape):
    return value
  return extract(k, value, static, dynamic, sizes, [1] * len(sizes), aval.dtype)


@rule("dynamic_update_slice")
@takes_constants
def _dynamic_update_slice(k, eqn, value, update, *indices):
  aval, update_aval = eqn.invars[0].aval, eqn.invars[1].aval
  value, update = k.materialize(value), k.materialize(update)
  if not aval.shape:
    return update
  static, dynamic = clamped_starts(k, indices, eqn.invars[2:], aval.shape, update_aval.shape)
  return insert(k, update, value, static, dynamic, update_aval.shape, [1] * len(aval.shape), aval)


@rule("split")
def _split(k, eqn, value):
  aval, axis = eqn.invars[0].aval, eqn.params["axis"]
  parts, at = [], 0
  for size in eqn.params["sizes"]:
    starts, sizes = [0] * aval.ndim, list(aval.shape)
    starts[axis], sizes[axis] = at, size
    parts.append(slice_static(k, value, aval, starts, sizes, [1] * aval.ndim))
    at += size
  return parts


@rule("concatenate")
def _concatenate(k, eqn, *values):
  parts = [v for v, var in zip(values, eqn.invars) if var.aval.shape[eqn.params["dimension"]]] or values[:1]
  if len(parts) == 1:
    return parts[0]
  return k.op("tensor.concat", parts, k.type_of(eqn.outvars[0].aval), dim=_i64(k, eqn.params["dimension"]))


@rule("stack")
def _stack(k, eqn, *values):
  out, axis = eqn.outvars[0].aval, eqn.params.get("axis", 0)
  shape = list(out.shape)
  shape[axis] = 1
  rows = [reshape(k, v, var.aval, shape) for v, var in zip(values, eqn.invars)]
  if len(rows) == 1:
    return rows[0]
  return k.op("tensor.concat", rows, k.type_of(out), dim=_i64(k, axis))


@rule("unstack")
def _unstack(k, eqn, value):
  aval, axis = eqn.invars[0].aval, eqn.params.get("axis", 0)
  results = []
  for i, var in enumerate(eqn.outvars):
    starts, sizes = [0] * aval.ndim, list(aval.shape)
    starts[axis], sizes[axis] = i, 1
    row = slice_static(k, value, aval, starts, sizes, [1] * aval.ndim)
    results.append(reshape(k, row, aval.update(shape=tuple(sizes)), var.aval.shape))
  return results


@rule("pad")
@takes_constants
def _pad(k, eqn, value, padding):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  config = eqn.params["padding_config"]
  value = k.materialize(value)
  if not config:
    return value
  # Negative padding cuts; what is left is laid into an array of the padding value.
  starts = [max(-low, 0) for low, _, _ in config]
  if any(low < 0 or high < 0 for low, high, _ in config) and any(inner for _, _, inner in config):
    return _pad_by_gathering(k, value, padding, aval, out, config)
  ends = [d - max(-high, 0) for d, (_, high, _) in zip(aval.shape, config)]
  sizes = [max(end - start, 0) for start, end in zip(starts, ends)]
  kept = slice_static(k, value, aval, starts, sizes, [1] * aval.ndim)
  if isinstance(padding, Constant):
    filled = k.constant(T.as_numpy(padding.value, padding.aval), out.shape, out.dtype)
  else:
    filled = k.splat(padding, out.shape, out.dtype)
  lows = [max(low, 0) for low, _, _ in config]
  return insert(k, kept, filled, lows, [], sizes, [inner + 1 for _, _, inner in config], out)


def _pad_by_gathering(k, value, padding, aval, out, config):
  """Interior and negative padding together: pad inside first, then cut."""
  inner_shape = tuple((d - 1) * (i + 1) + 1 if d else 0 for d, (_, _, i) in zip(aval.shape, config))
  grown = tuple(s + max(lo, 0) + max(hi, 0) for s, (lo, hi, _) in zip(inner_shape, config))
  grown_aval = aval.update(shape=grown)
  fill = k.materialize(padding)
  filled = k.splat(fill, grown, out.dtype)
  laid = insert(k, value, filled, [max(lo, 0) for lo, _, _ in config], [], aval.shape, [i + 1 for _, _, i in config], grown_aval)
  return slice_static(k, laid, grown_aval, [max(-lo, 0) for lo, _, _ in config], out.shape, [1] * aval.ndim)


@rule("tile")
def _tile(k, eqn, value):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  reps = eqn.params.get("reps") or eqn.params.get("dimensions")
  reps = tuple(reps)
  shape = (1,) * (len(reps) - aval.ndim) + tuple(aval.shape)
  reps = (1,) * (len(shape) - len(reps)) + reps
  # Each repeated dimension gets a new one in front, which the reshape folds in.
  wide = [n for pair in zip(reps, shape) for n in pair]
  repeated = k.op("pallas.broadcast", [reshape(k, value, aval, shape)], k.value_type(wide, aval.dtype),
                  dimensions=k.b.i64_array([2 * i + 1 for i in range(len(shape))])) if wide else value
  return reshape(k, repeated, aval.update(shape=tuple(wide)), out.shape)


@rule("bitcast_convert_type")
def _bitcast_convert_type(k, eqn, value):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  if k.element(aval.dtype) == k.element(out.dtype):
    return value
  if T.bit_width(aval.dtype) == T.bit_width(out.dtype):
    return k.op("arith.bitcast", [value], k.type_of(out))
  return k.op("pallas.bitcast", [value], k.type_of(out), dimension=_i64(k, -1))
