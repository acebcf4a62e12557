"""Writes the pages that the tests open: kernels of five kinds, and what is hard for a page.

  pages.py FOLDER
"""
import pathlib
import sys

import jax

jax.config.update("jax_num_cpu_devices", 4)
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.sharding import PartitionSpec as P

import pallas_mlir
from pallas_mlir import viewing

folder = pathlib.Path(sys.argv[1])


def save(name, fn, *args, **options):
  page = pallas_mlir.view(fn, *args, file=folder / f"{name}.html", **options)
  print(f"-- {name}\n{page.summary}")


def arrays(*shapes):
  return [np.asarray(np.random.default_rng(0).random(shape), np.float32) for shape in shapes]


def matmul(x, y, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)

  acc[...] += x[...] @ y[...]

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o[...] = acc[...]


def tiled(x, y):
  return pl.pallas_call(
      matmul, grid=(3, 4, 2), out_shape=jax.ShapeDtypeStruct((384, 512), jnp.float32),
      in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)), scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)], interpret=True)(x, y)


def attention(q, k, v, o, m, l, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    m[...], l[...], acc[...] = jnp.full_like(m, -jnp.inf), jnp.zeros_like(l), jnp.zeros_like(acc)

  scores = q[0] @ k[0].T
  top = jnp.maximum(m[...], jnp.max(scores, axis=1, keepdims=True))
  weights, scale = jnp.exp(scores - top), jnp.exp(m[...] - top)
  m[...], l[...] = top, l[...] * scale + jnp.sum(weights, axis=1, keepdims=True)
  acc[...] = acc[...] * scale + weights @ v[0]

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o[0] = acc[...] / l[...]


def flash_attention(q, k, v):
  rows, columns = pl.BlockSpec((1, 64, 128), lambda h, i, j: (h, i, 0)), pl.BlockSpec((1, 128, 128), lambda h, i, j: (h, j, 0))
  return pl.pallas_call(
      attention, grid=(2, 4, 2), out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), in_specs=[rows, columns, columns], out_specs=rows,
      scratch_shapes=[pltpu.VMEM((64, 1), jnp.float32), pltpu.VMEM((64, 1), jnp.float32), pltpu.VMEM((64, 128), jnp.float32)], interpret=True)(q, k, v)


def row_sums(x, o):
  o[...] = jnp.broadcast_to(jnp.sum(x[...], axis=0, keepdims=True), o.shape)  # sums what lies below the array, too


def ragged(x):
  return pl.pallas_call(row_sums, grid=(4,), out_shape=jax.ShapeDtypeStruct((48, 128), jnp.float32),
                        in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)), interpret=True)(x)


def pass_on(x, o, sent, received):
  right = (jax.lax.axis_index("ring") + 1) % 4
  copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id=right, device_id_type=pl.DeviceIdType.LOGICAL)
  copy.start()
  copy.wait()


def ring(x):
  def call(x):
    return pl.pallas_call(pass_on, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), grid=(),
                          in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_specs=pl.BlockSpec(memory_space=pl.ANY),
                          scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA])(x)

  mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), check_vma=False))(x)


def group(x, w, o):
  o[...] = x[...] @ w[0]


def grouped(x, w):
  # Four groups of rows, each with weights of its own: 1, 3, 2 and 2 tiles.
  def expert(i, j):
    return jnp.where(i < 1, 0, jnp.where(i < 4, 1, jnp.where(i < 6, 2, 3)))

  return pl.pallas_call(group, grid=(8, 2), out_shape=jax.ShapeDtypeStruct((256, 256), jnp.float32),
                        in_specs=[pl.BlockSpec((32, 128), lambda i, j: (i, 0)), pl.BlockSpec((1, 128, 128), lambda i, j: (expert(i, j), 0, j))],
                        out_specs=pl.BlockSpec((32, 128), lambda i, j: (i, j)), interpret=True)(x, w)


def multiply_groups(sizes, x, w, o):
  o[...] = x[...] @ w[0]


def prefetched(lengths, x, w):
  # Index maps read which group a tile is of, which is computed outside of the kernel.
  groups = jnp.repeat(jnp.arange(4, dtype=jnp.int32), lengths, total_repeat_length=8)
  spec = pltpu.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(8, 2),
      in_specs=[pl.BlockSpec((32, 128), lambda i, j, groups: (i, 0)), pl.BlockSpec((1, 128, 128), lambda i, j, groups: (groups[i], 0, j))],
      out_specs=pl.BlockSpec((32, 128), lambda i, j, groups: (i, j)))
  return jax.jit(pl.pallas_call(multiply_groups, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((256, 256), jnp.float32), interpret=True))(groups, x, w)


def wait_forever(x, o, semaphore):
  pl.semaphore_wait(semaphore, 1)  # nothing signals it
  o[...] = x[...]


def deadlock(x):
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  return pl.pallas_call(wait_forever, grid=(2,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), in_specs=[block], out_specs=block,
                        scratch_shapes=[pltpu.SemaphoreType.REGULAR], interpret=True)(x)


def add(x, o):
  o[...] = x[...] + 1


