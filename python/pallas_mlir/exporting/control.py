# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow and calls. Refs pass into loops and branches as they are: there is one state."""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.state import types as state_types

from ..errors import ExportError
from . import types as T
from .arith import Elementwise, convert
from .composite import trace
from .kernel import Constant, takes_constants
from .registry import rule
from .shapes import extract, insert, reshape
from .. import _native, release


# Calls: inlined, so that constants and refs reach the inside

_CALLEES = ("jaxpr", "call_jaxpr", "call", "fun_jaxpr", "fwd_jaxpr")


@rule("jit", "closed_call", "call", "eval_jaxpr", "remat2", "remat_opt", "custom_vmap_call", "custom_jvp_call", "custom_vjp_call", "composite")
@takes_constants
def _inline(k, eqn, *values):
  """Differentiation and batching are over: what is called is what the primal function does."""
  callee = next((eqn.params[name] for name in _CALLEES if name in eqn.params), None)
  if callee is None:
    raise ExportError(f"'{eqn.primitive.name}' has no body")
  return k.run_closed(callee, values)


@rule("core_map")
@takes_constants
def _core_map(k, eqn, *consts):
  jaxpr = eqn.params["jaxpr"]
  _on_points(k, eqn.params, eqn.params["mesh"], jaxpr.invars, lambda refs: k.run(jaxpr, consts, refs))


@rule("mpmd_map")
@takes_constants
def _mpmd_map(k, eqn, *values):
  """Inside of a kernel, only its warps can be told apart."""
  p = eqn.params
  if len(p["meshes"]) != 1 or eqn.outvars:
    raise ExportError("a kernel inside of a kernel has one mesh and no outputs; write to refs of the kernel around it")
  jaxpr = p["jaxprs"][0]
  scratch = jaxpr.invars[len(values):]
  _on_points(k, p, p["meshes"][0], scratch, lambda refs: k.run(jaxpr, (), [*values, *refs]))


def _on_points(k, params, mesh, scratch, body):
  """Writes the body that every task of a mesh runs, with private memory."""
  from . import calls
  from .refs import scratch_type
  attributes = calls.compiler_params(k, params["compiler_params"])
  attributes.pop("dimensionSemantics", None)
  op = k.do("pallas.core_map", regions=1, mesh=calls.mesh_attr(k, mesh), **attributes,
            **calls.cost_estimate(k, params["cost_estimate"]))
  with k.on_mesh(mesh), k.inside(k.b.add_block(op, 0, [scratch_type(k, v.aval) for v in scratch])) as refs:
    body(refs)
    k.do("pallas.yield")


@rule("custom_fusion")
@takes_constants
def _custom_fusion(k, eqn, *values):
  """A function with a second definition for kernels, each with constants of its own."""
  p = eqn.params
  first, second = p["num_consts"], p["num_consts"] + p["pallas_num_consts"]
  if p["pallas_jaxpr"] is None:
    return k.run(p["jaxpr"], values[:first], values[second:])
  return k.run(p["pallas_jaxpr"], values[first:second], values[second:])


@rule("platform_index")
@takes_constants
def _platform_index(k, eqn):
  # Branches by platform: ours is the one that takes any platform, or the CPU's.
  platforms = eqn.params["platforms"]
  for i, names in enumerate(platforms):
    if names is None or "cpu" in names:
      return Constant(np.int32(i), eqn.outvars[0].aval)
  raise ExportError("no branch of platform_dependent is for the CPU or for any platform")


# Branches

def _yield(k, values):
  k.do("scf.yield", values)


def _results(k, jaxpr_outvars, outputs):
  return [k.materialize(o, v.aval) for o, v in zip(outputs, jaxpr_outvars)]


def _branch(k, op, region, closed, operands):
  with k.inside(k.b.add_block(op, region, []), is_conditional=True):
    _yield(k, _results(k, closed.jaxpr.outvars, k.run_closed(closed, operands)))


@rule("cond")
@takes_constants
def _cond(k, eqn, index, *operands):
  branches = eqn.params["branches"]
  known = k.known(index)
  if known is not None:
    return k.run_closed(branches[min(max(int(known), 0), len(branches) - 1)], operands)
  types = [k.type_of(v.aval) for v in eqn.outvars]
  index_aval = eqn.invars[0].aval
  # Constants stay with the branches that use them; no values are copied.
  if len(branches) == 1:
    return k.run_closed(branches[0], operands)
  if len(branches) == 2:
    s = Elementwise(k, ())
    condition = index if T.is_bool(index_aval.dtype) else s.compare("ne", index, s.const(0, index_aval.dtype), index_aval.dtype)
    op = k.do("scf.if", [condition], types, regions=2)
    _branch(k, op, 0, branches[1], operands)
    if types or branches[0].jaxpr.eqns:
      _branch(k, op, 1, branches[0], operands)
    return op.results
  cast = k.op("arith.index_cast", [index], k.index)
  op = k.do("scf.index_switch", [cast], types, regions=len(branches),
            cases=k.b.i64_array(list(range(len(branches) - 1))))
  # Every index outside selects the last branch.
  _branch(k, op, 0, branches[-1], operands)
  for i, branch in enumerate(branches[:-1]):
    _branch(k, op, i + 1, branch, operands)
  return op.results


