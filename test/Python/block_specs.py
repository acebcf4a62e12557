# REQUIRES: pallas-python
# RUN: %python %s
"""Block dimensions of every kind, memory spaces, prefetched scalars, dynamic grids, aliases and pipelines."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import tpu as pltpu

t = Table()
f32 = jnp.float32
x, y, n = floats(8, 16), floats(8, 16, seed=1), np.array([3, 0, 2, 1], np.int32)


def shape(*dims, dtype=f32):
  return jax.ShapeDtypeStruct(dims, dtype)


def add(name, kernel, out, *arrays, want=None, tolerance=1e-5, **keywords):
  t.add(name, lambda *a, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*a),
        *arrays, tolerance=tolerance, whole_arrays=False, want=want)


def double(x, o):
  o[...] = x[...] * 2


# Block dimensions
rows = pl.BlockSpec((4, 16), lambda i: (i, 0))
add("element", double, shape(6, 16), x, grid=(3,), in_specs=[pl.BlockSpec((pl.Element(2), 16), lambda i: (3 * i, 0))],
    out_specs=pl.BlockSpec((2, 16), lambda i: (i, 0)))
add("element_padded", double, shape(8, 16), x, grid=(2,),
    in_specs=[pl.BlockSpec((pl.Element(4, (2, 2)), pl.Element(16)), lambda i: (4 * i + 2, 0))], out_specs=rows)


def overlapping(x, o):
  o[...] = x[:4] + x[1:5] + x[2:6]
add("element_overlapping", overlapping, shape(4, 16), x, grid=(1,), in_specs=[pl.BlockSpec((pl.Element(6), pl.Element(16)), lambda i: (i, 0))],
    out_specs=rows)
add("squeezed_ends", double, shape(8, 16), floats(8, 1, 16, 1), grid=(8,),
    in_specs=[pl.BlockSpec((None, pl.squeezed, 16, None), lambda i: (i, 0, 0, 0))], out_specs=pl.BlockSpec((None, 16), lambda i: (i, 0)))
add("blocked_class", double, shape(8, 16), x, grid=(2,), in_specs=[pl.BlockSpec((pl.Blocked(4), pl.Blocked(16)), lambda i: (i, 0))], out_specs=rows)
add("no_index_map", double, shape(8, 16), x, grid=(2,), in_specs=[pl.BlockSpec((8, 16))], out_specs=pl.BlockSpec((8, 16)))
add("whole_array", double, shape(8, 16), x, in_specs=[pl.BlockSpec()], out_specs=pl.BlockSpec())
add("scalars", lambda x, o: o.__setitem__((), x[()] + 1), shape(), np.float32(3.5).reshape(()), in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM)],
    out_specs=pl.BlockSpec(memory_space=pltpu.SMEM))
for mode in (pl.Buffered(1), pl.Buffered(3), pl.Buffered(2, use_lookahead=True)):
  add(f"buffered_{mode.buffer_count}_{mode.use_lookahead}", double, shape(8, 16), x, grid=(2,),
      in_specs=[pl.BlockSpec((4, 16), lambda i: (i, 0), pipeline_mode=mode)], out_specs=rows)


t.add("index_map_arithmetic", lambda a, interpret: pl.pallas_call(
    double, out_shape=shape(8, 16), interpret=interpret, grid=(2, 2), out_specs=pl.BlockSpec((4, 8), lambda i, j: (i, j)),
    in_specs=[pl.BlockSpec((4, 8), lambda i, j: (lax.rem(i + j, 2), jnp.where(i > 0, 1 - j, j)))])(a), x, whole_arrays=False)


# Memory spaces and types
def spaces(s, v, a, o):
  o[...] = v[...] * s[1] + a[...]
add("spaces", spaces, shape(8, 16), floats(3), x, y, out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
    in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pltpu.VMEM), pl.BlockSpec(memory_space=pltpu.VMEM)])


def copied(x, o, buffer, semaphore):
  copy = pltpu.make_async_copy(x.at[pl.ds(2, 4)], buffer, semaphore)
  copy.start()
  copy.wait()
  pltpu.sync_copy(buffer, o.at[pl.ds(0, 4)])
  pltpu.sync_copy(buffer, o.at[pl.ds(4, 4)])
add("copies", copied, shape(8, 16), x, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.VMEM((4, 16), f32), pltpu.SemaphoreType.DMA], want=np.concatenate([x[2:6], x[2:6]]))
for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.bool_, ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn,
              ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4):
  def selected(x, y, o):
    o[...] = jnp.where(pl.program_id(0) == 0, x[...], y[...])
  block = pl.BlockSpec((5, 7), lambda i: (i, 0))
  low = 0 if np.dtype(dtype).name.startswith(("u", "bool")) else -7
  add(f"blocks_{np.dtype(dtype).name}", selected, shape(9, 7, dtype=dtype), integers(low, 7, 9, 7).astype(dtype), integers(low, 7, 9, 7, seed=1).astype(dtype),
      grid=(2,), in_specs=[block, block], out_specs=block)


# Prefetched scalars, dynamic grids, aliases
def prefetched(i, x, o):
  o[...] = x[...] + i[pl.program_id(0)].astype(f32)
gathered = dict(num_scalar_prefetch=1, grid=(4,), in_specs=[pl.BlockSpec((2, 16), lambda i, s: (s[i], 0))],
                out_specs=pl.BlockSpec((2, 16), lambda i, s: (i, 0)))
add("prefetch", prefetched, shape(8, 16), n, x, grid_spec=pltpu.PrefetchScalarGridSpec(**gathered))


def batched(i, a, interpret):
  return pl.pallas_call(prefetched, grid_spec=pltpu.PrefetchScalarGridSpec(**gathered), out_shape=shape(8, 16), interpret=interpret)(i, a)
t.add("prefetch_vmap", lambda i, a, interpret: jax.vmap(lambda b: batched(i, b, interpret))(a), n, floats(3, 8, 16), whole_arrays=False)
t.add("prefetch_vmap_scalars", lambda i, a, interpret: jax.vmap(lambda s: batched(s, a, interpret))(i), np.stack([n, n[::-1]]), x, whole_arrays=False)


def dynamic(m, a, interpret):
  return pl.pallas_call(double, grid=(m, 2), out_shape=shape(8, 16), interpret=interpret, in_specs=[pl.BlockSpec((2, 8), lambda i, j: (i, j))],
                        out_specs=pl.BlockSpec((2, 8), lambda i, j: (i, j)))(a)
t.add("dynamic_grid", lambda m, a, interpret: dynamic(m[0] + 1, a, interpret), n, x, whole_arrays=False)
for kind in (np.int16, np.uint8):
  t.add(f"dynamic_grid_{np.dtype(kind).name}", lambda m, a, interpret, k=kind: dynamic(m[0].astype(k) + 1, a, interpret), n, x, whole_arrays=False)
t.add("dynamic_grid_vmap", lambda m, a, interpret: jax.vmap(lambda b: dynamic(m[0] + 1, b, interpret))(a), n, floats(3, 8, 16), whole_arrays=False)


def onto(x, z, o):
  o[...] = z[...] + x[...]
add("aliased", onto, shape(8, 16), x, y, input_output_aliases={1: 0}, grid=(2,), in_specs=[rows, rows], out_specs=rows)


def carried(x, o, total):
  @pl.when(pl.program_id(0) == 0)
  def _():
    total[0] = 0.0
  total[0] += jnp.sum(x[...])
  o[...] = jnp.full_like(o, total[0])
add("carried_scratch", carried, shape(8, 16), x, grid=(2,), in_specs=[rows], out_specs=rows, scratch_shapes=[pltpu.SMEM((1,), f32)], tolerance=1e-4)


def revisited(x, o):
  @pl.when(pl.program_id(1) == 0)
  def _():
    o[...] = jnp.zeros_like(o)
  o[...] += x[...]
add("revisited", revisited, shape(4, 8), x, grid=(1, 4), in_specs=[pl.BlockSpec((4, 8), lambda i, j: (j // 2, j % 2))],
    out_specs=pl.BlockSpec((4, 8), lambda i, j: (0, 0)))
add("several_outputs", lambda x, a, b: (a.__setitem__(..., x[...] + 1), b.__setitem__(..., x[:, 0].astype(jnp.int32))) and None,
    [shape(8, 16), shape(8, dtype=jnp.int32)], x)
add("trees", lambda d, o: o["b"][1].__setitem__(..., d["p"][...] + d["q"][0][...]), {"b": [None, shape(8, 16)]}, {"p": x, "q": (y,)})


# Pipelines inside of kernels
def inner(x, y, o):
  o[...] = x[...] * 2 + y[...]


def pipelined(x, y, o):
  block = pl.BlockSpec((2, 8), lambda i, j: (i, j))
  pltpu.emit_pipeline(inner, grid=(4, 2), in_specs=[block, block], out_specs=[block])(x, y, o)


anywhere = pl.BlockSpec(memory_space=pl.ANY)
for as_primitive in (False, True):
  def run(*arrays, interpret, p=as_primitive):
    with jax._src.config.use_emit_pipeline_primitive(p):
      return pl.pallas_call(pipelined, out_shape=shape(8, 16), in_specs=[anywhere, anywhere], out_specs=anywhere)(*arrays)
  t.add(f"pipeline_{as_primitive}", run, x, y, whole_arrays=False, want=x * 2 + y)


def summed(x, o, acc):
  def body(x):
    acc[...] += x[...]
  acc[...] = jnp.zeros_like(acc)
  pltpu.emit_pipeline(body, grid=(4,), in_specs=[pl.BlockSpec((2, 16), lambda i: (i, 0))])(x)
  o[...] = acc[...]
for as_primitive in (False, True):
  def run_sum(v, interpret, p=as_primitive):
    with jax._src.config.use_emit_pipeline_primitive(p):
      return pl.pallas_call(summed, out_shape=shape(2, 16), in_specs=[anywhere], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
                            scratch_shapes=[pltpu.VMEM((2, 16), f32)])(v)
  t.add(f"pipeline_sum_{as_primitive}", run_sum, x, whole_arrays=False, want=x.reshape(4, 2, 16).sum(0), tolerance=1e-4)

# Views of what a pipeline hands to a pipeline stay in its memory.
def nested(x, o):
  def outer(x, o):
    def inner(x, o):
      o[...] = x[...] + 1
    block = pl.BlockSpec((4, 8), lambda i: (0, i))
    o[...] = x[...]
    pltpu.emit_pipeline(inner, grid=(2,), in_specs=[block], out_specs=[block])(
        x.bitcast(jnp.int16).at[0:4], o.bitcast(jnp.int16).at[0:4])
  block = pl.BlockSpec((4, 16), lambda i: (i, 0))
  pltpu.emit_pipeline(outer, grid=(2,), in_specs=[block], out_specs=[block])(x, o)


def run_nested(v, interpret):
  with jax._src.config.use_emit_pipeline_primitive(True):
    return pl.pallas_call(nested, out_shape=v, in_specs=[anywhere], out_specs=anywhere)(v)
words = np.arange(128, dtype=np.int32).reshape(8, 16)
t.add("pipeline_nested_views", run_nested, words, whole_arrays=False, want=words + np.where(np.arange(8) % 4 < 2, 0x10001, 0)[:, None].astype(np.int32))


# The axes of a mesh are known inside, also to those who check what JAX writes.
def on_cores(o):
  def body(o):
    o[...] = jnp.full(o.shape, 10 * jax.lax.axis_index("core") + pl.program_id(0))
  pltpu.emit_pipeline(body, grid=(4,), out_specs=pl.BlockSpec((2, 16), lambda i: (i, 0)), core_axis_name="core",
                      dimension_semantics=(pltpu.PARALLEL,))(o)


def run_on_cores(interpret):
  with jax._src.config.use_emit_pipeline_primitive(True), jax.enable_checks(True):
    return pl.kernel(on_cores, out_type=shape(8, 16, dtype=jnp.int32), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2))()
t.add("pipeline_on_cores", run_on_cores, whole_arrays=False, want=np.repeat(np.int32([0, 1, 12, 13]), 2)[:, None] + np.zeros(16, np.int32))
t.run()
