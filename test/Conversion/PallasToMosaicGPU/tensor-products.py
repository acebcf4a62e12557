# RUN: %python %s %root %t

"""Executes products in tensor memory before and after the lowering: dense, scaled, sparse, by one block and by two."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import ml_dtypes
import numpy as np

work = sys.argv[2]
os.makedirs(work, exist_ok=True)
rng = np.random.default_rng(7)
NAMES = {"float16": "f16", "float32": "f32", "int32": "i32", "int8": "i8", "float8_e4m3fn": "f8E4M3FN", "float8_e8m0fnu": "f8E8M0FNU"}


def spelled(array):
  return "x".join([*map(str, array.shape), NAMES[array.dtype.name]])


def kernel(name, arrays, out, mesh, scratch, body):
  """A module with one kernel on these arrays; its result has the type `out`."""
  lines = [f"func.func @{name}(" + ", ".join(f"%x{i}: tensor<{spelled(a)}>" for i, a in enumerate(arrays)) + f") -> tensor<{out}> {{",
           "  %r = pallas.mpmd_map"]
  lines += [f"    in(%x{i} : tensor<{spelled(a)}>)" for i, a in enumerate(arrays)]
  lines += [f"    out(tensor<{out}>)",
            f"    kernel @{name} on <gpu, [{mesh}]>(" + ", ".join(f"%g{i}: !pallas.ref<{spelled(a)}, gmem>" for i, a in enumerate(arrays))
            + f", %o: !pallas.ref<{out}, gmem>) {{", f"    pallas.run_scoped ({scratch}) {{", body, "    }", "  }", f"  return %r : tensor<{out}>", "}"]
  path = f"{work}/{name}.mlir"
  with open(path, "w") as file:
    file.write("\n".join(lines))
  return path


BARRIER = "!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>"
DONE = "!pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>"


def copied(i, array):
  type_ = f"!pallas.ref<{spelled(array)}, smem>"
  return f"""      pallas.copy_gmem_to_smem %g{i} to %s{i} signals %b : !pallas.ref<{spelled(array)}, gmem>, {type_}, {BARRIER}
      pallas.barrier_wait %b : {BARRIER}
