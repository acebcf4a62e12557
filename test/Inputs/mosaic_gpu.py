"""Mosaic GPU modules that JAX makes, and jaxlib's own parser for them.

Nothing here needs a GPU or the CUDA plugin: JAX lowers a kernel for GPUs
anywhere, up to the module that a compiler of the plugin takes.
"""

import os
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import mlir
from jax._src.pallas.mosaic_gpu import lowering
from jax.experimental import pallas as pl
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxlib.mlir import ir

f16, bf16, f32, i32 = jnp.float16, jnp.bfloat16, jnp.float32, jnp.int32
S = jax.ShapeDtypeStruct
WARPGROUP = plgpu.CompilerParams(
    lowering_semantics=plgpu.LoweringSemantics.Warpgroup
)


def run(*command, stdin=None):
  done = subprocess.run(command, input=stdin, capture_output=True)
  if done.returncode:
    raise RuntimeError(f"{command}: {done.stderr.decode()}")
  return done.stdout


# ---------------------------------------------------------------- jaxlib
def context():
  ctx = mlir.make_ir_context()
  mgpu.dialect.register_dialect(ctx)
  return ctx


def jaxlib_print(source):
  """Parses and verifies text with jaxlib, and prints it."""
  with context(), ir.Location.unknown():
    return ir.Module.parse(source).operation.get_asm()


def kernel_modules(function, *arguments):
  """Text of the modules that JAX's lowering gives to its layout inference."""
  texts = []
  infer = lowering.mgpu.infer_layout

  def keep(module, **options):
    texts.append(str(module))
    return infer(module, **options)

  lowering.mgpu.infer_layout = keep
  try:
    jax.clear_caches()
    jax.jit(function).trace(*arguments).lower(lowering_platforms=("cuda",))
  finally:
    lowering.mgpu.infer_layout = infer
  return texts


# --------------------------------------------------------------- kernels
def tiled(dtype, columns):
  swizzle = plgpu.find_swizzle(columns * jnp.dtype(dtype).itemsize * 8)
  tile = (8, swizzle // jnp.dtype(dtype).itemsize)
  return plgpu.TilingTransform(tile), plgpu.SwizzleTransform(swizzle)


def add(x, y):
  def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]

  block = pl.BlockSpec((64, 128), lambda i: (i, 0))
  return pl.pallas_call(
      kernel, out_shape=x, grid=(x.shape[0] // 64,), in_specs=[block, block],
      out_specs=block, compiler_params=WARPGROUP)(x, y)


def row_softmax(x):
  def kernel(x_ref, o_ref):
    v = plgpu.load(x_ref, (), layout=plgpu.Layout.WGMMA)
    e = jnp.exp(v - lax.broadcast_in_dim(jnp.max(v, axis=1), v.shape, (0,)))
    o_ref[...] = e / lax.broadcast_in_dim(jnp.sum(e, axis=1), v.shape, (0,))

  block = pl.BlockSpec((64, 128), lambda i: (i, 0))
  return pl.pallas_call(
      kernel, out_shape=x, grid=(x.shape[0] // 64,), in_specs=[block],
      out_specs=block, compiler_params=WARPGROUP)(x)


def matmul(a, b):
  """Tiles of 128x128, whose sums stay in registers over a pipeline."""
  (m, k), n = a.shape, b.shape[1]

  def kernel(a_gmem, b_gmem, o_gmem, o_smem):
    i, j = lax.axis_index("m"), lax.axis_index("n")

    def scope(acc):
      def step(_, a_smem, b_smem):
        plgpu.wgmma(acc, a_smem, b_smem)
        plgpu.wgmma_wait(1)

      plgpu.emit_pipeline(
          step, grid=(k // 64,), max_concurrent_steps=4, in_specs=[
              plgpu.BlockSpec((128, 64), lambda s: (i, s), delay_release=1,
                              transforms=tiled(a.dtype, 64)),
              plgpu.BlockSpec((64, 128), lambda s: (s, j), delay_release=1,
                              transforms=tiled(b.dtype, 64)),
          ])(a_gmem, b_gmem)
      return acc[...]

    o_smem[...] = pl.run_scoped(scope, plgpu.ACC((128, 128), f32)).astype(a.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(
        o_smem, o_gmem.at[pl.ds(i * 128, 128), pl.ds(j * 128, 128)])
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      kernel, out_type=S((m, n), a.dtype), grid=(m // 128, n // 128),
      grid_names=("m", "n"), compiler_params=WARPGROUP,
      scratch_types=[plgpu.SMEM((128, 128), a.dtype, transforms=tiled(a.dtype, 128))],
  )(a, b)


KERNELS = {
    "add": (add, (S((4096, 128), f32),) * 2),
    "row_softmax": (row_softmax, (S((4096, 128), f32),)),
    "matmul": (matmul, (S((512, 512), f16),) * 2),
    "matmul_bf16": (matmul, (S((512, 512), bf16),) * 2),
}


def all_modules(kernels):
  for name, (function, arguments) in kernels.items():
    for text in kernel_modules(function, *arguments):
      yield name, text
