//===- Passes.td - Passes on the tpu dialect ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_TD
#define PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

/// These passes change kernel modules that have the attribute `tpu.target`, for
/// the chip that it names.
class TPU_KernelPass<string name> : Pass<name> {
  Option chipOption =
      Option<"chip", "chip", "std::string", "\"\"",
             "Chip that all functions are for, in place of tpu.target">;
}

def TPUAnalyzeCost : TPU_KernelPass<"tpu-analyze-cost"> {
  let summary = "predict the cycles of kernels";
  let description = [{
    Predicts what the compiler for TPUs estimates a call to take, without asking
    it, split by cause: steps of the grid, copies, matrix unit, vector units,
    work across lanes, memory, spills, control flow, and chains of operations that
    wait for each other. What happens at the same time as something slower does
    not count. The remark names what the kernel waits for most, the cycles of the
    computation alone and those of the copies alone, the larger of which bounds
    what overlap could reach.

    Conditions and bounds that depend on data are decided as if memory held
    zeros, and a size of run time counts as 42 steps. Blocks of arrays that XLA
    keeps in VMEM, as a call in the module tells, are not copied. Chips whose
    compiler has no figures are refused. SparseCore kernels are left out.

    [CostModel](../dev/CostModel.md) shows how the constants are fitted, and how far
    they are off.

    ```console
    $ build/bin/pallas-opt --pallas-to-mosaic-tpu=chip=v5e --tpu-analyze-cost=chip=v5e examples/matmul.mlir -o /dev/null 2>&1 | grep -oE 'remark: takes|waits for [a-z]+'
    remark: takes
    waits for copies
    ```
  }];
  let options = [
    chipOption,
    Option<"json", "json", "std::string", "\"\"",
           "File for the report, or - for the standard output">,
    Option<"withCounts", "counts", "bool", "false",
           "Report what each constant is multiplied by">,
    ListOption<"constants", "constants", "std::string",
               "Constants in place of those of the chip, as name=cycles">,
  ];
}

def TPUCarryVectorsAsMatrices : TPU_KernelPass<"tpu-carry-vectors-as-matrices"> {
  let summary = "carry vectors of one dimension through control flow as rows";
  let description = [{
    The Mosaic compiler finds no layout for some vectors with one dimension that
    a loop carries or a branch yields. On TensorCores they become matrices with
    one row where they enter and leave, and vectors again where they are used.
    Narrow scalars are carried in 32 bits, which are all that scalar units know.

    A vector that an `scf.while` carries gets the layout that it starts with. One
    that starts as a broadcast has each element in many places, so it goes through
    memory first. So does one that an `scf.for` carries, where it gets the elements
    of a load from another carried vector.

    ```console
    $ build/bin/pallas-opt --tpu-carry-vectors-as-matrices=chip=v5e test/Dialect/MosaicTPU/Transforms/tpu-carry-vectors-as-matrices.mlir | grep 'iter_args.*<1x128'
        %2:2 = scf.for %arg2 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg3 = %1, %arg4 = %cst) -> (vector<1x128xf32>, f32)  : i32 {
    ```
  }];
  let options = [chipOption];
  let statistics = [
    Statistic<"numCarried", "num-carried", "Loops and branches with such vectors">,
    Statistic<"numSpread", "num-spread", "First values that go through memory">,
  ];
  let dependentDialects = ["::mlir::tpu::TPUDialect"];
}

