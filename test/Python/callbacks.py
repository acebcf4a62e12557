# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels call functions of Python: with any types, in loops, per program, from threads; what these raise is the kernel's error."""
import contextlib
import gc
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental import io_callback
from pallas_mlir import callbacks

S, f32 = jax.ShapeDtypeStruct, np.float32
x = floats(4, 6)


def like(a):
  return S(a.shape, a.dtype)


def call(function, *arrays):
  return jax.block_until_ready(jax.jit(lambda *a: whole(function, *a))(*arrays))


def agree(name, function, want, *arrays):
  try:
    same(call(function, *arrays), want, 1e-6)
  except Exception as error:
    raise AssertionError(name) from error


agree("array", lambda v: jax.pure_callback(lambda a: np.sort(a, -1)[:, ::-1], like(v), v * 2) + 1, np.sort(x * 2, -1)[:, ::-1] + 1, x)
agree("scalar", lambda v: v * jax.pure_callback(lambda s: np.float32(float(s) ** 2), S((), f32), v[0, 0]), x * x[0, 0] ** 2, x)
agree("tree", lambda v: jax.pure_callback(lambda d: {"a": d["u"].sum(-1), "b": d["w"] > 0}, {"a": S((4,), f32), "b": S((4, 6), bool)}, {"u": v, "w": v}),
      {"a": x.sum(-1), "b": x > 0}, x)
for dtype in (ml_dtypes.bfloat16, np.float16, np.int8, np.uint16, np.int32, bool):
  agree(str(dtype), lambda v: jax.pure_callback(lambda a: ~a if a.dtype == bool else a + a, like(v), v), np.array([2, 0, 4]).astype(dtype) if dtype != bool
        else np.array([False, True, False]), np.array([1, 0, 2]).astype(dtype))
agree("int4", lambda v: jax.pure_callback(lambda a: a, S((3,), jnp.int4), v.astype(jnp.int4)).astype(np.int32), *[np.array([-8, 7, 3], np.int32)] * 2)
agree("complex", lambda v: jnp.abs(jax.pure_callback(lambda a: a * 1j + a.real, S((4, 6), np.complex64), v + 2j)), np.abs((x + 2j) * 1j + x).astype(f32), x)
agree("loop", lambda v: lax.fori_loop(0, 5, lambda i, a: jax.pure_callback(lambda b, i: b * f32(0.5) + i.astype(f32), like(a), a, i), v),
      x / 32 + sum(i / 2 ** (4 - i) for i in range(5)), x)
agree("branch", lambda v: lax.cond(v[0, 0] > 9, lambda: jax.pure_callback(lambda b: 1 / 0, like(v), v), lambda: v), x, x)
agree("no results", lambda v: (io_callback(lambda a: None, None, v), v)[1], x, x)

# In the order of the grid.
seen = []


def noted(x, o):
  jax.debug.callback(lambda i, v: seen.append((int(i), float(v))), pl.program_id(0), x[0, 0])
  o[...] = x[...] + io_callback(lambda v: np.asarray(v).max(), S((), f32), x[...])


row = pl.BlockSpec((1, 6), lambda i: (i, 0))
rows = pl.pallas_call(noted, grid=(4,), in_specs=[row], out_specs=row, out_shape=like(x))
same(rows(x), x + x.max(1, keepdims=True), 1e-6)
jax.effects_barrier()
assert seen == [(i, float(x[i, 0])) for i in range(4)], seen

# Several at the same time.
results = [None] * 4


def run(i):
  results[i] = np.asarray(call(lambda v: jax.pure_callback(lambda a: a + f32(i), like(v), v), x))


threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
for thread in threads:
  thread.start()
for thread in threads:
  thread.join()
for i, result in enumerate(results):
  np.testing.assert_allclose(result, x + i)


def fails(function, *texts):
  try:
    with contextlib.redirect_stderr(None):
      call(function, x)
  except jax.errors.JaxRuntimeError as error:
    missing = [t for t in ("callbacks.py", *texts) if t not in str(error)]
    assert not missing, (missing, str(error))
  else:
    raise AssertionError("no error")


fails(lambda v: jax.pure_callback(lambda a: 1 / 0, like(v), v), "ZeroDivisionError")
fails(lambda v: jax.pure_callback(lambda a: a[0], like(v), v), "shape (6,)", "declared (4, 6)")

# Another process does not know the function.
exported = pallas_mlir.export(lambda v: whole(lambda u: jax.pure_callback(np.sin, like(u), u), v), x)
assert "pallas.host_call" in exported, exported
number = int(exported.split("@python_")[1].split("(")[0])
jax.clear_caches()
gc.collect()
assert "run the kernel there" in callbacks.call(number, [])
