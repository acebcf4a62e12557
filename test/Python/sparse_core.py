# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels in the way of SparseCore: scans, masked sorts, indirect copies, subcores that meet."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax._src.pallas.mosaic import sc_primitives
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

t = Table()
f32, i32 = jnp.float32, jnp.int32
S = jax.ShapeDtypeStruct
N = 8
n, x = integers(-9, 9, N), floats(N)
keep = np.array([1, 0, 0, 1, 1, 0, 1, 0], np.int32)


def add(name, kernel, out, *arrays, want, specs=None, tolerance=1e-6):
  """A kernel of one vector subcore, on refs in its memory."""
  out = jax.tree_util.tree_map(lambda o: S(o.shape, o.dtype), out)
  mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1)

  def call(*v, interpret):
    leaves, tree = jax.tree_util.tree_flatten(out)
    def staged(*refs):
      inputs, outputs = refs[:len(v)], refs[len(v):]
      def body(*buffers):
        for source, buffer in zip(inputs, buffers):
          pltpu.sync_copy(source, buffer)
        kernel(*buffers)
        for target, buffer in zip(outputs, buffers[len(inputs):]):
          pltpu.sync_copy(buffer, target)
      pl.run_scoped(body, *(pltpu.VMEM(a.shape, a.dtype) for a in (*v, *leaves)))
    return pl.kernel(staged, out_type=out, mesh=mesh)(*v)
  t.add(name, call, *arrays, tolerance=tolerance, whole_arrays=False, want=want)


def cumulative(x, m, a, b, c, d):
  mask = m[...] > 0
  a[...] = plsc.cumsum(x[...], mask=mask)
  b[...] = plsc.cummax(x[...], mask=mask)
  c[...] = plsc.cumsum(x[...])
  d[...] = sc_primitives.cummin(x[...], mask=mask)
seen = np.cumsum(keep) > 0
for values in (n, x):
  least, most = np.where(keep, values, -99), np.where(keep, values, 99)
  add(f"scans_{values.dtype}", cumulative, [values] * 4, values, keep, tolerance=1e-5,
      want=[np.cumsum(values * keep).astype(values.dtype), np.where(seen, np.maximum.accumulate(least), values).astype(values.dtype), np.cumsum(values).astype(values.dtype),
            np.where(seen, np.minimum.accumulate(most), values).astype(values.dtype)])


def counted(x, count, last):
  count[...], mask = plsc.scan_count(x[...])
  last[...] = mask.astype(i32)
many = np.array([3, 1, 3, 3, 1, 0, 5, 0], np.int32)
add("scan_count", counted, [many, many], many, want=[np.array([1, 1, 2, 3, 2, 1, 1, 2], np.int32), np.array([0, 0, 0, 1, 1, 0, 1, 1], np.int32)])


def counted_where(x, m, count, last):
  count[...], mask = plsc.scan_count(x[...], m[...] > 0)
  last[...] = mask.astype(i32)
add("scan_count_masked", counted_where, [many, many], many, keep, want=[np.array([1, 0, 0, 2, 1, 0, 1, 0], np.int32), np.array([0, 0, 0, 1, 1, 0, 1, 0], np.int32)])


def summarized(m, a, b, c):
  a[...] = plsc.all_reduce_population_count(m[...] > 0)
  b[...] = plsc.all_reduce_ffs(m[...] > 0)
  c[...] = plsc.all_reduce_ffs(m[...] > 5)
late = np.roll(keep, 2)
add("mask_reductions", summarized, [n] * 3, late, want=[np.full(N, v, np.int32) for v in (4, 0, N)])


def compressed(x, m, a, b, c):
  a[...] = jnp.zeros_like(a)
  plsc.store_compressed(a.at[...], x[...], mask=m[...] > 0)
  b[...] = jnp.where(m[...] > 0, plsc.load_expanded(x.at[...], mask=m[...] > 0), 0)
  c[...] = jnp.full(c.shape, 10, c.dtype)
  plsc.addupdate_compressed(c.at[...], x[...], mask=m[...] > 0)
  plsc.addupdate(c.at[...], x[...])
