# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Meshes of the cores of the chip whose programs CPUs run."""
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic import tpu_info
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import pallas_mlir.jax


def cores(*devices, **keywords):
  return pltpu.create_tensorcore_mesh("core", *devices, **keywords).shape["core"]


# CHECK: TensorCores: 1
print("TensorCores:", cores())
# CHECK: of a device: 1
print("of a device:", cores(jax.devices()))
# CHECK: asked for: 2
print("asked for:", cores(num_cores=2))
# CHECK: SparseCores: 2 2x16
print("SparseCores:", plsc.ScalarSubcoreMesh(axis_name="core").size,
      "x".join(map(str, plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore").shape.values())))

# CHECK: under a mesh: 1
with jax.set_mesh(jax.make_mesh((1,), ("devices",))):
  print("under a mesh:", cores())


def number(o, row):
  row[...] = jnp.full(row.shape, jax.lax.axis_index("core") + 1)
  pltpu.sync_copy(row, o.at[pl.ds(jax.lax.axis_index("core"), 1)])


def numbered():
  mesh = pltpu.create_tensorcore_mesh("core")
  return pl.kernel(number, out_type=jax.ShapeDtypeStruct((cores(), 128), jnp.int32), mesh=mesh,
                   scratch_types=[pltpu.VMEM((1, 128), jnp.int32)])()


# CHECK: cores: [1]
print("cores:", np.asarray(numbered())[:, 0])

# Another chip may take its place.
chip = tpu_info.registry["cpu"]
tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion.TPU_V5P, 2)
# CHECK: cores: [1 2]
print("cores:", np.asarray(numbered())[:, 0])

del tpu_info.registry["cpu"]
# CHECK: ValueError: a device of the kind 'cpu' does not tell how many TensorCores it has; give num_cores, or let
# CHECK-SAME: registry['cpu'] return the TpuInfo of the chip that it imitates
try:
  pltpu.create_tensorcore_mesh("core")
except ValueError as error:
  print("ValueError:", error)
tpu_info.registry["cpu"] = chip
