"""Mosaic TPU modules that JAX makes, and jaxlib's own parser for them.

Nothing here needs a TPU or libtpu: JAX lowers a kernel for a TPU anywhere, and
the serialized module stands in the custom call.
"""

import base64
import json
import re
import subprocess

import jax
import jax.numpy as jnp
import jaxlib
from jax import lax
from jax._src import tpu_custom_call
from jax._src.interpreters import mlir
from jax._src.lib import tpu
from jax._src.pallas.mosaic import tpu_info
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager

f32, bf16, i32 = jnp.float32, jnp.bfloat16, jnp.int32
i8, i16 = jnp.int8, jnp.int16
S = jax.ShapeDtypeStruct

# The newest version of the wire format that this jaxlib reads and writes.
NEWEST_VERSION = 18 if jaxlib.version.__version_info__ >= (0, 12) else 15
KNOWS_VERSION_18 = NEWEST_VERSION >= 18

# MLIR's own dialects look different to this jaxlib, except in the generic form.
GENERIC = KNOWS_VERSION_18
PRINT_OPTIONS = ["--mlir-print-op-generic"] if GENERIC else []

# For an unknown libtpu JAX writes what all releases read.
if KNOWS_VERSION_18:
  tpu_custom_call.get_ir_version = lambda ctx: None

# Lowering asks the default device what chip it is.
tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(
    tpu_info.ChipVersion.TPU_V6E, 1
)


# ---------------------------------------------------------------- jaxlib
def context():
  ctx = mlir.make_ir_context()
  tpu.register_dialect(ctx)
  return ctx


def jaxlib_print(source, generic=GENERIC, locations=False):
  """Parses and verifies text or bytecode with jaxlib, and prints it."""
  with context(), ir.Location.unknown():
    return ir.Module.parse(source).operation.get_asm(
        enable_debug_info=locations, print_generic_op_form=generic
    )


def jaxlib_deserialize(wire, locations=False):
  """Text of the module in `stable_mosaic` bytes, as jaxlib reads them."""
  ctx = context()
  ctx.allow_unregistered_dialects = True
  with ctx, ir.Location.unknown():
    module = ir.Module.parse(wire)
    PassManager.parse("builtin.module(mosaic-serde{serialize=false})").run(
        module.operation
    )
    del module.operation.attributes["stable_mosaic.version"]
    assert module.operation.verify()
    return module.operation.get_asm(
        enable_debug_info=locations, print_generic_op_form=GENERIC
    )


def jaxlib_serialize(text, version):
  """`stable_mosaic` bytes of a module, as jaxlib writes them."""
  import io

  ctx = context()
  ctx.allow_unregistered_dialects = True
  with ctx, ir.Location.unknown():
    module = ir.Module.parse(text)
    PassManager.parse(
        "builtin.module(mosaic-serde{serialize=true target-version=%d})" % version
    ).run(module.operation)
    out = io.BytesIO()
    module.operation.write_bytecode(out, desired_version=0)
    return out.getvalue()


def wire_text(wire):
  """Text of `stable_mosaic` bytes, with the operations that stand in them."""
  ctx = context()
  ctx.allow_unregistered_dialects = True
  with ctx, ir.Location.unknown():
    return ir.Module.parse(wire).operation.get_asm()


def run(*command, stdin=b""):
  """Output of one of our tools; its messages are shown when it fails."""
  done = subprocess.run(command, input=stdin, capture_output=True)
  if done.returncode:
    raise SystemExit(
        f"{' '.join(command)} failed:\n{done.stderr.decode()[:4000]}"
    )
  return done.stdout


# ---------------------------------------------------------------- kernels
def wire_modules(fn, *args):
  """Serialized modules of all kernels that `fn` calls for a TPU."""
  text = jax.jit(fn).trace(*args).lower(lowering_platforms=("tpu",)).as_text()
  configs = re.findall(r'backend_config = "((?:[^"\\]|\\.)*)"', text)
  decode = lambda s: re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), s)
  calls = [json.loads(decode(c)) for c in configs if "custom_call_config" in c]
  assert calls, "no kernel in " + text[:500]
  return [base64.b64decode(c["custom_call_config"]["body"]) for c in calls]


def kernel(*shapes, out, **kwargs):
  """Decorator: a kernel body with what pl.pallas_call needs beside it."""

  def make(body):
    call = lambda *args: pl.pallas_call(body, out_shape=out, **kwargs)(*args)
    KERNELS[body.__name__] = (call, shapes)
    return body

  return make


KERNELS = {}
TILE = S((8, 128), f32)
ANY = pl.BlockSpec(memory_space=pl.ANY)
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)


@kernel(S((64, 256), f32), S((64, 256), f32), out=S((64, 256), f32), grid=(8,),
        in_specs=[pl.BlockSpec((8, 256), lambda i: (i, 0))] * 2,
        out_specs=pl.BlockSpec((8, 256), lambda i: (i, 0)))
def add(x, y, o):
  o[...] = x[...] + y[...]