# Loops

def _counter_update(jaxpr, var, out):
  """The equation that adds one to a loop counter, if the body ends it that way."""
  for eqn in jaxpr.eqns:
    if eqn.outvars and eqn.outvars[0] is out and eqn.primitive.name == "add":
      a, b = eqn.invars
      if a is var and isinstance(b, jax_core.Literal) and not np.ndim(b.val) and b.val == 1:
        return eqn
  return None


def _is_counter(var, dtypes=(np.int32,)) -> bool:
  return not var.aval.shape and var.aval.dtype in dtypes


def _for(k, lower, upper, init, types, body, is_conditional):
  """An `scf.for` by one over i32; `body(iv, carried)` returns what is carried on."""
  op = k.do("scf.for", [lower, upper, k.i32_constant(1), *init], types, regions=1)
  with k.inside(k.b.add_block(op, 0, [k.i32, *types]), is_conditional) as (iv, *carried):
    _yield(k, body(iv, carried))
  return op.results


@rule("scan")
@takes_constants
def _scan(k, eqn, *values):
  p = eqn.params
  closed = p["jaxpr"]
  num_consts, num_carry = release.scan_counts(p)
  jaxpr, length = closed.jaxpr, p["length"]
  consts, carry, xs = values[:num_consts], list(values[num_consts:num_consts + num_carry]), values[num_consts + num_carry:]
  x_avals = [T.physical(v.aval) for v in eqn.invars[num_consts + num_carry:]]
  y_avals = [T.physical(v.aval) for v in eqn.outvars[num_carry:]]

  # A fori_loop counts in its first carried value: the loop's own counter is that value, unless it may wrap around.
  # Numbers of 64 bits that fit into 32 are counted in those, since TPUs have no others.
  is_counter = num_carry and _is_counter(jaxpr.invars[num_consts], (np.int32, np.int64)) and not p["reverse"] and \
      _counter_update(jaxpr, jaxpr.invars[num_consts], jaxpr.outvars[0])
  start = k.known(carry[0]) if is_counter else None
  counts = start is not None and -2**31 <= int(start) and int(start) + length < 2**31

  def number(value):
    return convert(k, value, (), np.dtype("int32"), jaxpr.invars[num_consts].aval.dtype)

  lower = k.i32_constant(start if counts else 0)
  upper = k.i32_constant(int(start) + length if counts else length)
  skip = 1 if counts else 0
  carry_vars = jaxpr.invars[num_consts + skip:num_consts + num_carry]
  init = [k.materialize(c, v.aval) for c, v in zip(carry[skip:], carry_vars)]
  stacked = [k.constant(0, a.shape, a.dtype) for a in y_avals]
  xs = [k.materialize(x) for x in xs]
  types = [k.type_of(v.aval) for v in carry_vars] + [k.type_of(a) for a in y_avals]

  def body(iv, carried):
    position = iv if not counts else k.op("arith.subi", [iv, lower], k.i32) if xs or stacked else None
    if p["reverse"] and (xs or stacked):
      position = k.op("arith.subi", [k.i32_constant(length - 1), position], k.i32)
    at = k.op("arith.index_cast", [position], k.index) if xs or stacked else None
    rows = [_row(k, x, aval, at) for x, aval in zip(xs, x_avals)]
    inner = [number(iv)] if counts else []
    outputs = k.run_closed(closed, [*consts, *inner, *carried[:len(init)], *rows])
    outputs = _results(k, jaxpr.outvars, outputs)
    new_carry, ys = outputs[skip:num_carry], outputs[num_carry:]
    grown = [_set_row(k, y, T.physical(v.aval), whole, aval, at)
             for y, v, whole, aval in zip(ys, jaxpr.outvars[num_carry:], carried[len(init):], y_avals)]
    return [*new_carry, *grown]

  results = _for(k, lower, upper, [*init, *stacked], types, body, is_conditional=not length)
  return [number(upper), *results] if counts else results


def _row(k, x, aval, at):
  """Row `at` along the first dimension."""
  rest = [0] * (aval.ndim - 1)
  row = extract(k, x, [_native.DYNAMIC, *rest], [at], [1, *aval.shape[1:]], [1] * aval.ndim, aval.dtype)
  return reshape(k, row, aval.update(shape=(1, *aval.shape[1:])), aval.shape[1:])


def _set_row(k, row, row_aval, whole, aval, at):
  flat = reshape(k, row, row_aval, (1, *aval.shape[1:]))
  return insert(k, flat, whole, [_native.DYNAMIC] + [0] * (aval.ndim - 1), [at], [1, *aval.shape[1:]], [1] * aval.ndim, aval)