def TPULegalizeForGeneration : TPU_KernelPass<"tpu-legalize-for-generation"> {
  let summary = "replace what a generation of chips has no units for";
  let description = [{
    Operations that the Mosaic compiler refuses for older chips become sequences
    that it takes: gathers along sublanes select one row after the other, parts of
    tiles of narrow elements are joined and cut in 32 bits, single elements are
    spread as numbers, equality of extended bytes stays wide, reductions along lanes
    come last, and their results are laid along lanes through the diagonal of a
    square. On all chips, masks of
    packed elements come first where masks are joined, masks stay wide where the
    compiler would narrow them, values that are spread along a dimension are
    selected in 32 bits, branches yield values from outside where the compiler would
    find that they are, and scalars are extended by shifts of what they were cut from.

    Which element types need that on which chip is listed in
    [Targets](../Targets/TPU.md).

    ```console
    $ build/bin/pallas-opt --tpu-legalize-for-generation=chip=v4 test/Dialect/MosaicTPU/Transforms/tpu-legalize-for-generation.mlir | sed -n '/@rows/,/return/p' | grep -oE 'tpu.dynamic_gather|arith.select' | uniq -c
          7 arith.select
    ```
  }];
  let options = [chipOption];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Operations that were replaced">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tpu::TPUDialect"];
}

def TPUSettleLaneVectors : TPU_KernelPass<"tpu-settle-lane-vectors"> {
  let summary = "take vectors of SparseCores as registers where lanes are combined";
  let description = [{
    The compiler chooses layouts for the vectors of a vector subcore, or takes
    them as registers, of as many elements as there are lanes. Scans, sorts and
    accesses by index exist for registers only. A kernel that uses them is marked
    (`needs_layout_passes = false`), and its loads and stores get one dimension;
    those that don't fill a register are errors.

    Arrays have the tiles of TensorCores, which need no copy around the call,
    unless the kernel accesses them in a way that these don't allow.

    ```console
    $ build/bin/pallas-opt --tpu-settle-lane-vectors test/Dialect/MosaicTPU/Transforms/tpu-settle-lane-vectors.mlir | grep -oE 'needs_layout_passes = false|vector<[0-9x]+f32>'
    needs_layout_passes = false
    vector<16xf32>
    vector<16xf32>
    vector<16xf32>
    vector<1x16xf32>
    ```
  }];
  let options = [chipOption];
  let statistics = [
    Statistic<"numRegisterKernels", "num-register-kernels",
              "Kernels whose vectors are registers">,
    Statistic<"numOwnTiles", "num-own-tiles",
              "Kernels whose arrays need the tiles of SparseCores">,
  ];
  let dependentDialects = ["::mlir::tpu::TPUDialect"];
}

def TPUStripTarget : Pass<"tpu-strip-target"> {
  let summary = "take away the chip that kernel modules are for";
  let description = [{
    Removes `tpu.target`, by which passes on the `tpu` dialect know the kernels
    that they may change and what for. The Mosaic compiler gets to know the chip
    otherwise, and passes leave the kernels alone from here on.

    ```console
    $ build/bin/pallas-opt --pallas-outline-tpu-kernels --tpu-strip-target examples/softmax.mlir | grep -c tpu.target
    0
    ```
  }];
}

def TPUUnrollShortLoops : TPU_KernelPass<"tpu-unroll-short-loops"> {
  let summary = "write short loops out for the compiler to schedule as a whole";
  let description = [{
    The Mosaic compiler schedules the operations of one block at a time. Loops with
    a known number of at most 16 iterations that have at most 1024 operations
    together are written out; of longer ones up to 8 iterations, with at most 256
    operations, become one. Loops that wait for copies or semaphores stay, for
    nothing moves before a wait, and so do those that the compiler itself overlaps.
    Operations that nothing uses any more are erased.

    ```console
    $ build/bin/pallas-opt --tpu-unroll-short-loops=chip=v5e test/Dialect/MosaicTPU/Transforms/tpu-unroll-short-loops.mlir | grep -o scf.for | uniq -c
          3 scf.for
    ```
  }];
  let options = [chipOption];
  let statistics = [
    Statistic<"numUnrolled", "num-unrolled", "Loops that were written out">,
    Statistic<"numJoined", "num-joined", "Loops of which iterations were joined">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

#endif // PALLAS_DIALECT_MOSAICTPU_TRANSFORMS_PASSES_TD
