# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines inside a TPU kernel: unrolled into the copies and waits that JAX writes for them."""
from __future__ import annotations

import dataclasses
import sys

from jax._src import api_util, core, util
from jax._src import linear_util as lu
from jax._src.interpreters import partial_eval as pe
from jax._src.pallas import core as pallas_core
from jax._src.state import types as state_types

from .. import release
from .kernel import takes_constants
from .operands import operands, unflatten
from .refs import view
from .registry import rule


def _is_transformed(x) -> bool:
  return isinstance(x, state_types.TransformedRef)


def _pipeline_module():
  return sys.modules["jax._src.pallas.mosaic.pipeline"]


@rule("emit_pipeline")
@takes_constants
def _emit_pipeline(k, eqn, *values):
  axes = tuple(k.mesh.shape.items()) if k.mesh else ()
  avals = [v.aval for v in eqn.invars]
  with core.extend_axis_env_nd(axes):
    to_jaxpr = release.pipeline_to_jaxpr()
    closed = to_jaxpr(avals, **eqn.params) if to_jaxpr else _traced(eqn, avals)
  return k.run_closed(closed, values)


def _traced(eqn, avals):
  """What the pipeline does, for releases in which JAX does not offer that itself."""
  params = dict(eqn.params)
  mapping, body = params.pop("grid_mapping"), params.pop("body_jaxpr")
  arguments_of = release.pipeline_arguments(params, mapping)
  # A body that asks for its place has a parameter for it, where it can.
  asks = {name: params.pop(name) for name in ("_explicit_indices",) if name in params}
  counts = [len(m.index_map_jaxpr.consts) for m in mapping.block_mappings]
  pipeline = _pipeline_module()

  def write(*arguments):
    consts, dynamic, body_consts, args, more = arguments_of(arguments)
    block_mappings = [m.replace(index_map_jaxpr=release.with_consts(m.index_map_jaxpr, c))
                      for m, c in zip(mapping.block_mappings, util.split_list(consts, counts))]
    bound = dataclasses.replace(mapping, block_mappings=block_mappings)
    refs, _ = pipeline.tracing_registry.flatten(args, _is_transformed)
    sizes = iter(dynamic)
    grid = tuple(next(sizes) if pallas_core.is_dynamic_dim(d) else d for d in bound.grid)
    specs = [m.to_block_spec() for m in bound.block_mappings]

    def step(place, *args):
      own = release.own_step(place, bound.vmapped_dims)
      flat, tree = pipeline.tracing_registry.flatten((own, body_consts, args))
      return pipeline.pipeline_body_p.bind(*flat, jaxpr=body, in_tree=tree, num_inputs=bound.num_inputs, **asks)

    run = pipeline._emit_pipeline(
        step, grid=grid, in_specs=specs[:bound.num_inputs], out_specs=specs[bound.num_inputs:],
        _explicit_indices=True, **more, **params)
    logical = tuple(d for at, d in enumerate(bound.grid) if at not in bound.vmapped_dims)
    with pallas_core.tracing_grid_env(logical, ()):
      run(*refs)
    return ()

  info = api_util.debug_info("emit_pipeline", write, avals, {})
  jaxpr, _, consts = pe.trace_to_jaxpr_dynamic(lu.wrap_init(write, debug_info=info), avals)
  return release.with_consts(jaxpr, consts)


@rule("pipeline_body")
@takes_constants
def _pipeline_body(k, eqn, *values):
  p = eqn.params
  place, consts, args = unflatten(p["in_tree"], operands(eqn, values))
  indices = release.step_index(place)
  refs = []
  for ref in args:
    if _is_transformed(ref):
      refs.append(view(k, ref.ref.value, ref.ref.aval, ref.transforms)[0])
    else:
      refs.append(ref.value)
  # A body that asks for its place has it as its first arguments.
  given = [i.value for i in release.step_leaves(place)] if p.get("_explicit_indices") else []
  with k.program_ids(indices):
    return k.run(p["jaxpr"], [c.value for c in consts], [*given, *refs])
