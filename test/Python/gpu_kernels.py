# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels in the way of Mosaic GPU: copies, barriers, matrix products, warpgroups, clusters, pipelines."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

t = Table()
f32, f16, i32 = jnp.float32, jnp.float16, jnp.int32
S = jax.ShapeDtypeStruct
x, y = floats(64, 64), floats(64, 64, seed=1)
a, b = x.astype(np.float16), y.astype(np.float16)
n = integers(-50, 50, 64, 64)
tiled = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
product = a.astype(np.float32) @ b.astype(np.float32)


def add(name, kernel, out, *arrays, want, tolerance=1e-5, **keywords):
  out = jax.tree_util.tree_map(lambda o: S(o.shape, o.dtype), out)
  t.add(name, lambda *v, interpret: plgpu.kernel(kernel, out_type=out, **keywords)(*v),
        *arrays, tolerance=tolerance, whole_arrays=False, want=want)


def load(ref, layout):
  """Since 0.12 the index belongs to the ref."""
  return plgpu.load(ref, *([] if has_release("0.12.0") else [()]), layout=layout)


# Places in a grid by number
def numbered(x, o):
  i, j = pl.program_id(0), pl.program_id(1)
  o[i, j] = x[...] + (10 * i + j).astype(f32)
add("program_id", numbered, np.empty((2, 3, 64), np.float32), x[0],
    want=x[0] + (10 * np.arange(2)[:, None, None] + np.arange(3)[:, None]).astype(np.float32), grid=(2, 3), grid_names=("i", "j"))


def numbered_blocks(x, o):
  o[pl.program_id(0)] = x[...] + lax.axis_index("c").astype(f32)
add("program_id_of_a_cluster", numbered_blocks, np.empty((6, 64), np.float32), x[0], want=x[0] + np.tile([[0], [1]], (3, 1)).astype(np.float32),
    grid=(3,), grid_names=("i",), cluster=(2,), cluster_names=("c",))


# Copies and barriers
def copied(x, o, buffer, barrier):
  plgpu.async_prefetch(x.at[pl.ds(0, 16)])
  plgpu.copy_gmem_to_smem(x, buffer, barrier)
  plgpu.barrier_wait(barrier)
  buffer[...] = buffer[...] * 2
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(buffer, o)
  plgpu.wait_smem_to_gmem(0)
add("copy", copied, x, x, want=x * 2, scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


def copied_from_the_end(x, o, buffer, barrier):
  # The slice leaves the array, what is copied does not.
  rows = x.at[pl.ds(lax.axis_index("i") * 32, 64)]
  plgpu.copy_gmem_to_smem(rows.at[pl.ds(8, 16)], buffer, barrier)
  plgpu.barrier_wait(barrier)
  o[pl.ds(lax.axis_index("i") * 16, 16)] = buffer[...] + rows.at[pl.ds(4, 16)][...]
add("slice_beyond_the_end", copied_from_the_end, x[:32], x, want=np.concatenate([x[8:24] + x[4:20], x[40:56] + x[36:52]]), grid=(2,), grid_names=("i",),
    scratch_types=[plgpu.SMEM((16, 64), f32), plgpu.Barrier()])


def copied_over_the_edges(x, o, p, buffer, barrier):
  # Zeros come from outside of the array, and nothing goes there.
  i = lax.axis_index("i")
  plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 24 - 4, 24)], buffer, barrier)
  plgpu.barrier_wait(barrier)
  o[i] = buffer[...]
  plgpu.copy_smem_to_gmem(buffer, p.at[pl.ds(i * 24 - 4, 24)])
  plgpu.wait_smem_to_gmem(0)
edges = np.zeros((72, 64), np.float32)
edges[4:68] = x
add("copy_over_the_edges", copied_over_the_edges, [edges.reshape(3, 24, 64), x], x, want=[edges.reshape(3, 24, 64), x], grid=(3,), grid_names=("i",),
    scratch_types=[plgpu.SMEM((24, 64), f32), plgpu.Barrier()])


