# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices: what a call is told of the mesh that it runs on, and the chip whose programs a device runs."""
from __future__ import annotations

import dataclasses
import functools
import itertools

import jax
import numpy as np
from jax._src import core
from jax._src.lib.mlir.dialects import hlo
from jax._src.pallas.mosaic import core as tpu_core
from jax._src.sharding_impls import SPMDAxisContext
from jax.experimental.pallas import tpu as pltpu

from . import release

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
  """The mesh whose devices each make the call, if one number does not name the only device of it."""
  if not isinstance(axis_context, SPMDAxisContext) or not axis_context.manual_axes:
    return None
  mesh = axis_context.mesh
  manual = frozenset(mesh.axis_names) == axis_context.manual_axes
  # A kernel names a device by as many coordinates as the mesh has axes, also where that is the only one.
  several = mesh.size > 1 or len(mesh.axis_names) > 1
  return mesh if manual and several and hasattr(mesh, "devices") else None


def install():
  """Gives CPUs a chip: pipelines inside of kernels and meshes of SparseCores ask for the one that they are for."""
  release.tpu_info().registry.setdefault("cpu", _chip)
  _install_meshes()


def _chip():
  """A chip whose programs CPUs run: a v5e, which has no SparseCores, with those of a v6e."""
  tpu_info = release.tpu_info()
  chips = [tpu_info.get_tpu_info_for_chip(v, 1) for v in (tpu_info.ChipVersion.TPU_V5E, tpu_info.ChipVersion.TPU_V6E)]
  return dataclasses.replace(chips[0], sparse_core=chips[1].sparse_core)


def _install_meshes():
  """Lets a mesh of TensorCores have those of the chip whose programs its device runs, where nothing else sets it."""
  original = tpu_core.create_tensorcore_mesh

  @functools.wraps(original)
  def create_tensorcore_mesh(axis_name, devices=None, num_cores=None):
    if num_cores is None:
      devices, num_cores = None, _num_cores(devices)
    return original(axis_name, devices, num_cores)

  tpu_core.create_tensorcore_mesh = pltpu.create_tensorcore_mesh = create_tensorcore_mesh


def _num_cores(devices) -> int:
  """The TensorCores of the first device, or of the one that JAX takes without any."""
  device = devices[0] if devices is not None else jax.sharding.get_abstract_mesh().abstract_device or jax.devices()[0]
  own = getattr(device, "num_cores", None)
  if own is not None:
    return own
  chip = release.tpu_info().registry.get(device.device_kind)
  if chip is None:
    raise ValueError(f"a device of the kind '{device.device_kind}' does not tell how many TensorCores it has; give num_cores, or let "
                     f"jax._src.pallas.mosaic.tpu_info.registry['{device.device_kind}'] return the TpuInfo of the chip that it imitates")
  return chip().num_cores