taken = n[keep > 0]
packed = np.concatenate([taken, np.zeros(4, np.int32)])
expanded = np.zeros(N, np.int32)
expanded[keep > 0] = n[:4]
add("compressed", compressed, [n] * 3, n, keep, want=[packed, expanded, packed + 10 + n])


def scattered(x, at, m, a, b, c, d):
  mask = m[...] > 0
  a[...] = plsc.load_gather(x, [at[...]])
  b[...] = jnp.where(mask, plsc.load_gather(x, [at[...]], mask=mask), 0)
  c[...] = jnp.zeros_like(c)
  plsc.store_scatter(c, [at[...]], x[...], mask=mask)
  d[...] = jnp.zeros_like(d)
  plsc.addupdate_scatter(d, [at[...] % 3], x[...])
order = np.array([5, 2, 7, 0, 1, 6, 3, 4], np.int32)
placed, summed = np.zeros(N, np.int32), np.zeros(N, np.int32)
placed[order[keep > 0]] = n[keep > 0]
np.add.at(summed, order % 3, n)
add("gather_scatter", scattered, [n] * 4, n, order, keep, want=[n[order], np.where(keep, n[order], 0), placed, summed])


def sorted_pairs(keys, values, m, *outs):
  mask = m[...] > 0
  outs[0][...], outs[1][...] = plsc.sort_key_val(keys[...], values[...], descending=True)
  outs[2][...], outs[3][...], left = plsc.sort_key_val(keys[...], values[...], mask=mask)
  outs[4][...] = left.astype(i32)
for keys in (n, x, (n + 9).astype(np.uint32)):
  wide = keys.astype(np.float64)
  down, up = np.argsort(-wide, kind="stable"), np.argsort(np.where(keep, wide, 99), kind="stable")
  add(f"sort_{keys.dtype}", sorted_pairs, [keys, n, keys, n, n], keys, n, keep,
      want=[keys[down], n[down], keys[up], n[up], (np.arange(N) < 4).astype(np.int32)])


def repacked(x, y, a, b, c):
  a[...], b[...] = plsc.unpack(plsc.pack(x[...], y[...], format=plsc.PackFormat.INTERLEAVED), format=plsc.PackFormat.INTERLEAVED)
  c[...] = plsc.bitcast(plsc.bitcast(x[...], jnp.int16), jnp.int32) + lax.slice(plsc.bitcast(x[...], jnp.int16), (0,), (N,)).astype(i32)
add("pack", repacked, [n] * 3, n, -n, want=[n, -n, n + n.view(np.int16)[:N]])


def looped(x, o):
  total = plsc.parallel_loop(0, N, 2, carry=jnp.int32(1))(lambda i, c: (o.__setitem__(pl.ds(i, 2), x[pl.ds(i, 2)] * c), c + 1)[1])
  @plsc.parallel_loop(0, 4)
  def _(i):
    o[i] = o[i] + total
add("parallel_loop", looped, n, n, want=n * np.repeat(np.arange(1, 5), 2).astype(np.int32) + np.repeat([5, 0], 4).astype(np.int32))


# Rows that a list names, copied from and to the memory that all share
rows, table = np.array([3, 0, 2, 3], np.int32), floats(6, N)
mesh = functools.partial(plsc.VectorSubcoreMesh, core_axis_name="core", subcore_axis_name="subcore", num_cores=1)


def on_subcores(name, kernel, out, *arrays, want, num_subcores, **scratch):
  t.add(name, lambda *v, interpret: pl.kernel(kernel, out_type=S(out.shape, out.dtype), mesh=mesh(num_subcores=num_subcores), scratch_types=scratch)(*v),
        *arrays, whole_arrays=False, want=want)


def copied_rows(table, rows, o, *, at, buffer, sem):
  pltpu.sync_copy(rows, at)
  pltpu.sync_copy(table.at[at], buffer)
  pltpu.sync_copy(table.at[at.at[pl.ds(0, 2)]], buffer.at[pl.ds(2, 2)], add=True)
  pltpu.async_copy(buffer, o, sem).wait()
