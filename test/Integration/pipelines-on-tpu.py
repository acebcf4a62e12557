# RUN: %python %s %root
"""Pipelines inside kernels: written out for TPUs they give what they give as they stand."""
import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(sys.argv[1], "test/Integration/Inputs"))
import module_execution

F32 = lambda *shape: "x".join(map(str, shape)) + "xf32"
REF = lambda space, *shape: f"!pallas.ref<{F32(*shape)}, {space}>"

# A product that sums over the last dimension of the grid, in scratch memory.
PRODUCT = f"""
func.func @main(%x: tensor<{F32(32, 256)}>, %y: tensor<{F32(256, 256)}>) -> tensor<{F32(32, 256)}> {{
  %o = pallas.pallas_call grid()
      in(%x : tensor<{F32(32, 256)}>) block<[32, 256], any>
      in(%y : tensor<{F32(256, 256)}>) block<[256, 256], any>
      out(tensor<{F32(32, 256)}>) block<[32, 256], any>
      kernel(%xr: {REF("any", 32, 256)}, %yr: {REF("any", 256, 256)}, %or: {REF("any", 32, 256)}) {{
    pallas.emit_pipeline grid(2, 2, 2)
        in(%xr : {REF("any", 32, 256)}) block<[16, 128], vmem> map(%i, %j, %k) -> (%i, %k)
        in(%yr : {REF("any", 256, 256)}) block<[128, 128], vmem> map(%i, %j, %k) -> (%k, %j)
        out(%or : {REF("any", 32, 256)}) block<[16, 128], vmem> map(%i, %j, %k) -> (%i, %j)
        kernel(%i: i32, %j: i32, %k: i32, %a: {REF("vmem", 16, 128)}, %b: {REF("vmem", 128, 128)},
               %c: {REF("vmem", 16, 128)}, %sum: {REF("vmem", 16, 128)}) {{
      %zero = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %k, %zero : i32
      scf.if %isFirst {{
        %zeros = arith.constant dense<0.0> : tensor<{F32(16, 128)}>
        pallas.swap %sum[...], %zeros : {REF("vmem", 16, 128)}, tensor<{F32(16, 128)}>
      }}
      %av = pallas.get %a[...] : {REF("vmem", 16, 128)}
      %bv = pallas.get %b[...] : {REF("vmem", 128, 128)}
      %old = pallas.get %sum[...] : {REF("vmem", 16, 128)}
      %p = pallas.dot_general %av, %bv contract [1] x [0] : tensor<{F32(16, 128)}>, tensor<{F32(128, 128)}> -> tensor<{F32(16, 128)}>
      %new = arith.addf %old, %p : tensor<{F32(16, 128)}>
      pallas.swap %sum[...], %new : {REF("vmem", 16, 128)}, tensor<{F32(16, 128)}>
      pallas.swap %c[...], %new : {REF("vmem", 16, 128)}, tensor<{F32(16, 128)}>
    }}
  }}
  return %o : tensor<{F32(32, 256)}>
}}
"""

# A pipeline in a pipeline, of a size that is known at run time, with squeezed
# dimensions and a sum that goes from point to point.
NESTED = f"""
func.func @main(%n: tensor<1xi32>, %x: tensor<{F32(3, 32, 128)}>) -> (tensor<{F32(3, 32, 128)}>, tensor<1xf32>) {{
  %o:2 = pallas.pallas_call grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<{F32(3, 32, 128)}>) block<[3, 32, 128], any>
      out(tensor<{F32(3, 32, 128)}>) block<[3, 32, 128], any>
      out(tensor<1xf32>) block<[1], smem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: {REF("any", 3, 32, 128)}, %or: {REF("any", 3, 32, 128)}, %sr: !pallas.ref<1xf32, smem>) {{
    %size = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %start = arith.constant 0.0 : f32
    %total = pallas.emit_pipeline grid(%size)
        in(%xr : {REF("any", 3, 32, 128)}) block<[squeezed, 32, 128], vmem> map(%i) -> (%i, 0, 0)
        out(%or : {REF("any", 3, 32, 128)}) block<[squeezed, 32, 128], vmem> map(%i) -> (%i, 0, 0)
        carry(%start : f32)
        kernel(%i: i32, %a: {REF("vmem", 32, 128)}, %b: {REF("vmem", 32, 128)}, %s: f32) {{
      pallas.emit_pipeline grid(4)
          in(%a : {REF("vmem", 32, 128)}) block<[8, 128], vmem> map(%j) -> (%j, 0)
          out(%b : {REF("vmem", 32, 128)}) block<[8, 128], vmem> map(%j) -> (%j, 0)
          kernel(%j: i32, %c: {REF("vmem", 8, 128)}, %d: {REF("vmem", 8, 128)}) {{
        %v = pallas.get %c[...] : {REF("vmem", 8, 128)}
        %f = arith.sitofp %j : i32 to f32
        %all = pallas.broadcast %f dims [] : f32 -> tensor<{F32(8, 128)}>
        %w = arith.mulf %v, %all : tensor<{F32(8, 128)}>
        pallas.swap %d[...], %w : {REF("vmem", 8, 128)}, tensor<{F32(8, 128)}>
      }}
      %first = pallas.get %a[0, 0] : {REF("vmem", 32, 128)}
      %next = arith.addf %s, %first : f32
      pallas.yield %next : f32
    }}
    pallas.swap %sr[0], %total : !pallas.ref<1xf32, smem>, f32
  }}
  return %o#0, %o#1 : tensor<{F32(3, 32, 128)}>, tensor<1xf32>
}}
"""



