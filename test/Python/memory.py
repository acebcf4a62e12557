# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Copies of selected refs, poisoned memory, checks, words of any width, and what programs forbid themselves."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import fuser
from jax._src import config, hijax

import pallas_mlir.jax


def check(name, got, *want):
  for g, w in zip(jax.tree_util.tree_leaves(got), want, strict=True):
    np.testing.assert_array_equal(g, w)
  print(name, "agrees")


def shape(*dims, dtype=jnp.int32):
  return jax.ShapeDtypeStruct(dims, dtype)


x = np.arange(3 * 4 * 8, dtype=np.int32).reshape(3, 4, 8)


# A ref that is chosen while the kernel runs, also of parts of refs and twice.
def selected(a, b, c, o):
  def body(semaphores):
    @pl.loop(0, 3)
    def _(i):
      inner = pl.select_ref(i, a.at[:, :4], b.at[:, :4])
      source = pl.select_ref(jnp.int32(i == 2), inner, c.at[:, 4:])
      pltpu.async_copy(source, o.at[i], pl.select_ref(i % 2, semaphores.at[0], semaphores.at[1])).wait()
  pl.run_scoped(body, pltpu.SemaphoreType.DMA((2,)))


# CHECK: selected refs agrees
check("selected refs", pl.pallas_call(
    selected, out_shape=shape(3, 4, 4), in_specs=[pl.BlockSpec(memory_space=pl.ANY)] * 3,
    out_specs=pl.BlockSpec(memory_space=pl.ANY))(*x), np.stack([x[0, :, :4], x[1, :, :4], x[2, :, 4:]]))


def unwritten(f, i, u, b):
  def body(*scratch):
    for out, memory in zip((f, i, u, b), scratch):
      out[...] = memory[...]
  pl.run_scoped(body, *(pltpu.VMEM(r.shape, r.dtype) for r in (f, i, u, b)))


# CHECK: poison agrees
with config.jax_pallas_poison_buffers(True):
  types = (jnp.bfloat16, jnp.int8, jnp.uint16, jnp.bool_)
  f, i, u, b = pl.pallas_call(unwritten, out_shape=[shape(4, 8, dtype=t) for t in types])()
  check("poison", [np.isnan(f.astype(np.float32)).all(), (i == -128).all(), (u == 1 << 15).all(), b.all()], *[True] * 4)


def checked(x, o):
  o[...] = x[...]
  pl.debug_check(x[0] > 5, "too small")


# CHECK: checks that are off agrees
# CHECK: a check that is on: too small
small = np.arange(4, dtype=np.int32)
check("checks that are off", pl.pallas_call(checked, out_shape=shape(4))(small), small)
with config.jax_pallas_enable_debug_checks(True):
  try:
    jax.block_until_ready(pl.pallas_call(checked, out_shape=shape(4))(small))
  except Exception as error:
    print("a check that is on:", "too small" if "too small" in str(error) else error)


def counted(n, o):
  o[0] = jnp.where(pl.program_id(0) == 0, 1, o[0] + 1)


# CHECK: a size in an array agrees
smem = pl.BlockSpec(memory_space=pltpu.SMEM)
check("a size in an array", jax.jit(lambda n: pl.pallas_call(
    counted, out_shape=shape(1), grid=(n,), in_specs=[smem], out_specs=smem)(n))(np.array([5], np.int32)), [5])


# CHECK: rank promotion agrees
index = np.array([[0, 2, 1], [3, 3, 0]], np.int32)
with jax.numpy_rank_promotion("raise"):
  take = pl.pallas_call(lambda x, i, o: o.__setitem__(..., jnp.take_along_axis(x[...], i[...], 1)), out_shape=shape(2, 3))
  check("rank promotion", take(x[0, :2, :], index), np.take_along_axis(x[0, :2], index, 1))


@fuser.custom_fusion
def biased(x):
  return x + 1


biased.def_pallas_impl(lambda x: 1 + x)
biased.def_pull_block_spec(lambda specs: specs)
biased.def_eval_rule(lambda context, x: [x + 1])


# CHECK: custom fusion agrees
check("custom fusion", pl.pallas_call(lambda x, o: o.__setitem__(..., biased(x[...])), out_shape=shape(4))(small), small + 1)


def copied(x, effects):
  return pl.pallas_call(lambda x, o: o.__setitem__(..., x[...]), out_shape=shape(4),
                        compiler_params=pltpu.CompilerParams(has_side_effects=effects))(x)


# A call that nobody uses the results of stays only when its parameters say that it does more.
def unused(effects):
  def f(x):
    copied(x, effects)
    return x
  return "custom-call" in jax.jit(f).lower(small).compile().as_text()


# CHECK: calls that stay agrees
# CHECK: Invalid side effect type: 'no'; give a bool or a SideEffectType
effects = pltpu.SideEffectType
check("calls that stay", [unused(e) for e in (True, False, effects.PURE, effects.SIDE_EFFECTING)], True, False, False, True)
try:
  copied(small, "no")
except ValueError as error:
  print(error)


# Words of 8 and 16 bits, as of 32.
def packed(x, o, low, high):
  o[...] = pltpu.pack_elementwise([x[0], x[1]], packed_dtype=jnp.int4 if x.dtype == jnp.int8 else jnp.int8)
  for part, out in enumerate((low, high)):
    out[...] = pltpu.unpack_elementwise(o[...], index=part, packed_dtype=jnp.int4 if x.dtype == jnp.int8 else jnp.int8,
                                        unpacked_dtype=x.dtype)


# CHECK: words of 8 bits agrees
# CHECK: words of 16 bits agrees
for dtype, word, bits in ((np.int8, np.uint8, 4), (np.int16, np.uint16, 8)):
  half = 1 << (bits - 1)
  values = np.random.default_rng(0).integers(-half, half, (2, 4, 8)).astype(dtype)
  mask = (1 << bits) - 1
  words = ((values[0] & mask) | ((values[1] & mask) << bits)).astype(word)
  out = [shape(4, 8, dtype=word), shape(4, 8, dtype=dtype), shape(4, 8, dtype=dtype)]
  check(f"words of {2 * bits} bits", pl.pallas_call(packed, out_shape=out)(values), words, values[0], values[1])


# Memory for a value of several arrays is a ref for each.
@dataclasses.dataclass(frozen=True)
class Pair:
  left: jax.Array
  right: jax.Array


@dataclasses.dataclass(frozen=True)
class PairType(hijax.HiType):
  shape: tuple
  dtype: np.dtype
  raise_val = staticmethod(Pair)

  def update(self, **changes):
    return dataclasses.replace(self, **{n: v for n, v in changes.items() if n in ("shape", "dtype")})

  def lo_ty(self):
    return [jax.core.ShapedArray(self.shape, self.dtype)] * 2

  def lower_val(self, value):
    return [value.left, value.right]

  def lower_block_spec(self, spec):
    return [spec, spec]


hijax.register_hitype(Pair, lambda p: PairType(p.left.shape, p.left.dtype))
pair = Pair(jnp.arange(8), jnp.ones(8, jnp.int32))


def through_scratch(p, o):
  def body(scratch):
    scratch[...] = p[...]
    o[...] = scratch[...]
  pl.run_scoped(body, pltpu.VMEM.like(jax.typeof(pair)))


got = pl.pallas_call(through_scratch, out_shape=jax.typeof(pair))(pair)
# CHECK: scratch of two arrays agrees
check("scratch of two arrays", [got.left, got.right], pair.left, pair.right)
