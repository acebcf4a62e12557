//===- Passes.td - Passes on the pallas dialect ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TRANSFORMS_PASSES_TD
#define PALLAS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class Pallas_AnalysisPass<string name> : Pass<name, "::mlir::ModuleOp"> {
  Option jsonOption =
      Option<"json", "json", "std::string", "\"\"",
             "File for the report, or - for the standard output">;
  Option maxProgramsOption =
      Option<"maxPrograms", "max-programs", "int64_t", "65536",
             "How many programs of a grid are evaluated at most">;
}

def PallasAnalyzeCost : Pallas_AnalysisPass<"pallas-analyze-cost"> {
  let summary = "report flops, transcendentals and bytes of kernels";
  let description = [{
    Counts, per call, arithmetic operations, transcendental functions, the bytes
    of all arrays, and the bytes of windows and copies that move. Operations
    count as in JAX's estimates, and functions that those leave out, such as
    exp2 and rsqrt, count as transcendental. Other than there, a kernel counts
    once per program, a loop once per iteration, and a branch in the programs
    that take it. What can't be known counts once, and the remark has `about`.

    The estimate that a call declares is what counts for the report's
    `estimate`, beside which it lists what was computed.

    ```console
    $ build/bin/pallas-opt --pallas-analyze-cost="json=-" examples/matmul.mlir -o /dev/null 2>/dev/null
    ...
          "estimate": {
            "bytes_accessed": 2097152,
            "flops": 134217760,
            "remote_bytes_transferred": 0,
            "transcendentals": 0
          },
    ...
    ```
  }];
  let options = [jsonOption, maxProgramsOption];
}

def PallasAnalyzeCoverage : Pallas_AnalysisPass<"pallas-analyze-coverage"> {
  let summary = "report which blocks the programs of a grid visit";
  let description = [{
    Evaluates the index maps for all programs of a grid, if it is static, and
    reports for every output how many of its blocks are written. Warns of blocks
    that no program writes, of windows that begin outside of their array, of
    outputs that the kernel never writes to, and of output windows that come
    back after another one, which keeps the sums of a kernel from adding up.
    Where index maps depend on values of run time, it names these.
    With `walk`, the JSON report also has what draws a picture of each block: the
    shapes of array and window, the index map as it is written, and its values as
    coefficients of the program ids, or as a table where it is not affine.

    ```console
    $ build/bin/pallas-opt --pallas-analyze-coverage examples/matmul.mlir -o /dev/null 2>&1 | grep remark
    examples/matmul.mlir:3:8: remark: output 0: 16 of 16 blocks are visited by 32 programs, 16 by several of them
    ```
  }];
  let options = [
    jsonOption, maxProgramsOption,
    Option<"walk", "walk", "bool", "false",
           "Whether the JSON report has the window of each program">
  ];
}

def PallasAnalyzeMemory : Pallas_AnalysisPass<"pallas-analyze-memory"> {
  let summary = "report the memory footprint of kernels";
  let description = [{
    Adds up, per call and memory space, the windows with all their buffers,
    scratch and scoped memory; scopes that follow each other share theirs.
    A window that moves has as many buffers as its pipeline mode asks for, else
    two.
    Tiles of targets are not filled up here: `pallas-check-target` does that.

    ```console
    $ build/bin/pallas-opt --pallas-analyze-memory examples/matmul.mlir -o /dev/null 2>&1 | grep ' bytes of '
    examples/matmul.mlir:3:8: remark: takes 458752 bytes of vmem
    examples/matmul.mlir:3:8: note: input 0: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: input 1: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: output 0: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: scratch 0: 65536 bytes of vmem
    ```
  }];
  let options = [jsonOption];
}