def over_arrays(kernel, inputs, output):
  """A module with a kernel that sees tables in SMEM and whole arrays."""
  types = [module_execution.type_of(x) for x in inputs]
  spaces = ["smem" if x.ndim == 1 else "any" for x in inputs]
  arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(types))
  blocks = "\n".join(f"in(%x{i} : {types[i]}) block<{list(x.shape)}, {spaces[i]}>" for i, x in enumerate(inputs))
  refs = ", ".join(f"%r{i}: !pallas.ref<{t[7:-1]}, {space}>" for i, (t, space) in enumerate(zip(types, spaces)))
  return f"""
func.func @main({arguments}) -> tensor<{F32(*output)}> {{
  %o = pallas.pallas_call grid()
      {blocks}
      out(tensor<{F32(*output)}>) block<{list(output)}, any>
      kernel({refs}, %or: {REF("any", *output)}) {{
    {kernel}
  }}
  return %o : tensor<{F32(*output)}>
}}
"""


# Blocks hang over the array along both dimensions.
RAGGED = f"""
    pallas.emit_pipeline grid(3, 2)
        in(%r0 : {REF("any", 37, 200)}) block<[16, 128], vmem> map(%i, %j) -> (%i, %j)
        out(%or : {REF("any", 37, 200)}) block<[16, 128], vmem> map(%i, %j) -> (%i, %j)
        kernel(%i: i32, %j: i32, %a: {REF("vmem", 16, 128)}, %b: {REF("vmem", 16, 128)}) {{
      %v = pallas.get %a[...] : {REF("vmem", 16, 128)}
      %w = arith.addf %v, %v : tensor<{F32(16, 128)}>
      pallas.swap %b[...], %w : {REF("vmem", 16, 128)}, tensor<{F32(16, 128)}>
    }}
"""

# Windows that stay: of a table that names blocks again, of the outer dimension
# only, of a sum that several points add to, and one that never changes.
STAYING = f"""
    pallas.emit_pipeline grid(2, 3)
        in(%r1 : {REF("any", 24, 128)}) block<[8, 128], vmem> map(%i, %j) {{
          %k = pallas.get %r0[%j] : !pallas.ref<3xi32, smem>
          %zero = arith.constant 0 : i32
          pallas.yield %k, %zero : i32, i32
        }}
        in(%r1 : {REF("any", 24, 128)}) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
        in(%r1 : {REF("any", 24, 128)}) block<[8, 128], vmem> map(%i, %j) -> (2, 0)
        out(%or : {REF("any", 16, 128)}) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
        kernel(%i: i32, %j: i32, %a: {REF("vmem", 8, 128)}, %b: {REF("vmem", 8, 128)}, %c: {REF("vmem", 8, 128)}, %d: {REF("vmem", 8, 128)}) {{
      %zero = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %j, %zero : i32
      %av = pallas.get %a[...] : {REF("vmem", 8, 128)}
      %bv = pallas.get %b[...] : {REF("vmem", 8, 128)}
      %cv = pallas.get %c[...] : {REF("vmem", 8, 128)}
      %ab = arith.mulf %av, %bv : tensor<{F32(8, 128)}>
      %abc = arith.addf %ab, %cv : tensor<{F32(8, 128)}>
      scf.if %isFirst {{
        pallas.swap %d[...], %abc : {REF("vmem", 8, 128)}, tensor<{F32(8, 128)}>
      }} else {{
        pallas.addupdate %d[...], %abc : {REF("vmem", 8, 128)}, tensor<{F32(8, 128)}>
      }}
    }}
"""

