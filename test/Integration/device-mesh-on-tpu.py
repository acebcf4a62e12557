# RUN: %python %s %root
"""A lowered kernel finds its neighbours in a mesh of devices with two axes."""
import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(sys.argv[1], "test/Integration/Inputs"))
import module_execution

REF = "!pallas.ref<8x128xf32, any>"
SEMAPHORE = "!pallas.ref<!pallas.dma_semaphore, semaphore>"
KERNEL = """
func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 3]]} {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: REF, %or: REF, %s: SEM, %r: SEM) {
    %me = pallas.axis_index "AXIS"
    %size = pallas.axis_size "AXIS"
    %one = arith.constant 1 : i32
    %next = arith.addi %me, %one : i32
    %peer = arith.remsi %next, %size : i32
    pallas.dma_start %xr to %or signals %r source_signals %s device mesh(%peer) axes ["AXIS"] : REF, REF, SEM, SEM
    pallas.dma_wait %xr to %or signals %r : REF, REF, SEM
    pallas.dma_wait %xr to %or signals %r source_signals %s device mesh(%peer) axes ["AXIS"] : REF, REF, SEM, SEM
  }
  return %o : tensor<8x128xf32>
}
""".replace("REF", REF).replace("SEM", SEMAPHORE)

x = np.random.default_rng(0).standard_normal((48, 128)).astype(np.float32)
blocks = x.reshape(2, 3, 8, 128)
for axis, dim in (("a", 0), ("b", 1)):
  module = subprocess.run(["pallas-opt", "--pallas-to-mosaic-tpu", "-"], input=KERNEL.replace("AXIS", axis),
                          capture_output=True, text=True, check=True).stdout
  out, = module_execution.run_module(module, [x], 1, ["--devices=a=2,b=3"])
  np.testing.assert_array_equal(out.reshape(blocks.shape), np.roll(blocks, 1, dim))
