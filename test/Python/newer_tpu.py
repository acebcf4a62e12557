# REQUIRES: pallas-python
# RUN: %python %s
"""What releases of JAX after 0.10.2 added to kernels for TPUs, and to all kernels."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from pallas_mlir import _native, release
from pallas_mlir.module import export_module

t = Table()
f32, bf16, i32 = jnp.float32, jnp.bfloat16, jnp.int32
S = jax.ShapeDtypeStruct
x, y, n = floats(64, 128), floats(64, 128, seed=1), integers(-50, 50, 8, 128)
ANY = pl.BlockSpec(memory_space=pl.ANY)
# Accumulators exist on newer chips.
info = release.tpu_info()
info.registry["cpu"] = lambda: info.get_tpu_info_for_chip(info.ChipVersion.TPU_7X, 1)


def add(name, kernel, out, *arrays, want, since, tolerance=1e-5, call=pl.pallas_call, **keywords):
  def run(*v, interpret):
    # What older releases lack is named when the case runs.
    found = {k: w() if callable(w) else w for k, w in keywords.items()}
    return call(kernel, out_shape=S(out.shape, out.dtype), **found)(*v)
  t.add(name, run, *arrays, whole_arrays=False, want=want, since=since, tolerance=tolerance)


refusals = set()


def refused(name, part, kernel, out, *arrays, since, **keywords):
  """The kernel has no form, and `part` of the error says why."""
  def run(*v, interpret):
    try:
      found = {k: w() if callable(w) else w for k, w in keywords.items()}
      pallas_mlir.export(lambda *w: pl.pallas_call(kernel, out_shape=S(out.shape, out.dtype), **found)(*w), *v)
    except pallas_mlir.PallasError as error:
      assert part in str(error), error
      assert os.path.basename(__file__) in str(error), error
      return np.float32(0)
    raise AssertionError("the kernel was exported")
  refusals.add(name)
  t.add(name, lambda *v, interpret: run(*arrays, interpret=interpret), whole_arrays=False, want=np.float32(0), since=since)


# Accumulators of matrix units
a, b = floats(64, 512), floats(512, 256, seed=1)


def by_accumulators(a, b, o):
  def scope(acc, other):
    pltpu.matmul_push_rhs(b[0:256], mxu_index=1, staging_register=1)
    def step(i, _):
      pltpu.matmul_acc_lhs(acc, a[:, pl.ds(i * 256, 256)], load_staged_rhs=1)
      pltpu.matmul_acc_lhs(other.at[pl.ds(32, 32)], a[0:32, pl.ds(i * 256, 256)])
      @pl.when(i < 1)
      def _():
        pltpu.matmul_push_rhs(b[pl.ds(256, 256)].T, mxu_index=1, staging_register=1, transpose=True)
    lax.fori_loop(0, 2, step, None)
    o[0] = pltpu.matmul_pop(acc)
    o[1] = pltpu.matmul_pop(acc)
    o[2] = pltpu.matmul_pop(other)
  pl.run_scoped(scope, pltpu.ACC(1)((64, 256), f32), pltpu.ACC(1)((64, 256), f32))
add("accumulators", by_accumulators, np.zeros((3, 64, 256), np.float32), a, b, tolerance=1e-3, since="0.11.2",
    want=np.stack([a @ b, a @ b * 0, np.concatenate([a[:32] * 0 @ b, a[:32] @ b])]))


def by_scratch(a, b, o, acc):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=0, staging_register=0)
  pltpu.matmul_acc_lhs(acc, a[:, 0:256], load_staged_rhs=0)
  o[...] = pltpu.matmul_pop(acc)
add("accumulator_as_scratch", by_scratch, np.zeros((64, 256), np.int32), integers(-5, 5, 64, 512, dtype=np.int8), integers(-5, 5, 512, 256, seed=1, dtype=np.int8),
    scratch_shapes=lambda: [pltpu.ACC(0)((64, 256), i32)], since="0.11.2",
    want=integers(-5, 5, 64, 512, dtype=np.int8)[:, :256].astype(np.int32) @ integers(-5, 5, 512, 256, seed=1, dtype=np.int8)[:256].astype(np.int32))


def read_as_memory(a, b, o):
  pl.run_scoped(lambda acc: o.__setitem__(..., acc[...]), pltpu.ACC(0)((64, 256), f32))
refused("accumulator_read", "take the sum with pltpu.matmul_pop", read_as_memory, a[:, :256], a, b, since="0.11.2")


def written_as_memory(a, b, o):
  def scope(acc):
    acc[...] = a[:, :256]
    o[...] = pltpu.matmul_pop(acc)
  pl.run_scoped(scope, pltpu.ACC(0)((64, 256), f32))
refused("accumulator_written", "is read or written as memory", written_as_memory, a[:, :256], a, b, since="0.11.2")
refused("accumulator_of_a_grid", "allocate it in the kernel with pl.run_scoped", by_scratch, a[:, :256], a, b, grid=(2,),
        scratch_shapes=lambda: [pltpu.ACC(0)((64, 256), f32)], since="0.11.2")


def by_queue(a, b, o):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=0, staging_register=0)
  pltpu.matmul_lhs_fifo(a[0:32, 0:256], 0, load_staged_rhs=0)
  pltpu.matmul_lhs_fifo(a[32:64, 0:256], 0)
  o[0:8] = pltpu.matmul_pop_fifo((8, 256), f32, 0)
  o[8:64] = pltpu.matmul_pop_fifo((56, 256), f32, 0)
add("queue", by_queue, a[:, :256], a, b, want=a[:, :256] @ b[:256], tolerance=1e-3, since="0.11.1")


def never_emptied(a, b, o):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=0, staging_register=0)
  pltpu.matmul_lhs_fifo(a[:, 0:256], 0, load_staged_rhs=0)
  o[...] = a[:, 0:256]
refused("queue_not_emptied", "ends with 1 results in the queue of matrix unit 0", never_emptied, a[:, :256], a, b, since="0.11.1")


def taken_twice(a, b, o):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=0, staging_register=0)
  pltpu.matmul_lhs_fifo(a[:, 0:256], 0, load_staged_rhs=0)
  o[...] = pltpu.matmul_pop_fifo((64, 256), f32, 0) + pltpu.matmul_pop_fifo((64, 256), f32, 0)
refused("queue_empty", "lacks 64 of 64 rows", taken_twice, a[:, :256], a, b, since="0.11.1")


def taken_in_a_loop(a, b, o):
  pltpu.matmul_push_rhs(b[0:256], mxu_index=0, staging_register=0)
  pltpu.matmul_lhs_fifo(a[:, 0:256], 0, load_staged_rhs=0)
  @pl.when(pl.program_id(0) == 0)
  def _():
    o[...] = pltpu.matmul_pop_fifo((64, 256), f32, 0)
refused("queue_across_blocks", "do both in one", taken_in_a_loop, a[:, :256], a, b, grid=(2,), since="0.11.1")


# Convolutions
image, taps = floats(2, 10, 12, 8), floats(3, 3, 8, 16, seed=2)
numbers = ("NHWC", "HWIO", "NHWC")


def convolved(image, taps, **keywords):
  return lax.conv_general_dilated(image, taps, keywords.pop("window_strides", (1, 1)), keywords.pop("padding", "VALID"),
                                  dimension_numbers=numbers, **keywords)


def add_conv(name, reverse=None, with_sum=False, **keywords):
  def kernel(image, taps, start, o):
    o[...] = pltpu.conv(image[...], taps[...], start[...] if with_sum else None, dimension_numbers=numbers, window_reversal=reverse, **keywords)
  reversed_taps = taps[::-1] if reverse else taps
  want = np.asarray(convolved(image, reversed_taps, **keywords))
  start = floats(*want.shape, seed=3)
  add(name, kernel, want, image, taps, start, want=want + start if with_sum else want, tolerance=1e-4, since="0.11.1")


add_conv("conv", padding=((0, 0), (0, 0)))
add_conv("conv_same_with_sum", with_sum=True, padding="SAME")
add_conv("conv_strides_dilation", window_strides=(2, 1), padding=((1, 2), (0, 1)), rhs_dilation=(2, 1))
add_conv("conv_reversed", reverse=(True, False), padding=((1, 1), (1, 1)))


# Views
def annotated(x, o):
  kept = pltpu.annotate(x, no_store=True)
  o[0:8] = kept[0:8] + pltpu.annotate(x.at[8:16], no_bank_conflict=True)[...]
  pltpu.annotate(o, no_hazard=True)[8:64] = x[8:64]
vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
add("annotate", annotated, x, x, since="0.11.2", in_specs=[vmem], out_specs=vmem, want=np.concatenate([x[:8] + x[8:16], x[8:]]))


def by_place(x, o, buffer):
  @pl.when(pltpu.has_memory_space(x, pltpu.VMEM))
  def _():
    o[...] = x.memory_space_cast(pltpu.VMEM)[...] * 3
  @pl.when(jnp.logical_not(pltpu.has_memory_space(x, pltpu.VMEM)))
  def _():
    pltpu.sync_copy(x.memory_space_cast(pltpu.HBM), buffer)
    o[...] = buffer[...] * 2
add("memory_space_cast", by_place, x, x, want=x * 2, in_specs=[ANY], scratch_shapes=[pltpu.VMEM((64, 128), f32)], since="0.12.0")


def cast_elsewhere(x, o):
  o[...] = x.memory_space_cast(pltpu.SMEM)[...]
refused("memory_space_cast_elsewhere", "is cast to smem, but a cast moves nothing", cast_elsewhere, x, x, since="0.12.0",
        in_specs=[vmem])


def own_parts(o, shared):
  part = plsc.slice_subcore_vmem_from_shared(shared)
  part[...] = jnp.full((16,), lax.axis_index("subcore"), i32)
  plsc.subcore_barrier()
  pltpu.sync_copy(part, o.at[lax.axis_index("core"), lax.axis_index("subcore")])


def shared_slices(*_, interpret):
  mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)
  return pl.kernel(own_parts, out_type=S((1, mesh.num_subcores, 16), i32), mesh=mesh,
                   scratch_types=[pltpu.VMEM_SHARED((16 * mesh.num_subcores,), i32)])()
t.add("shared_slices", shared_slices, whole_arrays=False, since="0.12.0", want=np.repeat(np.arange(16, dtype=np.int32), 16).reshape(1, 16, 16))


# Copies
def read_first(x, o, buffer, sems):
  copy = pltpu.make_async_copy(x, buffer, sems.at[0], src_sem=sems.at[1])
  copy.start()
  copy.wait_read()
  copy.wait_write()
  copy = pltpu.make_async_copy(buffer, o, src_sem=sems.at[1])
  copy.start()
  copy.wait_read()
add("source_semaphore", read_first, x, x, want=x, in_specs=[ANY], out_specs=ANY, since="0.12.0",
    scratch_shapes=[pltpu.VMEM((64, 128), f32), pltpu.SemaphoreType.DMA((2,))])


def without_semaphores(x, o):
  pltpu.make_async_copy(x, o).start()
refused("no_semaphore", "a copy without semaphores cannot be waited for", without_semaphores, x, x, in_specs=[ANY], out_specs=ANY, since="0.12.0")


# Values
def cast_bits(x, o, p):
  o[...] = pltpu.bitcast(x[...], jnp.int16, dim=-1).astype(i32)
  p[...] = pltpu.bitcast(x[...], jnp.uint32)
t.add("bitcast_dimensions", lambda v, interpret: pl.pallas_call(cast_bits, out_shape=[S((64, 256), i32), S((64, 128), jnp.uint32)])(v),
      x, whole_arrays=False, since="0.12.0", want=[x.view(np.int16).astype(np.int32), x.view(np.uint32)])
t.add("log2", lambda v: jnp.log2(v), np.abs(x) + 0.1)
t.add("derivative_of_tanh", lambda v: jax.grad(lambda w: jnp.sum(jnp.tanh(w)))(v), x)
t.add("sinc", lambda v: jnp.sinc(v), x)
t.add("top_k", lambda v: jax.lax.top_k(v, 4), x)
t.add("reduce_precision", lambda v: lax.reduce_precision(v, 5, 10), x)


# Calls
def doubled(x, o):
  pltpu.sync_copy(x, o)


def batch(size):
  mesh = getattr(pltpu, "TensorCoreMesh", lambda **k: pltpu.create_tensorcore_mesh("core", num_cores=1))(axis_name="core", num_cores=1)
  return jax.vmap(pl.kernel(doubled, out_type=S((8, 128), f32), mesh=mesh))


for size in 1, 3:
  t.add(f"batch_of_{size}", lambda v, interpret: batch(size)(v), x.reshape(8, 8, 128)[:size], whole_arrays=False,
        want=x.reshape(8, 8, 128)[:size], since="0.12.0" if size > 1 else "0.11.0")


def scaled(s, x, o):
  o[...] = x[...] * s[0]
t.add("batch_over_scalars", lambda s, v, interpret: jax.vmap(lambda s, v: pl.pallas_call(
    scaled, out_shape=S((8, 128), f32), in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pltpu.VMEM)])(s, v))(s, v),
      floats(3, 1), x.reshape(8, 8, 128)[:3], whole_arrays=False, want=floats(3, 1)[:, :, None] * x.reshape(8, 8, 128)[:3])


def pipelined(mode):
  def body(x, o):
    o[...] = x[...] + 1
  def kernel(x, o):
    block = pl.BlockSpec((16, 128), lambda i: (i, 0), **mode())
    pltpu.emit_pipeline(body, grid=(4,), in_specs=[block], out_specs=[block])(x, o)
  return kernel


add("pipeline", pipelined(dict), x, x, want=x + 1, in_specs=[ANY], out_specs=ANY, since="0.11.0")
add("pipeline_buffers", pipelined(lambda: dict(pipeline_mode=pl.Buffered(buffer_count=3))), x, x, want=x + 1, in_specs=[ANY], out_specs=ANY, since="0.12.0")
refused("different_buffer_counts", "as many buffers for reading as for writing", lambda x, o: o.__setitem__(..., x[...]), x, x, grid=(4,), since="0.12.0",
        in_specs=lambda: [pl.BlockSpec((16, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(buffer_count=(2, 1)))],
        out_specs=pl.BlockSpec((16, 128), lambda i: (i, 0)))


# What TPUs have no form for, and the kernels that the compiler refuses anyway; all others become modules for TPUs.
not_on_tpus = {
    "shared_slices": "a ref in vmem_shared can't be read or written directly",
    "source_semaphore": "signals its source, which TPUs do for copies to another device or core only",
    "bitcast_dimensions": "along a dimension other than the second to last one",
}


def lowered(name, call, arrays):
  def run(interpret):
    module = export_module(lambda *a: call(*a, interpret=False), *arrays)
    try:
      assert "tpu." in _native.run_pipeline(module.k.b, "pallas-to-mosaic-tpu", False) and name not in not_on_tpus
    except ValueError as error:
      assert not_on_tpus.get(name, "no error") in str(error), error
    return np.float32(0)
  return run


for name, call, arrays in t.calls():
  if name not in refusals:
    t.add(f"{name}_on_tpus", lowered(name, call, arrays), whole_arrays=False, want=np.float32(0))

if __name__ == "__main__":
  t.run()