# Starts and sizes from a table.
BOUNDED = f"""
    pallas.emit_pipeline grid(3)
        in(%r1 : {REF("any", 24, 128)}) block<[bounded<8>, 128], vmem> map(%i) {{
          %size = pallas.get %r0[%i] : !pallas.ref<3xi32, smem>
          %eight = arith.constant 8 : i32
          %zero = arith.constant 0 : i32
          %start = arith.muli %i, %eight : i32
          pallas.yield %start, %size, %zero : i32, i32, i32
        }}
        out(%or : {REF("any", 24, 128)}) block<[8, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: {REF("vmem", 8, 128)}, %b: {REF("vmem", 8, 128)}) {{
      %v = pallas.get %a[...] : {REF("vmem", 8, 128)}
      pallas.swap %b[...], %v : {REF("vmem", 8, 128)}, tensor<{F32(8, 128)}>
    }}
"""


def on_cores(cores, grid):
  """Cores share a grid; %nr is its size where it is not known."""
  return f"""
func.func @main(%x: tensor<{F32(60, 256)}>) -> tensor<{F32(60, 256)}> {{
  %n = arith.constant 8 : i32
  %o = pallas.mpmd_map
      in(%n : i32)
      in(%x : tensor<{F32(60, 256)}>)
      out(tensor<{F32(60, 256)}>)
      kernel on <tensorcore, [<core "core" = {cores}>]> (%nr: i32, %xr: {REF("hbm", 60, 256)}, %or: {REF("hbm", 60, 256)}) {{
    pallas.emit_pipeline grid({grid})
        in(%xr : {REF("hbm", 60, 256)}) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        out(%or : {REF("hbm", 60, 256)}) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        semantics [parallel, arbitrary]
        attributes {{coreAxis = "core"}}
        kernel(%i: i32, %j: i32, %a: {REF("vmem", 8, 128)}, %b: {REF("vmem", 8, 128)}) {{
      %v = pallas.get %a[...] : {REF("vmem", 8, 128)}
      %f = arith.sitofp %i : i32 to f32
      %all = pallas.broadcast %f dims [] : f32 -> tensor<{F32(8, 128)}>
      %w = arith.addf %v, %all : tensor<{F32(8, 128)}>
      pallas.swap %b[...], %w : {REF("vmem", 8, 128)}, tensor<{F32(8, 128)}>
    }}
  }}
  return %o : tensor<{F32(60, 256)}>
}}
"""


rng = np.random.default_rng(0)
f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
x, n, wide, few = f32(24, 128), np.array([1, 1, 0], np.int32), f32(37, 200), f32(60, 256)
table = np.array([8, 8, 8], np.int32)
staying = np.concatenate([sum(x[8 * k:8 * k + 8] * x[8 * i:8 * i + 8] + x[16:] for k in n) for i in range(2)])
numbered = few + (np.arange(60) // 8)[:, None].astype(np.float32)
CASES = [
    (PRODUCT, [f32(32, 256), f32(256, 256)], 1, None),
    (NESTED, [np.array([3], np.int32), f32(3, 32, 128)], 2, None),
    (over_arrays(RAGGED, [wide], (37, 200)), [wide], 1, [wide * 2]),
    (over_arrays(STAYING, [n, x], (16, 128)), [n, x], 1, [staying]),
    (over_arrays(BOUNDED, [table, x], (24, 128)), [table, x], 1, [x]),
]
for cores, grid in ((2, "8, 2"), (3, "8, 2"), (2, "%nr, 2"), (1, "8, 2")):
  CASES.append((on_cores(cores, grid), [few], 1, [numbered]))


def lower(module):
  lowered = subprocess.run(["pallas-opt", "--pallas-to-mosaic-tpu", "-"], input=module, capture_output=True, text=True)
  assert lowered.returncode == 0, lowered.stderr
  return lowered.stdout


for module, inputs, outputs, expected in CASES:
  # Bounded blocks run nowhere else.
  results = [module_execution.run_module(m, inputs, outputs) for m in (lower(module), module) if "bounded" not in m]
  # The number of buffers changes nothing, also if there are more than points.
  for count in (1, 3, 5):
    buffered = lower(module.replace("vmem> map(", f"vmem, pipeline = <{count}>> map("))
    results.insert(0, module_execution.run_module(buffered, inputs, outputs))
  for found in results:
    for value, wanted in zip(found, expected or results[-1]):
      np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-5)
