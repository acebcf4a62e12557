//===- Passes.td - Passes on the mosaic_gpu dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_TRANSFORMS_PASSES_TD
#define PALLAS_MOSAICGPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MosaicGPUSetRelease : Pass<"mosaic-gpu-set-release"> {
  let summary = "give operations the form that a release of jaxlib reads";
  let description = [{
    An operation that the release doesn't have, and whose meaning no other one has,
    is an error that names it.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-set-release=release=0.12.0.1 test/Dialect/MosaicGPU/Transforms/mosaic-gpu-set-release.mlir | grep arrive
        mosaic_gpu.arrive_expect_tx barrier(%arg0 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c16384_i32
    ```
  }];
  let options = [
    Option<"release", "release", "std::string", "\"0.10.2\"",
           "Release to write for: 0.10.2 or 0.12.0.1">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // PALLAS_MOSAICGPU_TRANSFORMS_PASSES_TD
