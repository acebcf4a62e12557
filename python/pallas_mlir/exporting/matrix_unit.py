# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The explicit operations of a TPU's matrix units, on memory that models their registers."""
from __future__ import annotations

import contextlib

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.pallas.mosaic import primitives as tpu

from .. import release
from ..errors import ExportError, VerificationError
from . import types as T
from .composite import tracing, trace
from .kernel import takes_constants, where
from .operands import operands, unflatten
from .refs import clear_accumulator, trivial_indexer, viewed
from .registry import rule
from .shapes import slice_static


def _accumulated(dtype):
  return np.dtype(np.int32 if jnp.issubdtype(dtype, jnp.integer) else np.float32)


def _registers(jaxpr, found):
  """Shape and type of each register that the operations name. Staged operands have the layout that products take."""
  def note(key, eqn, shape, dtype):
    aval = jax_core.ShapedArray(tuple(shape), np.dtype(dtype))
    if found.setdefault(key, aval) != aval:
      raise ExportError(f"a register of matrix unit {key[1]} holds {found[key]} here and {aval} there; use another one", where(eqn))

  for eqn in jaxpr.eqns:
    p = eqn.params
    if eqn.primitive is tpu.matmul_push_rhs_p:
      aval = eqn.invars[0].aval
      note(("staged", p["mxu_index"], p["staging_register"]), eqn, aval.shape[::-1] if p["transpose"] else aval.shape, aval.dtype)
    elif eqn.primitive is tpu.matmul_pop_p and "acc_addr" in p:
      note(("sum", p["mxu_index"], p["acc_addr"]), eqn, p["shape"], p["dtype"])
    for inner in jax_core.jaxprs_in_params(p):
      _registers(inner, found)
  return found


def _read(k, ref, aval):
  return k.op("pallas.get", [ref], k.type_of(aval), indexer=trivial_indexer(k))


def _write(k, ref, aval, value):
  k.op("pallas.swap", [ref, value], k.type_of(aval), indexer=trivial_indexer(k))


@contextlib.contextmanager
def registers(k, jaxpr):
  """Inside, operations of matrix units in `jaxpr` have registers; sums start at zero."""
  found = _registers(jaxpr, {})
  if not found:
    yield
    return
  # A unit multiplies by the last staged operand that it loaded.
  found |= {("loaded", key[1]): aval for key, aval in found.items() if key[0] == "staged"}
  space = k.b.memory_space("vmem", None)
  types = [k.b.ref_type(list(a.shape), k.element(a.dtype), space, None) for a in found.values()]
  op = k.do("pallas.run_scoped", regions=1)
  saved = k.matrix_registers, k.matrix_queues
  k.matrix_registers, k.matrix_queues = {}, {}
  with k.inside(k.b.add_block(op, 0, types)) as refs:
    for (key, aval), ref in zip(found.items(), refs):
      k.matrix_registers[key] = ref, aval
      if key[0] == "sum":
        _write(k, ref, aval, k.constant(0, aval.shape, aval.dtype))
    yield
    k.do("pallas.yield")
  for unit, queue in k.matrix_queues.items():
    if queue:
      raise VerificationError(f"the kernel ends with {len(queue)} results in the queue of matrix unit {unit}; "
                              "take each with pltpu.matmul_pop_fifo")
  k.matrix_registers, k.matrix_queues = saved


def clear_accumulators(k, avals, refs):
  """Sums start at zero in what a kernel has as scratch memory."""
  for aval, ref in zip(avals, refs):
    if T.is_ref(aval) and T.is_accumulator(aval):
      clear_accumulator(k, ref, aval)


def _register(k, *key):
  if key not in k.matrix_registers:
    raise ExportError(f"nothing fills or empties the register of matrix unit {key[1]} that this uses; push an operand, and pop the sum")
  return k.matrix_registers[key]


@rule(tpu.matmul_push_rhs_p)
def _push_rhs(k, eqn, value):
  p = eqn.params
  ref, aval = _register(k, "staged", p["mxu_index"], p["staging_register"])
  if p["transpose"]:
    value = k.op("pallas.transpose", [value], k.type_of(aval), permutation=k.b.i64_array([1, 0]))
  _write(k, ref, aval, value)


def _product(k, unit, lhs, aval, load_staged, dtype):
  """The product of a left operand and the right one that a unit holds."""
  loaded, factor = _register(k, "loaded", unit)
  if load_staged is not None:
    staged, held = _register(k, "staged", unit, load_staged)
    _write(k, loaded, factor, _read(k, staged, held))
  [product] = trace(k, lambda a, b: lax.dot(a, b, preferred_element_type=_accumulated(a.dtype)).astype(dtype),
                    [aval, factor], [lhs, _read(k, loaded, factor)])
  return product


