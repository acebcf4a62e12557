# REQUIRES: jax, pallas-python
# RUN: %python %s | FileCheck %s
"""A product of two blocks of a cluster is exported with all that a GPU has to know; on CPUs the first block computes it for both."""

import jax
import jax.numpy as jnp
import numpy as np
import pallas_mlir
import pallas_mlir.jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

f16, f32 = jnp.float16, jnp.float32


def kernel(a, b, o, a_part, b_part, acc, done, arrived):
  block = jax.lax.axis_index("c")
  plgpu.copy_gmem_to_smem(a, a_part, arrived, collective_axes="c", leader_tracked=plgpu.CopyPartition.PARTITIONED(0))
  plgpu.copy_gmem_to_smem(b, b_part, arrived, collective_axes="c", leader_tracked=plgpu.CopyPartition.PARTITIONED(1))

  @pl.when(block == 0)
  def _():
    plgpu.barrier_wait(arrived)
    plgpu.tcgen05_mma(acc, a_part, b_part, accumulate=False, collective_axis="c")
    plgpu.tcgen05_commit_arrive(done, collective_axis="c")

  plgpu.barrier_wait(done)
  o[pl.ds(block * 128, 128)] = plgpu.async_load_tmem(acc)


product = plgpu.kernel(
    kernel, out_type=jax.ShapeDtypeStruct((256, 128), f32), cluster=(2,), cluster_names=("c",),
    scratch_types=[plgpu.SMEM((128, 64), f16), plgpu.SMEM((64, 64), f16), plgpu.TMEM((128, 128), f32, collective=True),
                   plgpu.Barrier(orders_tensor_core=True), plgpu.Barrier(num_arrivals=2)])
arguments = jnp.ones((256, 64), f16), jnp.ones((64, 128), f16)

# CHECK: kernel @kernel on <gpu, [<cluster "c" = 2>]>
# CHECK: pallas.copy_gmem_to_smem {{.*}} collective ["c"] leader_tracked partitioned 1 : !pallas.ref<64x128xf16, gmem>, !pallas.ref<64x64xf16, smem>
# CHECK: pallas.tcgen05_mma {{.*}} collective "c" : !pallas.ref<128x128xf32, tmem, [#pallas.tensor_memory<collective = true>]>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x64xf16, smem>
# CHECK: pallas.tcgen05_commit %{{.*}} collective "c" :
print(pallas_mlir.export(product, *arguments))

# The factors are exact in f16, so are the sums.
a, b = (np.random.default_rng(seed).integers(-3, 4, shape).astype(f16) for seed, shape in ((0, (256, 64)), (1, (64, 128))))
want = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
np.testing.assert_array_equal(jax.jit(product)(a, b), want)
np.testing.assert_array_equal(jax.vmap(product, (0, None))(np.stack([a, -a]), b), np.stack([want, -want]))
# CHECK: as numpy has it
print("as numpy has it")
