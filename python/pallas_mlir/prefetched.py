# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of prefetched scalars, on which index maps depend, for given arguments of a function."""
from __future__ import annotations

import collections
from typing import Any, Callable

import jax
import numpy as np
from jax.extend import core

# Calls whose equations are looked at one by one.
_CALLS = ("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint", "custom_jvp_call", "custom_vjp_call")


class _Late:
  """A value that is computed once, when it is asked for."""

  def __init__(self, compute: Callable[[], Any]):
    self._compute, self._value = compute, None

  def get(self):
    if self._compute is not None:
      self._value, self._compute = self._compute(), None
    return self._value


def find_index_operands(jaxpr: core.ClosedJaxpr, arguments) -> dict[int, list[list[np.ndarray] | None]]:
  """The index operands of Pallas calls: by the identity of a kernel, those of each use of it, in order. Nothing runs but what
  computes them. A use in a loop or a branch has `None`: its operands differ from round to round."""
  found: dict[int, list[list[_Late] | None]] = collections.defaultdict(list)
  _walk(jaxpr, [_Late(lambda value=value: value) for value in arguments], found)
  return {kernel: [_values(operands) for operands in uses] for kernel, uses in found.items()}


def _values(operands: list[_Late] | None) -> list[np.ndarray] | None:
  if operands is None:
    return None
  try:
    return [np.asarray(operand.get()) for operand in operands]
  except Exception:  # pylint: disable=broad-exception-caught
    # Whatever is in the way also is when the function runs, and is reported there.
    return None


def _walk(jaxpr: core.ClosedJaxpr, arguments, found) -> list[_Late]:
  values = dict(zip(jaxpr.jaxpr.invars, arguments))
  values |= {variable: _Late(lambda value=value: value) for variable, value in zip(jaxpr.jaxpr.constvars, jaxpr.consts)}

  def read(atom) -> _Late:
    return _Late(lambda: atom.val) if isinstance(atom, core.Literal) else values[atom]

  for equation in jaxpr.jaxpr.eqns:
    operands, name, params = [read(atom) for atom in equation.invars], equation.primitive.name, equation.params
    if name == "pallas_call":
      mapping = params["grid_mapping"]
      begin = mapping.num_dynamic_grid_bounds
      found[id(params["jaxpr"])].append(operands[begin:begin + mapping.num_index_operands])
    inner = params.get("jaxpr", params.get("call_jaxpr")) if name in _CALLS else None
    if isinstance(inner, core.ClosedJaxpr):
      results = _walk(inner, operands, found)
    else:
      if name != "pallas_call":
        _walk_unknown(params, found)
      outcome = _Late(lambda equation=equation, operands=operands: _evaluate(equation, [operand.get() for operand in operands]))
      results = [_Late(lambda outcome=outcome, i=i: outcome.get()[i]) for i in range(len(equation.outvars))]
    values |= dict(zip(equation.outvars, results))
  return [read(atom) for atom in jaxpr.jaxpr.outvars]


def _walk_unknown(params, found) -> None:
  """Notes the calls in the bodies of loops, branches and the like."""
  for value in params.values():
    for body in value if isinstance(value, (tuple, list)) else (value,):
      body = getattr(body, "jaxpr", body)
      for equation in getattr(body, "eqns", ()):
        if equation.primitive.name == "pallas_call":
          found[id(equation.params["jaxpr"])].append(None if equation.params["grid_mapping"].num_index_operands else [])
        else:
          _walk_unknown(equation.params, found)


def _evaluate(equation, operands) -> list:
  """By a function of this equation alone, which releases of JAX call in different ways."""
  variables = {atom: value for atom, value in zip(equation.invars, operands) if not isinstance(atom, core.Literal)}
  single = core.Jaxpr((), list(variables), equation.outvars, [equation], equation.effects)
  with jax.ensure_compile_time_eval():
    return core.jaxpr_as_fun(core.ClosedJaxpr(single, ()))(*variables.values())