gathered = table[rows].copy()
gathered[2:] += table[rows[:2]]
on_subcores("indirect_copy", copied_rows, gathered, table, rows, want=gathered, num_subcores=1, at=pltpu.VMEM((4,), i32), buffer=pltpu.VMEM((4, N), f32), sem=pltpu.SemaphoreType.DMA)


def counted_up(o, *, counter, buffer):
  me = lax.axis_index("subcore")
  counter[0] = me
  plsc.subcore_barrier()
  old = plsc.fetch_and_add(counter.at[0], 10, subcore_id=(me + 1) % 4)
  plsc.subcore_barrier()
  buffer[...] = lax.broadcast(old * 100 + counter[0], buffer.shape)
  pltpu.sync_copy(buffer, o.at[me])
ids = np.arange(4)
on_subcores("fetch_and_add", counted_up, np.zeros((4, N), np.int32), num_subcores=4, counter=pltpu.SMEM((1,), i32), buffer=pltpu.VMEM((N,), i32),
            want=np.repeat((ids + 1) % 4 * 100 + ids + 10, N).reshape(4, N).astype(np.int32))


def summed(x, at, o, *, common, buffer, indices):
  me = lax.axis_index("subcore")
  pltpu.sync_copy(at, indices)
  pltpu.sync_copy(x.at[me], buffer)
  @pl.when(me == 0)
  def _():
    pltpu.sync_copy(buffer, common)
  plsc.subcore_barrier()
  pltpu.sync_copy(buffer, common.at[indices], add=True)
  plsc.subcore_barrier()
  @pl.when(me == 0)
  def _():
    pltpu.sync_copy(common, o)
numbers = integers(-9, 9, 4, N)
total = numbers[0].copy()
np.add.at(total, order, numbers.sum(0))
on_subcores("common_memory", summed, total, numbers, order, num_subcores=4, want=total, common=pltpu.VMEM_SHARED((N,), i32), buffer=pltpu.VMEM((N,), i32),
            indices=pltpu.VMEM((N,), i32))


# Copies that leave out rows with some index: the other rows stay as they are.
def some_rows(x, at, o, p, sem):
  o[...] = jnp.full_like(o, -1)
  p[...] = jnp.full_like(p, -1)
  pltpu.sync_copy(x.at[plsc.Indices(at, ignored_value=4)], o)
  pltpu.async_copy(x.at[pl.ds(0, 6)], p.at[plsc.Indices(at[...], ignored_value=4)], sem).wait()
at, values = np.array([3, 4, 0, 7, 4, 1], np.int32), floats(8, 128)
kept = at != 4
taken, put = np.where(kept[:, None], values[at], np.float32(-1)), np.full((8, 128), -1, np.float32)
put[at[kept]] = values[:6][kept]
hbm, vmem = (pl.BlockSpec(memory_space=s) for s in (pltpu.HBM, pltpu.VMEM))
t.add("some_rows", lambda *v, interpret: pl.pallas_call(
    some_rows, out_shape=[jax.ShapeDtypeStruct(w.shape, w.dtype) for w in (taken, put)], in_specs=[hbm, vmem], out_specs=[vmem, vmem],
    scratch_shapes=[pltpu.SemaphoreType.DMA])(*v), values, at, whole_arrays=False, want=[taken, put])


# Lanes stay in place where others would go over the edge.
def over_edges(x, at, m, a, b, c):
  start = at[...][0]
  for o in (a, b):
    o[...] = jnp.full_like(o, -1)
  plsc.store_compressed(a.at[pl.ds(start, N)], x[...], mask=m[...] > 0)
  sc_primitives.addupdate_compressed(b.at[pl.ds(start, N)], x[...], mask=m[...] > 0)
  found = plsc.load_expanded(x.at[pl.ds(start, N)], mask=m[...] > 0)
  c[...] = jnp.where(lax.iota(i32, N) < 1, found, 0)
start = N - 3
stored = np.full(N, -1, np.float32)
stored[start:] = x[keep > 0][:3]
added = np.full(N, -1, np.float32)
added[start:] += x[keep > 0][:3]
add("over_edges", over_edges, [stored, added, x], x, np.full(N, start, np.int32), keep,
    want=[stored, added, np.where(np.arange(N) < 1, x[start], 0).astype(np.float32)])
t.run()
