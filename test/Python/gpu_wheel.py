# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels for GPUs that JAX ships: products by warpgroups and by tensor memory, of groups, of mixed types, attention."""
import importlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *

t = Table()
f32 = np.float32


class Chip:
  """What the kernels ask a GPU for."""
  core_count = 4
  cuda_runtime_get_version = staticmethod(lambda: 13000)
  get_default_device = staticmethod(lambda: Chip)


def module(name):
  found = importlib.import_module(f"jax.experimental.pallas.ops.gpu.{name}")
  for attribute in ("backend", "cuda_versions"):
    if hasattr(found, attribute):
      setattr(found, attribute, Chip)
  return found


def add(name, function, *arrays, want, tolerance=3e-2):
  t.add(name, lambda *v, interpret: function(*v).astype(f32), *arrays, tolerance=tolerance, whole_arrays=False, want=want)


def half(*shape, seed=0):
  return floats(*shape, seed=seed, dtype=np.float16, scale=0.5)


a, b, c = half(256, 256), half(256, 256, seed=1), floats(256, 256, seed=2)
product = a.astype(f32) @ b.astype(f32)
hopper, mixed, blackwell = module("hopper_matmul_mgpu"), module("hopper_mixed_type_matmul_mgpu"), module("blackwell_matmul_mgpu")
tiles = dict(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
M, N = hopper.MatmulDimension
add("hopper", lambda a, b: hopper.matmul(a, b, None, hopper.TuningConfig(**tiles)), a, b, want=product)
add("hopper_cluster", lambda a, b, c: hopper.matmul(a, b, c, hopper.TuningConfig(**tiles, cluster_dimension=N, wg_dimension=M, grid_minor_dim=M, grid_tile_width=2)),
    a, b, c, want=product + c)
small = integers(-8, 8, 256, 256, dtype=np.int8)
add("mixed", lambda a, b: mixed.mixed_matmul_kernel(a, b, out_dtype=jnp.float16, config=mixed.TuningConfig(**tiles)), small, b,
    want=small.astype(f32) @ b.astype(f32), tolerance=0.2)
original = jax.devices


def on_chip(function):
  """With devices that know how many cores they have."""
  def called(*arrays):
    jax.devices = jax.local_devices = lambda *_: [Chip]
    try:
      return function(*arrays)
    finally:
      jax.devices, jax.local_devices = original, original
  return called


add("blackwell", on_chip(lambda a, b: blackwell.matmul_kernel(a, b, blackwell.TuningConfig(
    tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=2, collective=False))), a, b, want=product)
add("blackwell_cluster", on_chip(lambda a, b: blackwell.matmul_kernel(a, b, blackwell.TuningConfig(
    tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=2, collective=True))), a, b, want=product)
ragged, transposed = module("ragged_dot_mgpu"), module("transposed_ragged_dot_mgpu")
groups, lhs, rhs = np.array([100, 0, 156], np.int32), half(256, 128), half(3, 128, 256, seed=3)
blocks = dict(block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=2)
ends = np.cumsum(groups)
add("ragged", lambda l, r, g: ragged.ragged_dot(l, r, group_sizes=g, **blocks), lhs, rhs, groups,
    want=np.concatenate([lhs[e - n:e].astype(f32) @ r.astype(f32) for e, n, r in zip(ends, groups, rhs)]))
add("ragged_transposed", on_chip(lambda l, r, g: transposed.transposed_ragged_dot(l, r, group_sizes=g, **blocks)), lhs, b, groups,
    want=np.stack([lhs[e - n:e].astype(f32).T @ b[e - n:e].astype(f32) for e, n in zip(ends, groups)]), tolerance=0.1)
attention = module("attention_mgpu")
q, k, v = half(1, 256, 4, 64), half(1, 256, 2, 64, seed=1), half(1, 256, 2, 64, seed=2)
for name, causal in (("attention", True), ("attention_with_pipeline_emitter", False)):
  config = attention.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, causal=causal)
  add(name, lambda *v, f=getattr(attention, name), config=config: f(*v, config), q, k, v,
      want=attention.attention_reference(q, k, v, causal=causal).astype(f32))
t.run()
