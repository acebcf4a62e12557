# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Layouts that a kernel asks for are exported as mosaic_gpu spells them."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallas_mlir

Layout = plgpu.Layout


def kernel(x_ref, v_ref, o_ref):
  rows = plgpu.layout_cast(x_ref[...], Layout.WGMMA)
  sums = plgpu.layout_cast(jnp.sum(rows, axis=1), Layout.WGMMA.reduce(1))
  o_ref[...] = lax.broadcast_in_dim(sums, rows.shape, (0,))
  v_ref[...] = plgpu.layout_cast(v_ref[...], Layout.WG_STRIDED((128,), vec_size=1))


# CHECK: pallas.layout_cast %{{.*}} : tensor<64x128xf32> layout "#mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>"
# CHECK: pallas.layout_cast %{{.*}} : tensor<64xf32> layout "#mosaic_gpu.TiledLayout<{{\[\[}}64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>"
# CHECK: pallas.layout_cast %{{.*}} : tensor<128xf32> layout "#mosaic_gpu.WGStridedFragLayout<[128], 1>"
matrix, vector = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((64, 128), (128,)))
print(pallas_mlir.export(plgpu.kernel(kernel, out_type=(vector, matrix)), matrix))