def copied_in_groups(x, o, p, buffer, barrier):
  plgpu.copy_gmem_to_smem(x, buffer, barrier)
  plgpu.barrier_wait(barrier)
  for i in range(4):
    rows = pl.ds(i * 16, 16)
    plgpu.copy_smem_to_gmem(buffer.at[rows], o.at[rows], commit_group=False)
    plgpu.copy_smem_to_gmem(buffer.at[rows], p.at[pl.ds(48 - i * 16, 16)], commit_group=False)
    plgpu.commit_smem_to_gmem_group()
  plgpu.wait_smem_to_gmem(1, wait_read_only=True)
  plgpu.wait_smem_to_gmem(0)
add("copy_groups", copied_in_groups, [x, x], x, want=[x, x.reshape(4, 16, 64)[::-1].reshape(64, 64)],
    scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


def one_stores(x, o, buffer, barrier):
  group = lax.axis_index("wg")
  plgpu.copy_gmem_to_smem(x.at[pl.ds(group * 32, 32)], buffer.at[group], barrier.at[group])
  plgpu.barrier_wait(barrier.at[group])
  buffer[group] = buffer[group] + group
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(buffer.at[group], o.at[pl.ds(0, 32)], predicate=group == 1)
  plgpu.wait_smem_to_gmem(0)
add("copy_predicate", one_stores, x[:32], x, want=x[32:] + 1, num_threads=2, thread_name="wg",
    scratch_types=[plgpu.SMEM((2, 32, 64), f32), plgpu.Barrier(num_barriers=2)])


def reduced(x, o, buffer, barrier):
  plgpu.copy_gmem_to_smem(x, buffer, barrier)
  plgpu.barrier_wait(barrier)
  o[...] = jnp.zeros_like(o)
  plgpu.commit_smem()
  for part in range(4):
    plgpu.copy_smem_to_gmem(buffer.at[pl.ds(part * 16, 16)], o, reduction_op="add")
  plgpu.wait_smem_to_gmem(0)
add("copy_reduction", reduced, n[:16], n, want=n.reshape(4, 16, 64).sum(0, dtype=np.int32), scratch_types=[plgpu.SMEM((64, 64), i32), plgpu.Barrier()])


def tested(x, o, buffer, barrier):
  plgpu.copy_gmem_to_smem(x, buffer, barrier)
  lax.while_loop(lambda done: jnp.logical_not(done), lambda _: plgpu.barrier_test(barrier), plgpu.barrier_test(barrier))
  o[...] = buffer[...]
add("barrier_test", tested, x, x, want=x, scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


def tested_by_warps(x, o, p, buffer, barrier):
  # A warp that finds the copy there has waited for it.
  plgpu.copy_gmem_to_smem(x, buffer, barrier)
  @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
  def _():
    done = plgpu.barrier_test(barrier)
    pl.when(jnp.logical_not(done))(lambda: plgpu.barrier_wait(barrier))
    p[lax.axis_index("warp")] = lax.axis_index("warp")
  o[...] = buffer[...]
add("barrier_test_by_warps", tested_by_warps, [x, n[0, :4]], x, want=[x, np.arange(4, dtype=np.int32)],
    scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


# Several warpgroups
def produced(x, o, buffer, full, empty):
  group = lax.axis_index("wg")

  @pl.when(group == 0)
  def _():
    plgpu.set_max_registers(40, action="decrease")
    def produce(i, _):
      slot = lax.rem(i, 2)
      @pl.when(i >= 2)
      def _():
        plgpu.barrier_wait(empty.at[slot])
      plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 8, 8)], buffer.at[slot], full.at[slot])
    lax.fori_loop(0, 8, produce, None)

  @pl.when(group == 1)
  def _():
    plgpu.set_max_registers(232, action="increase")
    def consume(i, total):
      slot = lax.rem(i, 2)
      plgpu.barrier_wait(full.at[slot])
      total = total + buffer[slot]
      plgpu.barrier_arrive(empty.at[slot])
      return total
    o[...] = lax.fori_loop(0, 8, consume, jnp.zeros((8, 64), f32))
add("producer_consumer", produced, x[:8], x, want=x.reshape(8, 8, 64).sum(0), num_threads=2, thread_name="wg",
    scratch_types=[plgpu.SMEM((2, 8, 64), f32), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)])


