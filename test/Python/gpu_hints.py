# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""What only the compiler for GPUs reads is exported as attributes of its dialect, which CPUs ignore."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax.experimental.mosaic.gpu import OOBFillMode
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallas_mlir.jax


def kernel(x_ref, o_ref, s_ref, barrier):
  for i, mode in enumerate((OOBFillMode.UNDEFINED, OOBFillMode.PROMISE_IN_BOUNDS, OOBFillMode.ZEROS)):
    plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(i * 8, 8)], s_ref, barrier, oob_mode=mode)
    plgpu.barrier_wait(barrier)
    o_ref[pl.ds(i * 8, 8)] = plgpu.load(s_ref, *([] if has_release("0.12.0") else [()]), optimized=i == 2)


# CHECK: pallas.copy_gmem_to_smem {{.*}} {mosaic_gpu.oob_fill_mode = 0 : i32}
# CHECK: pallas.get {{.*}} {mosaic_gpu.optimized = false}
# CHECK: pallas.copy_gmem_to_smem {{.*}} {mosaic_gpu.oob_fill_mode = 1 : i32}
# CHECK: pallas.get {{.*}} {mosaic_gpu.optimized = false}
# CHECK: pallas.copy_gmem_to_smem
# CHECK-NOT: mosaic_gpu
# CHECK: same
x = np.arange(24 * 64, dtype=np.float32).reshape(24, 64)
call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(x.shape, jnp.float32),
                    scratch_types=[plgpu.SMEM((8, 64), jnp.float32), plgpu.Barrier()])
print(pallas_mlir.export(call, jax.ShapeDtypeStruct(x.shape, jnp.float32)))
np.testing.assert_array_equal(call(x), x)
print("same")


# Stores to another block keep theirs, and the larger of two numbers without a sign is that of all bits.
def to_neighbour(x_ref, o_ref, buffer, barrier, ready):
  c = jax.lax.axis_index("c")
  buffer[...] = jnp.full((64, 64), 3, jnp.uint32)
  plgpu.barrier_arrive(ready)
  plgpu.barrier_wait(ready)
  plgpu.async_store_smem(x_ref[c], buffer, barrier, cluster_idx=1 - c, cluster_dim="c", optimized=False, atomic="max")
  plgpu.barrier_wait(barrier)
  o_ref[c] = buffer[...]


# CHECK: pallas.atomic_rmw <umax> {{.*}} {mosaic_gpu.optimized = false}
# CHECK: larger
x = np.stack([np.full((64, 64), 2**31 + 5, np.uint32), np.full((64, 64), 2, np.uint32)])
call = plgpu.kernel(to_neighbour, out_type=jax.ShapeDtypeStruct(x.shape, jnp.uint32), cluster=(2,), cluster_names=("c",),
                    scratch_types=[plgpu.SMEM((64, 64), jnp.uint32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))])
print(pallas_mlir.export(call, jax.ShapeDtypeStruct(x.shape, jnp.uint32)))
np.testing.assert_array_equal(call(x), np.maximum(x[::-1], 3))
print("larger")
