# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of a program in its grid; printing, checks, time and hints."""
from __future__ import annotations

import dataclasses
import math
import re
import string
from typing import Any

import numpy as np
from jax import tree_util
from jax._src import debugging
from jax._src.pallas import core as pallas_core

from ..errors import ExportError
from . import types as T
from .host import call_python
from .kernel import takes_constants
from .operands import as_i32, operands
from .refs import trivial_indexer
from .registry import rule
from .shapes import i64_attr


@rule("program_id")
def _program_id(k, eqn):
  axis = eqn.params["axis"]
  local = k.local_program_id(axis)
  if local is not None:
    return k.materialize(local, eqn.outvars[0].aval)
  gpu = T.mosaic_gpu()
  if gpu and isinstance(k.mesh, gpu.WarpMesh):
    # JAX traces with the warps as the only axis of the grid, and its compiler has no rule.
    raise ExportError("program_id in the code of warps would count the warps or the blocks; ask for either by lax.axis_index, or take it around the warps")
  index = k.op("pallas.program_id", [], k.i32, axis=i64_attr(k, axis))
  return _count_blocks(k, axis, index)


def _count_blocks(k, axis, index):
  """In a kernel of clusters, JAX counts their blocks: those along the last axis of a cluster lie along the last one of the grid."""
  cluster = getattr(k.mesh, "cluster", ())
  if math.prod(cluster) == 1:
    return index
  from_end = len(k.mesh.grid) - 1 - axis
  if len(k.mesh.grid) > 3 and from_end >= 2 and math.prod(cluster[:-2]) != 1:
    raise ExportError("program_id counts blocks of clusters along several axes of the grid at once; ask for each by lax.axis_index")
  size = cluster[-1 - from_end] if from_end < len(cluster) else 1
  if size == 1:
    return index
  block = k.op("pallas.axis_index", [], k.i32, axisName=k.b.str_attr(str(k.mesh.cluster_names[-1 - from_end])))
  return k.op("arith.addi", [k.op("arith.muli", [index, k.i32_constant(size)], k.i32), block], k.i32)


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


@rule("multiple_of")
def _multiple_of(k, eqn, value):
  multiples = list(map(int, eqn.params["values"]))
  if not eqn.invars[0].aval.shape:
    multiples = [math.lcm(*multiples)]
  return k.op("pallas.multiple_of", [value], k.type_of(eqn.outvars[0].aval),
              multiples=k.b.i64_array(multiples))


@rule("max_contiguous")
def _max_contiguous(k, eqn, value):
  return k.op("pallas.max_contiguous", [value], k.type_of(eqn.outvars[0].aval),
              lengths=k.b.i64_array(list(map(int, eqn.params["values"]))))


@rule("delay")
def _delay(k, eqn, nanoseconds):
  k.do("pallas.delay", [as_i32(k, *operands(eqn, [nanoseconds]))])


def _read(k, value, aval):
  """What a print shows of a ref is what it holds."""
  if not T.is_ref(aval):
    return value, aval
  return k.op("pallas.get", [value], k.type_of(aval.inner_aval), indexer=trivial_indexer(k)), aval.inner_aval


@rule("debug_print")
def _debug_print(k, eqn, *values):
  p = eqn.params
  read = [_Shown(*_read(k, v, var.aval)) for v, var in zip(values, eqn.invars)]
  args, kwargs = debugging.merge_callback_args(p["in_tree"], read, p["static_args"])
  if k.in_process and _wants_python(p["fmt"], args, kwargs):
    def show(*arrays):
      args, kwargs = debugging.merge_callback_args(p["in_tree"], arrays, p["static_args"])
      print(p["fmt"].format(*args, **kwargs))
      return ()
    call_python(k, (eqn.primitive, p["fmt"], p["in_tree"], p["static_args"]), show, [s.value for s in read], [s.aval for s in read], [])
    return
  texts, shown = _positional(p["fmt"], args, kwargs)
  if not shown:
    shown = [v for v in (*args, *kwargs.values()) if isinstance(v, _Shown)]
    if shown:
      texts = [texts[0] + " ", *[" "] * (len(shown) - 1), ""]
  _print(k, texts, shown)


@dataclasses.dataclass(frozen=True)
class _Shown:
  value: Any
  aval: Any


def _wants_python(text: str, args, kwargs) -> bool:
  """Whether the format does more to values of the kernel than to put them in their places."""
  used = 0
  for _, field, spec, conversion in string.Formatter().parse(text):
    if field is None:
      continue
    if not field:
      field, used = str(used), used + 1
    name = re.split(r"[.\[]", field)[0]
    value = (args[int(name)] if int(name) < len(args) else None) if name.isdigit() else kwargs.get(name)
    if isinstance(value, _Shown) and (spec or conversion or name != field):
      return True
  return False


def _print(k, texts: list[str], shown):
  text = "{}".join(t.replace("{", "{{").replace("}", "}}") for t in texts)
  unsigned = [T.is_unsigned(s.aval.dtype) and not T.is_bool(s.aval.dtype) for s in shown]
  attributes = {"unsignedValues": k.b.bool_array(unsigned)} if any(unsigned) else {}
  k.do("pallas.debug_print", [s.value for s in shown], format=k.b.str_attr(text), **attributes)


def _positional(text: str, args, kwargs):
  """The texts around plain placeholders, and the values for those in their order.

  Python values known now become text.
  """
  texts, shown, used = [""], [], 0
  for literal, field, spec, conversion in string.Formatter().parse(text):
    texts[-1] += literal
    if field is None:
      continue
    if not field:
      field, used = used, used + 1
    index = int(field) if str(field).isdigit() else field
    try:
      value = args[index] if isinstance(index, int) else kwargs[index]
    except (IndexError, KeyError):
      raise ExportError(f"the format has a placeholder {{{field}}}, but no such value") from None
    if isinstance(value, _Shown):
      texts.append("")
      shown.append(value)
    else:
      plain = "{" + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
      texts[-1] += plain.format(value)
  return texts, shown


@rule("check")
@takes_constants
def _check(k, eqn, *values):
  """`checkify.check`: the predicate is true if there is an error. JAX drops debug checks unless they are enabled."""
  if eqn.params["debug"] and not pallas_core.debug_checks_enabled():
    return
  error = tree_util.tree_unflatten(eqn.params["err_tree"], operands(eqn, values))
  [pred], [tree], [payload] = (list(part.values()) for part in (error._pred, error._metadata, error._payload))
  if k.known(pred.value) is not None and not k.known(pred.value):
    return
  shown = [_Shown(k.materialize(leaf.value, leaf.aval), leaf.aval) for leaf in payload]
  exception = tree_util.tree_unflatten(tree, shown)
  texts, shown = _positional(exception.fmt_string, exception.args, exception.kwargs)
  fails = k.materialize(pred.value, pred.aval)
  if shown:
    # A check fails with a text; the values are printed before.
    op = k.do("scf.if", [fails], [], regions=2)
    with k.inside(k.b.add_block(op, 0, [])):
      _print(k, texts, shown)
      k.do("scf.yield", [])
  holds = k.op("arith.xori", [fails, k.constant(True, (), np.dtype(bool))], k.i1)
  k.do("pallas.check", [holds], message=k.b.str_attr(exception.fmt_string if shown else texts[0]))


@rule("trace_value")
def _trace_value(k, eqn, value):
  k.do("pallas.trace_value", [value], name=k.b.str_attr(eqn.params["label"]))
