"""Compiles a kernel of JAX's wheel for this CPU, and compares it with interpret mode.

  PYTHONPATH=build/python python examples/jax/flash_attention.py
"""
import time

import jax
import numpy as np
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention, mha_reference

import pallas_mlir
import pallas_mlir.jax  # from here on every pallas_call on the CPU is compiled

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((1, 2, 256, 64)).astype(np.float32) for _ in range(3))


def attention(q, k, v):
  return flash_attention(q, k, v, causal=True, sm_scale=0.125)


def seconds(f):
  jax.block_until_ready(f(q, k, v))
  start = time.perf_counter()
  jax.block_until_ready(f(q, k, v))
  return time.perf_counter() - start


module = pallas_mlir.export(attention, q, k, v)
print("\n".join(module.splitlines()[:4]))

compiled = jax.jit(attention)
error = np.abs(compiled(q, k, v) - mha_reference(q, k, v, None, causal=True, sm_scale=0.125)).max()
print(f"largest error: {'small' if error < 1e-3 else error}")
print(f"a warm call takes {seconds(compiled) * 1e3:.2f} ms")
