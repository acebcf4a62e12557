# RUN: %python %s %root
"""Pipelines inside kernels: written out for TPUs they give what they give as they stand."""
import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(sys.argv[1], "test/Integration/Inputs"))
import executing

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

rng = np.random.default_rng(0)
f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
for module, inputs, outputs in ((PRODUCT, [f32(32, 256), f32(256, 256)], 1), (NESTED, [np.array([3], np.int32), f32(3, 32, 128)], 2)):
  lowered = subprocess.run(["pallas-opt", "--pallas-to-mosaic-tpu", "-"], input=module, capture_output=True, text=True)
  assert lowered.returncode == 0, lowered.stderr
  expected = executing.run_module(module, inputs, outputs)
  for found, wanted in zip(executing.run_module(lowered.stdout, inputs, outputs), expected):
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
