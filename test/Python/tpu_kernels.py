# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels in the way of Mosaic TPU: copies, semaphores, pipelines, scalars that are prefetched, several cores."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax._src import core
from jax._src.pallas.mosaic import primitives as tpu_primitives
from jax.experimental.pallas import tpu as pltpu

t = Table()
f32, i32 = jnp.float32, jnp.int32
S = jax.ShapeDtypeStruct
x, y = floats(64, 128), floats(64, 128, seed=1)
n = integers(0, 8, 6)
ANY, VMEM, SMEM, HBM = (pl.BlockSpec(memory_space=s) for s in (pl.ANY, pltpu.VMEM, pltpu.SMEM, pltpu.HBM))
DMA = pltpu.SemaphoreType.DMA


def add(name, kernel, out, *arrays, want, tolerance=1e-5, until=None, **keywords):
  out = jax.tree_util.tree_map(lambda o: S(o.shape, o.dtype), out)
  t.add(name, lambda *v, interpret: pl.pallas_call(kernel, out_shape=out, **keywords)(*v),
        *arrays, tolerance=tolerance, whole_arrays=False, want=want, until=until)


# Copies
def double_buffered(x, o, buffers, sems):
  def copy(i, slot):
    return pltpu.make_async_copy(x.at[pl.ds(i * 8, 8)], buffers.at[slot], sems.at[slot])
  copy(0, 0).start()
  def step(i, total):
    slot = lax.rem(i, 2)
    @pl.when(i + 1 < 8)
    def _():
      copy(i + 1, 1 - slot).start()
    copy(i, slot).wait()
    return total + buffers[slot]
  o[...] = lax.fori_loop(0, 8, step, jnp.zeros((8, 128), f32))
add("double_buffer", double_buffered, x[:8], x, want=x.reshape(8, 8, 128).sum(0), in_specs=[ANY], out_specs=VMEM,
    scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), DMA((2,))])


def scattered_rows(rows, x, o, sem):
  def start(i, _):
    pltpu.make_async_copy(x.at[rows[i]], o.at[i], sem).start()
  lax.fori_loop(0, 6, start, None)
  def wait(i, _):
    pltpu.make_async_copy(x.at[0], o.at[i], sem).wait()
  lax.fori_loop(0, 6, wait, None)
add("copies_one_semaphore", scattered_rows, x[:6], n, x, want=x[n], in_specs=[SMEM, ANY], out_specs=ANY, scratch_shapes=[DMA])


def copied_parts(x, o, buffer, sem):
  pltpu.sync_copy(x.at[pl.ds(8, 16), pl.ds(0, 128)], buffer)
  buffer[...] = buffer[...] + 1
  pltpu.sync_copy(buffer.at[pl.ds(0, 8)], o.at[pl.ds(8, 8)])
  pltpu.async_copy(buffer.at[pl.ds(8, 8)], o.at[pl.ds(0, 8)], sem).wait()
add("copy_windows", copied_parts, x[:16], x, want=np.concatenate([x[16:24], x[8:16]]) + 1, in_specs=[HBM], out_specs=HBM, scratch_shapes=[pltpu.VMEM((16, 128), f32), DMA])


def copied_from_the_end(i, x, o):
  rows = x.at[pl.ds(i[0], 64)]
  pltpu.sync_copy(rows.at[pl.ds(8, 8)], o)
add("slice_beyond_the_end", copied_from_the_end, x[:8], np.array([32], np.int32), x, want=x[40:48], in_specs=[SMEM, ANY], out_specs=ANY)


def added(x, o, buffer, sem):
  buffer[...] = jnp.ones_like(buffer)
  pltpu.sync_copy(x.at[pl.ds(0, 8)], buffer, add=True)
  pltpu.sync_copy(buffer, o)
add("copy_add", added, x[:8], x, want=x[:8] + 1, in_specs=[ANY], out_specs=ANY, scratch_shapes=[pltpu.VMEM((8, 128), f32), DMA])


def counted_copies(x, o, sem, other):
  first = pltpu.make_async_copy(x.at[pl.ds(0, 8)], o, sem)
  first.start()
  first.wait()
  pl.semaphore_signal(other, 2)
  pl.semaphore_wait(other, 1)
  @pl.when(pl.semaphore_read(other) == 1)
  def _():
    o[0] = o[0] * 2
  pl.semaphore_wait(other, 1)
add("semaphores_and_copies", counted_copies, x[:8], x, want=np.concatenate([x[:1] * 2, x[1:8]]), in_specs=[VMEM], out_specs=VMEM,
    scratch_shapes=[DMA, pltpu.SemaphoreType.REGULAR])


