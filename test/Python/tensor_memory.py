# REQUIRES: pallas-python
# RUN: %python %s
"""Copies to tensor memory, and products there whose factors leave out zeros or have scales."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax.experimental.pallas import mosaic_gpu as plgpu

t = Table()
f32, f16, i32 = jnp.float32, jnp.float16, jnp.int32
f8, e8 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
Places, Scales = plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT, plgpu.TMEMLayout.SCALES_LAYOUT
loads, done = plgpu.Barrier(), plgpu.Barrier(orders_tensor_core=True)
rng = np.random.default_rng(3)


def tiles(dtype):
  return (plgpu.TilingTransform((8, 128 // np.dtype(dtype).itemsize)), plgpu.SwizzleTransform(128))


def add(name, kernel, out, *arrays, want, **keywords):
  t.add(name, lambda *v, interpret: plgpu.kernel(kernel, out_type=out, **keywords)(*v), *arrays, whole_arrays=False, want=want)


def copied(x, o, buffer, tensor, loads, done):
  plgpu.copy_gmem_to_smem(x, buffer, loads)
  plgpu.barrier_wait(loads)
  plgpu.async_copy_smem_to_tmem(buffer.at[pl.ds(128, 128)], tensor)
  plgpu.tcgen05_commit_arrive(done)
  plgpu.barrier_wait(done)
  o[...] = plgpu.async_load_tmem(tensor)
  plgpu.wait_load_tmem()
x = floats(256, 64, dtype=np.float16)
add("copied", copied, jax.ShapeDtypeStruct((128, 64), f16), x, want=x[128:],
    scratch_types=[plgpu.SMEM((256, 64), f16, transforms=tiles(f16)), plgpu.TMEM((128, 64), f16, packed=True), loads, done])


def indexed(x, i, o, matrices):
  plgpu.async_store_tmem(matrices, plgpu.load(x, (), optimized=False))
  plgpu.commit_tmem()
  o[...] = plgpu.async_load_tmem(matrices.at[i[0], i[1]])
  plgpu.wait_load_tmem()
x = floats(2, 3, 128, 4).astype(f8)
add("indexed", indexed, jax.ShapeDtypeStruct((128, 4), f8), x, np.array([1, 2], np.int32), want=x[1, 2],
    scratch_types=[plgpu.TMEM(x.shape, f8, layout=Scales)])


def product(lhs, rhs, places=None, scales=None, out=f32, twice=False):
  """A call of lhs @ rhs.T, with what else it needs in the order that the hardware wants."""
  arrays = [lhs, rhs] + ([] if places is None else [places]) + list(scales or ())
  rows, columns, depth = lhs.shape[0], rhs.shape[0], rhs.shape[1]
  buffers = [plgpu.SMEM(a.shape, a.dtype, transforms=tiles(a.dtype) if n < 2 else ()) for n, a in enumerate(arrays)]
  tensors = [] if places is None else [plgpu.TMEM((rows, depth // 2), places.dtype, layout=Places)]
  for scale in scales or ():
    tensors.append(plgpu.TMEM((scale.shape[0] * 128, scale.shape[1] * 4), scale.dtype, layout=Scales))

  def kernel(*refs):
    sources, o = refs[:len(arrays)], refs[len(arrays)]
    inside, acc, loads, done = refs[len(arrays) + 1:-3], *refs[-3:]
    inside, tensors = inside[:len(arrays)], list(inside[len(arrays):])
    for source, buffer in zip(sources, inside):
      plgpu.copy_gmem_to_smem(source, buffer, loads)
      plgpu.barrier_wait(loads)
    more = {}
    if places is not None:
      more["a_sparse_metadata"] = tensors[0]
      plgpu.async_copy_sparse_metadata_to_tmem(inside[2], tensors.pop(0))
    if scales:
      more["a_scale"], more["b_scale"] = tensors
      for buffer, tensor in zip(inside[-2:], tensors):
        plgpu.async_copy_scales_to_tmem(buffer, tensor)
    a, b = inside[0], plgpu.transpose_ref(inside[1], (1, 0))
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False, **more)
    plgpu.barrier_wait(done)
    if twice:
      plgpu.tcgen05_mma(acc, a, b, accumulate=True, **more)
      plgpu.tcgen05_commit_arrive(done)
      plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()

  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((rows, columns), out),
                      scratch_types=[*buffers, *tensors, plgpu.TMEM((rows, columns), out), loads, done])
  return call, arrays


def add_product(name, want, *factors, **keywords):
  call, arrays = product(*factors, **keywords)
  t.add(name, lambda *v, interpret: call(*v), *arrays, whole_arrays=False, want=want)


def sparse(rows, depth, dtype):
  """A factor without its zeros, the two places of four that it holds, and the factor with them."""
  held = rng.integers(-3, 4, (rows, depth // 4, 2))
  pairs = np.array([(i, j) for j in range(4) for i in range(j)])
  places = pairs[rng.integers(0, len(pairs), (rows, depth // 4))]
  whole = np.zeros((rows, depth // 4, 4), int)
  np.put_along_axis(whole, places, held, axis=-1)
  places = plgpu.format_tcgen05_sparse_metadata(jnp.asarray(places, jnp.uint2), jnp.dtype(dtype))
  return held.reshape(rows, -1).astype(dtype), places, whole.reshape(rows, depth)


def scales_of(rows, columns):
  """Scales as numbers, and as the hardware wants them."""
  exponents = rng.integers(-2, 3, (rows, columns))
  tiles = exponents.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4).reshape(rows // 128, columns // 4, 32, 16)
  return 2.0 ** exponents, (2.0 ** tiles).astype(e8)


for dtype, out in ((np.float16, f32), (np.int8, i32), (f8, f32)):
  held, places, whole = sparse(128, 256, dtype)
  rhs = rng.integers(-4, 5, (128, 256))
  want = (whole @ rhs.T).astype(out)
  add_product(f"sparse_{np.dtype(dtype).name}", want, held, rhs.astype(dtype), places, out=out)
held, places, whole = sparse(128, 256, np.float16)
rhs = rng.integers(-4, 5, (64, 256))
add_product("sparse_twice", 2 * (whole @ rhs.T).astype(np.float32), held, rhs.astype(np.float16), places, twice=True)

lhs, rhs = rng.integers(-4, 5, (2, 128, 256))
(left, left_tiles), (right, right_tiles) = scales_of(128, 8), scales_of(128, 8)
scaled = lambda factor, scales: factor * np.repeat(scales, factor.shape[1] // scales.shape[1], axis=1)
add_product("scaled", (scaled(lhs, left) @ scaled(rhs, right).T).astype(np.float32), lhs.astype(f8), rhs.astype(f8), scales=(left_tiles, right_tiles))
held, places, whole = sparse(128, 256, f8)
(left, left_tiles), (right, right_tiles) = scales_of(128, 4), scales_of(128, 4)
add_product("scaled_and_sparse", (scaled(whole, left) @ scaled(rhs, right).T).astype(np.float32), held, rhs.astype(f8), places,
            scales=(left_tiles, right_tiles))

# Nothing of it looks like a mistake.
call, arrays = product(held, rhs.astype(f8), places, (left_tiles, right_tiles))
with pallas_mlir.jax.checked():
  same(call(*arrays), (scaled(whole, left) @ scaled(rhs, right).T).astype(np.float32), 1e-5)


def pair(lhs, rhs, places, left, right, o, a, b, places_here, left_here, right_here, acc, places_there, left_there, right_there, loads, done, met):
  """What the two blocks of a cluster multiply together: each has its own rows, and half of the columns."""
  block = jax.lax.axis_index("c")
  rows, tile = pl.ds(block * 128, 128), pl.ds(block, 1)
  for source, buffer in ((lhs.at[rows], a), (rhs.at[rows], b), (places.at[tile], places_here), (left.at[tile], left_here), (right, right_here)):
    plgpu.copy_gmem_to_smem(source, buffer, loads)
    plgpu.barrier_wait(loads)
  plgpu.barrier_arrive(met)
  plgpu.barrier_wait(met)
  plgpu.async_copy_sparse_metadata_to_tmem(places_here, places_there, collective_axis="c")
  for buffer, tensor in ((left_here, left_there), (right_here, right_there)):
    plgpu.async_copy_scales_to_tmem(buffer, tensor, collective_axis="c")
  plgpu.tcgen05_mma(acc, a, plgpu.transpose_ref(b, (1, 0)), done, accumulate=False, collective_axis="c",
                    a_sparse_metadata=places_there, a_scale=left_there, b_scale=right_there)
  plgpu.barrier_wait(done)
  o[rows] = plgpu.async_load_tmem(acc)


held, places, whole = sparse(256, 256, f8)
rhs = rng.integers(-4, 5, (256, 256))
(left, left_tiles), (right, right_tiles) = scales_of(256, 4), scales_of(256, 4)
add("pair", pair, jax.ShapeDtypeStruct((256, 256), f32), held, rhs.astype(f8), places, left_tiles, right_tiles,
    want=(scaled(whole, left) @ scaled(rhs, right).T).astype(np.float32), cluster=(2,), cluster_names=("c",),
    scratch_types=[plgpu.SMEM((128, 128), f8, transforms=tiles(f8)), plgpu.SMEM((128, 256), f8, transforms=tiles(f8)),
                   plgpu.SMEM((1, *places.shape[1:]), places.dtype), plgpu.SMEM((1, *left_tiles.shape[1:]), e8), plgpu.SMEM(right_tiles.shape, e8),
                   plgpu.TMEM((128, 256), f32, collective=True), plgpu.TMEM((128, 128), places.dtype, layout=Places, collective=True),
                   plgpu.TMEM((128, 4), e8, layout=Scales, collective=True), plgpu.TMEM((256, 4), e8, layout=Scales, collective=True),
                   loads, done, plgpu.ClusterBarrier(collective_axes=("c",))])
t.run()