def exchanged(x, o, buffer, barrier):
  group = lax.axis_index("wg")
  buffer[group] = x[group] * 2
  plgpu.commit_smem()
  plgpu.barrier_arrive(barrier)
  plgpu.barrier_wait(barrier)
  o[group] = buffer[(group + 1) % 4]
add("exchange", exchanged, x.reshape(4, 16, 64), x.reshape(4, 16, 64), want=np.roll(x.reshape(4, 16, 64), -1, 0) * 2,
    num_threads=4, thread_name="wg", scratch_types=[plgpu.SMEM((4, 16, 64), f32), plgpu.Barrier(num_arrivals=4)])


def scoped(x, o, barrier):
  def body(buffer):
    buffer[...] = x[...]
    plgpu.commit_smem()
    return jnp.sum(buffer[...], axis=1)
  o[...] = pl.run_scoped(body, plgpu.SMEM((64, 64), f32))
add("scoped", scoped, x[0], x, want=x.sum(1), tolerance=1e-4, scratch_types=[plgpu.Barrier()])


# Matrix products of a warpgroup
def loaded(x, y, a, b, barrier):
  plgpu.copy_gmem_to_smem(x, a, barrier)
  plgpu.copy_gmem_to_smem(y, b, barrier)
  plgpu.barrier_wait(barrier)
matrices = [plgpu.SMEM((64, 64), f16, transforms=tiled)] * 2 + [plgpu.Barrier(num_arrivals=2)]


def wgmma(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    for part in range(4):
      k = pl.ds(part * 16, 16)
      plgpu.wgmma(acc, a.at[:, k], b.at[k])
      plgpu.wgmma_wait(1)
    plgpu.wgmma_wait(0)
    return acc[...]
  o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), f32))
add("wgmma", wgmma, x, a, b, want=product, tolerance=1e-2, scratch_types=matrices)


def wgmma_transposed(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    plgpu.wgmma(acc, plgpu.transpose_ref(a, (1, 0)), plgpu.transpose_ref(b, (1, 0)))
    return acc[...]
  o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), f32))
add("wgmma_transposed", wgmma_transposed, x, a, b, want=a.T.astype(np.float32) @ b.T.astype(np.float32), tolerance=1e-2, scratch_types=matrices)


def wgmma_registers(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    rows = load(a, layout=plgpu.Layout.WGMMA)
    plgpu.wgmma(acc, plgpu.layout_cast(rows * 2, plgpu.Layout.WGMMA), b)
    return plgpu.wgmma_accumulator_load(acc, wait_n=0)
  o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), f32))
add("wgmma_registers", wgmma_registers, x, a, b, want=product * 2, tolerance=2e-2, scratch_types=matrices)


def wgmma_stated(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  start = jnp.full((64, 64), 3.0, f32)
  o[...] = pl.run_state(lambda acc: plgpu.wgmma(acc, a, b))(plgpu.ACC.init(start))
add("wgmma_initialized", wgmma_stated, x, a, b, want=product + 3, tolerance=1e-2, scratch_types=matrices)


def wgmma_returned(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    plgpu.wgmma(acc, a, b)
    return acc[...] * 2
  o[...] = pl.run_state(scope)(plgpu.ACC.init(jnp.full((64, 64), 3.0, f32)))
add("wgmma_returned", wgmma_returned, x, a, b, want=product * 2 + 6, tolerance=2e-2, scratch_types=matrices)


def wgmma_halves(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    plgpu.wgmma(acc.at[:, :32], a, b.at[:, 32:])
    plgpu.wgmma(acc.at[:, 32:], a, b.at[:, :32])
    return acc[...]
  o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), f32))
add("wgmma_halves", wgmma_halves, x, a, b, want=np.roll(product, 32, 1), tolerance=1e-2, scratch_types=matrices)


def wgmma_stored(x, y, o, a, b, barrier):
  loaded(x, y, a, b, barrier)
  def scope(acc):
    acc[...] = jnp.full((64, 64), 2.0, f32)
    plgpu.wgmma(acc, a, b)
    return acc[...]
  o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), f32))
