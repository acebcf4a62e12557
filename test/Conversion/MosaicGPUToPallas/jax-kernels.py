# REQUIRES: listed-jax
# RUN: %python %s %root %t

"""Modules that JAX lowers for GPUs run on the CPU and yield what NumPy does.

With names behind the two folders it runs only the kernels that are called so.
"""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import mosaic_gpu as m
import mosaic_gpu_kernels as k
import jax
import ml_dtypes
import numpy as np

WORK = sys.argv[2]
f16, bf16, f32 = np.float16, ml_dtypes.bfloat16, np.float32
RNG = np.random.default_rng(7)


def numbers(shape, dtype):
  return RNG.standard_normal(shape).astype(dtype)


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


M = k.hmm.MatmulDimension.M
# name -> kernel, reference, arrays, tolerance
KERNELS = {
    "add": lambda: (m.add, np.add, (numbers((256, 128), f32), numbers((256, 128), f32)), 0),
    "row_softmax": lambda: (m.row_softmax, softmax, (numbers((128, 128), f32),), 1e-6),
    "rms_norm": lambda: (k.rms_norm, normalized, (numbers((128, 256), bf16), numbers((256,), bf16)), 3e-2),
    "acc_pipeline": lambda: (m.matmul, product, matrices(f16, inner=512), 1e-2),
    "acc_pipeline_bf16": lambda: (m.matmul, product, matrices(bf16), 5e-2),
    "pallas_matmul": lambda: (k.pallas_matmul, product, matrices(bf16), 5e-2),
    "hopper_matmul": lambda: (k.hopper(), product, matrices(f16, 256, 256, 256), 1e-2),
    "hopper_matmul_wgm": lambda: (k.hopper(wg_dimension=M), product, matrices(bf16, 256, 256, 256), 5e-2),
    "hopper_matmul_cluster": lambda: (k.hopper(cluster_dimension=M), product, matrices(f16, 256, 256, 256), 1e-2),
    "mixed_matmul": lambda: (
        k.mixed_matmul(), product,
        (RNG.integers(-8, 8, (128, 256), np.int8), numbers((256, 128), bf16) / 8), 2e-1),
    "attention_wg": lambda: (k.attention(), attended(False), queries(), 1e-2),
    "attention_wg_causal": lambda: (k.attention(causal=True), attended(True), queries(), 1e-2),
    "attention_pipeline": lambda: (k.attention(pipeline=True), attended(False), queries(), 1e-2),
    "ragged_dot": lambda: (k.ragged_dot(False), grouped(False), groups(False), 1e-2),
    "ragged_dot_t": lambda: (k.ragged_dot(True), grouped(True), groups(True), 1e-2),
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