@kernel(S((256, 256), bf16), S((256, 256), bf16), out=S((256, 256), f32), grid=(2, 2, 2),
        in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)),
                  pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)),
        scratch_shapes=[pltpu.VMEM((128, 128), f32)],
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("parallel", "parallel", "arbitrary")))
def matmul(a, b, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)

  acc[...] += jnp.dot(a[...], b[...], preferred_element_type=f32)

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o[...] = acc[...]


@kernel(S((32, 128), bf16), S((128, 128), i8), S((128, 128), i16), S((128, 128), f32), out=[S((32, 128), f32)] * 5)
def mixed_matmuls(x, bytes, words, wide, *o):
  factors = [x, bytes, words, wide]
  for ref, (a, b) in zip(o, ((0, 1), (0, 2), (0, 3), (3, 1), (1, 3))):
    ref[...] = jnp.dot(factors[a][:32], factors[b][...], preferred_element_type=f32)


@kernel(S((4, 16, 128), f32), S((4, 128, 64), f32), out=S((4, 16, 64), f32))
def batched_matmul(a, b, o):
  o[...] = lax.dot_general(a[...], b[...], (((2,), (1,)), ((0,), (0,))),
                           precision=lax.Precision.HIGHEST)


@kernel(S((64, 256), f32), out=S((64, 256), f32))
def softmax(x, o):
  v = x[...]
  e = jnp.exp(v - jnp.max(v, axis=-1, keepdims=True))
  o[...] = e * pl.reciprocal(jnp.sum(e, axis=-1, keepdims=True), approx=True)


def scalar_prefetch(index, x):
  def body(index, x, o):
    o[...] = x[...] * 2.0

  return pl.pallas_call(
      body, out_shape=S((16, 8, 128), f32),
      grid_spec=pltpu.PrefetchScalarGridSpec(
          num_scalar_prefetch=1, grid=(16,),
          in_specs=[pl.BlockSpec((None, 8, 128), lambda i, index: (index[i], 0, 0))],
          out_specs=pl.BlockSpec((None, 8, 128), lambda i, index: (i, 0, 0))))(index, x)


KERNELS["scalar_prefetch"] = (scalar_prefetch, (S((16,), i32), S((64, 8, 128), f32)))


@kernel(TILE, out=TILE, in_specs=[ANY], out_specs=ANY)
def dma(x, o):
  def scope(buffer, sem):
    pltpu.async_copy(x, buffer, sem).wait()
    pltpu.async_copy(buffer, o, sem).wait()

  pl.run_scoped(scope, pltpu.VMEM((8, 128), f32), pltpu.SemaphoreType.DMA)


@kernel(S((64, 128), f32), out=S((64, 128), f32), in_specs=[ANY], out_specs=ANY,
        scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])
def double_buffer(x, o, buffer, sems):
  copy = lambda i, slot: pltpu.make_async_copy(
      x.at[pl.ds(i * 8, 8)], buffer.at[slot], sems.at[slot])
  copy(0, 0).start()

  @pl.loop(0, 8)
  def _(i):
    @pl.when(i < 7)
    def _():
      copy(i + 1, lax.rem(i + 1, 2)).start()

    copy(i, lax.rem(i, 2)).wait()
    back = pltpu.make_async_copy(
        buffer.at[lax.rem(i, 2)], o.at[pl.ds(i * 8, 8)], sems.at[lax.rem(i, 2)])
    back.start()
    back.wait()


@kernel(TILE, out=TILE, scratch_shapes=[pltpu.SemaphoreType.REGULAR])
def semaphores(x, o, sem):
  pl.semaphore_signal(sem, 2)
  pl.semaphore_wait(sem, 1)
  o[...] = x[...] + pl.semaphore_read(sem).astype(f32)
  pl.semaphore_wait(sem, 1)


@kernel(S((32, 256), f32), out=S((32, 256), f32))
def shapes(x, o):
  v = x[...]
  row = lax.broadcasted_iota(i32, (32, 256), 0)
  v = jnp.where(row % 2 == 0, v, pltpu.roll(v, 3, 1))
  v = pltpu.roll(v, row[0, 0] + 1, 1, stride=1, stride_axis=0)
  t = v.T.reshape(16, 16, 32).reshape(256, 32).T
  o[...] = jnp.concatenate([t[:, 128:], t[:, :128]], axis=1)


@kernel(S((32, 128), f32), out=S((32, 128), f32))
def strided(x, o):
  o[pl.ds(0, 16, 2), :] = x[pl.ds(1, 16, 2), :]
  o[pl.ds(1, 16, 2), :] = x[pl.ds(0, 16, 2), :]


@kernel(TILE, S((8, 128), i32), out=TILE)
def masked_store(x, k, o):
  pltpu.store(o, x[...], mask=k[...] != 0)


@kernel(S((8, 256), f32), out=(S((8,), i32), S((8,), i32)))
def arg_reductions(x, hi, lo):
  hi[...] = jnp.argmax(x[...], axis=1)
  lo[...] = jnp.argmin(x[...], axis=1)


@kernel(S((8, 128), f32), S((8, 128), i32), out=TILE)
def take_along_axis(x, index, o):
  o[...] = jnp.take_along_axis(x[...], index[...], axis=1)