add("wgmma_stored", wgmma_stored, x, a, b, want=product + 2, tolerance=1e-2, scratch_types=matrices)


def attention(q, k, v, o, qs, ks, vs, barrier):
  for source, target in ((q, qs), (k, ks), (v, vs)):
    plgpu.copy_gmem_to_smem(source, target, barrier)
  plgpu.barrier_wait(barrier)
  def scores(acc):
    plgpu.wgmma(acc, qs, plgpu.transpose_ref(ks, (1, 0)))
    return acc[...]
  s = pl.run_scoped(scores, plgpu.ACC((64, 64), f32))
  e = jnp.exp(s - plgpu.layout_cast(s.max(axis=1), plgpu.Layout.WGMMA.reduce(1))[:, None])
  p = e / e.sum(axis=1)[:, None]
  def values(acc):
    plgpu.wgmma(acc, p.astype(f16), vs)
    return acc[...]
  o[...] = pl.run_scoped(values, plgpu.ACC((64, 64), f32))
weights = np.exp((a / 8).astype(np.float32) @ b.astype(np.float32).T)
add("attention", attention, x, a / 8, b, a, want=weights / weights.sum(1, keepdims=True) @ a.astype(np.float32), tolerance=5e-2,
    scratch_types=[plgpu.SMEM((64, 64), f16, transforms=tiled)] * 3 + [plgpu.Barrier(num_arrivals=3)])


# Grids and clusters
def on_grid(x, o, buffer, barrier):
  i, j = lax.axis_index("i"), lax.axis_index("j")
  at = pl.ds(i * 16, 16), pl.ds(j * 32, 32)
  plgpu.copy_gmem_to_smem(x.at[at], buffer, barrier)
  plgpu.barrier_wait(barrier)
  o[at] = buffer[...] * (i * lax.axis_size("j") + j)
add("grid", on_grid, x, x, want=x * np.kron(np.arange(8).reshape(4, 2), np.ones((16, 32))).astype(np.float32), grid=(4, 2), grid_names=("i", "j"),
    scratch_types=[plgpu.SMEM((16, 32), f32), plgpu.Barrier()])


def in_loop(o):
  @plgpu.nd_loop((3, 4), collective_axes="i")
  def _(info):
    o[info.index] = 10 * info.index[0] + info.index[1] + 100 * info.local_index
add("nd_loop", in_loop, np.zeros((3, 4), np.int32), grid=(5,), grid_names=("i",),
    want=np.add.outer(10 * np.arange(3), np.arange(4)).astype(np.int32) + np.arange(12, dtype=np.int32).reshape(3, 4) // 5 * 100)


def clustered(x, o, buffer, barrier, met):
  c = lax.axis_index("c")
  plgpu.copy_gmem_to_smem(x, buffer, barrier, collective_axes="c")
  plgpu.barrier_wait(barrier)
  o[c] = buffer[...] + c
  plgpu.barrier_arrive(met)
  plgpu.barrier_wait(met)
add("cluster", clustered, np.stack([x, x]), x, want=np.stack([x, x + 1]), cluster=(2,), cluster_names=("c",),
    scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))])


def neighbours(x, o, buffer, barrier, ready):
  c = lax.axis_index("c")
  plgpu.barrier_arrive(ready)
  plgpu.barrier_wait(ready)
  plgpu.async_store_smem(x[c] * 2, buffer, barrier, cluster_idx=(c + 1) % 2, cluster_dim="c")
  plgpu.barrier_wait(barrier)
  o[c] = buffer[...]
add("cluster_store", neighbours, np.stack([x, x]), np.stack([x, y]), want=np.stack([y * 2, x * 2]), cluster=(2,), cluster_names=("c",),
    scratch_types=[plgpu.SMEM((64, 64), f32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))])


def peers(x, o, buffer, barrier):
  c = lax.axis_index("c")
  buffer[...] = x[c] + c
  plgpu.commit_smem()
  plgpu.barrier_arrive(barrier)
  plgpu.barrier_wait(barrier)
  o[c] = plgpu.cluster_ref(buffer, {"c": 1 - c})[...]
