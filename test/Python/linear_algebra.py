# REQUIRES: pallas-python
# RUN: %python %s
"""Decompositions, eigenvalues, singular values and Fourier transforms of real and complex matrices."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
import jax.scipy as jsp
from jax import lax

t = Table()


def check(name, function, *arrays, tolerance=5e-5):
  """Against the function outside of kernels, where LAPACK computes it."""
  t.add(name, function, *arrays, tolerance=tolerance, want=jax.jit(function)(*arrays))


def complexes(*shape, seed=0):
  return (floats(*shape, seed=seed) + 1j * floats(*shape, seed=seed + 50)).astype(np.complex64)


def adjoint(a):
  return jnp.conj(jnp.swapaxes(a, -1, -2))


def eigen(a):
  """What does not depend on the choice of the vectors."""
  values, vectors = jnp.linalg.eigh(a + adjoint(a))
  return values, (vectors * values[..., None, :]) @ adjoint(vectors), adjoint(vectors) @ vectors


def singular(a, full):
  left, values, right = jnp.linalg.svd(a, full_matrices=full)
  n = values.shape[-1]
  return (left[..., :n] * values[..., None, :]) @ right[..., :n, :], values, adjoint(left) @ left, right @ adjoint(right)


def positive(a):
  return a @ adjoint(a) + 4 * jnp.eye(a.shape[-1], dtype=a.dtype)


for name, numbers in (("real", floats), ("complex", complexes)):
  check(f"qr_reduced_{name}", lambda a: tuple(jnp.linalg.qr(a)), numbers(2, 7, 3))
  check(f"qr_complete_{name}", lambda a: tuple(jnp.linalg.qr(a, mode="complete")), numbers(7, 3))
  check(f"qr_wide_{name}", lambda a: tuple(jnp.linalg.qr(a)), numbers(3, 6))
  check(f"qr_applied_{name}", lambda a, c: jsp.linalg.qr_multiply(a, c)[0], numbers(6, 4), numbers(4, 6, seed=2))
  check(f"eigh_{name}", eigen, numbers(2, 5, 5))
  check(f"svd_{name}", lambda a: singular(a, False), numbers(2, 4, 6))
  check(f"svd_full_{name}", lambda a: singular(a, True), numbers(6, 4))
  check(f"cholesky_{name}", lambda a: jnp.linalg.cholesky(positive(a)), numbers(5, 5))
  check(f"determinant_{name}", lambda a: (jnp.linalg.det(a), *jnp.linalg.slogdet(a)), numbers(5, 5))
  check(f"solve_{name}", lambda a: jnp.linalg.solve(positive(a), a), numbers(5, 5), tolerance=2e-4)
check("qr_pivoted", lambda a: jsp.linalg.qr(a, pivoting=True, mode="economic"), floats(7, 5))
check("singular_values", lambda a: (jnp.linalg.svd(a, compute_uv=False), jnp.linalg.norm(a, 2), jnp.linalg.matrix_rank(a)), floats(5, 5))
check("rank_one", lambda a: singular(a, True), np.ones((5, 4), np.float32))
check("inverses", lambda a: (jnp.linalg.pinv(a), jsp.linalg.polar(a)[0]), floats(6, 4), tolerance=1e-3)
check("least_squares", lambda a, b: jnp.linalg.lstsq(a, b)[0], floats(6, 4), floats(6, 2, seed=4), tolerance=2e-4)
bands = [floats(9, seed=i) for i in range(3)]
bands[0][0] = bands[2][-1] = 0
check("tridiagonal", lax.linalg.tridiagonal_solve, *bands, floats(9, 3, seed=5), tolerance=1e-3)

for n in (1, 2, 5, 12, 16, 37, 60, 256):
  check(f"fft_{n}", lambda a: (jnp.fft.fft(a), jnp.fft.ifft(a)), complexes(3, n))
for n in (6, 7, 32):
  check(f"rfft_{n}", lambda a: (jnp.fft.rfft(a), jnp.fft.irfft(jnp.fft.rfft(a), n=a.shape[-1])), floats(3, n))
check("fft_2d", lambda a: (jnp.fft.fft2(a), jnp.fft.ifftn(a), jnp.fft.fft(a, axis=0)), complexes(4, 6, 10))
check("rfft_2d", lambda a: (jnp.fft.rfft2(a), jnp.fft.irfft2(jnp.fft.rfft2(a), s=a.shape[1:])), floats(2, 6, 9))
check("convolution", lambda a, b: (jsp.signal.fftconvolve(a, b), jsp.fft.dct(a)), floats(30), floats(11, seed=2), tolerance=2e-4)
check("convolution_batch_groups", lambda a, b: lax.conv_general_dilated(a, b, (1, 2), "SAME", batch_group_count=2), floats(4, 3, 5, 5), floats(6, 3, 3, 3, seed=2), tolerance=2e-4)
# The gradient of the taps has groups of the batch.
check("convolution_grouped_taps", jax.grad(lambda b, a: jnp.sum(lax.conv_general_dilated(a, b, (2, 1), "VALID", feature_group_count=3) ** 2)),
      floats(6, 2, 3, 3, seed=2), floats(2, 6, 7, 6), tolerance=2e-4)

few = (integers(-3, 3, 6, 9) + 1j * integers(-3, 3, 6, 9, seed=4)).astype(np.complex64)
check("sort_complex", lambda a: (jnp.sort(a), jnp.argsort(a), jnp.sort(a, axis=0), jnp.sort(a, descending=True)), few)
check("sort_with_complex", lambda a, b: lax.sort((b, a), num_keys=1, is_stable=True), few, integers(0, 5, 6, 9))
check("order_complex", lambda a: (jnp.maximum(a, a.T.reshape(6, 9)), jnp.minimum(a, a.T.reshape(6, 9))), few)
check("extremes_complex", lambda a: (jnp.max(a, axis=1), jnp.min(a), lax.cummax(a, axis=1), lax.cummin(a, reverse=True)), few)
check("products_complex", lambda a: (jnp.prod(a, axis=0), jnp.cumprod(a, axis=1)), complexes(5, 7))
check("convolution_complex", lambda a, b: lax.conv_general_dilated(a, b, (1, 1), "SAME"), complexes(1, 2, 6, 6), complexes(3, 2, 3, 3, seed=4))
t.run()
