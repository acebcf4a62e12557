# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with complex numbers, as kernels with twice as many floats.

Targets have no complex numbers, so a complex array, ref or value becomes two, of the
real and the imaginary parts, before anything is exported. What this makes of a jaxpr
is a jaxpr again.
"""
from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Sequence

import jax
import numpy as np
from jax._src import core

from .. import release
from ..errors import ExportError
from . import registry
from . import types as T
from .complex_math import FUNCTIONS
from .composite import DEFINITIONS, tracing
from .kernel import OUTSIDE, where

# Primitives that do to each part what they do to the whole.
_BY_PARTS = {
    "add", "sub", "neg", "add_any", "copy", "stop_gradient", "name", "optimization_barrier", "select_n",
    "broadcast_in_dim", "broadcast_to", "reshape", "squeeze", "transpose", "rev", "slice", "dynamic_slice",
    "dynamic_update_slice", "concatenate", "pad", "gather", "scatter", "scatter-add", "split", "stack", "unstack", "tile",
    "reduce_sum", "cumsum", "get", "swap", "addupdate", "masked_load", "masked_swap", "dma_start", "dma_wait",
    "new_ref", "freeze", "free_ref",
}
_CALLEES = ("jaxpr", "call_jaxpr", "call", "fun_jaxpr", "fwd_jaxpr")


def _is_complex(aval) -> bool:
  dtype = getattr(aval.inner_aval if T.is_ref(aval) else aval, "dtype", None)
  return isinstance(dtype, np.dtype) and dtype.kind == "c"


def holds(jaxpr) -> bool:
  """Whether complex numbers occur anywhere in a jaxpr."""
  jaxpr = release.open_of(jaxpr)
  variables = itertools.chain(jaxpr.invars, jaxpr.constvars, *(eqn.outvars for eqn in jaxpr.eqns))
  return any(_is_complex(v.aval) for v in variables) or any(holds(inner) for inner in core.subjaxprs(jaxpr))


def _part(aval):
  """The type of one part."""
  if T.is_ref(aval):
    return aval.update(inner_aval=_part(aval.inner_aval))
  return aval.update(dtype=np.empty(0, aval.dtype).real.dtype) if _is_complex(aval) else aval


def split_avals(avals) -> list:
  return [part for aval in avals for part in ([_part(aval)] * 2 if _is_complex(aval) else [aval])]


class _Splitter:
  """Rewrites the equations of one jaxpr."""

  def __init__(self):
    self.env: dict[Any, tuple] = {}
    self.eqns: list = []

  def bind(self, var) -> list:
    """The variables that replace one."""
    if _is_complex(var.aval):
      self.env[var] = tuple(core.Var(_part(var.aval)) for _ in range(2))
    return list(self.env.get(var, (var,)))

  def bind_all(self, variables) -> list:
    return [part for var in variables for part in self.bind(var)]

  def read(self, atom) -> tuple:
    if isinstance(atom, core.Literal) and _is_complex(atom.aval):
      aval, value = _part(atom.aval), np.asarray(atom.val)
      return tuple(core.Literal(aval.dtype.type(v), aval) for v in (value.real, value.imag))
    return self.env.get(atom, (atom,)) if isinstance(atom, core.Var) else (atom,)

  def read_all(self, atoms) -> list:
    return [part for atom in atoms for part in self.read(atom)]

  def jaxpr(self, jaxpr):
    opened = release.open_of(jaxpr)
    constvars, invars = self.bind_all(opened.constvars), self.bind_all(opened.invars)
    for eqn in opened.eqns:
      try:
        self.equation(eqn)
      except ExportError as error:
        raise error if error.where else ExportError(str(error), where(eqn)) from error
    return release.make_jaxpr(jaxpr, constvars, invars, self.read_all(opened.outvars), self.eqns, _split_consts(jaxpr))

  def equation(self, eqn):
    name = eqn.primitive.name
    inner = list(core.jaxprs_in_params(eqn.params))
    if not any(_is_complex(v.aval) for v in (*eqn.invars, *eqn.outvars)) and not any(map(holds, inner)):
      self.eqns.append(eqn.replace(invars=self.read_all(eqn.invars)))
    elif name in FUNCTIONS:
      self.function(eqn, FUNCTIONS[name])
    elif name in _BY_PARTS:
      self.by_parts(eqn)
    elif name in DEFINITIONS:
      self.definition(eqn, DEFINITIONS[name])
    elif name == "sort":
      self.replace(eqn, {**eqn.params, "num_keys": _count(eqn.invars[:eqn.params["num_keys"]])})
    elif name == "pallas_call":
      self.replace(eqn, split_call(eqn.params, [v.aval for v in eqn.invars], [v.aval for v in eqn.outvars])[0])
    elif name in _STRUCTURES:
      self.replace(eqn, {**eqn.params, **_STRUCTURES[name](eqn)})
    elif any(n in eqn.params for n in _CALLEES):
      [callee] = [eqn.params[n] for n in _CALLEES if n in eqn.params]
      self.eqns.append(core.new_jaxpr_eqn(self.read_all(eqn.invars), self.bind_all(eqn.outvars), core.closed_call_p,
                                          {"call_jaxpr": split(callee)}, eqn.effects, eqn.source_info))
    else:
      remedy = "apply it to real and imaginary parts, or outside of the kernel" if registry.find(eqn.primitive) else OUTSIDE
      raise ExportError(f"primitive '{name}' on complex numbers has no form in the pallas dialect; {remedy}")

  def by_parts(self, eqn):
    # How a scatter combines follows from its name.
    params = {**eqn.params, **({"update_jaxpr": None} if "update_jaxpr" in eqn.params else {})}
    atoms, results = [self.read(v) for v in eqn.invars], [self.bind(v) for v in eqn.outvars]
    for i in range(2):
      invars = [parts[i % len(parts)] for parts in atoms]
      self.eqns.append(eqn.replace(invars=invars, outvars=[parts[i] for parts in results], params=params))

  def replace(self, eqn, params):
    self.eqns.append(eqn.replace(invars=self.read_all(eqn.invars), outvars=self.bind_all(eqn.outvars), params=params))

  def function(self, eqn, function):
    """A call of what `function` does with the parts."""
    atoms = [self.read(v) for v in eqn.invars]
    arguments = [parts if _is_complex(v.aval) else parts[0] for parts, v in zip(atoms, eqn.invars)]
    shapes = jax.tree_util.tree_map(lambda atom: jax.ShapeDtypeStruct(atom.aval.shape, atom.aval.dtype), arguments)
    with tracing([v.aval for v in (*eqn.invars, *eqn.outvars)]):
      closed = jax.make_jaxpr(lambda *parts: function(*parts, **eqn.params))(*shapes)
    self.eqns.append(core.new_jaxpr_eqn([a for parts in atoms for a in parts], self.bind_all(eqn.outvars), core.closed_call_p,
                                        {"call_jaxpr": closed}, core.no_effects, eqn.source_info))


  def definition(self, eqn, function):
    """A call of a definition, which is traced with complex numbers and split in turn."""
    with tracing([v.aval for v in (*eqn.invars, *eqn.outvars)]):
      closed = jax.make_jaxpr(lambda *arrays: function(*arrays, **eqn.params))(
          *(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars))
      closed = split(closed)
    self.eqns.append(core.new_jaxpr_eqn(self.read_all(eqn.invars), self.bind_all(eqn.outvars), core.closed_call_p,
                                        {"call_jaxpr": closed}, core.no_effects, eqn.source_info))


def split(jaxpr):
  """A jaxpr, closed or open, without complex numbers."""
  return _Splitter().jaxpr(jaxpr)


def _split_consts(jaxpr) -> list:
  return [part for c, v in zip(release.consts_of(jaxpr), release.open_of(jaxpr).constvars)
          for part in (_split_const(c) if _is_complex(v.aval) else (c,))]


def _split_const(const):
  # The jaxpr of a primitive may hold what it captures as tracers: operands of the
  # equation replace those, so only their number counts.
  if isinstance(const, core.Tracer):
    return const, const
  return np.asarray(const).real, np.asarray(const).imag


def _count(variables) -> int:
  return len(split_avals([v.aval for v in variables]))


def _cond(eqn):
  return {"branches": tuple(map(split, eqn.params["branches"]))}


def _scan(eqn):
  p = eqn.params
  consts, carry = release.scan_counts(p)
  return {"jaxpr": split(p["jaxpr"]),
          **release.changed_scan_counts(p, _count(eqn.invars[:consts]), _count(eqn.invars[consts:consts + carry]))}


def _while(eqn):
  p = eqn.params
  first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
  return {"cond_jaxpr": split(p["cond_jaxpr"]), "body_jaxpr": split(p["body_jaxpr"]),
          "cond_nconsts": _count(eqn.invars[:first]), "body_nconsts": _count(eqn.invars[first:second])}


def _scoped(eqn):
  transforms = eqn.params.get("ref_transforms")
  if transforms:
    transforms = tuple(t for t, v in zip(transforms, eqn.params["jaxpr"].invars) for _ in range(1 + _is_complex(v.aval)))
  return {"jaxpr": split(eqn.params["jaxpr"]), **({"ref_transforms": transforms} if transforms else {})}


@dataclasses.dataclass(frozen=True)
class _OnParts:
  """A callback that takes and yields the parts of what is complex."""
  callback: Any
  inputs: tuple[bool, ...]
  outputs: tuple[bool, ...]

  def __call__(self, *parts):
    rest = iter(parts)
    results = self.callback(*(jax.lax.complex(next(rest), next(rest)) if c else next(rest) for c in self.inputs))
    return [part for r, c in zip(results or (), self.outputs) for part in ((np.real(r), np.imag(r)) if c else (r,))]


def _callback(eqn):
  inputs, outputs = (tuple(_is_complex(v.aval) for v in variables) for variables in (eqn.invars, eqn.outvars))
  return {"callback": _OnParts(eqn.params["callback"], inputs, outputs)}


_STRUCTURES = {"cond": _cond, "scan": _scan, "while": _while, "run_scoped": _scoped,
               "run_state": lambda eqn: {"jaxpr": split(eqn.params["jaxpr"])},
               "pure_callback": _callback, "io_callback": _callback, "debug_callback": _callback}


# Calls

def _positions(avals) -> list[list[int]]:
  """Where the parts of each array are."""
  positions, at = [], 0
  for aval in avals:
    positions.append(list(range(at, at + 1 + _is_complex(aval))))
    at += len(positions[-1])
  return positions


def _split_aliases(aliases, in_avals, out_avals):
  pairs = aliases.items() if hasattr(aliases, "items") else aliases
  inputs, outputs = _positions(in_avals), _positions(out_avals)
  flat = [pair for i, o in pairs for pair in zip(inputs[i], outputs[o])]
  return dict(flat) if hasattr(aliases, "items") else tuple(flat)


def _split_mapping(mapping):
  if not _is_complex(mapping.array_aval):
    return [mapping]
  part = dataclasses.replace(mapping, array_aval=_part(mapping.array_aval),
                             transformed_block_aval=_part(mapping.transformed_block_aval), allow_captured_consts=True)
  return [part, part]


def _split_grid_mapping(gm):
  def mappings(start, stop):
    return [part for mapping in gm.block_mappings[start:stop] for part in _split_mapping(mapping)]
  inputs, outputs = mappings(0, gm.num_inputs), mappings(gm.num_inputs, None)
  return dataclasses.replace(gm, block_mappings=(*inputs, *outputs), num_inputs=len(inputs), num_outputs=len(outputs),
                             scratch_avals=tuple(split_avals(gm.scratch_avals)))


def _split_params(params, in_avals, out_avals) -> dict:
  """The parameters of a call that change."""
  aliases = params["input_output_aliases"]
  changed = {"out_avals": tuple(split_avals(out_avals))}
  gm = params.get("grid_mapping")
  if gm is None:
    return changed | {"jaxprs": tuple(map(split, params["jaxprs"])), "input_output_aliases": _split_aliases(aliases, in_avals, out_avals)}
  arrays = in_avals[gm.num_dynamic_grid_bounds:]
  if any(map(_is_complex, arrays[:gm.num_index_operands])):
    raise ExportError("scalars that are prefetched cannot be complex; pass their real and imaginary parts")
  return changed | {"jaxpr": split(params["jaxpr"]), "grid_mapping": _split_grid_mapping(gm),
                    "input_output_aliases": _split_aliases(aliases, arrays, out_avals)}


def split_call(params, in_avals: Sequence, out_avals: Sequence):
  """Parameters, operand and result types of a call without complex numbers, or the same ones."""
  if not any(map(holds, params.get("jaxprs") or (params["jaxpr"],))):
    return params, in_avals, out_avals
  return {**params, **_split_params(params, in_avals, out_avals)}, split_avals(in_avals), split_avals(out_avals)


def split_operands(nodes, avals) -> list:
  """The values of XLA that replace operands."""
  from jax._src.lib.mlir.dialects import hlo
  return [part for node, aval in zip(nodes, avals) for part in ((hlo.real(node), hlo.imag(node)) if _is_complex(aval) else (node,))]


def join_results(results, avals) -> list:
  from jax._src.lib.mlir.dialects import hlo
  parts = iter(results)
  return [hlo.complex(next(parts), next(parts)) if _is_complex(aval) else next(parts) for aval in avals]
