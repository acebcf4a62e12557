# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and outputs of a call that are one array.

On a TPU a kernel sees windows: the one of an input is not the one of an output,
also where both arrays are one. A kernel of Triton's kind has pointers to the
arrays, so a store through either name reaches both.
"""
from __future__ import annotations

from jax._src import core as jax_core
from jax._src.pallas import core as pallas_core
from jax._src.pallas.triton import core as triton_core
from jax._src.pallas.triton import primitives as triton
from jax._src.state import types as state_types

from . import types as T

_ONLY_TRITON = (triton.atomic_rmw_p, triton.atomic_cas_p, triton.debug_barrier_p, triton.elementwise_inline_asm_p)


def shared_blocks(jaxpr, grid_mapping, aliases, params) -> frozenset[int]:
  """The blocks, inputs first, that are the array itself since another one is aliased to it."""
  num_index, num_inputs = grid_mapping.num_index_operands, grid_mapping.num_inputs
  pairs = [(i - num_index, num_inputs + o) for i, o in aliases if i >= num_index]
  if not _may_be_triton(jaxpr, grid_mapping, params):
    return frozenset()
  if not isinstance(params, triton_core.CompilerParams) and not _uses(jaxpr, _ONLY_TRITON):
    # A window of an output that no program writes would hold nothing at all.
    pairs = [(i, o) for i, o in pairs if _accesses(jaxpr, num_index + i, writes=True) and not _accesses(jaxpr, num_index + o)]
  return frozenset(block for pair in pairs for block in pair)


def _may_be_triton(jaxpr, grid_mapping, params) -> bool:
  """Whether nothing shows that the kernel is for another target: its parameters, memory spaces or scratch."""
  if not isinstance(params, triton_core.CompilerParams | dict | None):
    return False
  spaces = {T.space_of(v.aval.memory_space)[0] for v in jaxpr.invars[grid_mapping.num_index_operands:] if T.is_ref(v.aval)}
  return spaces <= {T.space_of(pallas_core.MemorySpace.DEFAULT)[0]}


def _accesses(jaxpr, position: int, writes: bool = False) -> bool:
  kinds = (state_types.WriteEffect, state_types.AccumEffect) if writes else state_types.RefEffect
  return any(isinstance(e, kinds) and e.input is jaxpr.invars[position] for e in jaxpr.effects)


def _uses(jaxpr, primitives) -> bool:
  return any(eqn.primitive in primitives for eqn in jaxpr.eqns) or \
      any(_uses(inner, primitives) for inner in jax_core.subjaxprs(jaxpr))