def _accumulator(k, eqn, values):
  """The unit of an accumulator, its memory, its type, and the other operands.

  Since 0.11.2 it is a ref; before, an address in the parameters.
  """
  p = eqn.params
  if "acc_transforms_tree" not in p:
    return p["mxu_index"], *_register(k, "sum", p["mxu_index"], p["acc_addr"]), operands(eqn, values)
  acc, *rest = operands(eqn, values)
  tree = p["acc_transforms_tree"]
  count = len(rest) - tree.num_leaves
  ref, aval = viewed(k, acc, unflatten(tree, rest[count:]))
  return acc.aval.memory_space.mxu_id, ref, aval.inner_aval, rest[:count]


@rule(tpu.matmul_acc_lhs_p)
@takes_constants
def _acc_lhs(k, eqn, *values):
  unit, sums, total, [lhs] = _accumulator(k, eqn, values)
  product = _product(k, unit, k.materialize(lhs.value, lhs.aval), lhs.aval, eqn.params["load_staged_rhs"], total.dtype)
  k.do("pallas.addupdate", [sums, product], indexer=trivial_indexer(k))


@rule(tpu.matmul_pop_p)
@takes_constants
def _pop(k, eqn, *values):
  _, sums, total, _ = _accumulator(k, eqn, values)
  result = _read(k, sums, total)
  _write(k, sums, total, k.constant(0, total.shape, total.dtype))
  return result


# Units of newer chips keep no sums: each product waits in a queue.

@rule(*release.primitives(tpu, "matmul_lhs_fifo_p"))
def _lhs_fifo(k, eqn, lhs):
  p, aval = eqn.params, eqn.invars[0].aval
  dtype = _accumulated(aval.dtype)
  product = _product(k, p["mxu_index"], lhs, aval, p["load_staged_rhs"], dtype)
  [factor] = [held for key, (_, held) in k.matrix_registers.items() if key == ("loaded", p["mxu_index"])]
  shape = (aval.shape[0], factor.shape[1])
  k.matrix_queues.setdefault(p["mxu_index"], []).append((k.scope, product, jax_core.ShapedArray(shape, dtype)))


@rule(*release.primitives(tpu, "matmul_pop_fifo_p"))
def _pop_fifo(k, eqn):
  unit, out = eqn.params["mxu_index"], eqn.outvars[0].aval
  queue, rows, parts = k.matrix_queues.get(unit, []), out.shape[0], []
  while rows:
    if not queue:
      raise VerificationError(f"the queue of matrix unit {unit} lacks {rows} of {out.shape[0]} rows; multiply with pltpu.matmul_lhs_fifo first")
    scope, value, held = queue.pop(0)
    if scope is not k.scope:
      raise ExportError(f"the queue of matrix unit {unit} is emptied in another loop, branch or scope than it is filled in; do both in one")
    if held.dtype != out.dtype or held.shape[1] != out.shape[1]:
      raise VerificationError(f"the queue of matrix unit {unit} holds {held.str_short()}, but {out.str_short()} is taken; take what it holds")
    taken = min(rows, held.shape[0])
    if taken < held.shape[0]:
      left = held.update(shape=(held.shape[0] - taken, held.shape[1]))
      queue.insert(0, (scope, slice_static(k, value, held, (taken, 0), left.shape, (1, 1)), left))
      value, held = slice_static(k, value, held, (0, 0), (taken, held.shape[1]), (1, 1)), held.update(shape=(taken, held.shape[1]))
    parts.append((value, held))
    rows -= taken
  if len(parts) == 1:
    return parts[0][0]
  return trace(k, lambda *values: lax.concatenate(values, 0), [held for _, held in parts], [value for value, _ in parts])


# Convolutions

@rule(*release.primitives(tpu, "conv_p"))
@takes_constants
def _conv(k, eqn, *values):
  p, avals, out = dict(eqn.params), [v.aval for v in eqn.invars], eqn.outvars[0].aval
  reversal = p.pop("window_reversal") or ()
  dimensions = p["dimension_numbers"]

  def convolved(lhs, rhs, *acc):
    axes = [d for d, turned in zip(dimensions.rhs_spec[2:], reversal) if turned]
    result = lax.conv_general_dilated(lhs, lax.rev(rhs, axes) if axes else rhs, **{**p, "preferred_element_type": out.dtype})
    return acc[0] + result if acc else result
  with tracing(avals):
    return trace(k, convolved, avals, list(values))