both = np.stack([x, y])
for threads in ({}, dict(num_threads=1, thread_name="wg")):
  add(f"cluster_ref_{len(threads)}", peers, both, both, want=np.stack([y + 1, x]), cluster=(2,), cluster_names=("c",),
      scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.ClusterBarrier(collective_axes=("c",))], **threads)


# Semaphores in global memory
def signalled(x, o):
  i = lax.axis_index("i")
  done = pl.get_global(plgpu.SemaphoreType.REGULAR)
  @pl.when(i == 0)
  def _():
    o[0] = x[0] * 2
    plgpu.semaphore_signal(done, 1)
  @pl.when(i == 1)
  def _():
    plgpu.semaphore_wait(done)
    o[1] = x[1] + 1
halves = x.reshape(2, 32, 64)
add("semaphore", signalled, halves, halves, want=np.stack([halves[0] * 2, halves[1] + 1]), grid=(2,), grid_names=("i",))


# Loads with layouts, prints of layouts, what waits for other grids
def hinted(x, o):
  plgpu.griddepcontrol_wait()
  rows = load(x.at[pl.ds(8, 16)], layout=plgpu.Layout.WG_STRIDED((16, 64), vec_size=4))
  plgpu.print_layout("rows {}", rows)
  o[...] = plgpu.layout_cast(rows + plgpu.broadcasted_iota(f32, (16, 64), 0, layout=plgpu.Layout.WG_STRIDED((16, 64), vec_size=4)),
                             plgpu.Layout.WG_STRIDED((16, 64), vec_size=4))
  plgpu.griddepcontrol_launch_dependents()
add("hints", hinted, x[:16], x, want=x[8:24] + np.arange(16, dtype=np.float32)[:, None])


def atomics(x, o, shared):
  group = lax.axis_index("wg")
  @pl.when(group == 0)
  def _():
    shared[...] = jnp.zeros_like(shared)
  o[...] = jnp.zeros_like(o)
  plgpu.atomic_add(o, x[...])
add("atomic_global", atomics, n, n, want=n, num_threads=1, thread_name="wg", scratch_types=[plgpu.SMEM((64, 64), i32)])


# Pipelines
def pipelined(x, y, o):
  def step(indices, x, y, o):
    o[...] = x[...] + y[...] * (indices[0] + 1)
  block = plgpu.BlockSpec((16, 64), lambda i: (i, 0))
  plgpu.emit_pipeline(step, grid=(4,), in_specs=[block, block], out_specs=[block], max_concurrent_steps=2)(x, y, o)
add("emit_pipeline", pipelined, x, x, y, want=x + y * np.repeat(np.arange(1, 5), 16)[:, None].astype(np.float32))


def carried(x, o, p):
  def step(indices, x, o, total):
    o[...] = x[...] + total
    return total + jnp.sum(x[...])
  block = plgpu.BlockSpec((16, 64), lambda i: (i, 0))
  total = plgpu.emit_pipeline(step, grid=(4,), in_specs=[block], out_specs=[block], max_concurrent_steps=3, init_carry=jnp.float32(0))(x, o)
  p[...] = jnp.broadcast_to(total, p.shape)
sums = np.concatenate([[0], np.cumsum(x.reshape(4, -1).sum(1))]).astype(np.float32)
add("emit_pipeline_carry", carried, [x, x[0]], x, want=[x + np.repeat(sums[:4], 16)[:, None], np.full(64, sums[4])], tolerance=1e-3)


def matmul_pipeline(x, y, o, acc_out):
  def body(acc):
    def step(_, a, b):
      plgpu.wgmma(acc, a, b)
      plgpu.wgmma_wait(0)
    plgpu.emit_pipeline(step, grid=(4,), max_concurrent_steps=2,
                        in_specs=[plgpu.BlockSpec((64, 16), lambda k: (0, k)), plgpu.BlockSpec((16, 64), lambda k: (k, 0))])(x, y)
    return acc[...]
  acc_out[...] = pl.run_scoped(body, plgpu.ACC((64, 64), f32))
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(acc_out, o)
  plgpu.wait_smem_to_gmem(0)
