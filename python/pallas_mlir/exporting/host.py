# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of Python functions: each is an external function of the module."""
from __future__ import annotations

from typing import Any

from jax._src import callback, debugging

from .. import callbacks
from ..errors import ExportError
from . import types as T
from .registry import rule


def call_python(k, content, function, values, operands, results) -> list:
  """`function(*arrays)` of the process that runs the kernel; equal contents are equal functions."""
  found = callbacks.register(content, function, operands, results)
  name = k.b.str_attr(f"python_{found.number}")
  types = [[k.type_of(a) for a in avals] for avals in (operands, results)]
  if found not in k.host_functions:
    k.host_functions.append(found)
    with k.inside(k.b.body):
      k.do("func.func", regions=1, sym_name=name, sym_visibility=k.b.str_attr("private"),
           function_type=k.b.type_attr(k.b.function_type(*types)),
           **{"pallas.host_call": k.b.int_attr(k.parse_type("i64"), found.number)})
  return k.do("func.call", list(values), types[1], callee=k.attr(f"@python_{found.number}")).results


@rule("debug_callback", "pure_callback", "io_callback")
def _callback(k, eqn, *values):
  """Runs JAX's own implementation of the callback on the arrays."""
  implementation = _IMPLEMENTATIONS[eqn.primitive.name]
  params: dict[str, Any] = eqn.params
  operands, results = ([v.aval for v in variables] for variables in (eqn.invars, eqn.outvars))
  if any(map(T.is_ref, operands)):
    raise ExportError("callbacks take values, not refs; read the ref first")
  return call_python(k, (eqn.primitive, params["callback"]), lambda *arrays: implementation(*arrays, **params), values, operands, results)


_IMPLEMENTATIONS = {"debug_callback": debugging.debug_callback_impl, "pure_callback": callback.pure_callback_impl,
                    "io_callback": callback.io_callback_impl}
