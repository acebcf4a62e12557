# REQUIRES: pallas-python
# RUN: %python %s
"""Primitives of Pallas and rarer ones of JAX: each in a kernel of its own."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax._src import ad_checkpoint
from jax._src.lax import linalg
from jax._src.state import discharge
from jax.custom_batching import custom_vmap
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

t = Table()
f32 = jnp.float32
x, a = floats(8, 128), integers(-50, 50, 8, 128)
small = floats(5, 9)


def add(name, kernel, out, *arrays, want=None, tolerance=1e-5, **keywords):
  """With `want`, where interpret mode cannot do it."""
  out = jax.ShapeDtypeStruct(out.shape, out.dtype) if hasattr(out, "dtype") else out
  t.add(name, lambda *v, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*v),
        *arrays, tolerance=tolerance, whole_arrays=False, want=want)


# Calls, derivatives and marks
@jax.custom_vjp
def cubed(v):
  return v * v * v
cubed.defvjp(lambda v: (cubed(v), v), lambda v, g: (3 * v * v * g,))


@custom_vmap
def shifted(v):
  return v + 1
shifted.def_vmap(lambda size, batched, v: (v + 1, batched[0]))
t.add("custom_vjp", cubed, small)
t.add("custom_vmap", shifted, small)
t.add("grad_inside", lambda v: jax.grad(lambda w: jnp.sum(jnp.sin(w) * w + cubed(w)))(v), small, tolerance=1e-4)
t.add("jvp_inside", lambda v: jax.jvp(lambda w: jnp.tanh(w) * w, (v,), (v,))[1], small)
t.add("vmap_inside", lambda v: jax.vmap(lambda r, c: r * c.sum(), in_axes=(0, None))(v, v[0]), small, tolerance=1e-4)
t.add("linear_transpose", lambda v: jax.linear_transpose(lambda w: w * 3.0, v)(v)[0], small)
t.add("checkpoint_name", lambda v: ad_checkpoint.checkpoint_name(v, "here") * 2, small)
t.add("named_scope", lambda v: jax.named_call(lambda w: w + 1, name="inner")(v), small)
t.add("composite", lambda v: lax.composite(lambda w: w * 2 + 1, "my.thing")(v), small)
t.add("optimization_barrier", lambda v: lax.optimization_barrier((v, v + 1)), small)
t.add("stop_gradient", lambda v: lax.stop_gradient(v) * 2, small)
t.add("cond_in_scan", lambda v: lax.scan(lambda c, r: (lax.cond(r[0] > 0, lambda: c + r, lambda: c - r), c), v[0], v), small)
t.add("while_in_cond", lambda v: lax.cond(v[0, 0] > 0, lambda: lax.while_loop(lambda c: c[0, 0] < 9, lambda c: c + 1, v), lambda: v), np.abs(small))
t.add("scan_nested", lambda v: lax.scan(lambda c, r: lax.scan(lambda d, e: (d + e, d * e), c, r), jnp.float32(0), v), small, tolerance=1e-4)
t.add("fori_reverse_carry", lambda v: lax.fori_loop(0, 3, lambda i, c: {"a": c["b"], "b": c["a"] + i}, {"a": v, "b": v * 2}), small)
t.add("unrolled", lambda v: lax.fori_loop(0, 6, lambda i, c: c + v[i % 5], v[0], unroll=2), small)
t.add("switch_clamped", lambda i, v: lax.switch(i[0], [lambda: v, lambda: v * 2, lambda: v * 3]), integers(-3, -2, 1), small)
t.add("platform_dependent", lambda v: lax.platform_dependent(v, cpu=lambda w: w + 1, default=lambda w: w + 1), small)

# Rare arithmetic
t.add("total_order", lambda v, w: [lax.eq_to_p.bind(v, w), lax.lt_to_p.bind(v, w), lax.le_to_p.bind(v, w)],
      np.array([0.0, -0.0, np.nan, 1.0], np.float32), np.array([-0.0, -0.0, np.nan, 2.0], np.float32))
t.add("mulhi_scatter_sub", lambda v: v.at[jnp.arange(3) * 2 % 5].subtract(2.0), small)
t.add("general_reduce", lambda v: lax.reduce(v, np.int32(1), lambda p, q: p * q, (0,)), a % 3)
t.add("unstack", lambda v: list(jnp.unstack(v, axis=1)), small)
t.add("window_extrema", lambda v: [lax.reduce_window(v, -jnp.inf, lax.max, (2, 3), (1, 1), "SAME"), lax.reduce_window(v, jnp.inf, lax.min, (2, 2), (2, 2), "VALID")], small)
spd = (lambda m: m @ m.T + 6 * np.eye(6, dtype=np.float32))(floats(6, 6))
t.add("cholesky_update", lambda m, v: linalg.cholesky_update(jnp.linalg.cholesky(m).T, v), spd, floats(6), tolerance=1e-3)
t.add("symmetric_product", lambda m: linalg.symmetric_product(m, m, symmetrize_output=True), spd, tolerance=1e-4)
t.add("lu_permutation", lambda m: lax.linalg.lu(m)[2], floats(6, 6, seed=3))
t.add("lu_pivots", lambda p: lax.linalg.lu_pivots_to_permutation(p, 6), np.array([2, 3, 2, 5, 4, 5], np.int32))
t.add("linear_call", lambda v, w: jax.custom_derivatives.linear_call(lambda r, z: z * r, lambda r, z: z * r, v, w), small, small + 1)
t.add("device_put", lambda v: jax.device_put(v) + 1, small)
t.add("key_clone", lambda v: v + jax.random.uniform(jax.random.clone(jax.random.key(3)), v.shape), small)


@functools.partial(jax.custom_vjp)
def remembered(v):
  return jnp.sin(v)
remembered.defvjp(lambda v: (jnp.sin(v), v), lambda v, g: (g * jnp.cos(v),), optimize_remat=True)
t.add("optimize_remat", lambda v: jax.grad(lambda w: jnp.sum(remembered(w)))(v), small)
t.add("empty", lambda v: v + lax.full_like(v, 2), small)

# Refs
def accumulated(x, o):
  o[...] = x[...]
  discharge_add = x[0:4, :]
  pltpu_add(o, discharge_add)
def pltpu_add(o, v):
  from jax._src.state import primitives
  primitives.ref_addupdate(o, (slice(0, 4), slice(None)), v)
add("addupdate", accumulated, x, x)


def accumulated_booleans(x, o):
  o[...] = x[...] > 0
  pltpu_add(o, x[0:4, :] < 1)
add("addupdate of booleans", accumulated_booleans, np.zeros(x.shape, bool), x)


def new_refs(x, o):
  r = jax.new_ref(x[...])
  r[0] = r[1] * 2
  o[...] = jax.freeze(r) if hasattr(jax, "freeze") else r[...]
add("new_ref", new_refs, x, x, want=np.concatenate([x[1:2] * 2, x[1:]]))


def stated(x, o):
  def body(refs):
    refs[0][...] = refs[0][...] * 2 + 1
    refs[1][0] = refs[0][1]
  first, second = discharge_run(body)((x[...], x[...] * 0))
  o[...] = first + second
def discharge_run(body):
  return discharge.run_state(body)
add("run_state", stated, x, x, want=(x * 2 + 1) + np.concatenate([(x * 2 + 1)[1:2], np.zeros((7, 128), np.float32)]))


def atomics(x, o, n):
  o[...] = jnp.zeros_like(o)
  n[...] = jnp.zeros_like(n)
  for kind, at in (("atomic_add", 0), ("atomic_max", 1), ("atomic_min", 2), ("atomic_xchg", 3)):
    getattr(plgpu, kind)(o, (at,), x[at], mask=jnp.arange(128) < 100)
  for kind, at in (("atomic_and", 0), ("atomic_or", 1), ("atomic_xor", 2)):
    getattr(plgpu, kind)(n, (at,), x[at].astype(jnp.int32))
masked = np.arange(128) < 100
whole_numbers = (x * 9).astype(np.int32)
add("atomics", atomics, [jax.ShapeDtypeStruct(x.shape, f32), jax.ShapeDtypeStruct(x.shape, jnp.int32)], x * 9,
    want=[np.concatenate([np.where(masked, f(x[i:i + 1] * 9, 0), 0) for i, f in enumerate((np.add, np.maximum, np.minimum, np.add))] + [x[4:] * 0]),
          np.concatenate([whole_numbers[:1] * 0, whole_numbers[1:3], whole_numbers[3:] * 0])])




# Marks, grids and numbers of programs
def marked(x, o):
  i = pl.multiple_of(pl.program_id(0) * 4, 4)
  o[...] = x[pl.ds(i, 4), :] + pl.num_programs(0) + plgpu.max_contiguous(jnp.arange(128), 128).astype(f32)
add("multiple_of", marked, x, x, grid=(2,), in_specs=[pl.BlockSpec((8, 128), lambda i: (0, 0))], out_specs=pl.BlockSpec((4, 128), lambda i: (i, 0)))


def delayed(x, o):
  pl.delay(100)
  o[...] = x[...]
add("delay", delayed, x, x, want=x)


def delay_of_64_bits(u, n, interpret):
  def delayed(n, x, o):
    pl.delay(n[0].astype(jnp.int64))
    pl.delay(100)
    o[...] = x[...]
  with jax.enable_x64(True):
    return pl.pallas_call(delayed, out_shape=jax.ShapeDtypeStruct(u.shape, u.dtype), interpret=interpret)(n, u)
t.add("delay_of_64_bits", delay_of_64_bits, x, np.array([100]), whole_arrays=False, want=x)

# TPU primitives
t.add("roll", lambda v: [pltpu.roll(v, 3, 1), pltpu.roll(v, 5, 0)], x)
t.add("roll_stride", lambda v: pltpu.roll(v, 3, 1, stride=2, stride_axis=0), x,
      want=np.stack([np.roll(x[i], 3 + 2 * i) for i in range(8)]))
t.add("bitcast", lambda v: [pltpu.bitcast(v, jnp.int32), pltpu.bitcast(v.astype(jnp.bfloat16), jnp.float32)], x)
t.add("reciprocal", lambda v: pl.reciprocal(v, approx=False), np.abs(x) + 1)
t.add("einshape", lambda v: [pltpu.einshape("a(bc)->b(ac)", v, b=16), pltpu.einshape("ab->ba", v)], x)
t.add("pack", lambda v, w: pltpu.pack_elementwise([v, w], packed_dtype=jnp.bfloat16), x, x * 2,
      want=(x.astype(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32) | (x * 2).astype(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32) << 16))
t.add("unpack", lambda v: [pltpu.unpack_elementwise(v, index=i, packed_dtype=jnp.bfloat16, unpacked_dtype=jnp.float32) for i in (0, 1)],
      x.view(np.uint32), want=[(x.view(np.uint32) << 16).view(np.float32), (x.view(np.uint32) & 0xffff0000).view(np.float32)])




def drawn(o):
  pltpu.prng_seed(7)
  first = pltpu.prng_random_bits((64, 128))
  second = pltpu.prng_random_bits((64, 128))
  pltpu.prng_seed(7)
  again = pltpu.prng_random_bits((64, 128))
  pltpu.prng_seed(8, 1)
  other = pltpu.prng_random_bits((64, 128))
  uniform = (first >> 8 & 0xffff).astype(f32) / 65536
  o[0] = jnp.sum(first == again)
  o[1] = jnp.sum(first == second) + jnp.sum(first == other)
  o[2] = jnp.round(jnp.mean(uniform) * 20).astype(jnp.int32)
  o[3] = jnp.round(jnp.var(uniform) * 120).astype(jnp.int32)
  o[4] = jnp.round(jnp.mean(uniform[1:] * uniform[:-1]) * 40).astype(jnp.int32)
# Hardware decides which bits: they repeat with the seed only, and look random.
t.add("prng", lambda interpret: pl.pallas_call(drawn, out_shape=jax.ShapeDtypeStruct((5,), jnp.int32), out_specs=pl.BlockSpec(memory_space=pltpu.SMEM))(),
      whole_arrays=False, want=np.array([64 * 128, 0, 10, 10, 10], np.int32))
bits = integers(0, 2**31 - 1, 8, 128).view(np.uint32)
t.add("stochastic_round", lambda v, b: (lambda r: (jnp.abs(r.astype(f32) - v) <= jnp.abs(v) / 128).all().reshape(1))(
    pltpu.stochastic_round(v, b, target_dtype=jnp.bfloat16)), x, bits, want=np.array([True]))


def signalled(o, s):
  pl.semaphore_signal(s, 3)
  o[0] = pl.semaphore_read(s)
  pl.semaphore_wait(s, 2)
  o[1] = pl.semaphore_read(s)
  pl.semaphore_wait(s, 1)
t.add("semaphores", lambda interpret: pl.pallas_call(
    signalled, out_shape=jax.ShapeDtypeStruct((2,), jnp.int32), out_specs=pl.BlockSpec(memory_space=pltpu.SMEM),
    scratch_shapes=[pltpu.SemaphoreType.REGULAR])(), whole_arrays=False, want=np.array([3, 1], np.int32))


def on_mesh(v, interpret):
  mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
  @pl.kernel(out_type=jax.ShapeDtypeStruct((8, 128), f32), mesh=mesh)
  def kernel(x, o):
    at = pl.ds(lax.axis_index("core") * 4, 4)
    pl.run_scoped(lambda buffer: (pltpu.sync_copy(x.at[at], buffer), buffer.__setitem__(..., buffer[...] * lax.axis_size("core")),
                                  pltpu.sync_copy(buffer, o.at[at])) and None, pltpu.VMEM((4, 128), f32))
  return kernel(v)
t.add("mesh", on_mesh, x, whole_arrays=False, want=x * 2)


# Keys as operands: one, some of many, blocks of them
def with_key(key, o):
  o[...] = jax.random.uniform(key[...], o.shape)


def with_keys(keys, o):
  o[...] = jax.random.normal(keys[pl.program_id(0)], o.shape)


def with_block(keys, o):
  o[...] = jax.random.normal(keys[0], o.shape)
keys = jax.random.split(jax.random.key(0), 4)
rows = dict(out_specs=pl.BlockSpec((8, 8), lambda i: (i, 0)), grid=(4,))
add("key", with_key, jax.ShapeDtypeStruct((8, 8), f32), jax.random.key(3))
add("keys", with_keys, jax.ShapeDtypeStruct((32, 8), f32), keys, in_specs=[pl.BlockSpec((4,), lambda i: (0,))], **rows)
add("block_of_keys", with_block, jax.ShapeDtypeStruct((32, 8), f32), keys, in_specs=[pl.BlockSpec((1,), lambda i: (i,))], **rows)
t.add("keys_out", lambda v, interpret: jax.random.key_data(pl.pallas_call(lambda k, o: o.__setitem__(..., k[...][::-1]), out_shape=jax.ShapeDtypeStruct((4,), v.dtype))(v)),
      keys, whole_arrays=False, want=jax.random.key_data(keys)[::-1])
t.run()