add("emit_pipeline_wgmma", matmul_pipeline, x, a, b, want=product, tolerance=1e-2, scratch_types=[plgpu.SMEM((64, 64), f32)])


def specialized(x, y, o, staged, barrier):
  group = lax.axis_index("wg")
  def compute(pipeline):
    def scope(acc):
      acc = pipeline(jnp.zeros((64, 64), f32))
      staged[group] = acc
    pl.run_scoped(lambda _: scope(None), plgpu.SMEM((8,), f32))
  def step(_, a, b, total):
    return total + lax.dot(a[...].astype(f32), b[...].astype(f32))
  plgpu.emit_pipeline_warp_specialized(
      step, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=1, max_concurrent_steps=2, compute_context=compute,
      in_specs=[plgpu.BlockSpec((64, 16), lambda k: (0, k)), plgpu.BlockSpec((16, 64), lambda k: (k, 0))])(x, y)
  @pl.when(group == 0)
  def _():
    o[...] = staged[0]
add("warp_specialized", specialized, x, a, b, want=product, tolerance=1e-2, num_threads=2, thread_name="wg",
    scratch_types=[plgpu.SMEM((1, 64, 64), f32), plgpu.Barrier()])


def specialized_output(x, o):
  def step(indices, x, o):
    o[...] = x[...] * 2 + indices[0]
  block = plgpu.BlockSpec((16, 64), lambda i: (i, 0))
  plgpu.emit_pipeline_warp_specialized(step, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=1, max_concurrent_steps=2,
                                       in_specs=[block], out_specs=[block])(x, o)
add("warp_specialized_output", specialized_output, x, x, want=x * 2 + np.repeat(np.arange(4), 16)[:, None].astype(np.float32), num_threads=2, thread_name="wg")


def split_compute(x, y, o):
  group = lax.axis_index("wg")
  def compute(pipeline):
    o[pl.ds(group * 32, 32)] = pipeline(jnp.zeros((32, 64), f32))
  def step(_, a, b, total):
    return total + lax.dot(a[pl.ds(group * 32, 32)].astype(f32), b[...].astype(f32))
  plgpu.emit_pipeline_warp_specialized(
      step, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=2, max_concurrent_steps=2, compute_context=compute,
      in_specs=[plgpu.BlockSpec((64, 16), lambda k: (0, k)), plgpu.BlockSpec((16, 64), lambda k: (k, 0))])(x, y)
add("warp_specialized_split", split_compute, x, a, b, want=product, tolerance=1e-2, num_threads=3, thread_name="wg")


# Who copies may be a pipeline ahead of those who add: it gets memory of its own there.
def summed_again(x, o, total):
  group = lax.axis_index("wg")
  half = pl.ds(group * 32, 32)
  @pl.when(group < 2)
  def _():
    total[half] = jnp.zeros((32, 16), f32)
  @pl.loop(0, 3)
  def _(_):
    def step(_, block):
      total[half] += block[half]
    plgpu.emit_pipeline_warp_specialized(
        step, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=2, max_concurrent_steps=2,
        in_specs=[plgpu.BlockSpec((64, 16), lambda k: (0, k))])(x)
  @pl.when(group < 2)
  def _():
    o[half] = total[half]
add("warp_specialized_again", summed_again, np.zeros((64, 16), np.float32), x, want=3 * x.reshape(64, 4, 16).sum(1), tolerance=1e-4,
    num_threads=3, thread_name="wg", scratch_types=[plgpu.SMEM((64, 16), f32)])


# Warps of a warpgroup, several refs in one place
def warps(x, o, buffer, barrier):
  @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
  def _():
    @pl.when(lax.axis_index("warp") == 2)
    def _():
      plgpu.copy_gmem_to_smem(x, buffer, barrier)
  plgpu.barrier_wait(barrier)
  o[...] = buffer[...] + 1