def twice(x):
  for rows in (8, 16):
    block = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    x = pl.pallas_call(add, grid=(x.shape[0] // rows,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), in_specs=[block], out_specs=block, interpret=True)(x)
  return x


def go_on(x, o):
  o[...] = jax.lax.while_loop(lambda v: jnp.all(v >= 0), jnp.abs, x[...])


def endless(x):
  return pl.pallas_call(go_on, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


# Meshes: subcores that exchange rows, warpgroups that pass slots on, and devices that run beside each other.
def exchange(x, o, shared):
  me = lax.axis_index("subcore")

  def body(row):
    pltpu.sync_copy(x.at[me], row)
    pltpu.sync_copy(row, shared.at[me])
    plsc.subcore_barrier()
    pltpu.sync_copy(shared.at[(me + 1) % 4], row)
    pltpu.sync_copy(row, o.at[me])

  pl.run_scoped(body, pltpu.VMEM((16,), jnp.float32))


def on_subcores(x):
  mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=4)
  return pl.kernel(exchange, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), mesh=mesh, scratch_types=[pltpu.VMEM_SHARED(x.shape, x.dtype)])(x)


def produce(x, o, slots, full, empty):
  group = lax.axis_index("wg")

  @pl.when(group == 0)
  def _():
    @pl.loop(0, 4)
    def _(i):
      pl.when(i >= 2)(lambda: plgpu.barrier_wait(empty.at[i % 2]))
      plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 8, 8)], slots.at[i % 2], full.at[i % 2])

  @pl.when(group == 1)
  def _():
    @pl.loop(0, 4)
    def _(i):
      plgpu.barrier_wait(full.at[i % 2])
      o[pl.ds(i * 8, 8)] = slots[i % 2] + 1
      plgpu.barrier_arrive(empty.at[i % 2])


def on_warpgroups(x):
  scratch = [plgpu.SMEM((2, 8, 64), x.dtype), plgpu.Barrier(num_barriers=2), plgpu.Barrier(num_barriers=2)]
  return plgpu.kernel(produce, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), num_threads=2, thread_name="wg", scratch_types=scratch)(x)


def increase(x, o):
  o[...] = x[...] + 1


def on_devices(x):
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  call = lambda x: pl.pallas_call(increase, grid=(2,), in_specs=[block], out_specs=block, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
  mesh = jax.sharding.Mesh(np.array(jax.devices()), "x")
  return jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x)


save("subcores", on_subcores, *arrays((4, 16)), target="tpu:v6e")
save("warpgroups", on_warpgroups, *arrays((32, 64)), target="gpu:sm_90a")
save("devices", on_devices, *arrays((64, 128)), target="tpu:v6e")
save("matmul", tiled, *arrays((384, 256), (256, 512)), target="tpu:v5e")
save("attention", flash_attention, *arrays((2, 256, 128), (2, 256, 128), (2, 256, 128)), target="tpu:v5e")
save("ragged", ragged, *arrays((100, 128)), target="tpu:v5e")
save("ring", ring, *arrays((32, 128)), target="tpu:v5e")
save("grouped", grouped, *arrays((256, 128), (4, 128, 256)), target="tpu:v5e")
save("prefetched", prefetched, np.array([1, 3, 2, 2]), *arrays((256, 128), (4, 128, 256)), target="tpu:v5e")
save("twice", twice, *arrays((64, 128)), target="tpu:v5e")
save("deadlock", deadlock, *arrays((16, 128)), target="tpu:v5e")

# A million programs; what comes back; windows that overlap; what a module says about itself.
MODULES = {"million": """
func.func @million(%x: tensor<8000x128000xf32>) -> tensor<8000x128000xf32> {
  %o = pallas.pallas_call @copy grid(1000, 1000)
      in(%x : tensor<8000x128000xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<8000x128000xf32>) block<[8, 128], vmem> map(%i, %j) -> (%j, %i)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8000x128000xf32>
}""", "markup": """
func.func @"</script><script>document.title='owned'</script>"(%x: tensor<16x128xf32>) -> tensor<24x128xf32> {
  %o = pallas.pallas_call @"<img src=x onerror=document.title='owned'>" grid(2, 2)
      in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%j, %i)
      out(tensor<24x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%j, %i)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<24x128xf32>
} loc("@SCRIPT@ <b>&amp;":1:1)""", "refused": """
func.func @refused(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @refused grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        pallas.yield %i, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        pallas.yield %i, %c0 : i32, i32
      }
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %large: !pallas.ref<8192x8192xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}""", "overlap": """
func.func @overlap(%x: tensor<40x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @overlap grid(4)
      in(%x : tensor<40x128xf32>) block<[element<16>, 128], vmem> map(%i) {
        %c8 = arith.constant 8 : i32
        %c0 = arith.constant 0 : i32
        %first = arith.muli %i, %c8 : i32
        pallas.yield %first, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        pallas.yield %i, %c0 : i32, i32
      }
      kernel(%xr: !pallas.ref<16x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[ds(0, 8), :] : !pallas.ref<16x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}"""}
if __name__ == "__main__":
  for name, text in MODULES.items():
    page = viewing.view_module(text, f"{name}.mlir", "tpu:v5e", "pallas-discharge-state")
    page.save(folder / f"{name}.html")
    print(f"-- {name}\n{page.summary}")
    # As a notebook has it.
    if name == "overlap":
      (folder / "notebook.html").write_text(f"<!DOCTYPE html><title>cell</title>{page._repr_html_()}")
  # The kernel goes on until this process ends, so it is the last one.
  save("endless", endless, *arrays((8, 128)), target="tpu:v5e", seconds=3)
  save("behind_endless", tiled, *arrays((384, 256), (256, 512)), target="tpu:v5e")
