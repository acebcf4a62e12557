//===- Passes.td - Passes on the mosaic_gpu dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_TRANSFORMS_PASSES_TD
#define PALLAS_MOSAICGPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MosaicGPUAssignLayouts : Pass<"mosaic-gpu-assign-layouts"> {
  let summary = "give vectors a layout where the compiler can't infer one";
  let description = [{
    The compiler infers how lanes share vectors of a multiple of 128 elements that are
    neither reduced along a dimension nor broadcast. All other vectors get a layout here:
    a cast of what loads, iotas and broadcasts yield.

    Vectors that are related by elementwise operations, loops, reductions and broadcasts
    are one group. Their dimensions are related, too: each class of dimensions takes
    lanes, and warps, that no class takes beside which it occurs in a vector. Last
    dimensions take lanes first, and those that nothing reduces take warps first, since
    warps exchange what they reduce in shared memory. A dimension that occurs twice in
    a vector, as in the products of all pairs of a row, takes none.

    Vectors whose elements are all the same need no layout. Where they are stored, and
    lanes can't share them evenly, they are cast. Memory is kept plain where some vectors
    have tiles of it and others do not.

    A group that has a layout of its own, or memory with tiles, stays. Where some groups
    get layouts and there are no products, the groups that the compiler could infer are
    cast to the layout that it would take, as its search gives up otherwise.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-assign-layouts test/Dialect/MosaicGPU/Transforms/mosaic-gpu-assign-layouts.mlir | grep -m1 layout_cast
        %1 = mosaic_gpu.layout_cast x(%0 : vector<4x8xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[4, 8], [1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-3, -2], vector_dim = -1>}
    ```
  }];
  let statistics = [
    Statistic<"numAssigned", "num-assigned", "Values that were given a layout">,
  ];
}

def MosaicGPUCheckFences : Pass<"mosaic-gpu-check-fences"> {
  let summary = "report fences that are missing, and tensor memory that is not freed";
  let description = [{
    Kernels raised to the `pallas` dialect run without these, hardware does not. So
    checked runs of modules of the dialect start with this pass. It goes by the order
    of the text:

    * Behind the initialization of barriers and ahead of their first use there is a
      `nvvm.fence.mbarrier.init`, and the threads of the block meet. Where a block
      arrives at barriers of others, the cluster meets.
    * A product of registers that another operation has written comes behind a
      `nvvm.wgmma.fence.aligned`.
    * A product is in a group, by `nvvm.wgmma.commit.group.sync.aligned`, ahead of
      the next wait.
    * Accesses of tensor memory behind a wait for products there come behind a
      `nvvm.tcgen05.fence`.
    * Tensor memory is freed.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-check-fences test/Conversion/MosaicGPUToPallas/Inputs/ring.mlir | grep -c wgmma.fence
    1
    ```
  }];
}

def MosaicGPUExpandMath : Pass<"mosaic-gpu-expand-math"> {
  let summary = "expand arithmetic on vectors that the compiler lacks";
  let description = [{
    Negation, rounding to one side, square roots, counts of ones, remainders and
    powers of floats, and most functions of math become operations that jaxlib
    0.10.2 has on vectors. What is left is an error.

    The compiler computes on no elements of at most 8 bits, except bit by bit, so
    arithmetic on integers is that of i32, with the signs that it reads, and on
    f8E4M3FN and f8E5M2 that of f32, rounded to nearest: what is too large is NaN or
    infinity, where the hardware would take the largest number.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-expand-math test/Dialect/MosaicGPU/Transforms/mosaic-gpu-expand-math.mlir | grep -m1 roundeven
        %0 = math.roundeven %arg0 : vector<128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def MosaicGPUHoistSplats : Pass<"mosaic-gpu-hoist-splats"> {
  let summary = "compute what is the same for all elements once, as a scalar";
  let description = [{
    The compiler stores vectors of equal elements only where lanes share them evenly,
    and reduces none along a dimension.

    ```console
    $ echo 'func.func @f(%x: f32) -> vector<15xf32> { %a = vector.broadcast %x : f32 to vector<15xf32> %s = arith.addf %a, %a : vector<15xf32> return %s : vector<15xf32> }' | \
        build/bin/pallas-opt --mosaic-gpu-hoist-splats | grep -o 'arith.addf.*'
    arith.addf %arg0, %arg0 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def MosaicGPUFlattenReductions : Pass<"mosaic-gpu-flatten-reductions"> {
  let summary = "reduce all dimensions of a vector to a scalar in one step";
  let description = [{
    Reductions of one dimension after the other become one, of a vector with one
    dimension, if nothing else asks for a layout with dimensions. Lanes exchange
    once then.

    ```console
    $ echo 'func.func @f(%m: memref<128x64xf32>) -> f32 { %zero = arith.constant dense<0.0> : vector<64xf32> %v = "mosaic_gpu.vector_load"(%m) : (memref<128x64xf32>) -> vector<128x64xf32> %r = vector.multi_reduction <add>, %v, %zero [0] : vector<128x64xf32> to vector<64xf32> %s = vector.reduction <add>, %r : vector<64xf32> into f32 return %s : f32 }' | \
        build/bin/pallas-opt --mosaic-gpu-flatten-reductions | grep -o 'vector.*reduction.*'
    vector.reduction <add>, %1 : vector<8192xf32> into f32
    ```
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def MosaicGPUPinTransforms : Pass<"mosaic-gpu-pin-transforms"> {
  let summary = "keep memory plain of which a part begins inside of a swizzle";
  let description = [{
    The compiler infers tiles and swizzles of shared memory. A swizzle permutes 16 bytes
    within 8 rows of 128, 64 or 32 bytes. The copy engine swizzles by the address;
    the compiler's loads and stores of vectors swizzle by the offset in the part that
    they access. The two agree if the part begins at a multiple of 8 such rows. Where that
    is not known, the memory is told to stay plain. Memory whose tiles and swizzle were
    given, and that has such a part, is an error.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-pin-transforms test/Dialect/MosaicGPU/Transforms/mosaic-gpu-pin-transforms.mlir | grep -m1 with_transforms
        %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = []}> : (memref<72x128xf32, #gpu.address_space<workgroup>>) -> memref<72x128xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let statistics = [
    Statistic<"numPinned", "num-pinned", "Allocations that stay plain">,
  ];
}

def MosaicGPUSeparatePositions : Pass<"mosaic-gpu-separate-positions"> {
  let summary = "give each broadcast of an iota an iota of its own";
  let description = [{
    Rows and columns may be counted by one vector, which then has no layout that suits
    both. What is computed of iotas alone is copied with them.

    ```console
    $ build/bin/pallas-opt --mosaic-gpu-separate-positions test/Dialect/MosaicGPU/Transforms/mosaic-gpu-separate-positions.mlir | grep -c broadcasted_iota
    6
    ```
  }];
}

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