@kernel(S((16, 128), f32), out=S((16, 128), i32))
def packing(x, o):
  packed = pltpu.pack_elementwise([x[...], x[...]], packed_dtype=bf16)
  low = pltpu.unpack_elementwise(packed, index=0, packed_dtype=bf16, unpacked_dtype=f32)
  o[...] = pltpu.bitcast(low, i32) + pltpu.bitcast(x[...], i32)


@kernel(S((1,), i32), out=S((8, 128), i32), in_specs=[SMEM])
def random_bits(seed, o):
  pltpu.prng_seed(seed[0])
  o[...] = lax.bitcast_convert_type(pltpu.prng_random_bits((8, 128)), i32)


@kernel(TILE, out=(TILE, S((1,), i32)), out_specs=(pl.BlockSpec(memory_space=pltpu.VMEM), SMEM))
def control_flow(x, o, count):
  o[...] = lax.fori_loop(0, 4, lambda i, v: v * 0.5 + jnp.tanh(v), x[...])
  count[0] = lax.while_loop(lambda n: n * n < 50, lambda n: n + 1, jnp.int32(1))
  count[0] = lax.switch(count[0], [lambda: 1, lambda: 2, lambda: 3])


@kernel(S((1,), i32), TILE, out=TILE, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)])
def debugging(n, x, o):
  with jax.named_scope("inner"):
    pl.debug_print("n is {}", n[0])
    pl.debug_print("x is {}", x[...])
    pl.delay(100)
  o[...] = jnp.where(jnp.isfinite(x[...]), x[...], 0.0)


@kernel(S((4, 8, 128), f32), out=S((256, 128), bf16), in_specs=[ANY])
def ref_transforms(x, o):
  def scope(buffer, sem):
    flat = buffer.reshape(32, 128)
    pltpu.sync_copy(x.at[pl.ds(pl.multiple_of(sem_index(), 2), 2)], buffer.at[pl.ds(0, 2)])
    o[...] = jnp.zeros_like(o)
    o[pl.ds(0, 64), :] = flat.bitcast(bf16)[...]

  sem_index = lambda: pl.program_id(0) * 2 if False else jnp.int32(2)
  pl.run_scoped(scope, pltpu.VMEM((4, 8, 128), f32), pltpu.SemaphoreType.DMA)


@kernel(S((256, 512), f32), out=S((256, 512), f32), in_specs=[ANY], out_specs=ANY)
def emit_pipeline(x, o):
  def body(x, o):
    o[...] = x[...] * 2.0

  spec = pl.BlockSpec((64, 256), lambda i, j: (i, j))
  pltpu.emit_pipeline(body, grid=(4, 2), in_specs=[spec], out_specs=[spec])(x, o)


# The last blocks hang over the array, along one dimension by less than a tile;
# what the body adds tells where each block went.
@kernel(S((60, 200), f32), out=S((60, 200), f32), in_specs=[ANY], out_specs=ANY)
def ragged_pipeline(x, o):
  def body(x, o):
    o[...] = x[...] + (pl.program_id(0) * 10 + pl.program_id(1)).astype(f32)

  spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
  pltpu.emit_pipeline(body, grid=(8, 2), in_specs=[spec], out_specs=[spec])(x, o)


@kernel(S((24, 200), f32), out=S((16, 128), f32), grid=(2,),
        in_specs=[pl.BlockSpec((pl.Element(8, (0, 8)), pl.Element(200)), lambda i: (i * 8, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))
def element_window(x, o):
  o[...] = x[:, 0:128]


def library_kernels():
  """The kernels that JAX ships."""
  from jax.experimental.pallas.ops.tpu import flash_attention, matmul as mm
  from jax.experimental.pallas.ops.tpu.megablox import gmm
  from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention

  q = S((1, 2, 256, 128), bf16)
  attend = lambda q, k, v: flash_attention.flash_attention(q, k, v, causal=True)
  yield "flash_attention", attend, (q, q, q)
  grad = jax.grad(lambda *a: attend(*a).astype(f32).sum(), argnums=(0, 1, 2))
  yield "flash_attention_backward", grad, (q, q, q)
  yield "library_matmul", lambda a, b: mm.matmul(a, b, block_shape=(256, 256), block_k=256), (
      S((512, 512), bf16), S((512, 512), bf16))
  yield "gmm", lambda a, b, g: gmm(a, b, g, preferred_element_type=f32), (
      S((512, 128), bf16), S((4, 128, 128), bf16), S((4,), i32))
  yield "paged_attention", lambda q, k, v, n, p: paged_attention(
      q, k, v, n, p, pages_per_compute_block=4), (
      S((4, 8, 128), f32), S((2, 32, 16, 128), f32), S((2, 32, 16, 128), f32),
      S((4,), i32), S((4, 8), i32))


def all_modules():
  """(name, serialized module) of every kernel above."""
  kernels = [(name, *entry) for name, entry in KERNELS.items()]
  for name, fn, args in kernels + list(library_kernels()):
    for number, wire in enumerate(wire_modules(fn, *args)):
      yield f"{name}.{number}", wire