def PallasCallToGPUKernel : Pass<"pallas-call-to-gpu-kernel"> {
  let summary = "turn calls with blocks into kernels of a GPU that copy them";
  let description = [{
    Parallel dimensions of the grid become the grid of a mesh of a GPU. The
    sequential ones are a loop in the kernel: each step waits for its blocks in
    shared memory, runs the body on them, copies the blocks that it wrote, and asks for
    the blocks of a later step. A ring holds as many blocks as `maxConcurrentSteps`
    of the parameters states. Dimensions without semantics are parallel in a call
    with parameters for GPUs or of Triton, and sequential in any other.

    A result has one block for all sequential steps or one for each. Blocks lie in
    shared memory, operands in `gmem` stay where they are, and their blocks are parts
    of them. Blocks of Triton are pointers, so they stay in their array, too, where
    several programs have one, where no copy takes one that is partial, and the
    largest until half of `shared-bytes` has room for the others.

    ```console
    $ build/bin/pallas-opt --pallas-call-to-gpu-kernel test/Dialect/Pallas/Transforms/pallas-call-to-gpu-kernel.mlir | grep -oE 'pallas.(copy|barrier)_[a-z_]+' | sort -u
    pallas.barrier_wait
    pallas.copy_gmem_to_smem
    pallas.copy_smem_to_gmem
    ```
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "int64_t", /*default=*/"232448",
           "Bytes of shared memory of a block of threads">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCallToMpmd : Pass<"pallas-call-to-mpmd"> {
  let summary = "convert calls over whole arrays to kernels of a mesh";
  let description = [{
    The inverse of `pallas-mpmd-to-call`: a call over a static grid of parallel
    dimensions, whose blocks are whole arrays where they lie, becomes an
    `mpmd_map` over the mesh that these dimensions are. Captured refs and
    scalars become its first inputs. A remark explains why a call stays.

    ```console
    $ build/bin/pallas-opt --pallas-mpmd-to-call --pallas-call-to-mpmd examples/mesh.mlir | grep ' on '
          kernel @double on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>(%arg1: !pallas.ref<32x128xf32, hbm>, %arg2: !pallas.ref<32x128xf32, hbm>) {
    ```
  }];
}

def PallasClampMaskedSlices : Pass<"pallas-clamp-masked-slices"> {
  let summary = "keep slices of masked accesses inside their refs";
  let description = [{
    Hardware loads and stores whole slices. Where elements of a masked access
    may lie outside of its ref, the slice inside that is nearest is accessed,
    and a rotation brings the other elements to their places. A mask keeps a
    store from what it does not mean.

    Only slices with stride 1 of dimensions of constant size can be moved; others
    are errors. Kernels for SparseCores, whose lanes have masks of their own, and
    accesses by arrays of indices stay as they are.

    ```console
    $ build/bin/pallas-opt --pallas-clamp-masked-slices test/Dialect/Pallas/Transforms/pallas-clamp-masked-slices.mlir | grep -E 'masked_load|get %arg3|roll'
          %10 = pallas.get %arg3[ds(%8, 8), ds(0, 16)] : !pallas.ref<24x16xf32, vmem>
          %12 = pallas.roll %10 by %11 dim 0 : tensor<8x16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numClamped", "num-clamped", "Accesses whose slices were clamped">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PallasCoarsenGrid : Pass<"pallas-coarsen-grid"> {
  let summary = "join consecutive steps of a grid into one";
  let description = [{
    Each step of a grid costs time by itself, and so does each copy. Given a
    coarsening factor for each dimension, consecutive steps of a `pallas_call` become
    one, whose windows hold those of all of them. The kernel does its work on these
    parts in the best of these forms:

    | form | the body | if |
    | --- | --- | --- |
    | grown | runs once, on larger values | it treats what the parts hold alike: element by element, in reductions over other dimensions, along free dimensions of contractions |
    | loop | runs for one part after the other, on slices of the windows | the order stays: the dimension is the last one, or parts do not depend on each other |

    Sums that go on from step to step, as those of a matmul do whose grid has a
    dimension for the sum, become a loop. With `reassociate`, they become one longer
    contraction, or reduction, on grown blocks: floats are added in another order
    then, integers have the same sum. A remark tells where that would help.

    Branches that only the first or the last part takes, as `pl.when(k == 0)` does,
    leave the loop where the order of accesses allows it.

    Numbers of rows from `iota` and `program_id` are adjusted. Scratch memory that
    each step overwrites first holds all parts. The last step has fewer parts where
    the coarsening factor does not divide, if the array ends there, too. A remark
    gives the reason why steps stay apart, or why they became a loop.

    Each element of a result is computed by the same operations as before. Blocks
    don't grow where the kernel adds rows of 8 floats or less, since native code
    chooses the order of the sum by the number of rows. The order in which a
    contraction of floats adds its products belongs to the target: a TPU adds them
    alike for each element, but native code chooses by the numbers of rows and
    columns, so that last bits may differ there.

    `factors=d0=4,d2=2` is about all calls. The attribute
    `pallas.coarsen = array<i64: 4, 1, 2>` of a call has one for each of its
    dimensions and goes before the option. Pipelines heed it unless they are told
    `coarsen=off`.

    Pipelines in kernels take `pipelines=d0=4`, or the attribute. Their steps stay apart
    where the kernel waits, copies, or touches the arrays of the pipeline, where one of
    these is read and written, and where steps hand values to the next ones.

    ```console
    $ build/bin/pallas-opt --pallas-coarsen-grid=factors=d0=2,d1=2 examples/matmul.mlir | grep -E 'grid|dot_general'
        %matmul = pallas.pallas_call @matmul grid(2, 2, 2)
          %6 = pallas.dot_general %3, %4 acc %5 contract [1] x [0] : tensor<256x128xf32>, tensor<128x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
    ```
  }];
  let options = [
    ListOption<"factors", "factors", "std::string",
               "Coarsening factors of dimensions, as in d0=4,d2=2">,
    Option<"reassociate", "reassociate", "bool", "false",
           "Whether sums over steps may be added up in another order">,
    ListOption<"pipelines", "pipelines", "std::string",
               "Coarsening factors of the pipelines in kernels">,
  ];
  let statistics = [
    Statistic<"numGrown", "num-grown", "Dimensions along which blocks grew">,
    Statistic<"numLoops", "num-loops",
              "Dimensions whose parts became a loop">,
    Statistic<"numRefused", "num-refused", "Dimensions that stayed as they were">,
    Statistic<"numSplit", "num-split",
              "Branches of the first or last part that left a loop">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasCSE : Pass<"pallas-cse", "::mlir::func::FuncOp"> {
  let summary = "eliminate common subexpressions of kernels";
  let description = [{
    Upstream's `cse`, except in functions with a `core_map`: a query of a coordinate
    in it may mean another mesh than the same query in front of it.

    ```console
    $ build/bin/pallas-opt --pallas-cse test/Dialect/Pallas/Transforms/pallas-cse.mlir | grep -c math.exp
    1
    ```
  }];
}

def PallasDischargeState : Pass<"pallas-discharge-state", "::mlir::ModuleOp"> {
  let summary = "discharge refs to values";
  let description = [{
    Reads of refs become slices of values, and writes make new values, which
    control flow, scopes and calls of functions forward. A function returns what
    its refs hold at the end, behind its results. A `pallas_call` becomes loops
    over its grid that cut windows out of its arrays and put them back. Only
    refs that are written in a region are threaded through it.

    Operations take part by `DischargeableOpInterface`. With `memory-spaces`,
    only refs in these spaces are discharged and calls stay; `acc` means
    accumulators. With `arguments`, these arguments of functions are discharged,
    and nothing else unless `memory-spaces` names it:
    `arguments=sum:0,sum:2 memory-spaces=acc`. A call that stays takes what
    captured refs hold as inputs, and what its kernel writes to them comes back
    as outputs that are aliased to these; a `core_map` becomes an `mpmd_map` for
    that. A copy between a value and a ref that stays happens at its start.

    Loops run programs one after the other, so a kernel stays, and a remark explains
    why, if its programs wait for each other or reach for other devices. What
    they share stays memory: operands, scratch, collective allocations, and
    semaphores. What each allocates for itself becomes values even there.

    ```console
    $ build/bin/pallas-opt --pallas-discharge-state examples/ring.mlir 2>&1 >/dev/null | grep remark
    examples/ring.mlir:11:8: remark: stays a kernel; loops over values would run its programs one after the other
    ```
  }];
  let options = [
    ListOption<"memorySpaces", "memory-spaces", "std::string",
               "Spaces whose refs become values; all, and calls, if both lists are empty">,
    ListOption<"arguments", "arguments", "std::string",
               "Arguments of functions that become values, as in sum:0">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def PallasDistributePipelines : Pass<"pallas-distribute-pipelines"> {
  let summary = "give each core its part of the pipelines that cores share";
  let description = [{
    A pipeline that names a core axis is shared by the cores along that axis: a
    parallel dimension of its grid is cut into as many parts, and each core walks
    over one of them. Preferred is the first dimension that all cores get equal
    parts of, then the longest, of which the first cores get one index more, then
    one of a size that is known at run time.

    An axis of unknown size, and a grid without a parallel dimension, are errors.

    ```console
    $ build/bin/pallas-opt --pallas-distribute-pipelines test/Dialect/Pallas/Transforms/pallas-distribute-pipelines.mlir | grep -E 'axis_index|emit_pipeline'
          %1 = pallas.axis_index "core"
          pallas.emit_pipeline grid(%6)
          %1 = pallas.axis_index "core"
          pallas.emit_pipeline grid(5, 1)
    ```
  }];
  let statistics = [
    Statistic<"numDistributed", "num-distributed", "Pipelines that cores share">,
  ];
}

def PallasDropScalarPrefetch : Pass<"pallas-drop-scalar-prefetch"> {
  let summary = "remove duplicate and unused scalar-prefetch operands";
  let description = [{
    Prefetched operands that neither the kernel nor an index map uses go away,
    and of several that are one array, one stays, unless the kernel writes to
    it. The inverse of what `pallas-hoist-scalar-prefetch` may leave behind.

    ```console
    $ build/bin/pallas-opt --pallas-drop-scalar-prefetch examples/prefetch.mlir | grep prefetch
          prefetch(%arg0 : tensor<4xi32>)
    ```
  }];
}

def PallasExpandCTAPairs : Pass<"pallas-expand-cta-pairs"> {
  let summary = "let the first block of a pair do what both do together";
  let description = [{
    Blackwell GPUs multiply with the operands of two blocks of a cluster at once,
    and let the barrier of the first block count the copies of both. Where memory
    of other blocks can be named, as on CPUs, the first block does all of it, one
    half after the other, through refs to the memory of the second. What it
    signals comes after both halves.

    Copies that share a dimension of unknown size among two blocks are errors.

    ```console
    $ build/bin/pallas-opt --pallas-expand-cta-pairs test/Dialect/Pallas/Transforms/pallas-expand-cta-pairs.mlir | grep -oE 'scf.if|cluster_ref|tcgen05_(mma|commit)' | uniq -c
          1 scf.if
          1 tcgen05_mma
          1 cluster_ref
          1 tcgen05_mma
          2 cluster_ref
          1 tcgen05_mma
          3 cluster_ref
          1 tcgen05_mma
          1 scf.if
          1 tcgen05_commit
          1 cluster_ref
          1 tcgen05_commit
          1 scf.if
          1 cluster_ref
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Operations of two blocks">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PallasExpandGPUPipelines : Pass<"pallas-expand-gpu-pipelines"> {
  let summary = "turn pipelines in kernels of GPUs into loops that copy blocks";
  let description = [{
    The steps of an `emit_pipeline` in a kernel of a GPU become a loop, as the
    sequential dimensions of a call do in `pallas-call-to-gpu-kernel`. With
    `numComputeWarpgroups` the last warpgroup of the block makes the copies: it fills
    a slot again when those that compute have arrived at a barrier.

    ```console
    $ build/bin/pallas-opt --pallas-expand-gpu-pipelines test/Conversion/PallasToMosaicGPU/pipelines.mlir | grep -oE 'pallas.(emit_pipeline|copy_gmem_to_smem|barrier_wait)' | sort -u
    pallas.barrier_wait
    pallas.copy_gmem_to_smem
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasExpandMulticast : Pass<"pallas-expand-multicast"> {
  let summary = "visit devices one by one that a kernel reaches all at once";
  let description = [{
    GPUs store to the memory of several devices, signal their semaphores, and load the
    sum of what they hold, by one instruction. Where memory of another device can be
    named, as on CPUs, loops over the devices do so. The copies of a loop are one group.

    What else takes memory of several devices is an error.

    ```console
    $ build/bin/pallas-opt --pallas-expand-multicast test/Dialect/Pallas/Transforms/pallas-expand-multicast.mlir | grep -oE 'scf.for|remote_ref|pallas.swap|multicast_ref' | head -3
    scf.for
    remote_ref
    pallas.swap
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Refs and loads of several devices">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PallasExpandPipelines : Pass<"pallas-expand-pipelines"> {
  let summary = "write pipelines inside kernels out as loops that copy blocks";
  let description = [{
    A `pallas.emit_pipeline` becomes one loop over the points of its grid. While
    the body works at one point, the blocks of the next points are copied to other
    buffers of their windows, and those that the last points wrote are copied
    back. What the next point sees again is not copied.

    A window has as many buffers as its pipeline mode asks for, two without one,
    and a single one if its block never changes. With `tile-rows` and `tile-columns`,
    copies of the last block go on to the end of its tile, where memory moves
    tiles of so many 32-bit words; without them they end with the array.

    ```console
    $ build/bin/pallas-opt --pallas-expand-pipelines test/Dialect/Pallas/Transforms/pallas-expand-pipelines.mlir | grep -oE 'scf.for|dma_(start|wait)'
    dma_start
    scf.for
    dma_start
    dma_wait
    dma_start
    dma_wait
    dma_wait
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", "0",
           "Rows of the tiles that memory moves">,
    Option<"tileColumns", "tile-columns", "int64_t", "0",
           "Columns of the tiles, in 32-bit words; 0 if memory moves elements">,
  ];
  let statistics = [
    Statistic<"numPipelines", "num-pipelines", "Pipelines that became loops">,
    Statistic<"numWindows", "num-windows", "Windows of these pipelines">,
    Statistic<"numOverlapped", "num-overlapped",
              "Windows that are copied while the body works">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PallasFloatsToRing : Pass<"pallas-floats-to-ring", "::mlir::ModuleOp"> {
  let summary = "compute with integers mod 2^w instead of floats of w bits";
  let description = [{
    Float arithmetic depends on the order of sums, so kernels that tile the same
    computation in other ways agree only roughly. In a ring they agree bit for
    bit, and a block that is dropped or added twice shows.

    | operation | in the ring |
    | --- | --- |
    | constants and inputs | integers are themselves mod 2^w, infinities the least and the largest integer, the bits of other floats are mixed |
    | sums, differences, products, contractions | those of integers, which wrap |
    | maximum, minimum, comparisons, absolute value | those of signed integers |
    | widening and narrowing | the sign is extended; high bits are dropped |
    | `exp`, `exp2` | powers of 3 and 5 mod 2^w: `exp(a + b)` is `exp(a) * exp(b)` |
    | `a / b`, `1 / b` | `a` times an odd number that depends on `b` only |
    | any other function | a number that depends on the operands and the name of the operation only |

    What agrees as floats because of another law, such as `exp(-inf) = 0`, does
    not agree here. Tests for NaN, packed floats and
    floats of fewer than 8 bits have no meaning in the ring and are errors.

    ```console
    $ build/bin/pallas-opt --pallas-floats-to-ring examples/matmul.mlir | grep dot_general
          %6 = pallas.dot_general %3, %4 acc %5 contract [1] x [0] : tensor<128x128xi32>, tensor<128x128xi32>, tensor<128x128xi32> -> tensor<128x128xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PallasFoldTransposedViews : Pass<"pallas-fold-transposed-views"> {
  let summary = "access refs in the order that their memory has";
  let description = [{
    Reads, writes and slices of a `pallas.transpose_ref` go to the ref itself, and
    values are transposed. A copy becomes one copy for each part that lies in one
    piece on both sides, which takes a last dimension that stays the last. Other
    users of transposed views are errors.

    ```console
    $ build/bin/pallas-opt --pallas-fold-transposed-views test/Dialect/Pallas/Transforms/pallas-fold-transposed-views.mlir | grep -E 'transpose|get'
          %1 = pallas.get %arg1[ds(0, 12), ds(4, 4)] : !pallas.ref<12x8xf32, vmem>
          %2 = pallas.transpose %1, [1, 0] : tensor<12x4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Views that were folded">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PallasGridsToLoops : Pass<"pallas-grids-to-loops", "::mlir::ModuleOp"> {
  let summary = "turn the grids of calls and pipelines into loops over windows";
  let description = [{
    A grid becomes a loop per dimension, parallel dimensions that come first among
    them `scf.parallel` where the kernel keeps no state that they share. In the
    innermost loop are the index maps, a `pallas.window` for each block, and the
    body. Loops carry the values that programs pass to the next ones. Scratch
    becomes a scope around the loops that run in order.

    An array that its blocks don't divide is padded in front of the loops, and what
    outputs hold is copied back behind them; where few blocks are partial, these
    are copies instead (`pallas.edge_window`). An input that the kernel writes to
    is copied, and an output that is aliased to an input starts as a copy of it.

    In checked code, which `pallas-insert-checks` has been at, all loops run in
    order, and tell the checker about their programs and windows.

    Copies are not overlapped with the body, as `pallas-expand-pipelines` does for
    TPUs: windows are the arrays themselves. Meshes become loops by
    `pallas-meshes-to-loops`.

    ```console
    $ build/bin/pallas-opt --pallas-grids-to-loops test/Dialect/Pallas/Transforms/pallas-grids-to-loops.mlir --split-input-file | grep -E 'scf.for|window' | head -3
        scf.for %arg3 = %c0 to %c2 step %c1 {
          scf.for %arg4 = %c0 to %c4 step %c1 {
            %3 = pallas.window %arg0[%0, %2 : i32, i32] block<[8, 64], vmem> : !pallas.ref<16x256xf32, hbm>
    ```
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "true",
           "Run parallel grid dimensions as scf.parallel">,
  ];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Calls that became loops">,
    Statistic<"numPipelines", "num-pipelines", "Pipelines that became loops">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::pallas::PallasDialect",
                           "::mlir::scf::SCFDialect"];
}

def PallasHoistScalarPrefetch : Pass<"pallas-hoist-scalar-prefetch"> {
  let summary = "hoist scalars to scalar-prefetch operands";
  let description = [{
    Kernels of targets can't capture values. A captured constant moves into the
    regions that use it, one that is the size of a grid dimension becomes
    `num_programs`, a scalar becomes a prefetched array of one element, and so
    does a table of which index maps and the kernel read single elements. Other
    captured tensors become inputs.

    An input that every program sees as a whole, and of which the kernel reads
    single elements only, is prefetched, too: that is where index maps and
    addresses can reach it. A remark explains what stays and why.

    ```console
    $ build/bin/pallas-opt --pallas-hoist-scalar-prefetch examples/prefetch.mlir | grep prefetch
          prefetch(%arg0, %arg0, %from_elements : tensor<4xi32>, tensor<4xi32>, tensor<1xf32>)
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "4096",
           "Largest array that goes to scalar memory">,
    Option<"inputs", "inputs", "bool", "true",
           "Prefetch inputs of which only single elements are read">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasInsertChecks : Pass<"pallas-insert-checks", "::mlir::ModuleOp"> {
  let summary = "put checks beside accesses and what orders them";
  let description = [{
    Puts a check in front of each access of a ref, of each view that may leave
    its ref, and of each access of a tensor by index. It also checks what
    orders accesses: semaphores, barriers, async copies, matmuls, commits and
    waits. A check has the name of its ref as messages show it. An index of a
    tensor that is out of bounds becomes 0, since checked code goes on after a
    finding.

    An input and an output that share memory become one ref, except where the
    kernel uses both and messages have to tell them apart.
    `convert-pallas-to-cpu` lowers checks to calls of the checker.

    ```console
    $ build/bin/pallas-opt --pallas-insert-checks examples/matmul.mlir | grep -E 'check_|get|swap' | head -4
            pallas.check_access write "scratch 0" %arg5[...] by "pallas.swap" : !pallas.ref<128x128xf32, vmem>
            %10 = pallas.swap %arg5[...], %cst : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
          pallas.check_access read "input 0" %arg2[...] by "pallas.get" : !pallas.ref<128x128xf32, vmem>
          %3 = pallas.get %arg2[...] : !pallas.ref<128x128xf32, vmem>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::pallas::PallasDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numChecks", "num-checks", "Checks that were inserted">,
  ];
}

def PallasInsertMemoryChecks : Pass<"pallas-insert-memory-checks", "::mlir::ModuleOp"> {
  let summary = "put checks beside what makes, copies and ends memory";
  let description = [{
    The checker follows memory that it has been told of: what it starts with, what
    other memory it is a copy of, and where a scope ends. `pallas-insert-checks`,
    `pallas-grids-to-loops` and `pallas-meshes-to-loops` come before, as memory of
    calls and cores shows in loops only.

    ```console
    $ build/bin/pallas-opt --pallas-insert-checks --pallas-grids-to-loops --pallas-meshes-to-loops --pallas-insert-memory-checks examples/matmul.mlir | grep check_memory
        pallas.check_memory written "input 0" %0 : !pallas.ref<512x256xf32, any>
        pallas.check_memory written "input 1" %1 : !pallas.ref<256x512xf32, any>
        pallas.check_memory unwritten "output 0" %2 : !pallas.ref<512x512xf32, any>
          pallas.check_memory new unwritten "scratch 0" %arg2 : !pallas.ref<128x128xf32, vmem>
    ```
  }];
}

def PallasJoinAliasedRefs : Pass<"pallas-join-aliased-refs"> {
  let summary = "reach an input and the output aliased to it by one ref";
  let description = [{
    Where an input and an output are one array in the memory of the device, a
    kernel may use the ref of either. All uses of the input's ref go to that of
    the output, so that reads and writes of the array can be seen to depend on
    each other.

    ```console
    $ build/bin/pallas-opt --pallas-join-aliased-refs test/Dialect/Pallas/Transforms/pallas-join-aliased-refs.mlir | grep -E 'kernel|get|swap'
          kernel on <tensorcore, [<core "c" = 1>]>(%arg1: !pallas.ref<8x8xf32, hbm>, %arg2: !pallas.ref<8x8xf32, hbm>) {
          %1 = pallas.get %arg2[...] : !pallas.ref<8x8xf32, hbm>
          %3 = pallas.swap %arg2[...], %2 : !pallas.ref<8x8xf32, hbm>, tensor<8x8xf32>
          kernel(%arg1: !pallas.ref<4x8xf32, vmem>, %arg2: !pallas.ref<4x8xf32, vmem>) {
          %1 = pallas.get %arg1[...] : !pallas.ref<4x8xf32, vmem>
          %2 = pallas.swap %arg2[...], %1 : !pallas.ref<4x8xf32, vmem>, tensor<4x8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numJoined", "num-joined", "Calls with aliased operands">,
  ];
}

def PallasMeshesToLoops : Pass<"pallas-meshes-to-loops", "::mlir::ModuleOp"> {
  let summary = "turn the meshes of kernels into loops over cores, or tasks";
  let description = [{
    The kernels of `core_map` and `mpmd_map` become `pallas.on_core`, in a loop per
    axis of their mesh, one kernel after the other. Where cores wait for each
    other, they are tasks: an `scf.forall` around all kernels, in loops over the
    axes along which nothing waits. Queries of coordinates become the counters of
    the loops.

    Inputs and outputs of a map become memory around the loops. An input that a
    kernel writes to is copied, and an output that is aliased to an input starts
    as a copy of it. Scratch becomes a scope of each core; threads of a block share
    one, and tasks have a `pallas.task_scope` with an instance per core.

    In checked code, which `pallas-insert-checks` has been at, the kernels tell the
    checker where cores begin and end. Grids have to be loops already, by
    `pallas-grids-to-loops`.

    ```console
    $ build/bin/pallas-opt --pallas-meshes-to-loops test/Dialect/Pallas/Transforms/pallas-meshes-to-loops.mlir --split-input-file | grep -E 'scf.for|on_core' | head -3
        scf.for %arg2 = %c0 to %c2 step %c1 {
          scf.for %arg3 = %c0_0 to %c16 step %c1_1 {
            pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%3, %4) {
    ```
  }];
  let statistics = [
    Statistic<"numInOrder", "num-in-order", "Maps whose cores run in order">,
    Statistic<"numTaskLoops", "num-task-loops", "Maps whose cores run as tasks">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::pallas::PallasDialect",
                           "::mlir::scf::SCFDialect"];
}

def PallasMpmdToCall : Pass<"pallas-mpmd-to-call"> {
  let summary = "convert kernels of one mesh to calls";
  let description = [{
    An `mpmd_map` with one mesh becomes a `pallas_call` whose grid has the axes
    of the mesh as named dimensions and whose blocks are whole arrays. Refs and
    scalars among its inputs become captured values. Programs of a call run in
    any order, so a kernel stays whose cores wait for each other or share
    memory; a remark names the place.

    ```console
    $ build/bin/pallas-opt --pallas-mpmd-to-call examples/mesh.mlir | grep -E 'grid|semantics|names'
        %double = pallas.pallas_call @double grid(2, 16)
          semantics [core_parallel, subcore_parallel]
          names ["core", "subcore"]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PallasResolveDeviceMesh : Pass<"pallas-resolve-device-mesh"> {
  let summary = "name devices by number instead of axes of their mesh";
  let description = [{
    Where the attribute `pallas.device_mesh` of a function describes how devices
    are arranged, kernels in it that ask for an index or a size along an axis, or name
    another device by coordinates, get numbers computed from `pallas.device_id`.
    The last axis is the fastest. Axes that the mesh lacks stay: they are those of
    grids and cores.

    ```console
    $ build/bin/pallas-opt --pallas-resolve-device-mesh test/Dialect/Pallas/Transforms/pallas-resolve-device-mesh.mlir | grep -E 'device_id|axis_index'
          %1 = pallas.device_id
          %5 = pallas.axis_index "rows"
          %7 = pallas.device_id
    ```
  }];
  let statistics = [
    Statistic<"numQueries", "num-queries", "Indices and sizes along axes">,
    Statistic<"numDevices", "num-devices", "Devices named by coordinates">,
  ];
}

def PallasSlicePackedViews : Pass<"pallas-slice-packed-views"> {
  let summary = "slice refs in front of views that change the width of elements";
  let description = [{
    CPUs copy such a view for each access. So reads, writes and slices of it view
    the part of the ref that they select. A slice of rows has several times as many
    rows of a ref whose elements are narrower. Where they are wider it has the rows
    that its own are in, for a start at run time as many as that may be. A copy of rows
    that an array names becomes a loop of copies. Pipelines over such a view run over
    the ref, and view their windows; copies to one copy bits to the ref.

    ```console
    $ build/bin/pallas-opt --pallas-slice-packed-views test/Dialect/Pallas/Transforms/pallas-slice-packed-views.mlir | grep -A2 'slice_ref' | head -3
        %2 = pallas.slice_ref %arg0[%arg1, ds(%1 index, 8), ds(64, 32)] : !pallas.ref<3x32x128xi8, hbm>
        %3 = pallas.bitcast_ref %2 : !pallas.ref<8x32xi8, hbm> -> !pallas.ref<2x32xi32, hbm>
        %4 = pallas.get %3[ds(0, 2), ds(0, 32)] : !pallas.ref<2x32xi32, hbm>
    ```
  }];
  let options = [
    Option<"checked", "checked", "bool", "false",
           "Keep starts at run time that checks have to see">,
  ];
  let statistics = [
    Statistic<"numSliced", "num-sliced", "Accesses that view a part">,
    Statistic<"numUnpacked", "num-unpacked", "Blocks of pipelines that views are of">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PallasSplitBlocks : Pass<"pallas-split-blocks"> {
  let summary = "split blocks into parts that are steps of their own";
  let description = [{
    The inverse of `pallas-coarsen-grid`, for blocks that are too large for a
    memory. With `parts=d0=8`, the block of the first result falls into eight
    parts along the first dimension of its array, and so do the blocks that it is
    computed from and those of the other results. The grid gets a first dimension
    of eight steps. What is needed is that the kernel treats the parts alike; a
    remark tells why blocks stay whole. Each element is computed by the same
    operations as before.

    The attribute `pallas.split = array<i64: 8, 1>` of a call has one number for
    each dimension of its first result and goes before the option.

    ```console
    $ build/bin/pallas-opt --pallas-split-blocks=parts=d0=2 examples/softmax.mlir | grep -E 'grid|block<'
        %softmax = pallas.pallas_call @softmax grid(2, 8)
          in(%arg0 : tensor<64x128xf32>) block<[4, 128], vmem> map(%arg1, %arg2) {
          out(tensor<64x128xf32>) block<[4, 128], vmem> map(%arg1, %arg2) {
    ```
  }];
  let options = [
    ListOption<"parts", "parts", "std::string",
               "Into how many parts the block of the first result falls along its "
               "dimensions, as in d0=8">,
  ];
  let statistics = [
    Statistic<"numBlocks", "num-blocks", "Dimensions along which blocks were split">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // PALLAS_TRANSFORMS_PASSES_TD