def selected(i, x, y, o):
  pltpu.sync_copy(pl.select_ref(i[0], x, y), o)
add("select_ref", selected, x, np.array([1], np.int32), x, y, want=y, in_specs=[SMEM, ANY, ANY], out_specs=ANY)


# Scalars
def in_smem(table, o, count):
  count[0] = 0
  def step(i, _):
    count[0] = count[0] + table[i]
    o[i] = count[0]
  lax.fori_loop(0, 6, step, None)
add("smem_scratch", in_smem, n, n, want=np.cumsum(n).astype(np.int32), in_specs=[SMEM], out_specs=SMEM, scratch_shapes=[pltpu.SMEM((1,), i32)])


def blocks_by_table(table, sizes, x, o):
  i = pl.program_id(0)
  o[...] = jnp.where(lax.broadcasted_iota(i32, (8, 128), 0) < sizes[i], x[...], -1.0)
sizes = np.array([1, 8, 3, 0, 5, 2], np.int32)
picked = x.reshape(8, 8, 128)[n]
add("prefetched", blocks_by_table, picked.reshape(48, 128), n, sizes, x,
    want=np.where(np.arange(8)[None, :, None] < sizes[:, None, None], picked, -1).reshape(48, 128),
    grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=2, grid=(6,), in_specs=[pl.BlockSpec((8, 128), lambda i, table, sizes: (table[i], 0))],
                                           out_specs=pl.BlockSpec((8, 128), lambda i, *_: (i, 0))))


def grouped(starts, x, o, acc):
  i, k = pl.program_id(0), pl.program_id(1)
  @pl.when(k == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)
  inside = (starts[i] <= k) & (k < starts[i + 1])
  acc[...] += jnp.where(inside, x[...], 0.0)
  @pl.when(k == pl.num_programs(1) - 1)
  def _():
    o[...] = acc[...][None]
starts = np.array([0, 3, 3, 8], np.int32)
add("grouped_sums", grouped, np.zeros((3, 8, 128), np.float32), starts, x, tolerance=1e-4,
    want=np.stack([x.reshape(8, 8, 128)[a:b].sum(0) for a, b in zip(starts, starts[1:])]),
    grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(3, 8), in_specs=[pl.BlockSpec((8, 128), lambda i, k, s: (k, 0))],
                                           out_specs=pl.BlockSpec((1, 8, 128), lambda i, k, s: (i, 0, 0)), scratch_shapes=[pltpu.VMEM((8, 128), f32)]))


# Block dimensions
def moving(x, o):
  o[...] = x[0:8] + x[1:9] + x[2:10]
padded = np.concatenate([np.zeros((1, 128), np.float32), x, np.zeros((1, 128), np.float32)])
add("element_windows", moving, x, padded, want=padded[:-2] + padded[1:-1] + padded[2:], tolerance=1e-4, grid=(8,),
    in_specs=[pl.BlockSpec((pl.Element(10), pl.Element(128)), lambda i: (i * 8, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))


def buffered(x, y, o):
  o[...] = x[...] + y[...]
add("pipeline_mode", buffered, x, x, y, want=x + y[:8].repeat(8, 0).reshape(8, 8, 128).transpose(1, 0, 2).reshape(64, 128), grid=(8,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(3)), pl.BlockSpec((8, 128), lambda i: (0, 0), pipeline_mode=pl.Buffered(1))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)), compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)))


# Pipelines inside of kernels
def pipelined(x, y, o):
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  def body(x, y, o):
    o[...] = x[...] * y[...]
  pltpu.emit_pipeline(body, grid=(8,), in_specs=[block, block], out_specs=[block])(x, y, o)
add("emit_pipeline", pipelined, x, x, y, want=x * y, in_specs=[ANY, ANY], out_specs=ANY)


def accumulated(x, y, o):
  def body(x, y, o):
    @pl.when(pl.program_id(2) == 0)
    def _():
      o[...] = jnp.zeros_like(o)
    o[...] += lax.dot(x[...], y[...], preferred_element_type=f32)
  pltpu.emit_pipeline(body, grid=(2, 1, 4), in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 128), lambda i, j, k: (k, j))],
                      out_specs=[pl.BlockSpec((32, 128), lambda i, j, k: (i, j))])(x, y, o)
lhs, rhs = floats(64, 128, seed=2), floats(128, 128, seed=3)
add("emit_pipeline_matmul", accumulated, x, lhs, rhs, want=lhs @ rhs, tolerance=1e-3, in_specs=[ANY, ANY], out_specs=ANY)