def _while_as_for(eqn):
  """Whether a while loop counts its first carried value up to its second one."""
  p = eqn.params
  if p["cond_nconsts"]:
    return False
  cond, body, n = p["cond_jaxpr"].jaxpr, p["body_jaxpr"].jaxpr, p["body_nconsts"]
  if len(cond.invars) < 2 or len(cond.eqns) != 1 or cond.eqns[0].primitive.name != "lt":
    return False
  counter, limit = cond.invars[:2]
  [test] = cond.eqns
  if not (_is_counter(counter) and _is_counter(limit)) or list(test.invars) != [counter, limit] or test.outvars[0] is not cond.outvars[0]:
    return False
  return body.outvars[1] is body.invars[n + 1] and _counter_update(body, body.invars[n], body.outvars[0]) is not None


@rule("while")
@takes_constants
def _while(k, eqn, *values):
  p = eqn.params
  cond, body = p["cond_jaxpr"], p["body_jaxpr"]
  cond_consts = values[:p["cond_nconsts"]]
  body_consts = values[p["cond_nconsts"]:p["cond_nconsts"] + p["body_nconsts"]]
  carry = values[p["cond_nconsts"] + p["body_nconsts"]:]
  carry_vars = body.jaxpr.invars[p["body_nconsts"]:]
  if _while_as_for(eqn):
    return _counted_while(k, body, body_consts, carry, carry_vars)
  # A ref among the carried values is the same ref in every round.
  moving = [i for i, v in enumerate(carry_vars) if not T.is_ref(v.aval)]
  types = [k.type_of(carry_vars[i].aval) for i in moving]
  init = [k.materialize(carry[i], carry_vars[i].aval) for i in moving]

  def whole(arguments):
    merged = list(carry)
    for i, argument in zip(moving, arguments):
      merged[i] = argument
    return merged

  condition_aval = cond.jaxpr.outvars[0].aval
  if _writes(cond.jaxpr):
    return whole(_rotated_while(k, cond, body, cond_consts, body_consts, init, types, whole, moving))
  op = k.do("scf.while", init, types, regions=2)
  with k.inside(k.b.add_block(op, 0, types)) as arguments:
    [condition] = k.run_closed(cond, [*cond_consts, *whole(arguments)])
    condition = k.materialize(condition, condition_aval)
    if condition_aval.shape:
      [condition] = trace(k, jnp.any, [condition_aval], [condition])
    k.do("scf.condition", [condition, *arguments])
  with k.inside(k.b.add_block(op, 1, types), is_conditional=True) as arguments:
    outputs = k.run_closed(body, [*body_consts, *whole(arguments)])
    following = [k.materialize(outputs[i], carry_vars[i].aval) for i in moving]
    if condition_aval.shape:
      # A batch of loops: what has ended stays.
      [goes_on] = k.run_closed(cond, [*cond_consts, *whole(arguments)])
      following = [_where(k, goes_on, condition_aval, new, old, carry_vars[i].aval) for i, new, old in zip(moving, following, arguments)]
    _yield(k, following)
  return whole(op.results)


def _where(k, condition, condition_aval, new, old, aval):
  """Chooses along the leading dimensions."""
  aval = T.physical(aval)

  def choose(c, a, b):
    return jnp.where(lax.expand_dims(c, range(c.ndim, a.ndim)), a, b)
  [result] = trace(k, choose, [condition_aval, aval, aval], [condition, new, old])
  return result


def _writes(jaxpr) -> bool:
  return any(isinstance(e, (state_types.WriteEffect, state_types.AccumEffect)) for e in jaxpr.effects)


def _rotated_while(k, cond, body, cond_consts, body_consts, init, types, whole, moving):
  """A loop whose condition writes: it is computed before the loop and at the end of the body, and passed on."""
  def condition(arguments):
    [value] = k.run_closed(cond, [*cond_consts, *whole(arguments)])
    return k.materialize(value, cond.jaxpr.outvars[0].aval)

  op = k.do("scf.while", [*init, condition(init)], [*types, k.i1], regions=2)
  with k.inside(k.b.add_block(op, 0, [*types, k.i1])) as arguments:
    k.do("scf.condition", [arguments[-1], *arguments])
  with k.inside(k.b.add_block(op, 1, [*types, k.i1]), is_conditional=True) as arguments:
    outputs = k.run_closed(body, [*body_consts, *whole(arguments[:-1])])
    following = [k.materialize(outputs[i], body.jaxpr.outvars[i].aval) for i in moving]
    _yield(k, [*following, condition(following)])
  return op.results[:-1]


def _counted_while(k, body, consts, carry, carry_vars):
  lower, upper = k.materialize(carry[0]), k.materialize(carry[1])
  init = [k.materialize(c, v.aval) for c, v in zip(carry[2:], carry_vars[2:])]
  types = [k.type_of(v.aval) for v in carry_vars[2:]]

  def step(iv, carried):
    outputs = k.run_closed(body, [*consts, iv, carry[1], *carried])
    return _results(k, body.jaxpr.outvars[2:], outputs[2:])

  results = _for(k, lower, upper, init, types, step, is_conditional=True)
  # The counter ends at the limit, or where it started when that lay behind.
  last = k.op("arith.maxsi", [lower, upper], k.i32)
  return [last, carry[1], *results]
