# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise arithmetic, comparisons and conversions: `arith` and `math` operations.

Integers are signless in the dialect, so each rule picks the signed or unsigned
operation from the dtype. What JAX defines and `arith` leaves open (division by
zero, shifts by the width, floats that no integer holds) each target defines.
"""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax._src.lax import lax

from ..errors import ExportError
from . import types as T
from .kernel import Constant, takes_constants
from .registry import rule


class Elementwise:
  """Writes elementwise operations on values of one shape."""

  def __init__(self, k, shape):
    self.k, self.shape = k, tuple(shape)

  def operand(self, value, aval):
    """A value of the common shape; scalars are repeated over it."""
    if isinstance(value, Constant):
      return self.k.constant(T.as_numpy(value.value, value.aval), self.shape, value.aval.dtype)
    return value if aval.shape == self.shape else self.k.splat(value, self.shape, aval.dtype, len(aval.shape))

  def type(self, dtype):
    return self.k.value_type(self.shape, dtype)

  def const(self, value, dtype):
    return self.k.constant(value, self.shape, dtype)

  def op(self, name, dtype, *operands, **attributes):
    return self.k.op(name, operands, self.type(dtype), **attributes)

  def compare(self, predicate: str, a, b, dtype):
    """`predicate` is eq, ne, lt, le, gt or ge; floats are unordered for ne only."""
    if T.is_float(dtype):
      code = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}[predicate]
      name = "arith.cmpf"
    else:
      signed = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}[predicate]
      code = signed + 4 if T.is_unsigned(dtype) and signed >= 2 else signed
      name = "arith.cmpi"
    i64 = self.k.parse_type("i64")
    return self.op(name, np.bool_, a, b, predicate=self.k.b.int_attr(i64, code))

  def select(self, condition, a, b, dtype):
    return self.op("arith.select", dtype, condition, a, b)


def elementwise(*primitives):
  """Decorates `f(e, eqn, dtype, *operands)`; `dtype` is that of the first operand."""
  def register(function):
    @rule(*primitives)
    @takes_constants
    def lower(k, eqn, *values):
      avals = [v.aval for v in eqn.invars]
      e = Elementwise(k, eqn.outvars[0].aval.shape)
      operands = [e.operand(v, a) for v, a in zip(values, avals)]
      if any(jnp.issubdtype(a.dtype, np.complexfloating) for a in avals):
        raise ExportError(f"'{eqn.primitive.name}' on complex numbers has no form in the pallas dialect")
      return function(e, eqn, avals[0].dtype, *operands)
    lower.__doc__ = function.__doc__
    return function
  return register


def _direct(primitive, float_op, signed_op=None, unsigned_op=None):
  """The plain case: one operation by the kind of number."""
  def lower(e, eqn, dtype, *operands):
    name = float_op if T.is_float(dtype) else unsigned_op if T.is_unsigned(dtype) else signed_op
    if name is None:
      raise ExportError(f"'{primitive}' is not defined for {dtype}")
    return e.op(name, eqn.outvars[0].aval.dtype, *operands)
  elementwise(primitive)(lower)


for _args in [
    ("add", "arith.addf", "arith.addi", "arith.addi"),
    ("add_any", "arith.addf", "arith.addi", "arith.addi"),
    ("sub", "arith.subf", "arith.subi", "arith.subi"),
    ("mul", "arith.mulf", "arith.muli", "arith.muli"),
    ("max", "arith.maximumf", "arith.maxsi", "arith.maxui"),
    ("min", "arith.minimumf", "arith.minsi", "arith.minui"),
    ("and", None, "arith.andi", "arith.andi"),
    ("or", None, "arith.ori", "arith.ori"),
    ("xor", None, "arith.xori", "arith.xori"),
    ("div", "arith.divf", "arith.divsi", "arith.divui"),
    ("rem", "arith.remf", "arith.remsi", "arith.remui"),
    ("shift_left", None, "arith.shli", "arith.shli"),
    ("shift_right_logical", None, "arith.shrui", "arith.shrui"),
    ("shift_right_arithmetic", None, "arith.shrsi", "arith.shrsi"),
    ("population_count", None, "math.ctpop", "math.ctpop"),
    ("clz", None, "math.ctlz", "math.ctlz"),
    ("exp", "math.exp"), ("exp2", "math.exp2"), ("log", "math.log"), ("log2", "math.log2"),
    ("log1p", "math.log1p"), ("expm1", "math.expm1"), ("sin", "math.sin"),
    ("cos", "math.cos"), ("tan", "math.tan"), ("asin", "math.asin"),
    ("acos", "math.acos"), ("atan", "math.atan"), ("sinh", "math.sinh"),
    ("cosh", "math.cosh"), ("tanh", "math.tanh"), ("asinh", "math.asinh"),
    ("acosh", "math.acosh"), ("atanh", "math.atanh"), ("sqrt", "math.sqrt"),
    ("rsqrt", "math.rsqrt"), ("cbrt", "math.cbrt"), ("erf", "math.erf"),
    ("erfc", "math.erfc"), ("floor", "math.floor"), ("ceil", "math.ceil"),
    ("atan2", "math.atan2"),
]:
  _direct(*_args)


@elementwise("neg")
def _neg(e, eqn, dtype, x):
  if T.is_float(dtype):
    return e.op("arith.negf", dtype, x)
  return e.op("arith.subi", dtype, e.const(0, dtype), x)


@elementwise("abs")
def _abs(e, eqn, dtype, x):
  if T.is_unsigned(dtype):
    return x
  return e.op("math.absf" if T.is_float(dtype) else "math.absi", dtype, x)


@elementwise("not")
def _not(e, eqn, dtype, x):
  return e.op("arith.xori", dtype, x, e.const(True if T.is_bool(dtype) else _all_ones(dtype), dtype))


def _all_ones(dtype):
  return np.array(jnp.iinfo(dtype).max if T.is_unsigned(dtype) else -1).astype(dtype)


@elementwise("square")
def _square(e, eqn, dtype, x):
  return e.op("arith.mulf" if T.is_float(dtype) else "arith.muli", dtype, x, x)


@elementwise("sign")
def _sign(e, eqn, dtype, x):
  zero = e.const(0, dtype)
  one = e.const(1, dtype)
  if T.is_float(dtype):
    signed = e.op("math.copysign", dtype, one, x)
    # Zeros and NaN are left, and subnormal numbers where the CPU takes them for zeros.
    is_other = e.op("arith.cmpf", np.bool_, x, zero,
                    predicate=e.k.b.int_attr(e.k.parse_type("i64"), 6))
    return e.select(is_other, signed, e.op("arith.mulf", dtype, x, zero), dtype)
  if T.is_unsigned(dtype):
    return e.select(e.compare("eq", x, zero, dtype), zero, one, dtype)
  positive = e.select(e.compare("gt", x, zero, dtype), one, zero, dtype)
  return e.select(e.compare("lt", x, zero, dtype), e.const(-1, dtype), positive, dtype)


@elementwise("round")
def _round(e, eqn, dtype, x):
  away = eqn.params["rounding_method"] == lax.RoundingMethod.AWAY_FROM_ZERO
  return e.op("math.round" if away else "math.roundeven", dtype, x)


@elementwise("is_finite")
def _is_finite(e, eqn, dtype, x):
  if not T.has_infinity(dtype):
    return e.compare("eq", x, x, dtype)
  magnitude = e.op("math.absf", dtype, x)
  return e.compare("lt", magnitude, e.const(np.inf, dtype), dtype)


@elementwise("logistic")
def _logistic(e, eqn, dtype, x):
  one = e.const(1, dtype)
  power = e.op("math.exp", dtype, e.op("arith.negf", dtype, x))
  return e.op("arith.divf", dtype, one, e.op("arith.addf", dtype, one, power))


@elementwise("mulhi")
def _mulhi(e, eqn, dtype, x, y):
  name = "arith.mului_extended" if T.is_unsigned(dtype) else "arith.mulsi_extended"
  return e.k.do(name, [x, y], [e.type(dtype)] * 2).results[1]


@elementwise("pow")
def _pow(e, eqn, dtype, x, y):
  if T.is_float(eqn.invars[1].aval.dtype):
    return e.op("math.powf", dtype, x, y)
  if T.is_float(dtype):
    exponent = e.op("arith.uitofp" if T.is_unsigned(eqn.invars[1].aval.dtype) else "arith.sitofp", dtype, y)
    return e.op("math.powf", dtype, x, exponent)
  return e.op("math.ipowi", dtype, x, y)


@elementwise("integer_pow")
def _integer_pow(e, eqn, dtype, x):
  exponent = eqn.params["y"]
  multiply = "arith.mulf" if T.is_float(dtype) else "arith.muli"
  result, power, rest = None, x, abs(exponent)
  while rest:
    if rest & 1:
      result = power if result is None else e.op(multiply, dtype, result, power)
    rest >>= 1
    if rest:
      power = e.op(multiply, dtype, power, power)
  if result is None:
    return e.const(1, dtype)
  if exponent < 0:
    return e.op("arith.divf", dtype, e.const(1, dtype), result)
  return result


def _comparison(primitive):
  def lower(e, eqn, dtype, x, y):
    return e.compare(primitive, x, y, dtype)
  elementwise(primitive)(lower)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
  _comparison(_name)


def _total_order_key(e, x, dtype):
  """Integers that are ordered as the floats are, NaN behind infinity."""
  width = T.bit_width(dtype)
  signed = jnp.dtype(f"int{width}")
  bits = e.op("arith.bitcast", signed, x)
  sign = e.op("arith.shrsi", signed, bits, e.const(width - 1, signed))
  mask = e.op("arith.shrui", signed, sign, e.const(1, signed))
  return e.op("arith.xori", signed, bits, mask), signed


def _total_comparison(primitive, predicate):
  def lower(e, eqn, dtype, x, y):
    if not T.is_float(dtype):
      return e.compare(predicate, x, y, dtype)
    (a, signed), (b, _) = _total_order_key(e, x, dtype), _total_order_key(e, y, dtype)
    return e.compare(predicate, a, b, signed)
  elementwise(primitive)(lower)


for _name in ("eq", "lt", "le"):
  _total_comparison(f"{_name}_to", _name)


@elementwise("clamp")
def _clamp(e, eqn, dtype, low, x, high):
  dtype = eqn.invars[1].aval.dtype
  if T.is_float(dtype):
    names = "arith.maximumf", "arith.minimumf"
  else:
    names = ("arith.maxui", "arith.minui") if T.is_unsigned(dtype) else ("arith.maxsi", "arith.minsi")
  return e.op(names[1], dtype, e.op(names[0], dtype, low, x), high)


@rule("select_n")
@takes_constants
def _select_n(k, eqn, which, *cases):
  out, which_aval = eqn.outvars[0].aval, eqn.invars[0].aval
  e = Elementwise(k, out.shape)
  cases = [e.operand(c, v.aval) for c, v in zip(cases, eqn.invars[1:])]
  scalar = not which_aval.shape
  if scalar and out.shape:
    # One decision for the whole array keeps its scalar condition.
    which = k.materialize(which)
    s = Elementwise(k, ())
  else:
    which, s = e.operand(which, which_aval), e
  if T.is_bool(which_aval.dtype):
    return cases[0] if len(cases) == 1 else e.op("arith.select", out.dtype, which, cases[1], cases[0])
  result = cases[-1]
  for i in reversed(range(len(cases) - 1)):
    is_case = s.compare("eq", which, s.const(i, which_aval.dtype), which_aval.dtype)
    result = e.op("arith.select", out.dtype, is_case, cases[i], result)
  return result


@rule("nextafter")
@takes_constants
def _nextafter(k, eqn, *values):
  from .composite import trace_and_run
  return trace_and_run(k, eqn, _nextafter_by_bits, values)


def _nextafter_by_bits(x, y):
  width = jnp.finfo(x.dtype).bits
  signed = jnp.dtype(f"int{width}")
  from jax import lax as jlax
  bits = jlax.bitcast_convert_type(x, signed)
  smallest = jlax.bitcast_convert_type(jnp.array(1, signed), x.dtype)
  # By bits, since comparisons may take the smallest numbers for zero.
  away = (x < y) == (bits >= 0)
  moved = jlax.bitcast_convert_type(jnp.where(away, bits + 1, bits - 1), x.dtype)
  from_zero = jnp.where(y > 0, smallest, -smallest)
  is_zero = (bits & jnp.array(jnp.iinfo(signed).max, signed)) == 0
  result = jnp.where(is_zero, from_zero, moved)
  return jnp.where(x == y, y, jnp.where((x != x) | (y != y), x + y, result))


# Conversions

def convert(k, value, shape, source, target):
  """A value of dtype `source` as one of dtype `target`."""
  if source == target:
    return value
  e = Elementwise(k, shape)
  if T.is_bool(target) and not T.has_zero(source):
    return e.const(True, target)
  if T.is_bool(target) and T.is_float(source) and T.bit_width(source) < 32:
    # By bits, since a comparison may take the smallest numbers for zero.
    bits = jnp.dtype(f"uint{T.bit_width(source)}")
    magnitude = e.op("arith.bitcast", bits, value)
    if T.has_signed_zero(source):
      magnitude = e.op("arith.shli", bits, magnitude, e.const(1, bits))
    return e.compare("ne", magnitude, e.const(0, bits), bits)
  if T.is_bool(target):
    return e.compare("ne", value, e.const(0, source), source)
  if T.is_float(source):
    return _convert_float(e, value, source, target)
  wide, narrow = T.bit_width(source) if not T.is_bool(source) else 1, T.bit_width(target)
  if T.is_float(target):
    return e.op("arith.uitofp" if T.is_unsigned(source) else "arith.sitofp", target, value)
  if wide == narrow:
    return value
  if wide > narrow:
    return e.op("arith.trunci", target, value)
  return e.op("arith.extui" if T.is_unsigned(source) else "arith.extsi", target, value)


def _convert_float(e, value, source, target):
  wide, narrow = T.bit_width(source), T.bit_width(target)
  if not T.is_float(target):
    return e.op("arith.fptoui" if T.is_unsigned(target) else "arith.fptosi", target, value)
  if wide == narrow or (narrow < 16 and wide < 32) or (wide < 16 and narrow < 32):
    # Between formats that do not hold each other, or that hardware knows only
    # next to f32, the way leads over f32.
    value = value if source == np.float32 else e.op("arith.extf", np.dtype(np.float32), value)
    return value if target == np.float32 else e.op("arith.truncf", target, value)
  return e.op("arith.truncf" if wide > narrow else "arith.extf", target, value)


@rule("convert_element_type")
@takes_constants
def _convert_element_type(k, eqn, value):
  source, target = eqn.invars[0].aval, eqn.outvars[0].aval
  if isinstance(value, Constant) and not np.ndim(value.value):
    number = T.as_numpy(value.value, source)
    if not (T.is_float(source.dtype) and not T.is_float(target.dtype)):
      return Constant(number.astype(target.dtype), target)
  return convert(k, k.materialize(value), target.shape, source.dtype, target.dtype)


@rule("reduce_precision")
def _reduce_precision(k, eqn, value):
  from .composite import reduce_precision
  return reduce_precision(k, eqn, value)


@rule("copy", "stop_gradient", "name", "reshard", "pvary", "sharding_constraint",
      "layout_constraint", "device_put")
@takes_constants
def _identity(k, eqn, *values):
  return list(values[:len(eqn.outvars)])


@rule("tie")
@takes_constants
def _tie(k, eqn, first, second):
  """The second, once the first is there."""
  return second


@rule("optimization_barrier")
def _optimization_barrier(k, eqn, *values):
  return k.do("pallas.optimization_barrier", values, [k.type_of(v.aval) for v in eqn.outvars]).results
