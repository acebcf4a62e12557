# REQUIRES: pallas-python
# RUN: %python %s
# RUN: env JAX_ENABLE_X64=1 %python %s
"""Special functions, windows, solvers and random numbers that are written by simpler primitives, also where JAX's numbers have 64 bits."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax._src.random import threefry4x32

t = Table()
x, p = floats(5, 9, scale=3.0), np.abs(floats(5, 9, seed=1, scale=3.0)) + 0.3
half = floats(3, 7, dtype=ml_dtypes.bfloat16)
unit = (np.tanh(floats(5, 9)) * 0.45 + 0.5).astype(np.float32)

for name in ("bessel_i0e", "bessel_i1e"):
  t.add(name, getattr(lax, name), np.concatenate([x, x * 20]), tolerance=1e-5)
  t.add(f"{name}_bf16", getattr(lax, name), half, tolerance=1e-2)
t.add("zeta", lax.zeta, p + 1.1, p[::-1], tolerance=2e-5)
t.add("zeta_special", lax.zeta, np.array([1, 0.5, 2, 3, 2.5, 4], np.float32), np.array([2, 2, -1, -1, -1.5, -1.5], np.float32),
      tolerance=1e-4)
t.add("polygamma", lambda v: [lax.polygamma(jnp.full_like(v, n), v) for n in range(4)], p, tolerance=5e-4)
t.add("igamma", lambda a, v: (lax.igamma(a, v), lax.igammac(a, v)), p, p[::-1], tolerance=1e-4)
t.add("igamma_grad", lax.igamma_grad_a, p, p[::-1], tolerance=1e-3)
t.add("random_gamma_grad", lax.random_gamma_grad, p, p[::-1], tolerance=1e-3)
t.add("betainc", lax.regularized_incomplete_beta_p.bind if hasattr(lax, "regularized_incomplete_beta_p") else lax.betainc,
      p, p[::-1], unit, tolerance=1e-4)

for name, dtype in (("add", np.float32), ("max", np.float32), ("min", np.int32), ("max", np.int8)):
  start = {"add": 0, "max": -np.inf if dtype == np.float32 else -128, "min": 2**31 - 1}[name]
  a = integers(-50, 50, 13, 17).astype(dtype)
  for label, args in (("valid", ((3, 2), (1, 1), "VALID")), ("same", ((5, 3), (2, 3), "SAME"))):
    t.add(f"reduce_window_{name}_{np.dtype(dtype).name}_{label}",
          lambda v, n=name, s=start, q=args: lax.reduce_window(v, jnp.array(s, v.dtype), getattr(lax, n), *q), a)
t.add("reduce_window_dilated", lambda v: lax.reduce_window(v, 0.0, lax.add, (3, 7), (2, 1), ((1, 2), (3, 3)), (2, 1), (1, 2)), x)
t.add("reduce_window_mul", lambda v: lax.reduce_window(v, np.float32(1), lax.mul, (2, 2), (1, 1), "VALID"), x)
t.add("approx_max_k", lambda v: lax.approx_max_k(v, 3), x)
t.add("approx_min_k", lambda v: lax.approx_min_k(v, 3), x)

spd = (lambda m: m @ m.T + 6 * np.eye(6, dtype=np.float32))(floats(6, 6))
b = floats(6, 4)
t.add("cholesky", lax.linalg.cholesky, spd, tolerance=1e-4)
for left in (True, False):
  for lower in (True, False):
    for transposed in (True, False):
      t.add(f"triangular_solve_{left}_{lower}_{transposed}",
            lambda m, v, l=left, w=lower, s=transposed: lax.linalg.triangular_solve(m, v, left_side=l, lower=w, transpose_a=s),
            spd, b if left else b.T.copy(), tolerance=1e-4)
t.add("lu", lambda m: lax.linalg.lu(m), floats(6, 6, seed=3), tolerance=1e-4)
t.add("solve", jnp.linalg.solve, spd, b, tolerance=1e-4)

for impl in ("threefry2x32", "philox2x32", "philox4x32"):
  def draw(seed, impl=impl):
    key = jax.random.fold_in(jax.random.key(seed[0], impl=impl), 7)
    first, second = jax.random.split(key)
    return jax.random.bits(first, (5, 7)), jax.random.uniform(second, (3, 5)), jax.random.normal(key, (9,))
  t.add(f"random_{impl}", draw, np.array([42], np.int32))
# XLA takes minutes for what the interpreter makes of this one.
words = [integers(0, 2**31 - 1, 5, 7, seed=i).view(np.uint32) for i in range(8)]
t.add("threefry4x32", threefry4x32.threefry4x32_p.bind, *words, want=threefry4x32._threefry4x32_lowering(*words))
t.add("random_many", lambda s: jax.vmap(lambda i: jax.random.uniform(jax.random.key(i), (4,)))(s), np.arange(3, dtype=np.int32))
t.add("random_gamma", lambda s: (jax.random.gamma(jax.random.key(s[0]), 2.0, (8,)), jax.random.beta(jax.random.key(s[0]), 2.0, 3.0, (4,)),
                                 jax.random.dirichlet(jax.random.key(s[0]), jnp.ones(5))), np.array([7], np.int32), tolerance=1e-4)
t.add("random_poisson", lambda s: (jax.random.poisson(jax.random.key(s[0]), 4.0, (8,)), jax.random.choice(jax.random.key(s[0]), 9, (5,), replace=False)),
      np.array([7], np.int32))


def rbg(seed):
  """What no choice of bits changes: uniform, other bits for other keys, and the same ones for the same key."""
  first, second = (jax.random.key(seed[0] + i, impl="rbg") for i in range(2))
  drawn = jax.random.uniform(first, (4096,))
  wide = jax.random.bits(jax.random.key(seed[0], impl="unsafe_rbg"), (512,), jnp.uint8).astype(jnp.float32)
  return [jnp.abs(drawn.mean() - 0.5) < 0.02, (drawn >= 0).all() & (drawn < 1).all(), (jax.random.uniform(second, (4096,)) != drawn).mean() > 0.99,
          (jax.random.uniform(first, (4096,)) == drawn).all(), jnp.abs(wide.mean() - 127.5) < 12]


t.add("rbg", rbg, np.array([7], np.int32))
scale = np.exp2(integers(-2, 3, 8, 2)).astype(np.float32)
t.add("scaled_dot", lambda a, b, s: lax.scaled_dot(a, b, lhs_scale=s, dimension_numbers=(((1,), (0,)), ((), ())), preferred_element_type=jnp.float32),
      floats(8, 64).astype(ml_dtypes.float8_e4m3fn), floats(64, 4).astype(ml_dtypes.bfloat16), scale, tolerance=1e-2)
# Loops of a batch end one by one.
t.add("expn", lambda v: (jax.scipy.special.expn(2, v), jax.scipy.special.expi(v), jax.scipy.special.hyp1f1(1.5, 2.5, v)), p, tolerance=2e-4)
t.run()