def by_table(table, x, o):
  def body(x, o):
    o[...] = x[...] + pl.program_id(0)
  pltpu.emit_pipeline(body, grid=(6,), in_specs=[pl.BlockSpec((8, 128), lambda i: (table[i], 0))],
                      out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))])(x, o)
add("emit_pipeline_table", by_table, picked.reshape(48, 128), n, x, want=(picked + np.arange(6)[:, None, None]).astype(np.float32).reshape(48, 128),
    in_specs=[SMEM, ANY], out_specs=ANY)


def nested(x, o):
  def outer(x, o):
    def inner(x, o):
      o[...] = x[...] * 2
    inner_block = pl.BlockSpec((8, 128), lambda j: (j, 0))
    pltpu.emit_pipeline(inner, grid=(2,), in_specs=[inner_block], out_specs=[inner_block])(x, o)
  block = pl.BlockSpec((16, 128), lambda i: (i, 0))
  pltpu.emit_pipeline(outer, grid=(4,), in_specs=[block], out_specs=[block])(x, o)
add("emit_pipeline_nested", nested, x, x, want=x * 2, in_specs=[ANY], out_specs=ANY)


# Cores
def on_cores(kernel, out, **scratch):
  mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
  return lambda *v, interpret: pl.kernel(kernel, out_type=jax.tree_util.tree_map(lambda o: S(o.shape, o.dtype), out), mesh=mesh, scratch_types=scratch)(*v)


def halves(x, o, *, buffer, sem):
  rows = pl.ds(lax.axis_index("core") * 32, 32)
  pltpu.async_copy(x.at[rows], buffer, sem).wait()
  buffer[...] = buffer[...] * (lax.axis_index("core") + 1)
  pltpu.async_copy(buffer, o.at[rows], sem).wait()
t.add("cores", on_cores(halves, x, buffer=pltpu.VMEM((32, 128), f32), sem=DMA), x, whole_arrays=False, want=np.concatenate([x[:32], x[32:] * 2]))


def waiting(x, o, *, buffer, ready):
  core = lax.axis_index("core")
  @pl.when(core == 0)
  def _():
    pltpu.sync_copy(x.at[pl.ds(0, 8)], o.at[0])
    pl.semaphore_signal(ready, 1, core_index=1)
  @pl.when(core == 1)
  def _():
    pl.semaphore_wait(ready, 1)
    pltpu.sync_copy(o.at[0], buffer)
    buffer[...] += 1
    pltpu.sync_copy(buffer, o.at[1])
t.add("cores_wait", on_cores(waiting, np.zeros((2, 8, 128), np.float32), buffer=pltpu.VMEM((8, 128), f32), ready=pltpu.SemaphoreType.REGULAR), x,
      whole_arrays=False, want=np.stack([x[:8], x[:8] + 1]))


def split_pipeline(x, o):
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  pltpu.emit_pipeline(lambda x, o: o.__setitem__(..., x[...] - 3), grid=(8,), in_specs=[block], out_specs=[block],
                      core_axis_name="core", dimension_semantics=(pltpu.PARALLEL,))(x, o)
t.add("cores_pipeline", on_cores(split_pipeline, x), x, whole_arrays=False, want=x - 3)


def met(x, o, *, buffer, sem):
  core = lax.axis_index("core")
  pltpu.sync_copy(x.at[pl.ds(core * 8, 8)], o.at[core])
  pltpu.core_barrier(sem, core_axis_name="core")
  pltpu.sync_copy(o.at[1 - core], buffer)
  pltpu.core_barrier(sem, core_axis_name="core")
  pltpu.sync_copy(buffer, o.at[core])
t.add("cores_meet", on_cores(met, np.zeros((2, 8, 128), np.float32), buffer=pltpu.VMEM((8, 128), f32), sem=pltpu.SemaphoreType.REGULAR), x,
      whole_arrays=False, want=np.stack([x[8:16], x[:8]]))


def stateful(v, interpret):
  out = jax.new_ref(jnp.zeros_like(v))
  ref = jax.new_ref(v)
  @pl.core_map(pltpu.create_tensorcore_mesh("core", num_cores=1))
  def _():
    pl.run_scoped(lambda buffer: (pltpu.sync_copy(ref, buffer), buffer.__setitem__(..., buffer[...] * 3), pltpu.sync_copy(buffer, out)) and None, pltpu.VMEM(v.shape, f32))
  return out[...]
t.add("core_map", stateful, x, whole_arrays=False, want=x * 3)