add("warps", warps, x, x, want=x + 1, scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


def warps_as_kernel(x, o, buffer, barrier):
  @pl.kernel(mesh=plgpu.WarpMesh(axis_name="warp"))
  def copy():
    @pl.when(lax.axis_index("warp") == 1)
    def _():
      plgpu.copy_gmem_to_smem(x, buffer, barrier)
  copy()
  plgpu.barrier_wait(barrier)
  o[...] = buffer[...] + 2
add("warps_as_kernel", warps_as_kernel, x, x, want=x + 2, scratch_types=[plgpu.SMEM((64, 64), f32), plgpu.Barrier()])


def warps_of_blocks(o, barrier):
  """What warps know of their block is that of their own one."""
  block = lax.axis_index("c")
  @pl.when(lax.axis_index("wg") == 0)
  def _():
    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
      warp = lax.axis_index("warp")
      @pl.when(warp == 0)
      def _():
        plgpu.barrier_wait(barrier)
      @pl.when(warp == 1)
      def _():
        plgpu.barrier_arrive(barrier)
      o[block * 4 + warp] = 10 * block + warp
add("warps_of_blocks", warps_of_blocks, np.zeros(8, np.int32), want=np.array([0, 1, 2, 3, 10, 11, 12, 13], np.int32),
    cluster=(2,), cluster_names=("c",), num_threads=2, thread_name="wg", scratch_types=[plgpu.Barrier()])


def united(x, o, refs, barrier):
  whole, parts = refs
  plgpu.copy_gmem_to_smem(x, whole, barrier)
  plgpu.barrier_wait(barrier)
  kept = whole[...]
  parts[0][...] = kept[:32] * 2
  parts[1][...] = kept[32:] * 3
  o[pl.ds(0, 32)] = parts[0][...]
  o[pl.ds(32, 32)] = parts[1][...]
add("union", united, x, x, want=np.concatenate([x[:32] * 2, x[32:] * 3]), scratch_types=[
    plgpu.RefUnion(plgpu.SMEM((64, 64), f32), [plgpu.SMEM((32, 64), f32), plgpu.SMEM((32, 64), f32)]), plgpu.Barrier()])


# Work that blocks take from each other
def stolen(o):
  @plgpu.dynamic_scheduling_loop(("i",))
  def _(info):
    o[info.index[0]] = info.index[0] * 3
add("dynamic_scheduling", stolen, np.zeros(6, np.int32), want=np.arange(6, dtype=np.int32) * 3, grid=(6,), grid_names=("i",))


def gathered(o):
  i = lax.axis_index("i")
  first, second = pl.get_global(plgpu.SemaphoreType.REGULAR), pl.get_global(plgpu.SemaphoreType.REGULAR)
  @pl.when(i > 0)
  def _():
    o[i] = i + 1
    plgpu.semaphore_signal_parallel(plgpu.SemaphoreSignal(first, device_id=None), plgpu.SemaphoreSignal(second, device_id=None, inc=2))
  @pl.when(i == 0)
  def _():
    plgpu.semaphore_wait(first, 2)
    plgpu.semaphore_wait(second, 4)
    o[0] = o[1] + o[2]
add("semaphore_parallel", gathered, np.zeros(3, np.int32), want=np.array([5, 2, 3], np.int32), grid=(3,), grid_names=("i",))


# Tensor memory
def tensor_core(x, y, o, a, b, acc, loads, done):
  loaded(x, y, a, b, loads)
  plgpu.tcgen05_mma(acc, a, plgpu.transpose_ref(b, (1, 0)), done, accumulate=False)
  plgpu.barrier_wait(done)
  first = plgpu.async_load_tmem(acc)
  plgpu.wait_load_tmem()
  plgpu.async_store_tmem(acc, first + 1)
  plgpu.commit_tmem()
  plgpu.tcgen05_mma(acc, a, plgpu.transpose_ref(b, (1, 0)), accumulate=True)
  plgpu.tcgen05_commit_arrive(done)
  plgpu.barrier_wait(done)
  o[...] = plgpu.async_load_tmem(acc)
  plgpu.wait_load_tmem()
wide, wide2 = floats(128, 64).astype(np.float16), floats(128, 64, seed=1).astype(np.float16)
add("tcgen05", tensor_core, np.zeros((128, 128), np.float32), wide, wide2, want=2 * (wide.astype(np.float32) @ wide2.astype(np.float32).T) + 1, tolerance=2e-2,
    scratch_types=[plgpu.SMEM((128, 64), f16, transforms=tiled)] * 2 + [plgpu.TMEM((128, 128), f32), plgpu.Barrier(num_arrivals=2), plgpu.Barrier(orders_tensor_core=True)])


# Code for the GPU compiler itself, as far as it only synchronizes
def hardware_barrier(operation, number, threads=256):
  """A barrier of the hardware, by PTX; its number may be known at run time only."""
  from jaxlib.mlir import ir
  from jaxlib.mlir.dialects import llvm
  def code(_, *numbers):
    place = "$0" if numbers else number
    llvm.inline_asm(ir.Type.parse("!llvm.void"), [n.registers[()] for n in numbers], f"bar.{operation} {place}, {threads};",
                    "r" * len(numbers), has_side_effects=True)
  if isinstance(number, int):
    plgpu.inline_mgpu()(code)()
  else:
    plgpu.inline_mgpu(arg_types=(plgpu.Layout.WG_SPLAT,))(code)(number)


def by_turns(x, o, buffer):
  # Each barrier has a warpgroup that waits and one that does not; those of barrier 5 change places.
  w = lax.axis_index("w")
  hardware_barrier("sync", 4)

  @pl.when(w == 0)
  def _():
    @pl.loop(0, 4)
    def _(i):
      @pl.when(i > 0)
      def _(): hardware_barrier("sync", 8 + w)
      buffer[...] = x[i] * 2
      hardware_barrier("arrive", 9 - w)
    hardware_barrier("sync", 8 + w)
    buffer[...] = x[4]
    hardware_barrier("arrive", 5)
    hardware_barrier("sync", 5)
    o[5] = buffer[...]

  @pl.when(w == 1)
  def _():
    @pl.loop(0, 4)
    def _(i):
      hardware_barrier("sync", 8 + w)
      o[i] = buffer[...] + 1
      hardware_barrier("arrive", 9 - w)
    hardware_barrier("sync", 5)
    o[4] = buffer[...] + 1
    buffer[...] = x[5]
    hardware_barrier("arrive", 5)
parts = floats(6, 64, 64, seed=4)
add("hardware_barriers", by_turns, parts, parts, want=np.concatenate([parts[:4] * 2 + 1, parts[4:5] + 1, parts[5:]]),
    num_threads=2, thread_name="w", scratch_types=[plgpu.SMEM((64, 64), f32)])


def fenced(x, o, buffer):
  from jax.experimental.mosaic.gpu import utils
  from jaxlib.mlir.dialects import nvvm
  buffer[...] = x[...] * 2
  plgpu.inline_mgpu()(lambda _: nvvm.fence_proxy(nvvm.ProxyKind.async_shared, space=nvvm.SharedSpace.shared_cta))()
  plgpu.inline_mgpu()(lambda _: utils.warpgroup_barrier())()
  plgpu.copy_smem_to_gmem(buffer, o)
  plgpu.wait_smem_to_gmem(0)
add("fences_of_the_compiler", fenced, x, x, want=x * 2, scratch_types=[plgpu.SMEM((64, 64), f32)])


# State of a function around a kernel, which closes over it
def added_to_state(x, y):
  def run(state):
    def kernel(x, buffer, barrier):
      rows = pl.ds(lax.axis_index("i") * 32, 32)
      plgpu.copy_gmem_to_smem(x.at[rows], buffer, barrier)
      plgpu.barrier_wait(barrier)
      plgpu.copy_smem_to_gmem(buffer, state.at[rows], reduction_op="add")
      plgpu.wait_smem_to_gmem(0)
    call = plgpu.kernel(kernel, out_type=(), grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((32, 64), f32), plgpu.Barrier()])
    # Without the rule for vmap, which takes no closures over refs.
    getattr(call, "fun", call)(x)
  return pl.run_state(run)(y)
t.add("added_to_state", lambda x, y, interpret: added_to_state(x, y), x, y, whole_arrays=False, want=x + y)


t.run()
