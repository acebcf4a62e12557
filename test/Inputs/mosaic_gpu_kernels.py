"""Kernels of JAX for GPUs beside those of its text tests: matmuls and attention
of its wheel, with warpgroup semantics, and three more.

There is no device here, so what they ask one for is given.
"""

import mosaic_gpu as m
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import attention_mgpu as att
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hmm
from jax.experimental.pallas.ops.gpu import hopper_mixed_type_matmul_mgpu as mixed
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu as ragged

f32 = jnp.float32

# As if the device had four multiprocessors.
hmm.get_num_sms = lambda: 4
device = type("Device", (), {"core_count": 4})()
mixed.backend = type("backend", (), {"get_default_device": staticmethod(lambda: device)})
ragged.backend = mixed.backend
att.cuda_versions = type("versions", (), {"cuda_runtime_get_version": staticmethod(lambda: 13000)})


def rms_norm(x, w):
  def kernel(x_ref, w_ref, o_ref):
    x = plgpu.load(x_ref, (), layout=plgpu.Layout.WGMMA, optimized=False).astype(f32)
    scale = lax.rsqrt(jnp.sum(x * x, axis=1) / x.shape[1] + 1e-6)
    w = plgpu.load(w_ref, (), layout=plgpu.Layout.WGMMA.reduce(0), optimized=False).astype(f32)
    o_ref[...] = (x * lax.broadcast_in_dim(scale, x.shape, (0,))
                  * lax.broadcast_in_dim(w, x.shape, (1,))).astype(o_ref.dtype)

  rows = pl.BlockSpec((64, x.shape[1]), lambda i: (i, 0))
  return pl.pallas_call(
      kernel, out_shape=x, grid=(x.shape[0] // 64,), out_specs=rows,
      in_specs=[rows, pl.BlockSpec((x.shape[1],), lambda i: (0,))],
      compiler_params=m.WARPGROUP)(x, w)


def pallas_matmul(a, b, tm=64, tn=128, tk=64):
  (rows, inner), columns = a.shape, b.shape[1]

  def kernel(a_smem, b_smem, o_smem, acc):
    plgpu.wgmma(acc, a_smem, b_smem)

    @pl.when(pl.program_id(2) == inner // tk - 1)
    def _():
      o_smem[...] = acc[...].astype(o_smem.dtype)

  spec = lambda shape, index: plgpu.BlockSpec(
      shape, index, delay_release=1, transforms=m.tiled(a.dtype, 64))
  return pl.pallas_call(
      kernel, out_shape=m.S((rows, columns), a.dtype),
      grid=(rows // tm, columns // tn, inner // tk),
      in_specs=[spec((tm, tk), lambda i, j, k: (i, k)),
                spec((tk, tn), lambda i, j, k: (k, j))],
      out_specs=plgpu.BlockSpec((tm, tn), lambda i, j, k: (i, j),
                                transforms=m.tiled(a.dtype, tn)),
      scratch_shapes=[plgpu.ACC((tm, tn), f32)],
      compiler_params=plgpu.CompilerParams(
          lowering_semantics=plgpu.LoweringSemantics.Warpgroup, max_concurrent_steps=4,
          dimension_semantics=("parallel", "parallel", "sequential")))(a, b)


def hopper(**options):
  config = hmm.TuningConfig(**{
      "tile_m": 64, "tile_n": 64, "tile_k": 64, "max_concurrent_steps": 2,
      "grid_tile_width": 2, **options})
  return lambda a, b: hmm.matmul(a, b, None, config)


def attention(pipeline=False, **options):
  config = att.TuningConfig(**{"block_q": 64, "block_kv": 64, "max_concurrent_steps": 2, **options})

  def call(q, k, v):
    params = att.plgpu.CompilerParams
    # The kernel itself asks for no semantics.
    att.plgpu.CompilerParams = lambda **given: params(
        **{**given, "lowering_semantics": plgpu.LoweringSemantics.Warpgroup})
    try:
      function = att.attention_with_pipeline_emitter if pipeline else att.attention
      return function(q, k, v, config)
    finally:
      att.plgpu.CompilerParams = params

  return call


def mixed_matmul(**options):
  config = mixed.TuningConfig(**{
      "tile_m": 64, "tile_n": 64, "tile_k": 64, "max_concurrent_steps": 2,
      "grid_tile_width": 2, **options})
  return lambda a, b: mixed.mixed_matmul_kernel(a, b, out_dtype=jnp.bfloat16, config=config)


def ragged_dot(transpose, **options):
  config = {"block_m": 64, "block_n": 128, "block_k": 64, "max_concurrent_steps": 2,
            "grid_block_n": 2, **options}
  return lambda lhs, rhs, sizes: ragged.ragged_dot(
      lhs, rhs, group_sizes=sizes, transpose_rhs=transpose, **config)


def tensor_matmul(a, b):
  """One product of 128 rows in the tensor memory of Blackwell."""
  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, loaded, done):
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, loaded)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.tcgen05_mma(acc, a_smem, b_smem, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc).astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  shape = (a.shape[0], b.shape[1])
  smem = lambda shape: plgpu.SMEM(shape, a.dtype, transforms=m.tiled(a.dtype, 64))
  return plgpu.kernel(
      kernel, out_type=m.S(shape, a.dtype), compiler_params=m.WARPGROUP,
      scratch_types=[smem(a.shape), smem(b.shape), smem(shape), plgpu.TMEM(shape, f32),
                     plgpu.Barrier(num_arrivals=2), plgpu.Barrier(orders_tensor_core=True)])(a, b)


# name -> function and the shapes of its arguments, small ones; for Hopper
_M = hmm.MatmulDimension.M
_MATRICES = [m.S((256, 256), m.f16)] * 2
_HEADS = [m.S((1, 256, 2, 64), m.f16)] * 3
_GROUPS = [m.S((256, 64), m.f16), m.S((4, 64, 128), m.f16), m.S((4,), m.i32)]
KERNELS = {
    "rms_norm": (rms_norm, [m.S((128, 256), m.bf16), m.S((256,), m.bf16)]),
    "pallas_matmul": (pallas_matmul, [m.S((128, 128), m.bf16)] * 2),
    "hopper_matmul": (hopper(), _MATRICES),
    "hopper_matmul_wgm": (hopper(wg_dimension=_M), _MATRICES),
    "hopper_matmul_cluster": (hopper(cluster_dimension=_M), _MATRICES),
    "mixed_matmul": (mixed_matmul(), [m.S((128, 256), jnp.int8), m.S((256, 128), m.bf16)]),
    "attention": (attention(), _HEADS),
    "attention_causal": (attention(causal=True), _HEADS),
    "attention_pipeline": (attention(pipeline=True), _HEADS),
    "ragged_dot": (ragged_dot(False), _GROUPS),
    "ragged_dot_t": (ragged_dot(True), [_GROUPS[0], m.S((4, 128, 64), m.f16), _GROUPS[2]]),
}
