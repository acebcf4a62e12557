# REQUIRES: pallas-python
# RUN: %python %s 2>&1 | FileCheck %s
"""Mistakes in calls are exceptions that say what is wrong with which values, where the kernel is."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
import pallas_mlir.jax

x = np.ones((8, 8), np.float32)
whole = pl.BlockSpec((8, 8), lambda *i: (0, 0))


def copied(x, o, *scratch):
  o[...] = x[...]


def attempt(kernel=copied, **keywords):
  keywords = {"out_shape": jax.ShapeDtypeStruct((8, 8), jnp.float32), "in_specs": [whole], "out_specs": whole, **keywords}
  try:
    jax.block_until_ready(pl.pallas_call(kernel, **keywords)(x))
  except Exception as error:
    print(type(error).__name__, error)


# CHECK: VerificationError {{.*}}mistakes.py:18: the grid (2147483647, 2147483647, 2147483647) has 9903520300447984150353281023 programs; use at most 2**63 - 1
attempt(grid=(2**31 - 1,) * 3)
# CHECK: VerificationError {{.*}}mistakes.py:18: the grid (1180591620717411303424,) has
attempt(grid=(2**70,))
# CHECK: VerificationError {{.*}}mistakes.py:18: 'pallas.pallas_call' op grid dimension 0 has size -2; a size must be at least 0
attempt(grid=(-2,))
# CHECK: VerificationError {{.*}}mistakes.py:18: a ref of shape (36893488147419103232, 8) has more than 2**63 - 1 elements; use a smaller one
attempt(scratch_shapes=[pltpu.VMEM((2**65, 8), jnp.float32)])
# CHECK: VerificationError {{.*}}mistakes.py:18: the semantics of grid dimension 1 are 'quick', which no target knows; use 'parallel' or 'arbitrary'
attempt(grid=(1, 2), compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "quick")))


def forgetful(x, o):
  o[...] = jax.pure_callback(lambda v: None, jax.ShapeDtypeStruct((8, 8), jnp.float32), x[...])


# CHECK: JaxRuntimeError {{.*}}mistakes.py:[[@LINE-3]]
# CHECK: ValueError: the function returned 0 arrays, but declared 1
attempt(forgetful)


def product(a, b, o, a_part, b_part, acc, done, arrived):
  plgpu.copy_gmem_to_smem(a, a_part, arrived)
  plgpu.copy_gmem_to_smem(b, b_part, arrived)
  plgpu.barrier_wait(arrived)
  plgpu.tcgen05_mma(acc, a_part, b_part, accumulate=False, collective_axis="c")
  plgpu.tcgen05_commit_arrive(done, collective_axis="c")


# Two blocks multiply together, never one or four.
# CHECK: VerificationError {{.*}}mistakes.py:[[@LINE-5]]: 'pallas.tcgen05_mma' op multiplies along the axis "c" of size 1, but two blocks act as one; use an axis of size 2
# CHECK: VerificationError {{.*}}mistakes.py:[[@LINE-6]]: 'pallas.tcgen05_mma' op multiplies along the axis "c" of size 4, but two blocks act as one; use an axis of size 2
for blocks in (1, 4):
  call = plgpu.kernel(product, out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32), cluster=(blocks,), cluster_names=("c",),
                      scratch_types=[plgpu.SMEM((128, 64), jnp.float16), plgpu.SMEM((64, 64), jnp.float16),
                                     plgpu.TMEM((128, 128), jnp.float32, collective=True),
                                     plgpu.Barrier(orders_tensor_core=True), plgpu.Barrier(num_arrivals=2)])
  try:
    call(np.ones((128, 64), np.float16), np.ones((64, 64), np.float16))
  except pallas_mlir.PallasError as error:
    print(type(error).__name__, error)