"""


def check(name, path, arrays, wanted):
  for module in path, gpu_stage.lower(path, f"{work}/{name}", "arch=sm_100a"):
    (out,) = gpu_stage.execute(module, arrays, 1, f"{work}/{name}")
    np.testing.assert_array_equal(out, wanted, err_msg=f"{name}: {module}")
  print(f"both stages of {name} agree")


def dense(name, rows, columns, depth, dtype, out):
  """acc = lhs @ rhs, then acc += lhs @ rhs."""
  lhs, rhs = rng.integers(-3, 4, (rows, depth)).astype(dtype), rng.integers(-3, 4, (depth, columns)).astype(dtype)
  sum_ = NAMES[np.dtype(out).name]
  a, b, acc = f"!pallas.ref<{spelled(lhs)}, smem>", f"!pallas.ref<{spelled(rhs)}, smem>", f"!pallas.ref<{rows}x{columns}x{sum_}, tmem>"
  scratch = f"%s0: {a}, %s1: {b}, %acc: {acc}, %b: {BARRIER}, %done: {DONE}"
  body = copied(0, lhs) + copied(1, rhs) + f"""      %false = arith.constant false
      %true = arith.constant true
      pallas.tcgen05_mma %acc, %s0, %s1 accumulate %false : {acc}, {a}, {b}
      pallas.tcgen05_mma %acc, %s0, %s1 accumulate %true signals %done : {acc}, {a}, {b}, {DONE}
      pallas.barrier_wait %done : {DONE}
      %v = pallas.async_load_tmem %acc : {acc} -> tensor<{rows}x{columns}x{sum_}>
      pallas.wait_load_tmem
      %old = pallas.swap %o[...], %v : !pallas.ref<{rows}x{columns}x{sum_}, gmem>, tensor<{rows}x{columns}x{sum_}>"""
  path = kernel(name, (lhs, rhs), f"{rows}x{columns}x{sum_}", '<grid "i" = 1>', scratch, body)
  check(name, path, (lhs, rhs), 2 * (lhs.astype(np.float64) @ rhs.astype(np.float64)).astype(out))


dense("dense", 128, 64, 64, np.float16, np.float32)
dense("half_rows", 64, 64, 64, np.float16, np.float32)
dense("integers", 128, 32, 128, np.int8, np.int32)


def scaled():
  """Scales of 32 elements each, as tiles in the order of the hardware."""
  rows, columns, depth = 128, 64, 128
  f8, e8 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
  lhs, rhs = rng.integers(-3, 4, (rows, depth)), rng.integers(-3, 4, (depth, columns))
  exponents = [rng.integers(-2, 3, (128, depth // 32)) for _ in range(2)]
  tiles = [(2.0 ** e.reshape(1, 4, 32, 1, 4).transpose(0, 3, 2, 1, 4).reshape(1, 1, 32, 16)).astype(e8) for e in exponents]
  left, right = (np.repeat(2.0 ** e, 32, axis=1) for e in exponents)
  wanted = ((lhs * left) @ (rhs * right[:columns].T)).astype(np.float32)
  arrays = [lhs.astype(f8), rhs.astype(f8), *tiles]
  shared = [f"!pallas.ref<{spelled(a)}, smem>" for a in arrays]
  acc, scales = f"!pallas.ref<{rows}x{columns}xf32, tmem>", "!pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>"
  scratch = ", ".join(f"%s{i}: {t}" for i, t in enumerate(shared)) + f", %acc: {acc}, %l: {scales}, %r: {scales}, %b: {BARRIER}, %done: {DONE}"
  body = "".join(copied(i, a) for i, a in enumerate(arrays)) + f"""      %false = arith.constant false
      pallas.async_copy_to_tmem scales %s2 to %l : {shared[2]}, {scales}
      pallas.async_copy_to_tmem scales %s3 to %r : {shared[3]}, {scales}
      pallas.tcgen05_mma %acc, %s0, %s1 accumulate %false signals %done scales(%l : {scales}, %r : {scales}) : {acc}, {shared[0]}, {shared[1]}, {DONE}
      pallas.barrier_wait %done : {DONE}
      %v = pallas.async_load_tmem %acc : {acc} -> tensor<{rows}x{columns}xf32>
      pallas.wait_load_tmem
      %old = pallas.swap %o[...], %v : !pallas.ref<{rows}x{columns}xf32, gmem>, tensor<{rows}x{columns}xf32>"""
  path = kernel("scaled", arrays, f"{rows}x{columns}xf32", '<grid "i" = 1>', scratch, body)
  check("scaled", path, [a.view(np.uint8) for a in arrays], wanted)


scaled()


def pair():
  """Two blocks: each has its own rows, whose copies the first one tracks, and half of the columns of rhs."""
  lhs, rhs = rng.integers(-3, 4, (256, 64)).astype(np.float16), rng.integers(-3, 4, (64, 128)).astype(np.float16)
  a, b = "!pallas.ref<128x64xf16, smem>", "!pallas.ref<64x64xf16, smem>"
  acc = "!pallas.ref<128x128xf32, tmem, [#pallas.tensor_memory<collective = true>]>"
  cluster = '!pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>'
  scratch = f"%s0: {a}, %s1: {b}, %acc: {acc}, %b: {BARRIER}, %t: {BARRIER}, %done: {DONE}, %met: {cluster}"
  body = f"""      %false = arith.constant false
      %block = pallas.axis_index "c"
      %c128 = arith.constant 128 : i32
      %c64 = arith.constant 64 : i32
      %row = arith.muli %block, %c128 : i32
      %column = arith.muli %block, %c64 : i32
      %c0 = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %block, %c0 : i32
      %gb = pallas.slice_ref %g1[:, ds(%column, 64)] : !pallas.ref<64x128xf16, gmem>
      pallas.copy_gmem_to_smem %g0 to %s0 signals %t collective ["c"] leader_tracked partitioned 0 : !pallas.ref<256x64xf16, gmem>, {a}, {BARRIER}
      scf.if %isFirst {{
        pallas.barrier_wait %t : {BARRIER}
      }}
      pallas.copy_gmem_to_smem %gb to %s1 signals %b : !pallas.ref<64x64xf16, gmem>, {b}, {BARRIER}
      pallas.barrier_wait %b : {BARRIER}
      pallas.barrier_arrive %met : {cluster}
      pallas.barrier_wait %met : {cluster}
      pallas.tcgen05_mma %acc, %s0, %s1 accumulate %false signals %done collective "c" : {acc}, {a}, {b}, {DONE}
      pallas.barrier_wait %done : {DONE}
      %v = pallas.async_load_tmem %acc : {acc} -> tensor<128x128xf32>
      %old = pallas.swap %o[ds(%row, 128), :], %v : !pallas.ref<256x128xf32, gmem>, tensor<128x128xf32>"""
  path = kernel("pair", (lhs, rhs), "256x128xf32", '<cluster "c" = 2>', scratch, body)
  check("pair", path, (lhs, rhs), lhs.astype(np.float32) @ rhs.astype(np.float32))


pair()