# Random bits and keys
def keyed(words, o):
  key = tpu_primitives.wrap_pallas_seed(words[0].astype(jnp.uint32), words[1].astype(jnp.uint32), impl="pallas_tpu")
  first = jax.random.uniform(key, (64, 128))
  again = jax.random.uniform(key, (64, 128))
  other = jax.random.uniform(jax.random.fold_in(key, 5), (64, 128))
  low, high = tpu_primitives.unwrap_pallas_seed(key)
  pltpu.prng_seed(low, high)
  o[0] = jnp.sum(first == again)
  o[1] = (jnp.sum(first == other) < 20).astype(i32)
  o[2] = jnp.round(jnp.mean(first) * 20).astype(i32)
  pltpu.prng_seed(3)
  drawn = pltpu.stateful_normal((64, 128))
  o[3] = jnp.round(jnp.mean(drawn) * 10).astype(i32)
  o[4] = jnp.round(jnp.std(drawn) * 10).astype(i32)
  o[5] = jnp.sum(pltpu.stateful_bernoulli(p=0.5, shape=(64, 128)).astype(i32)) // 1000
add("keys", keyed, np.zeros(6, np.int32), np.array([3, 9], np.int32), want=np.array([8192, 1, 10, 0, 10, 4], np.int32), in_specs=[SMEM], out_specs=SMEM)


# Marks and memory
def marked(x, o):
  pltpu.trace_value("first", x[0, 0])
  with jax.named_scope("inside"):
    v = x[...]
  pltpu.touch(x)
  o[...] = pl.broadcast_to(v[0:1], (8, 128)) + pl.num_programs(0)
add("marks", marked, x, x, want=np.repeat(x.reshape(8, 8, 128)[:, :1], 8, 1).reshape(64, 128) + 8, grid=(8,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))


def with_empty_refs(x, o):
  buffer = pl.empty_ref_like(pltpu.VMEM((8, 128), f32))
  buffer[...] = x[0:8] * 2
  o[...] = buffer[...]
  core.free_ref(buffer)
add("empty_ref", with_empty_refs, x[:8], x, want=x[:8] * 2)


# Regular semaphores count copies, those for copies count bytes.
def counted(x, o, buffer, sems):
  pltpu.async_copy(x, buffer, sems.at[0])
  pl.semaphore_wait(sems.at[0])
  buffer[...] = buffer[...] + 1
  pltpu.async_copy(buffer, o, sems.at[1])
  pl.semaphore_wait(sems.at[1], 1)
add("copies_on_regular_semaphores", counted, x, x, want=x + 1, in_specs=[ANY], out_specs=ANY,
    scratch_shapes=[pltpu.VMEM((64, 128), f32), pltpu.SemaphoreType.REGULAR((2,))])


# The matrix unit by hand: a factor is staged while the one before is used. Sums have addresses, which became refs.
def by_hand(a, b, o):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=1, staging_register=1)
  def step(i, _):
    pltpu.matmul_acc_lhs(8, a[:, pl.ds(i * 256, 256)], mxu_index=1, load_staged_rhs=1)
    @pl.when(i < 1)
    def _():
      pltpu.matmul_push_rhs(b[pl.ds(256, 256)].T, mxu_index=1, staging_register=1, transpose=True)
  lax.fori_loop(0, 2, step, None)
  o[0] = pltpu.matmul_pop(8, (64, 256), f32, mxu_index=1)
  o[1] = pltpu.matmul_pop(8, (64, 256), f32, mxu_index=1)
a, b = floats(64, 512), floats(512, 256, seed=1)
add("matrix_unit", by_hand, np.zeros((2, 64, 256), np.float32), a, b, want=np.stack([a @ b, a @ b * 0]), tolerance=1e-3, until="0.11.2")


# A call inside of a kernel has a grid of its own.
def outer(x, o):
  def inner(x, scale, o, last):
    o[...] = x[...] * scale[()] + pl.program_id(0)
    last[()] = x[0, 0]
  rows = pl.BlockSpec((4, 128), lambda i: (i, 0))
  one = pl.BlockSpec((), lambda i: ())
  result, last = pl.pallas_call(inner, out_shape=[S((8, 128), f32), S((), f32)], grid=(2,), in_specs=[rows, one], out_specs=[rows, one])(x[...], x[0, 1])
  o[...] = result + last + pl.program_id(0)
blocks = x.reshape(8, 2, 4, 128)
add("nested_call", outer, x, x, grid=(8,), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    want=(blocks * blocks[:, :1, :1, 1:2] + np.arange(2)[:, None, None] + blocks[:, 1:, :1, :1] + np.arange(8)[:, None, None, None]).reshape(64, 128).astype(np.float32))
t.run()
