# REQUIRES: pallas-python
# RUN: %python %s
"""What releases of JAX after 0.10.2 added to kernels for GPUs."""
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
tiles = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def add(name, kernel, out, *arrays, want, since, tolerance=1e-5, **keywords):
  out = jax.tree_util.tree_map(lambda o: S(o.shape, o.dtype), out)

  def run(*v, interpret):
    # What older releases lack is named when the case runs.
    found = {k: w() if k == "scratch_types" else w for k, w in keywords.items()}
    return plgpu.kernel(kernel, out_type=out, **found)(*v)
  t.add(name, run, *arrays, tolerance=tolerance, whole_arrays=False, want=want, since=since)


def refused(name, part, kernel, out, *arrays, since, **keywords):
  """The kernel has no form, and `part` of the error says why."""
  def run(interpret):
    found = {k: w() if k == "scratch_types" else w for k, w in keywords.items()}
    try:
      pallas_mlir.export(plgpu.kernel(kernel, out_type=S(out.shape, out.dtype), **found), *arrays)
    except pallas_mlir.PallasError as error:
      assert part in str(error) and os.path.basename(__file__) in str(error), error
      return np.float32(0)
    raise AssertionError("the kernel was exported")
  t.add(name, run, whole_arrays=False, want=np.float32(0), since=since)


# GPUs before Hopper: products of registers, copies without barriers
def ampere(a, b, o, left, right):
  plgpu.copy_gmem_to_smem(a, left)
  plgpu.copy_gmem_to_smem(b, right)
  plgpu.wait_gmem_to_smem(0)
  o[...] = plgpu.mma(jnp.ones((64, 64), f32), left[...], right[...])
add("mma", ampere, x, a, b, want=1 + a.astype(np.float32) @ b.astype(np.float32), tolerance=1e-2, since="0.11.1",
    scratch_types=lambda: [plgpu.SMEM((64, 64), f16), plgpu.SMEM((64, 64), f16)])


# Stores and reductions
def reduced(x, o, p):
  value = x[...]
  plgpu.store(o.at[0], plgpu.sum(value, axis=0), optimized=False)
  plgpu.store(o.at[1], plgpu.max(value, axis=1), optimized=False)
  plgpu.store(o.at[2], plgpu.min(value, axis=1), optimized=False)
  p[...] = plgpu.prod(value[:, :2], axis=1)
add("reductions", reduced, [x[:3], x[0]], x, since="0.12.0", tolerance=1e-4, want=[np.stack([x.sum(0), x.max(1), x.min(1)]), x[:, 0] * x[:, 1]])


# Predicates
def where_asked(x, o, buffer, loaded, arrived):
  group = lax.axis_index("wg")
  plgpu.async_prefetch(x, predicate=group == 0)
  plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 32)], buffer.at[0], loaded, predicate=group == 0)
  plgpu.copy_gmem_to_smem(x.at[pl.ds(32, 32)], buffer.at[1], loaded, predicate=group == 1)
  plgpu.barrier_arrive(arrived, predicate=group == 1)
  plgpu.barrier_wait(loaded)
  plgpu.barrier_wait(arrived)
  o[pl.ds(group * 32, 32)] = buffer[group] * 2
add("predicates", where_asked, x, x, want=x * 2, since="0.12.0", num_threads=2, thread_name="wg",
    scratch_types=lambda: [plgpu.SMEM((2, 32, 64), f32), plgpu.Barrier(num_arrivals=2), plgpu.Barrier(num_arrivals=1)])


def met(x, o, buffer, barrier):
  group = lax.axis_index("wg")
  buffer[group] = x[pl.ds(group * 32, 32)]
  plgpu.commit_smem()
  plgpu.barrier_arrive_and_wait(barrier)
  o[pl.ds(group * 32, 32)] = buffer[1 - group]
add("arrive_and_wait", met, x, x, want=np.concatenate([x[32:], x[:32]]), since="0.12.0", num_threads=2, thread_name="wg",
    scratch_types=lambda: [plgpu.SMEM((2, 32, 64), f32), plgpu.Barrier(num_arrivals=2)])


