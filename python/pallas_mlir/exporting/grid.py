"""Where a program stands; printing, checks, time and hints."""
from __future__ import annotations

import numpy as np

from ..errors import ExportError
from . import types as T
from .kernel import Constant, takes_constants
from .registry import rule
from .shapes import i64_attr


@rule("program_id")
def _program_id(k, eqn):
  axis = eqn.params["axis"]
  local = k.local_program_id(axis)
  if local is not None:
    return k.materialize(local, eqn.outvars[0].aval)
  return k.op("pallas.program_id", [], k.i32, axis=i64_attr(k, axis))


@rule("num_programs")
def _num_programs(k, eqn):
  return k.op("pallas.num_programs", [], k.i32, axis=i64_attr(k, eqn.params["axis"]))


@rule("axis_index")
def _axis_index(k, eqn):
  name = eqn.params["axis_name"]
  names = name if isinstance(name, tuple) else (name,)
  index = None
  for part in names:
    here = k.op("pallas.axis_index", [], k.i32, axisName=k.b.str_attr(str(part)))
    if index is None:
      index = here
      continue
    size = k.op("pallas.axis_size", [], k.i32, axisName=k.b.str_attr(str(part)))
    index = k.op("arith.addi", [k.op("arith.muli", [index, size], k.i32), here], k.i32)
  return index if index is not None else k.i32_constant(0)


@rule("axis_size")
def _axis_size(k, eqn):
  return k.op("pallas.axis_size", [], k.i32, axisName=k.b.str_attr(str(eqn.params["axis_name"])))


@rule("multiple_of")
def _multiple_of(k, eqn, value):
  return k.op("pallas.multiple_of", [value], k.type_of(eqn.outvars[0].aval),
              multiples=k.b.i64_array(list(map(int, eqn.params["values"]))))


@rule("max_contiguous")
def _max_contiguous(k, eqn, value):
  return k.op("pallas.max_contiguous", [value], k.type_of(eqn.outvars[0].aval),
              lengths=k.b.i64_array(list(map(int, eqn.params["values"]))))


@rule("delay")
def _delay(k, eqn, nanoseconds):
  k.do("pallas.delay", [nanoseconds])


def _printed(values, eqn):
  """The values that a print shows, and which of them are unsigned."""
  avals = [v.aval for v in eqn.invars]
  if any(T.is_ref(a) for a in avals):
    raise ExportError("a print of a ref is not supported; read it first")
  return list(values), [T.is_unsigned(a.dtype) and not T.is_bool(a.dtype) for a in avals]


@rule("debug_print")
def _debug_print(k, eqn, *values):
  p = eqn.params
  shown, unsigned = _printed(values, eqn)
  tree, static = p.get("in_tree"), p.get("static_args")
  text = p["fmt"]
  if static:
    raise ExportError("debug_print of static arguments is not supported; put them into the format")
  del tree
  if shown and "{" not in text:
    # Without placeholders the values follow the text.
    text += " " + " ".join("{}" for _ in shown)
  attributes = {"unsignedValues": k.b.bool_array(unsigned)} if any(unsigned) else {}
  k.do("pallas.debug_print", shown, format=k.b.str_attr(_positional(text, len(shown))), **attributes)


def _positional(text: str, count: int) -> str:
  """Placeholders with a name, a number or a format become plain ones, in order."""
  import re
  seen = 0
  def plain(match):
    nonlocal seen
    field = match.group(1).split(":")[0].split("!")[0]
    if field.isdigit() and int(field) != seen:
      raise ExportError("debug_print with reordered placeholders is not supported")
    seen += 1
    return "{}"
  result = re.sub(r"\{([^{}]*)\}", plain, text)
  if seen != count:
    raise ExportError(f"debug_print has {seen} placeholders, but {count} values")
  return result


@rule("debug_callback")
def _debug_callback(k, eqn, *values):
  raise ExportError("callbacks into Python cannot run inside a kernel; use pl.debug_print")


@rule("check")
@takes_constants
def _check(k, eqn, *values):
  """`checkify.check`: the predicate says that there is an error."""
  error_tree = eqn.params["err_tree"]
  from jax import tree_util
  error = tree_util.tree_unflatten(error_tree, list(values))
  [effect] = error._pred.keys()
  pred, code = error._pred[effect], error._code[effect]
  del code
  message = "check failed"
  for metadata in error._metadata.values():
    message = str(getattr(metadata, "keywords", {}).get("fmt_string", None) or _message_of(metadata))
  known = k.known(pred)
  if known is not None and not known:
    return
  failed = k.materialize(pred)
  true = k.constant(True, (), np.dtype(bool))
  k.do("pallas.check", [k.op("arith.xori", [failed, true], k.i1)], message=k.b.str_attr(message))


def _message_of(metadata):
  from jax import tree_util
  try:
    error = tree_util.tree_unflatten(metadata, [0] * metadata.num_leaves)
    return getattr(error, "fmt_string", str(error))
  except (TypeError, ValueError):
    return "check failed"


@rule("trace_start", "start_trace")
def _trace_start(k, eqn):
  k.do("pallas.trace_start", name=k.b.str_attr(str(eqn.params.get("message", ""))))


@rule("trace_stop", "stop_trace")
def _trace_stop(k, eqn):
  k.do("pallas.trace_stop")


@rule("trace_value")
def _trace_value(k, eqn, *values):
  """A mark for profilers, without effect on results."""


@rule("dim_as_value", "dimension_size")
@takes_constants
def _dim_as_value(k, eqn, *values):
  dim = eqn.params.get("dim")
  if isinstance(dim, int):
    return Constant(dim, eqn.outvars[0].aval)
  raise ExportError("symbolic dimensions are not supported; call the kernel with static shapes")
