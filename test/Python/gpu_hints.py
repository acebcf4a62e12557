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
