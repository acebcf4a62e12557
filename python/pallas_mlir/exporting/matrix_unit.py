# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The explicit operations of a TPU's matrix units, on memory that stands for their registers."""
from __future__ import annotations

import contextlib

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.pallas.mosaic import primitives as tpu

from ..errors import ExportError
from .composite import trace
from .kernel import where
from .refs import trivial_indexer
from .registry import rule


def _accumulated(dtype):
  return np.dtype(np.int32 if jnp.issubdtype(dtype, jnp.integer) else np.float32)


def _registers(jaxpr, found):
  """Shape and type of each register that the operations name. Staged factors lie as products take them."""
  def note(key, eqn, shape, dtype):
    aval = jax_core.ShapedArray(tuple(shape), np.dtype(dtype))
    if found.setdefault(key, aval) != aval:
      raise ExportError(f"a register of matrix unit {key[1]} holds {found[key]} here and {aval} there; use another one", where(eqn))

  for eqn in jaxpr.eqns:
    p = eqn.params
    if eqn.primitive is tpu.matmul_push_rhs_p:
      aval = eqn.invars[0].aval
      note(("staged", p["mxu_index"], p["staging_register"]), eqn, aval.shape[::-1] if p["transpose"] else aval.shape, aval.dtype)
    elif eqn.primitive is tpu.matmul_pop_p:
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
  # What a unit multiplies by is the last staged factor that it loaded.
  found |= {("loaded", key[1]): aval for key, aval in found.items() if key[0] == "staged"}
  space = k.b.memory_space("vmem", None)
  types = [k.b.ref_type(list(a.shape), k.element(a.dtype), space, None) for a in found.values()]
  op = k.do("pallas.run_scoped", regions=1)
  saved, k.matrix_registers = k.matrix_registers, {}
  with k.inside(k.b.add_block(op, 0, types)) as refs:
    for (key, aval), ref in zip(found.items(), refs):
      k.matrix_registers[key] = ref, aval
      if key[0] == "sum":
        _write(k, ref, aval, k.constant(0, aval.shape, aval.dtype))
    yield
    k.do("pallas.yield")
  k.matrix_registers = saved


def _register(k, *key):
  if key not in k.matrix_registers:
    raise ExportError(f"nothing fills or empties the register of matrix unit {key[1]} that this uses; push a factor, and pop the sum")
  return k.matrix_registers[key]


@rule(tpu.matmul_push_rhs_p)
def _push_rhs(k, eqn, value):
  p = eqn.params
  ref, aval = _register(k, "staged", p["mxu_index"], p["staging_register"])
  if p["transpose"]:
    value = k.op("pallas.transpose", [value], k.type_of(aval), permutation=k.b.i64_array([1, 0]))
  _write(k, ref, aval, value)


@rule(tpu.matmul_acc_lhs_p)
def _acc_lhs(k, eqn, lhs):
  p = eqn.params
  loaded, factor = _register(k, "loaded", p["mxu_index"])
  if p["load_staged_rhs"] is not None:
    staged, aval = _register(k, "staged", p["mxu_index"], p["load_staged_rhs"])
    _write(k, loaded, factor, _read(k, staged, aval))
  sums, total = _register(k, "sum", p["mxu_index"], p["acc_addr"])
  [product] = trace(k, lambda a, b: lax.dot(a, b, preferred_element_type=_accumulated(a.dtype)).astype(total.dtype),
                    [eqn.invars[0].aval, factor], [lhs, _read(k, loaded, factor)])
  k.do("pallas.addupdate", [sums, product], indexer=trivial_indexer(k))


@rule(tpu.matmul_pop_p)
def _pop(k, eqn):
  p = eqn.params
  sums, total = _register(k, "sum", p["mxu_index"], p["acc_addr"])
  result = _read(k, sums, total)
  _write(k, sums, total, k.constant(0, total.shape, total.dtype))
  return result