# Tensor memory
def loaded_with_reduction(how):
  def kernel(x, o, p, buffer, tensor, loads):
    plgpu.copy_gmem_to_smem(x, buffer, loads)
    plgpu.barrier_wait(loads)
    plgpu.async_store_tmem(tensor, buffer[...])
    plgpu.commit_tmem()
    value, reduced = plgpu.async_load_tmem(tensor, reduce=how)
    plgpu.wait_load_tmem()
    o[...], p[...] = value, reduced
  return kernel


high = floats(128, 64, seed=4)
for how, want in (("max", high.max(1)), ("min", high.min(1)), ("absmax", np.abs(high).max(1)), ("absmin", np.abs(high).min(1))):
  add(f"load_{how}", loaded_with_reduction(how), [high, want], high, want=[high, want], since="0.12.0",
      scratch_types=lambda: [plgpu.SMEM((128, 64), f32), plgpu.TMEM((128, 64), f32), plgpu.Barrier()])


def committed(x, o, left, right, acc, loads, done):
  plgpu.copy_gmem_to_smem(x, left, loads)
  plgpu.barrier_wait(loads)
  right[...] = jnp.ones((64, 64), f16)
  plgpu.commit_smem()
  plgpu.tcgen05_mma(acc, left, right, accumulate=False)
  plgpu.tcgen05_commit_arrive(done, predicate=x[0, 0] != x[0, 0])
  plgpu.tcgen05_commit_arrive(done, predicate=x[0, 0] == x[0, 0])
  plgpu.barrier_wait(done)
  o[...] = plgpu.async_load_tmem(acc)
  plgpu.wait_load_tmem()
half = high.astype(np.float16)
add("commit_where_asked", committed, high, half, tolerance=1e-2, since="0.12.0",
    want=np.repeat(half.astype(np.float32).sum(1, keepdims=True), 64, 1),
    scratch_types=lambda: [plgpu.SMEM((128, 64), f16, transforms=tiles), plgpu.SMEM((64, 64), f16, transforms=tiles), plgpu.TMEM((128, 64), f32),
                           plgpu.Barrier(), plgpu.Barrier(orders_tensor_core=True)])


# Windows over images
image = floats(2, 6, 7, 16, seed=5)


def windows(rows, place, channels, padding):
  def kernel(x, o, buffer, barrier):
    view = plgpu.im2col_ref(x, window_shape=(3, 2), padding=padding)
    start, length = rows
    plgpu.copy_gmem_to_smem(view.at[pl.ds(lax.axis_index("i") * 0 + start, length), *place, pl.ds(*channels)], buffer, barrier)
    plgpu.barrier_wait(barrier)
    o[...] = buffer[...]
  (low, high), (left, right) = padding
  padded = np.pad(image, ((0, 0), (low, high), (left, right), (0, 0)))
  height, width = padded.shape[1] - 2, padded.shape[2] - 1
  flat = np.stack([padded[n, h + place[0], w + place[1]] for n in range(2) for h in range(height) for w in range(width)])
  want = np.zeros((rows[1], channels[1]), np.float32)
  part = flat[rows[0]:rows[0] + rows[1], channels[0]:channels[0] + channels[1]]
  want[:part.shape[0], :part.shape[1]] = part
  return kernel, want


for name, *case in (("plain", (0, 32), (0, 0), (0, 16), ((0, 0), (0, 0))), ("padded", (7, 32), (2, 1), (8, 8), ((1, 1), (0, 1))),
                    ("beyond_the_end", (40, 8), (1, 0), (8, 8), ((0, 0), (0, 0)))):
  kernel, want = windows(*case)
  add(f"windows_{name}", kernel, want, image, want=want, since="0.12.0", grid=(1,), grid_names=("i",),
      scratch_types=lambda shape=want.shape: [plgpu.SMEM(shape, f32), plgpu.Barrier()])


# Pipelines
def hanging_over(x, o):
  def step(_, x, o):
    o[...] = x[...] + 1
  block = plgpu.BlockSpec((16, 64), lambda i: (i, 0), oob_fill_mode=plgpu.OOBFillMode.ZEROS)
  plgpu.emit_pipeline(step, grid=(4,), in_specs=[block], out_specs=[plgpu.BlockSpec((16, 64), lambda i: (i, 0))], max_concurrent_steps=2)(x, o)
add("oob_fill_mode", hanging_over, x, x, want=x + 1, since="0.11.0")

if __name__ == "__main__":
  t.run()
