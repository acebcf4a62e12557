# REQUIRES: listed-jax
# RUN: %python %s %root %t

"""Modules that JAX lowers for GPUs run on the CPU and yield what NumPy does.

With names behind the two folders it runs only the kernels that are called so.
"""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import mosaic_gpu as m
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import attention_mgpu as att
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hmm
from jax.experimental.pallas.ops.gpu import hopper_mixed_type_matmul_mgpu as mixed
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu as ragged

WORK = sys.argv[2]
f16, bf16, f32 = np.float16, ml_dtypes.bfloat16, np.float32
RNG = np.random.default_rng(7)

# There is no device to ask for its number of multiprocessors.
hmm.get_num_sms = lambda: 4
_device = type("Device", (), {"core_count": 4})()
mixed.backend = type("backend", (), {"get_default_device": staticmethod(lambda: _device)})
ragged.backend = mixed.backend
att.cuda_versions = type("versions", (), {"cuda_runtime_get_version": staticmethod(lambda: 13000)})


def numbers(shape, dtype):
  return RNG.standard_normal(shape).astype(dtype)


# --------------------------------------------------------------- kernels
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
  config = att.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, **options)

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


def mixed_matmul(a, b):
  config = mixed.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, grid_tile_width=2)
  return mixed.mixed_matmul_kernel(a, b, out_dtype=jnp.bfloat16, config=config)


def ragged_dot(transpose):
  return lambda lhs, rhs, sizes: ragged.ragged_dot(
      lhs, rhs, group_sizes=sizes, block_m=64, block_n=128, block_k=64,
      max_concurrent_steps=2, grid_block_n=2, transpose_rhs=transpose)


# ------------------------------------------------------------ references
def product(a, b):
  return np.asarray(a, f32) @ np.asarray(b, f32)


def softmax(x):
  e = np.exp(x - x.max(axis=-1, keepdims=True))
  return e / e.sum(axis=-1, keepdims=True)


def normalized(x, w):
  x, w = np.asarray(x, f32), np.asarray(w, f32)
  return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * w


def attended(causal):
  def function(q, k, v):
    q, k, v = (np.asarray(x, f32) for x in (q, k, v))
    logits = np.einsum("bqhd,bkhd->bhqk", q, k)
    if causal:
      logits = np.where(np.tri(q.shape[1], k.shape[1], dtype=bool), logits, -np.inf)
    return np.einsum("bhqk,bkhd->bqhd", softmax(logits), v)

  return function


def grouped(transpose):
  def function(lhs, rhs, sizes):
    out, start = np.zeros((lhs.shape[0], rhs.shape[1 if transpose else 2]), f32), 0
    for matrix, size in zip(rhs, sizes):
      part = slice(start, start + size)
      out[part] = product(lhs[part], matrix.T if transpose else matrix)
      start += size
    return out

  return function


def matrices(dtype, rows=128, inner=256, columns=128):
  return numbers((rows, inner), dtype) / 8, numbers((inner, columns), dtype) / 8


def queries():
  return tuple(numbers((1, 256, 2, 64), f16) / 2 for _ in range(3))


def groups(transpose):
  shape = (4, 128, 64) if transpose else (4, 64, 128)
  return (numbers((256, 64), f16) / 4, numbers(shape, f16) / 4,
          np.array([64, 37, 91, 64], np.int32))


M = hmm.MatmulDimension.M
# name -> kernel, reference, arrays, tolerance
KERNELS = {
    "add": lambda: (m.add, np.add, (numbers((256, 128), f32), numbers((256, 128), f32)), 0),
    "row_softmax": lambda: (m.row_softmax, softmax, (numbers((128, 128), f32),), 1e-6),
    "rms_norm": lambda: (rms_norm, normalized, (numbers((128, 256), bf16), numbers((256,), bf16)), 3e-2),
    "acc_pipeline": lambda: (m.matmul, product, matrices(f16, inner=512), 1e-2),
    "acc_pipeline_bf16": lambda: (m.matmul, product, matrices(bf16), 5e-2),
    "pallas_matmul": lambda: (pallas_matmul, product, matrices(bf16), 5e-2),
    "hopper_matmul": lambda: (hopper(), product, matrices(f16, 256, 256, 256), 1e-2),
    "hopper_matmul_wgm": lambda: (hopper(wg_dimension=M), product, matrices(bf16, 256, 256, 256), 5e-2),
    "hopper_matmul_cluster": lambda: (hopper(cluster_dimension=M), product, matrices(f16, 256, 256, 256), 1e-2),
    "mixed_matmul": lambda: (
        mixed_matmul, product,
        (RNG.integers(-8, 8, (128, 256), np.int8), numbers((256, 128), bf16) / 8), 2e-1),
    "attention_wg": lambda: (attention(), attended(False), queries(), 1e-2),
    "attention_wg_causal": lambda: (attention(causal=True), attended(True), queries(), 1e-2),
    "attention_pipeline": lambda: (attention(pipeline=True), attended(False), queries(), 1e-2),
    "ragged_dot": lambda: (ragged_dot(False), grouped(False), groups(False), 1e-2),
    "ragged_dot_t": lambda: (ragged_dot(True), grouped(True), groups(True), 1e-2),
}


def execute(stem, text, arrays, result):
  """Runs a module on arrays in the order of its operands."""
  with open(f"{stem}.mlir", "w") as file:
    file.write(text)
  command = ["pallas-run", f"{stem}.mlir", "--no-cache", "--out", f"{stem}.out.npy"]
  for i, array in enumerate(arrays):
    np.save(f"{stem}.in{i}.npy", array)
    command += ["--in", f"{stem}.in{i}.npy"]
  m.run(*command)
  out = np.load(f"{stem}.out.npy")
  # Files don't know the types of machine learning.
  return out if out.dtype == result.dtype else out.view(result.dtype)


def operands(name, arrays):
  # JAX passes the sizes of groups first.
  return (arrays[2], *arrays[:2]) if name.startswith("ragged") else arrays


def check(name):
  function, reference, arrays, tolerance = KERNELS[name]()
  shapes = [m.S(a.shape, a.dtype) for a in arrays]
  texts = m.kernel_modules(function, *shapes)
  assert len(texts) == 1, f"{name} is {len(texts)} kernels"
  result = jax.eval_shape(function, *shapes)
  out = execute(os.path.join(WORK, name), texts[0], operands(name, arrays), result)
  np.testing.assert_allclose(np.asarray(out, f32).reshape(result.shape),
                             np.asarray(reference(*arrays), f32),
                             rtol=tolerance, atol=tolerance, err_msg=name)


os.makedirs(WORK, exist_ok=True)
names = sys.argv[3:] or list(KERNELS)
failures = 0
for name in names:
  try:
    check(name)
    print(f"{name}: as NumPy has it", flush=True)
  except Exception as error:
    failures += 1
    print(f"{name}: {type(error).__name__}: {str(error)[:3000]}", flush=True)
sys.exit(failures)
