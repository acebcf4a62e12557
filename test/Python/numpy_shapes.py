# REQUIRES: pallas-python
# RUN: %python %s
"""What jax.numpy has for shapes, indices, sorting and products, as kernels call it, on several types."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from numpy_arrays import *
from jax import lax

t = Table()


# Shapes
t.add("rolls", lambda u: [jnp.roll(u, 2), jnp.roll(u, (1, -2), (0, 1)), jnp.roll(u, 0, 1)], x)
t.add("roll_dynamic", lambda u, i: jnp.roll(u, i[0], axis=1), x, small)
t.add("flips", lambda u: [jnp.flip(u), jnp.fliplr(u), jnp.flipud(u), jnp.rot90(u)], x)
t.add("pads", lambda u: [jnp.pad(u, 1), jnp.pad(u, ((0, 2), (1, 0)), constant_values=3), jnp.pad(u, 2, mode="edge"), jnp.pad(u, 2, mode="reflect"),
                         jnp.pad(u, 1, mode="wrap"), jnp.pad(u, 1, mode="symmetric")], x)
t.add("triangles", lambda u: [jnp.tril(u), jnp.triu(u, 1), jnp.tril(u, -1), jnp.tri(4, 6), jnp.eye(5), jnp.identity(3)], square)
t.add("joins", lambda u, w: [jnp.concatenate([u, w]), jnp.hstack([u, w]), jnp.vstack([u, w]), jnp.dstack([u, w]), jnp.stack([u, w], -1), jnp.append(u, w, 1),
                             jnp.column_stack([u, w])], x, y)
t.add("stack_reductions", lambda u, w: [f(jnp.stack([u, w * 2, -u], axis), axis) for axis in (0, 2) for f in (jnp.sum, jnp.max, jnp.prod, jnp.argmin)], x, y)
t.add("stack_sum_bf16", lambda u: jnp.stack([u, u * 256, u], 1).sum(1), bf, tolerance=1e-2)
t.add("sums_across_rows", lambda u: [(u * u.T).sum(), (u + u.T).max(1), jnp.einsum("ij,ji->i", u, u + 1)], square)
t.add("blocks", lambda u: jnp.block([[u, u], [u * 2, u * 3]]), x)
t.add("splits", lambda u: [*jnp.split(u[:, :8], 4, axis=1), *jnp.array_split(u, 2, axis=1), *jnp.hsplit(u[:, :6], 3)], x)
t.add("repeats", lambda u, i: [jnp.repeat(u, 3, axis=1), jnp.repeat(u, i % 3, axis=0, total_repeat_length=5), jnp.tile(u, (2, 1, 2))], x, small)
t.add("axes", lambda u: [jnp.moveaxis(u, 0, 2), jnp.swapaxes(u, 1, 2), jnp.rollaxis(u, 2), jnp.expand_dims(u, (0, 2)), jnp.squeeze(u[:1]), u.T, jnp.ravel(u),
                         jnp.broadcast_to(u, (2, 3, 4, 6)), jnp.atleast_3d(u[0]), u.reshape(-1, 2)], cube)
t.add("ranges", lambda u: [jnp.arange(7), jnp.arange(1, 9, 3.5), jnp.linspace(0, 1, 5), jnp.full((2, 3), 4), jnp.zeros_like(u), jnp.ones_like(u, dtype=jnp.int8),
                           jnp.full_like(u, 2.5), jnp.logspace(0, 1, 3), jnp.geomspace(1, 8, 4), *jnp.meshgrid(u[0], u[1, :4]), *jnp.indices((2, 3))], x)
t.add("mixed_index", lambda u, i: [u[1], u[-1, ::2], u[1:4, 3], u[..., None], u[::-1], u[:, i], u[i, i], u[2, 3].reshape(1)], x, integers(0, 5, 3))
t.add("dynamic_index", lambda u, i: [u[i[0]], u[i], u[:, i], u[i, i], lax.dynamic_slice_in_dim(u, i[1], 2, 1), lax.dynamic_index_in_dim(u, i[2], 0)], square, small)
t.add("dynamic_update", lambda u, i: [lax.dynamic_update_slice_in_dim(u, u[:2] * 2, i[0], 0), lax.dynamic_update_index_in_dim(u, u[0], i[1], 0)], square, small)
t.add("updates", lambda u, i: [u.at[1].set(0), u.at[1:3, ::2].add(1), u.at[i].mul(2), u.at[i, i].set(9), u.at[:, 2].min(0), u.at[i].max(0.1), u.at[0, 0].divide(2),
                               u.at[3].power(2), u.at[2].apply(jnp.sin), u.at[i].apply(lambda z: z * z + 1), u.at[i].get(mode="fill", fill_value=0)], square, small)
t.add("updates_int8", lambda u, i: [u.at[i].add(3), u.at[0].set(-1), u.at[i].min(2)], i8, integers(0, 5, 4))
t.add("updates_bool", lambda u: [u.at[0].set(True), u.at[1:].set(False)], flags)
t.add("takes", lambda u, i: [jnp.take(u, i, axis=0), jnp.take(u, i, axis=1), jnp.take(u, i), jnp.take_along_axis(u, u.argsort(1), 1), jnp.take(u, i + 5, axis=0, mode="wrap"),
                             jnp.choose(i % 2, [i, i * 2], mode="clip")], square, small)
t.add("put_along_axis", lambda u: jnp.put_along_axis(u, jnp.argmax(u, axis=1, keepdims=True), 99, axis=1, inplace=False), x)
t.add("fill_diagonal", lambda u: jnp.fill_diagonal(u, 5.0, inplace=False), square)
t.add("searches", lambda u, s: [jnp.searchsorted(s, u), jnp.searchsorted(s, u, side="right"), jnp.searchsorted(s, u, method="compare_all"), jnp.searchsorted(s, u, method="sort")], x, ordered)
t.add("nonzeros", lambda u: [*jnp.nonzero(u, size=9, fill_value=-1), jnp.flatnonzero(u, size=6), jnp.argwhere(u, size=4)], flags)
t.add("uniques", lambda i, k: [jnp.unique(i, size=4, fill_value=-1), jnp.isin(i, k), jnp.setdiff1d(i, k, size=4)], small, small[:2])
t.add("compress", lambda u, k: jnp.compress(k, u, axis=0, size=3), x, flags[:, 0])

# Sorting
for array in (x, bf, hf, a, i8, u8):
  t.add(f"sorts_{array.dtype.name}", lambda u: [jnp.sort(u), jnp.sort(u, axis=0, descending=True), jnp.argsort(u, axis=1), jnp.argsort(u, axis=0, descending=True)], array)
  t.add(f"top_k_{array.dtype.name}", lambda u: lax.top_k(u, 4), array)
t.add("sort_nan", lambda u: [jnp.sort(u), jnp.argsort(u)], holes)
t.add("lexsort", lambda i, u: jnp.lexsort((u[:5], i)), small, v)
t.add("sort_many", lambda i, u: lax.sort((i % 3, u, i), num_keys=2), a, x)
t.add("partitions", lambda u: [jnp.partition(u, 3), jnp.argpartition(u, 3)[:, 3:4]], x)

# Contractions
t.add("products", lambda u, w: [u @ w.T, jnp.dot(u, w[0]), jnp.vdot(u, w).reshape(1), jnp.inner(u, w), jnp.outer(u[0], w[0]), jnp.kron(u[:2, :2], w[:2, :3]),
                                jnp.tensordot(u, w, axes=[[1], [1]]), jnp.cross(u[:, :3], w[:, :3]), jnp.matmul(u[0], w[0]).reshape(1), jnp.linalg.multi_dot([u, w.T, u])], x, y, tolerance=1e-4)
t.add("einsums", lambda u: [jnp.einsum("ijk->kji", u), jnp.einsum("ijk,ilk->ijl", u, u), jnp.einsum("ijk,ijk->i", u, u), jnp.einsum("iij->ij", u[:, :3]), jnp.einsum("ijk->j", u),
                            jnp.einsum("ijk,kl,lm->ijm", u, u[0].T, u[1])], cube, tolerance=1e-4)
for array in (bf, hf, i8, u8, a):
  kind = jnp.float32 if array.dtype.itemsize == 2 else jnp.int32
  t.add(f"dot_{array.dtype.name}", lambda u, k=kind: [jnp.dot(u, u.T, preferred_element_type=k), u @ u.T], array, tolerance=5e-2)
t.add("dot_mixed", lambda u, w: lax.dot_general(u, w, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32), bf, y, tolerance=5e-2)
t.add("dot_precision", lambda u: jnp.dot(u, u, precision=lax.Precision.HIGHEST), square, tolerance=1e-4)
t.add("ragged_dot", lambda u, w, n: lax.ragged_dot(u, w, n), floats(5, 4), floats(3, 4, 6), np.array([2, 0, 3], np.int32), tolerance=1e-4)
t.add("convolutions", lambda u: [jnp.convolve(u, u[:3]), jnp.convolve(u, u[:3], mode="same"), jnp.correlate(u, u[:4])], v, tolerance=1e-4)
t.add("matrix_functions", lambda u: [jnp.linalg.inv(u + 5 * jnp.eye(7)), jnp.linalg.det(u).reshape(1), jnp.linalg.matrix_power(u, 3), *jnp.linalg.slogdet(u)], square, tolerance=1e-3)
t.add("matrix_exponential", lambda u: jax.scipy.linalg.expm(u * 0.1), square, tolerance=1e-3)
t.add("fft_like", lambda u: jnp.vander(u[0], 4), x, tolerance=1e-4)
# Derivatives of pooling choose within windows.
signal = floats(6, 8)


def pooled(v):
  return ((lax.reduce_window(v, -jnp.inf, lax.max, (3, 3), (2, 1), "SAME") ** 2).sum()
          + (lax.reduce_window(v, jnp.inf, lax.min, (2, 2), (1, 1), "VALID") ** 3).sum())


t.add("pooling_gradient", jax.grad(pooled), signal)
t.add("pooling_tangents", lambda v: jax.jvp(lambda u: lax.reduce_window(u, -jnp.inf, lax.max, (2, 3), (2, 1), "SAME"), (v,), (v * 2 + 1,))[1], signal)
t.add("batch_of_loops", lambda v: jax.vmap(lambda a: lax.while_loop(
    lambda s: (s[0] != 1) & (s[1] < 200), lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (a, 0))[1])(v), integers(1, 60, 40))
t.run()
