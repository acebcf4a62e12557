"""Where a call runs on a mesh of devices: what its custom call is told of it."""
from __future__ import annotations

import itertools

import jax
import numpy as np
from jax._src import core
from jax._src.lib.mlir.dialects import hlo
from jax._src.sharding_impls import SPMDAxisContext

# Calls that belong together on several devices have the same number.
_sites = itertools.count(1)


def place(ctx, nodes):
  """The context, the operands and the attributes of a call with what it knows of its device.

  Under `shard_map` the number of the device becomes the last operand."""
  mesh = _mesh(ctx.module_context.axis_context)
  attributes = dict(site=np.int64(0), mesh="", elsewhere="")
  if mesh is None:
    return ctx, nodes, attributes
  here = jax.process_index()
  elsewhere = (str(i) for i, device in enumerate(mesh.devices.flat) if device.process_index != here)
  attributes["site"] = np.int64(next(_sites))
  attributes["mesh"] = ",".join(f"{name}={size}" for name, size in mesh.shape.items())
  attributes["elsewhere"] = ",".join(elsewhere)
  aval = core.ShapedArray((), np.uint32)
  number = hlo.partition_id()
  return ctx.replace(avals_in=[*ctx.avals_in, aval]), [*nodes, number], attributes


def named_axes(ctx, params) -> list[str]:
  """The axes of the mesh of devices around the call that its kernels name."""
  context = ctx.module_context.axis_context
  mesh = context.mesh if isinstance(context, SPMDAxisContext) else None
  if mesh is None:
    return []
  jaxprs = params.get("jaxprs") or (params["jaxpr"],)
  names = {e.name for jaxpr in jaxprs for e in jaxpr.effects if isinstance(e, core.NamedAxisEffect)}
  return sorted(str(name) for name in names if name in mesh.axis_names)


def _mesh(axis_context):
  """The mesh whose devices each make the call, if there is one with more than one device."""
  if not isinstance(axis_context, SPMDAxisContext) or not axis_context.manual_axes:
    return None
  mesh = axis_context.mesh
  manual = frozenset(mesh.axis_names) == axis_context.manual_axes
  return mesh if manual and mesh.size > 1 and hasattr(mesh, "devices") else None
