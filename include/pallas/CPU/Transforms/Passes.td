//===- Passes.td - Native code for CPUs --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These passes know nothing of the pallas dialect: they take tensor, linalg, scf
// and memref code to tight vector loops.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CPU_TRANSFORMS_PASSES_TD
#define PALLAS_CPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class CPUOption : Option<"cpu", "cpu", "std::string", "\"\"",
    "CPU that code is made for, by LLVM's name or native, that of this machine; "
    "without one, that of PALLAS_CPU, or native">;

def PallasCPUEntryABI : Pass<"pallas-cpu-entry-abi", "::mlir::ModuleOp"> {
  let summary = "make public functions take buffers for arguments and results";
  let description = [{
    Each tensor argument becomes a memref, each scalar a memref of rank 0, and a
    memref per result follows. Results are computed into their memrefs where
    bufferization can arrange it. Private functions must have been inlined.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-entry-abi | grep -o 'func.func.*) attr'
    func.func @f(%arg0: memref<8xf32>, %arg1: memref<8xf32>) attr
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PallasCPUDefineIntegers : Pass<"pallas-cpu-define-integers"> {
  let summary = "define integer operations on all operands, as XLA does";
  let description = [{
    Some operands leave the result of an upstream integer operation undefined.
    Here they get the results that XLA has: a shift by the width or more leaves
    nothing but copies of the sign, where it keeps that; a quotient by zero has
    all bits set and its remainder is the dividend; the least integer divided by
    -1 is itself, without a remainder. Constant operands that are always defined
    cost nothing.

    ```console
    $ echo 'func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.divui %a, %b : i32 return %0 : i32 }' | \
        build/bin/pallas-opt --pallas-cpu-define-integers
    ...
        %0 = arith.cmpi eq, %arg1, %c0_i32 : i32
        %1 = arith.select %0, %c1_i32, %arg1 : i32
        %2 = arith.divui %arg0, %1 : i32
        %3 = arith.select %0, %c-1_i32, %2 : i32
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PallasCPUBoundExponents : Pass<"pallas-cpu-bound-exponents"> {
  let summary = "mark exponentials that can't overflow";
  let description = [{
    An exponential of the distance from the largest element of a row, as in
    softmax, gets the attribute `pallas_cpu.at_most_zero`: its argument is at
    most zero, or NaN. `pallas-cpu-expand-math` then leaves the upper bound out.
    The largest element may be the larger of several, as in steps of attention.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> { %0 = arith.maximumf %x, %y : tensor<8xf32> %1 = arith.subf %x, %0 : tensor<8xf32> %2 = math.exp %1 : tensor<8xf32> return %2 : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-bound-exponents | grep -o 'math.exp.*'
    math.exp %1 {pallas_cpu.at_most_zero} : tensor<8xf32>
    ```
  }];
}

def PallasCPUGeneralize
    : Pass<"pallas-cpu-generalize", "::mlir::func::FuncOp"> {
  let summary = "bring operations on tensors into the form that fuses";
  let description = [{
    Elementwise operations and linalg's named ones, but contractions and fills,
    become `linalg.generic`. Constants of equal elements are made where they are
    used. A sum of a contraction with another value becomes a contraction that
    starts from the value.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { %0 = arith.mulf %x, %x : tensor<8xf32> return %0 : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-generalize
    ...
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %2 = arith.mulf %in, %in_0 : f32
    ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUGeneralizeConcats
    : Pass<"pallas-cpu-generalize-concats", "::mlir::func::FuncOp"> {
  let summary = "make concatenations of single elements a choice by the place";
  let description = [{
    Short rows of single elements become a `linalg.generic` that chooses between
    them, so that they fuse with what yields the elements. Rows have at most 8
    elements, and there are at least 32.

    ```console
    $ echo 'func.func @f(%x: tensor<64x1xf32>, %y: tensor<64x1xf32>) -> tensor<64x2xf32> { %0 = tensor.concat dim(1) %x, %y : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32> return %0 : tensor<64x2xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-generalize-concats | grep -oE '(linalg.index|arith.(cmpi|select)).*'
    linalg.index 1 : index
    arith.cmpi eq, %2, %c0 : index
    arith.select %3, %in, %in_1 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def PallasCPUDropUnitDims
    : Pass<"pallas-cpu-drop-unit-dims", "::mlir::func::FuncOp"> {
  let summary = "drop the dimension of rows of one element";
  let description = [{
    What reductions that keep their dimension leave is computed without it, so that
    it shares loops with what has lost its dimension.

    ```console
    $ echo 'func.func @f(%x: tensor<8x1xf32>) -> tensor<8x1xf32> { %0 = math.exp %x : tensor<8x1xf32> return %0 : tensor<8x1xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-generalize --pallas-cpu-drop-unit-dims | grep -o 'linalg.generic.*ins.*outs.*'
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed : tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUFuseReshapes
    : Pass<"pallas-cpu-fuse-reshapes", "::mlir::func::FuncOp"> {
  let summary = "give elementwise operations the shape that operands have before reshapes";
  let description = [{
    What reads values whose dimensions were joined takes the dimensions that they
    had before, so that it fuses with what computes them: `jnp.repeat(x, 4, axis=1)`
    is a broadcast to a dimension of its own that becomes part of another one.

    ```console
    $ echo 'func.func @f(%x: tensor<8x64xf32>, %s: tensor<8x16xf32>) -> tensor<8x64xf32> { %0 = pallas.broadcast %s dims [0, 1] : tensor<8x16xf32> -> tensor<8x16x4xf32> %1 = pallas.reshape %0 : tensor<8x16x4xf32> -> tensor<8x64xf32> %2 = arith.mulf %x, %1 : tensor<8x64xf32> return %2 : tensor<8x64xf32> }' | \
        build/bin/pallas-opt --convert-pallas-to-linalg --pallas-cpu-generalize --pallas-cpu-fuse-reshapes | grep -o 'tensor.expand_shape %arg0.*'
    tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [8, 16, 4] : tensor<8x64xf32> into tensor<8x16x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUFuse : Pass<"pallas-cpu-fuse", "::mlir::func::FuncOp"> {
  let summary = "fuse elementwise tensor operations into their users";
  let description = [{
    Elementwise operations and broadcasts in the form of `linalg.generic` become
    part of the operation that reads them, when that is the only reader or when
    computing them again costs less than memory.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> { %0 = pallas.broadcast %s : f32 -> tensor<8xf32> %1 = arith.mulf %x, %0 : tensor<8xf32> return %1 : tensor<8xf32> }' | \
        build/bin/pallas-opt --convert-pallas-to-linalg --pallas-cpu-generalize --pallas-cpu-fuse
    ...
        ^bb0(%in: f32, %out: f32):
          %2 = arith.mulf %in, %arg1 : f32
    ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUSinkCollapses
    : Pass<"pallas-cpu-sink-collapses", "::mlir::func::FuncOp"> {
  let summary = "concatenate slices in the shape that they have before they are collapsed";
  let description = [{
    Patches of an image are slices of it, and a concatenation puts them side by
    side once their positions are collapsed into one dimension. Collapsed after
    that, no patch is copied into the collapsed shape first.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-sink-collapses test/CPU/Transforms/Loops/sink-collapses.mlir
    ...
        %concat = tensor.concat dim(2) %extracted_slice, %extracted_slice_0, %expanded : (tensor<8x8x4xf32>, tensor<8x8x4xf32>, tensor<8x8x2xf32>) -> tensor<8x8x10xf32>
        %collapsed = tensor.collapse_shape %concat [[0, 1], [2]] : tensor<8x8x10xf32> into tensor<64x10xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def PallasCPUSplitParts
    : Pass<"pallas-cpu-split-parts", "::mlir::func::FuncOp"> {
  let summary = "split elementwise operations on concatenated tensors";
  let description = [{
    An elementwise operation on a concatenated or rotated tensor becomes one per
    part. Operations behind it read the parts, and the whole is put together only
    where something needs it.

    ```console
    $ echo '#id = affine_map<(d0) -> (d0)> func.func @f(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<8192xf32> { %0 = tensor.concat dim(0) %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<8192xf32> %1 = math.exp %0 : tensor<8192xf32> return %1 : tensor<8192xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-generalize --pallas-cpu-split-parts | grep -oE 'math.exp|ins[^)]*\)'
    ins(%arg0 : tensor<4096xf32>)
    math.exp
    ins(%arg1 : tensor<4096xf32>)
    math.exp
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUInsertParts
    : Pass<"pallas-cpu-insert-parts", "::mlir::func::FuncOp"> {
  let summary = "turn concatenations into insertions";
  let description = [{
    One operand is inserted after the other, so that bufferization computes each
    where the whole is stored.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<16xf32> { %0 = tensor.concat dim(0) %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32> return %0 : tensor<16xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-insert-parts
    ...
        %inserted_slice = tensor.insert_slice %arg0 into %0[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
        %inserted_slice_0 = tensor.insert_slice %arg1 into %inserted_slice[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUCopyUpdatedValues
    : Pass<"pallas-cpu-copy-updated-values", "::mlir::func::FuncOp"> {
  let summary = "copy what memory holds before a part of the value is replaced";
  let description = [{
    An insertion into what memory holds changes a copy of it. Bufferization makes
    the copy where the whole is stored, if an operation computes it.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-copy-updated-values test/CPU/Transforms/Memory/copy-updated-values.mlir
    ...
          linalg.yield %in : f32
    ...
        %inserted_slice = tensor.insert_slice %arg1 into %2[2, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<8x16xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasCPUExpandSwitches
    : Pass<"pallas-cpu-expand-switches", "::mlir::func::FuncOp"> {
  let summary = "expand switches that yield tensors to branches";
  let description = [{
    Bufferization finds the memory of what branches yield, but not that of what
    the cases of a `scf.index_switch` do. Switches of scalars stay.

    ```console
    $ echo 'func.func @f(%i: index, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> { %0 = scf.index_switch %i -> tensor<8xf32> case 3 { scf.yield %x : tensor<8xf32> } default { scf.yield %y : tensor<8xf32> } return %0 : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-expand-switches | grep -oE '(arith|scf).(cmpi|if|yield|index_switch).*'
    arith.cmpi eq, %arg0, %c3 : index
    scf.if %0 -> (tensor<8xf32>) {
    scf.yield %arg1 : tensor<8xf32>
    scf.yield %arg2 : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCPUBoundAliasSets
    : Pass<"pallas-cpu-bound-alias-sets", "::mlir::func::FuncOp"> {
  let summary = "copy tensors at intervals, to bound the time of bufferization";
  let description = [{
    The analysis of bufferization takes time that grows with the square of the
    number of values that may share memory. In functions of more than 128 updates,
    loops and branches, copies keep each set of such values short; and a value that
    more than 128 operations read is read under a name for each 64 of them.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-bound-alias-sets test/CPU/Transforms/Memory/bound-alias-sets.mlir | grep -c 'bufferization.alloc_tensor() copy'
    3
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def PallasCPUFoldStoredReshapes
    : Pass<"pallas-cpu-fold-stored-reshapes", "::mlir::func::FuncOp"> {
  let summary = "store tensors in the shape that they are computed in";
  let description = [{
    A tensor that is reshaped and then stored is stored into a view of the memory
    with its first shape instead, so that bufferization can compute it there.

    ```console
    $ echo 'func.func @f(%x: tensor<8x4xf32>, %m: memref<32xf32>) { %0 = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32> into tensor<32xf32> bufferization.materialize_in_destination %0 in writable %m : (tensor<32xf32>, memref<32xf32>) -> () return }' | \
        build/bin/pallas-opt --pallas-cpu-fold-stored-reshapes
    ...
        %expand_shape = memref.expand_shape %arg1 [[0, 1]] output_shape [8, 4] : memref<32xf32> into memref<8x4xf32>
        bufferization.materialize_in_destination %arg0 in writable %expand_shape : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
    ...
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PallasCPUAlignWhileLoops
    : Pass<"pallas-cpu-align-while-loops", "::mlir::func::FuncOp"> {
  let summary = "forward what while loops carry in the order that they carry it in";
  let description = [{
    Each value that `scf.condition` forwards gets the position of the carried value
    whose memory it can be in, as bufferization demands. A carried value without
    such a value is forwarded itself.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>, %n: i32, %c: i1) -> tensor<8xf32> { %0 = scf.while (%i = %n, %a = %x) : (i32, tensor<8xf32>) -> tensor<8xf32> { scf.condition(%c) %a : tensor<8xf32> } do { ^bb0(%b: tensor<8xf32>): scf.yield %n, %b : i32, tensor<8xf32> } return %0 : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-align-while-loops | grep scf.condition
          scf.condition(%arg2) %arg3, %arg4 : i32, tensor<8xf32>
    ```
  }];
}

def PallasCPUBufferize : Pass<"pallas-cpu-bufferize", "::mlir::ModuleOp"> {
  let summary = "bufferize tensors, in place where that is safe";
  let description = [{
    Tensors become buffers by One-Shot Bufferize. Loops yield what they carry in the
    buffers of their arguments, and a value that is stored is computed there.

    ```console
    $ echo 'func.func @f(%x: tensor<8xf32>, %v: f32, %i: index) -> tensor<8xf32> { %0 = tensor.insert %v into %x[%i] : tensor<8xf32> return %0 : tensor<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-entry-abi --pallas-cpu-bufferize | grep -oE 'memref.(copy|alloc|store).*'
    memref.alloc() {alignment = 64 : i64} : memref<8xf32>
    memref.copy %arg0, %alloc : memref<8xf32> to memref<8xf32>
    memref.store %0, %alloc[%1] : memref<8xf32>
    memref.copy %alloc, %arg3 : memref<8xf32> to memref<8xf32>
    ```

    Where values that are computed in their destination leave no place for other
    accesses to it, the function is bufferized again with more memory; a remark
    (`--remarks-filter=pallas-cpu-bufferize`) reports it.
  }];
}

def PallasCPUForwardToResults
    : Pass<"pallas-cpu-forward-to-results", "::mlir::func::FuncOp"> {
  let summary = "compute results of a function where the caller wants them";
  let description = [{
    An allocation that is copied to an argument of the function when it is complete
    is replaced by the argument, if nothing else uses that.

    ```console
    $ echo 'func.func @f(%x: memref<8xf32>, %r: memref<8xf32>) { %0 = memref.alloc() : memref<8xf32> linalg.exp ins(%x : memref<8xf32>) outs(%0 : memref<8xf32>) memref.copy %0, %r : memref<8xf32> to memref<8xf32> return }' | \
        build/bin/pallas-opt --pallas-cpu-forward-to-results | grep -oE '(memref|linalg)[.].*'
    linalg.exp ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
    ```
  }];
}

def PallasCPUJoinContractions
    : Pass<"pallas-cpu-join-contractions", "::mlir::func::FuncOp"> {
  let summary = "collapse a reduction loop of contractions into one";
  let description = [{
    A loop of contractions whose windows follow each other along a dimension that
    is summed up becomes one contraction of windows as long as all of them. The
    loop may do something before in its first iteration and after it in its last
    one.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-join-contractions test/CPU/Transforms/Gemm/join-contractions.mlir | grep -c scf.for
    1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PallasCPUAccumulateInPlace
    : Pass<"pallas-cpu-accumulate-in-place", "::mlir::func::FuncOp"> {
  let summary = "add up sums where they are copied to";
  let description = [{
    A buffer that is filled, summed up into by one contraction and then copied is
    replaced by the memory that it is copied to, unless tiles see their sums
    several times, which had better lie close together then.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-accumulate-in-place test/CPU/Transforms/Gemm/accumulate-in-place.mlir | grep -c memref.copy
    3
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PallasCPUMergeLoops : Pass<"pallas-cpu-merge-loops", "::mlir::func::FuncOp"> {
  let summary = "fuse elementwise operations on memrefs";
  let description = [{
    Elementwise operations over the same elements that share memory become one
    operation, whatever number of users their values have. Memory that only they
    use disappears. Takes time in proportion to the number of operations.

    ```console
    $ echo 'func.func @f(%x: memref<8xf32>) { linalg.exp ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) linalg.abs ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) return }' | \
        build/bin/pallas-opt --pallas-cpu-merge-loops
    ...
          %0 = math.exp %in : f32
          %1 = math.absf %0 : f32
          linalg.yield %1 : f32
    ...
    ```
  }];
  let options = [
    CPUOption<>,
    Option<"maxOps", "max-ops", "unsigned", "256",
           "Scalar operations in one loop, at most">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PallasCPUClipEdges : Pass<"pallas-cpu-clip-edges", "::mlir::func::FuncOp"> {
  let summary = "compute the parts of partial blocks that their arrays have";
  let description = [{
    If a block extends past the end of its array, its window is a copy, and results
    are copied back. An elementwise operation that writes such windows alone
    computes the elements that the arrays have, in the arrays.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-clip-edges test/CPU/Transforms/Loops/clip-edges.mlir | grep -c 'scf.if'
    3
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PallasCPUShareColumns
    : Pass<"pallas-cpu-share-columns", "::mlir::func::FuncOp"> {
  let summary = "tile operations on memrefs by strips of columns and fuse them";
  let description = [{
    Operations that reduce columns, and others on the same columns, share a loop
    over strips of them where what they touch exceeds the second cache, so that
    a strip stays in it from the first operation to the last.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-share-columns=cpu=x86-64-v3 --split-input-file test/CPU/Transforms/Loops/share-columns.mlir | grep -c scf.for
    2
    ```
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCPUShareRows : Pass<"pallas-cpu-share-rows", "::mlir::func::FuncOp"> {
  let summary = "tile operations on memrefs by rows and fuse them";
  let description = [{
    Operations one after the other that go through the same rows share the loop
    over the rows, so that a row stays in the nearest cache from the first to the
    last, and intermediate memory shrinks to a row. Rows are cut as long as what
    the operations touch exceeds the cache and a vectorized dimension is left.

    ```console
    $ echo 'func.func @f(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) { linalg.exp ins(%x : memref<64x1024xf32>) outs(%x : memref<64x1024xf32>) linalg.abs ins(%x : memref<64x1024xf32>) outs(%y : memref<64x1024xf32>) return }' | \
        build/bin/pallas-opt --pallas-cpu-share-rows=cache-bytes=16384 | grep -oE 'scf.for|math.[a-z]+'
    scf.for
    math.exp
    math.absf
    ```
  }];
  let options = [
    CPUOption<>,
    Option<"cacheBytes", "cache-bytes", "int64_t", "16384",
           "Memory that operations may touch without sharing rows">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCPUInterchangeRows
    : Pass<"pallas-cpu-interchange-rows", "::mlir::func::FuncOp"> {
  let summary = "move loops over windows side by side into loops over their rows";
  let description = [{
    Programs that do nothing but compute element by element on windows side by
    side go through the first row of all windows, then through the second:
    hardware reads ahead along rows of the array.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-interchange-rows=cpu=x86-64-v3 --split-input-file test/CPU/Transforms/Loops/interchange-rows.mlir | grep scf.for
        scf.for %arg2 = %c0_1 to %c256_0 step %c1_2 {
          scf.for %arg3 = %c0 to %c4 step %c1 {
        scf.for %arg2 = %c0 to %c4 step %c1 {
        scf.for %arg1 = %c0 to %c3 step %c1 {
        scf.for %arg2 = %c0 to %c4 step %c1 {
    ```
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCPUReduceByRows
    : Pass<"pallas-cpu-reduce-by-rows", "::mlir::func::FuncOp"> {
  let summary = "reduce columns of large arrays by 16 rows at a time";
  let description = [{
    Vectors that go through all rows of an array that exceeds the second cache read
    each page for a piece of it, many times. Columns are summed up in the same order.

    ```console
    $ echo 'func.func @f(%x: memref<2048x1024xf32>, %s: memref<1024xf32>) { linalg.reduce { arith.addf } ins(%x : memref<2048x1024xf32>) outs(%s : memref<1024xf32>) dimensions = [0] return }' | \
        build/bin/pallas-opt --pallas-cpu-reduce-by-rows=cpu=x86-64-v3 | grep -oE 'memref.subview.* to'
    memref.subview %arg0[%arg2, 0] [16, 1024] [1, 1] : memref<2048x1024xf32> to
    ```
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def PallasCPULowerLinalg : Pass<"pallas-cpu-lower-linalg", "::mlir::func::FuncOp"> {
  let summary = "lower linalg operations and copies on memrefs to vector loops";
  let description = [{
    Parallel loops come outermost, reductions run in registers within them. One
    dimension, along which most operands are contiguous, is cut into vectors
    and a masked rest; what can't be vectorized becomes a scalar loop. Code
    size depends on the number of operations only, never on shapes.

    ```console
    $ echo 'func.func @f(%x: memref<20xf32>, %y: memref<20xf32>) { linalg.exp ins(%x : memref<20xf32>) outs(%y : memref<20xf32>) return }' | \
        build/bin/pallas-opt --pallas-cpu-lower-linalg=cpu=x86-64-v3 | grep -oE '(vector[.]|linalg[.])[a-z]+' | sort -u
    vector.create
    vector.load
    vector.maskedload
    vector.maskedstore
    vector.store
    ```
  }];
  let options = [
    CPUOption<>,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def PallasCPUFetchNextRows
    : Pass<"pallas-cpu-fetch-next-rows", "::mlir::func::FuncOp"> {
  let summary = "fetch the next row of an array while one is computed";
  let description = [{
    Where several loops go over each row of a large array, the first one waits
    for memory and the others don't use it. The longest of these gets
    prefetches of the next row. In this test a loop fetches two rows and
    another one, two lines of 64 bytes of each:

    ```console
    $ build/bin/pallas-opt --split-input-file --pallas-cpu-fetch-next-rows test/CPU/Transforms/Loops/fetch-next-rows.mlir | grep -c memref.prefetch
    6
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PallasCPULowerContractions
    : Pass<"pallas-cpu-lower-contractions", "::mlir::func::FuncOp"> {
  let summary = "lower matmuls on memrefs to packed register tiles";
  let description = [{
    A matmul is blocked for the caches, both operands are packed into panels, and
    an unrolled micro-kernel keeps a tile of the result in vector registers.
    Matmuls of bf16 into f32, and of i8 into i32, use the dot-product instructions
    of the CPU if it has them. Those for bf16 flush subnormal operands to zero.

    ```console
    $ echo 'func.func @f(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) { linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) return }' | \
        build/bin/pallas-opt --pallas-cpu-lower-contractions=cpu=x86-64-v3 | grep -oE 'linalg.matmul|vector.fma' | sort -u
    vector.fma
    ```
  }];
  let options = [
    CPUOption<>,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def PallasCPUOutlineTasks
    : Pass<"pallas-cpu-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "outline loops whose iterations synchronize with each other";
  let description = [{
    Each `scf.forall` becomes a call of the runtime, which runs a function per
    iteration, all of them at the same time as far as they have to. What the
    body uses from outside is passed in a record on the stack.

    ```console
    $ echo 'func.func @f(%m: memref<8xf32>, %v: f32) { scf.forall (%i) in (8) { memref.store %v, %m[%i] : memref<8xf32> } {pallas.axes = "core"} return }' | \
        build/bin/pallas-opt --pallas-cpu-outline-tasks | grep -o 'call @[a-z_]*'
    call @pallas_rt_run_tasks
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def PallasCPUSplitFunctions
    : Pass<"pallas-cpu-split-functions", "::mlir::ModuleOp"> {
  let summary = "split long functions, to bound compile time";
  let description = [{
    Where a block holds more than twice `part-size` loops and branches, or
    accesses to memory, runs of operations with about as many become functions
    of their own. Later passes and LLVM take time that grows faster than a
    function, so this bounds what a kernel of many operations costs. Buffers
    that only one part uses move into its function, and views are recreated in
    each part that uses them.

    ```console
    $ build/bin/pallas-opt --pallas-cpu-split-functions=part-size=2 test/CPU/Transforms/Functions/split-functions.mlir | grep -o ' call @long[a-z_0-9]*'
     call @long_part_0
     call @long_part_1
    ```
  }];
  let options = [
    Option<"partSize", "part-size", "int64_t", "256",
           "How many loops and branches, or accesses, make a part">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def PallasCPUPlaceBuffers : Pass<"pallas-cpu-place-buffers", "::mlir::func::FuncOp"> {
  let summary = "pack static buffers into one arena outside of all loops";
  let description = [{
    Small buffers go to the stack, and all others of a function or of one thread
    share a single allocation, so that no iteration allocates.

    ```console
    $ echo 'func.func @f(%v: f32) { %0 = memref.alloc() : memref<f32> memref.store %v, %0[] : memref<f32> return }' | \
        build/bin/pallas-opt --pallas-cpu-place-buffers
    ...
        %alloca = memref.alloca() {alignment = 64 : i64} : memref<f32>
    ...
    ```
  }];
  let options = [
    Option<"stackBytes", "stack-bytes", "int64_t", "16384",
           "Largest buffer that goes to the stack">,
    Option<"separate", "separate", "bool", "false",
           "Give every buffer an allocation of its own">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def PallasCPUIntegerExtrema
    : Pass<"pallas-cpu-integer-extrema", "::mlir::func::FuncOp"> {
  let summary = "compute float minima and maxima by integer comparison";
  let description = [{
    `arith.maximumf` orders zeros by their sign and propagates NaN, which takes six
    instructions on x86. A loop or a reduction that keeps only the extremum of
    vectors keeps three bounds of their bits instead, one instruction each, from
    which the extremum, and whether there was NaN, is known at the end.

    ```console
    $ echo 'func.func @f(%v: vector<16xf32>) -> f32 { %0 = vector.reduction <maximumf>, %v : vector<16xf32> into f32 return %0 : f32 }' | \
        build/bin/pallas-opt --pallas-cpu-integer-extrema | grep -oE 'vector.reduction <[a-z]+>'
    vector.reduction <maxsi>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def PallasCPUExpandDivision
    : Pass<"pallas-cpu-expand-division", "::mlir::func::FuncOp"> {
  let summary = "divide vectors by one number by way of its reciprocal";
  let description = [{
    Vectors of f32 that a loop divides by one number are multiplied with its
    reciprocal and corrected, with the same results but for subnormal ones. CPUs
    that do not sum products with one rounding keep the divisions.

    ```console
    $ echo 'func.func @f(%m: memref<64x16xf32>, %d: f32) { %v = vector.broadcast %d : f32 to vector<16xf32> %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c64 = arith.constant 64 : index scf.for %i = %c0 to %c64 step %c1 { %x = vector.load %m[%i, %c0] : memref<64x16xf32>, vector<16xf32> %q = arith.divf %x, %v : vector<16xf32> vector.store %q, %m[%i, %c0] : memref<64x16xf32>, vector<16xf32> } return }' | \
        build/bin/pallas-opt --pallas-cpu-expand-division=cpu=x86-64-v3 | grep -c math.fma
    2
    ```
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def PallasCPUExpandMath : Pass<"pallas-cpu-expand-math", "::mlir::func::FuncOp"> {
  let summary = "expand math functions to what CPUs compute";
  let description = [{
    Transcendental functions on f32 become polynomials (upstream's, within 2 to 6
    ULP; on narrower floats they are computed in f32), and conversions from
    floats to integers saturate with NaN going to zero. Sines, cosines (within 2
    ULP) and powers (within 1 ULP) are computed in vectors; those with an argument
    beyond 65536, or with a base that is not a positive normal number, by the C
    library. With registers of 512 bits, powers of two are looked up and multiplied
    by one instruction each, and 1 + tanh is 2 / (1 + exp).

    ```console
    $ echo 'func.func @f(%x: vector<8xf32>) -> vector<8xf32> { %0 = math.exp %x : vector<8xf32> return %0 : vector<8xf32> }' | \
        build/bin/pallas-opt --pallas-cpu-expand-math=cpu=x86-64-v3 | grep -oE 'math[.][a-z]+' | sort -u
    math.fma
    ```
  }];
  let options = [
    CPUOption<>,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def PallasCPUWidenNarrowFloats
    : Pass<"pallas-cpu-widen-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "compute with floats of at most 16 bits in f32";
  let description = [{
    Each operation is done in f32 and rounded. Choices between narrow floats stay,
    as they only move bits.

    ```console
    $ echo 'func.func @f(%x: vector<8xbf16>) -> vector<8xbf16> { %0 = arith.addf %x, %x : vector<8xbf16> return %0 : vector<8xbf16> }' | \
        build/bin/pallas-opt --pallas-cpu-widen-narrow-floats
    ...
        %0 = arith.extf %arg0 fastmath<contract> : vector<8xbf16> to vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        %2 = arith.truncf %1 fastmath<contract> : vector<8xf32> to vector<8xbf16>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PallasCPUExpandNarrowFloats : Pass<"pallas-cpu-expand-narrow-floats"> {
  let summary = "convert floats of at most 16 bits by integer operations";
  let description = [{
    Widening is exact. Narrowing rounds once, to the nearest, ties to even; what
    is too large becomes infinity, else NaN, else the largest number, by what
    the type has. Conversions between f16 and f32 stay on CPUs that have
    instructions for them. LLVM calls functions for what it can't convert, which
    no library of the process need have.

    ```console
    $ echo 'func.func @f(%x: f8E4M3FN) -> f32 { %0 = arith.extf %x : f8E4M3FN to f32 return %0 : f32 }' | \
        build/bin/pallas-opt --pallas-cpu-expand-narrow-floats | grep -c arith.extf
    0
    ```
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PallasCPUHalvesToIntegers
    : Pass<"pallas-cpu-halves-to-integers", "::mlir::ModuleOp"> {
  let summary = "store 16-bit floats as integers";
  let description = [{
    What f16 and bf16 cost depends on the CPU: without registers for them, LLVM
    carries them as f32, and calls functions to convert them on the way. As the
    integers that their bits are, they are loaded, stored, chosen and moved
    alike everywhere. Only operations of the LLVM dialect keep them as floats:
    conversions by an instruction, and products.

    ```console
    $ echo 'func.func @f(%m: memref<8xbf16>, %i: index) -> bf16 { %0 = memref.load %m[%i] : memref<8xbf16> return %0 : bf16 }' | \
        build/bin/pallas-opt --pallas-cpu-halves-to-integers | grep memref.load
        %0 = memref.load %arg0[%arg1] : memref<8xi16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def PallasCPUWidenMemory : Pass<"pallas-cpu-widen-memory", "::mlir::ModuleOp"> {
  let summary = "store numbers narrower than a byte in one byte each";
  let description = [{
    Buffers from outside then hold an element per byte, as JAX and NumPy have it.

    ```console
    $ echo 'func.func @f(%m: memref<8xi4>, %i: index) -> i4 { %0 = memref.load %m[%i] : memref<8xi4> return %0 : i4 }' | \
        build/bin/pallas-opt --pallas-cpu-widen-memory
    ...
        %0 = memref.load %arg0[%arg1] : memref<8xi8>
        %1 = arith.trunci %0 : i8 to i4
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def PallasCPUToLLVM : Pass<"pallas-cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert loops, memrefs and vectors to the LLVM dialect";
  let description = [{
    The last pass of the pipeline `pallas-to-llvm`: what is left over is of the
    LLVM dialect alone, and can be compiled.

    ```console
    $ build/bin/pallas-opt --pallas-to-llvm examples/softmax.mlir | grep -c -E '(arith|memref|scf)[.]'
    0
    ```

    Each function carries the CPU that it is for (`target_cpu`), and how that
    differs from LLVM's idea of it (`target_features`).
  }];
  let options = [CPUOption<>];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // PALLAS_CPU_TRANSFORMS_PASSES_TD
