//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PASSES_TD
#define PALLAS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertPallasToCPU : Pass<"convert-pallas-to-cpu", "::mlir::ModuleOp"> {
  let summary = "lower refs to memrefs";
  let description = [{
    Refs become memrefs, windows views of their arrays; grids are loops already, by
    `pallas-grids-to-loops`, and meshes by `pallas-meshes-to-loops`. Values stay
    tensors: a read is a tensor of the memory itself where nothing can write to it
    while the value is in use, and a copy elsewhere.

    Asynchronous copies happen when they start; semaphores are counted, and a wait
    that can't succeed is a run-time error.

    Checked code calls functions of the runtime at everything that happens to a
    ref, in program order. `pallas-insert-checks` and
    `pallas-insert-memory-checks` come before: checks are operations, and these
    become the calls.

    ```console
    $ build/bin/pallas-opt --pallas-grids-to-loops --convert-pallas-to-cpu examples/matmul.mlir | grep -oE 'scf.(parallel|for) .* to|memref.subview|pallas.dot_general'
    scf.parallel (%arg2, %arg3) = (%c0, %c0) to
    scf.for %arg4 = %c0 to
    memref.subview
    memref.subview
    memref.subview
    pallas.dot_general
    ```
  }];
  let options = [
    Option<"checked", "checked", "bool", "false",
           "Report what happens to refs, for checked execution">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::pallas::PallasDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// PallasToLinalg
//===----------------------------------------------------------------------===//

def ConvertPallasToLinalg : Pass<"convert-pallas-to-linalg"> {
  let summary = "convert operations on values to linalg and loops on tensors";
  let description = [{
    Contractions, reductions, changes of shape, gathers, scatters, sorts and
    casts of bits become linalg operations, or loops on tensors where the order
    of the elements matters. Hints disappear. Operations on refs, kernels and
    grids stay as they are.

    The results are those of XLA on CPUs: sums of floats narrower than 32 bits
    are kept in f32 and rounded once, gathers clamp their indices, scatters drop
    updates whose window isn't inside, sorts are stable and put NaN last. The
    code does not grow with the sizes of the tensors, which must be static.

    A target that has some of the operations itself names the others:
    `ops=pallas.rev,pallas.gather`. One that knows no named operations, such as
    `linalg.transpose`, asks for `generic` ones.

    ```console
    $ build/bin/pallas-opt --convert-pallas-to-linalg examples/softmax.mlir | grep -o 'linalg.[a-z]* {.*}'
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]}
    linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]}
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]}
    linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]}
    ```
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "Names of the operations to convert; all where none is given">,
    Option<"generic", "generic", "bool", /*default=*/"false",
           "Write every linalg operation as linalg.generic">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def PallasCheckTarget : Pass<"pallas-check-target", "::mlir::ModuleOp"> {
  let summary = "report every construct that the target cannot compile";
  let description = [{
    Checks all calls against `tpu` or `gpu`, or one chip or architecture of these,
    `tpu:v6e` or `gpu:sm_90a`, without changing anything. What the target refuses is an error; what it accepts only
    with more work, such as a block that isn't made of whole tiles, is a warning
    with the nearest sizes that need none. A remark per call reports how much VMEM
    and SMEM its windows and scratch memory take, buffers and the padding of
    tiles included, with a note for each buffer. What chips can do is listed in
    [Targets](../Targets/TPU.md).

    For GPUs, a copy of the module is lowered, so what is refused is what
    `pallas-to-mosaic-gpu` refuses. The remark has the shared memory and the
    barriers of each kernel, and the registers of its accumulators; the limits
    are in [Targets](../Targets/GPU.md).

    ```console
    $ build/bin/pallas-opt --pallas-check-target=tpu:v6e examples/matmul.mlir -o /dev/null 2>&1 | grep ' bytes of '
    examples/matmul.mlir:3:8: remark: windows and scratch memory take 458752 of 134217728 bytes of VMEM
    examples/matmul.mlir:3:8: note: input 0: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: input 1: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: output 0: 2 x 65536 bytes of vmem
    examples/matmul.mlir:3:8: note: scratch 0: 65536 bytes of vmem
    $ build/bin/pallas-opt --pallas-check-target=gpu:sm_90a test/Conversion/PallasToMosaicGPU/check-target.mlir -o /dev/null 2>&1 | grep -m 1 -oE 'takes [0-9]+ of [0-9]+ bytes of shared memory'
    takes 65568 of 232448 bytes of shared memory
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"tpu\"",
           "Target, and chip behind a colon">,
    Option<"json", "json", "std::string", "\"\"",
           "File for the report on memory, or - for the standard output">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::mosaic_gpu::MosaicGPUDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ChooseTPUCoarsening : Pass<"choose-tpu-coarsening"> {
  let summary = "choose how many steps of grids become one on a TPU";
  let description = [{
    Joins steps of a call, as `pallas-coarsen-grid` does, where the
    [cost model](../dev/CostModel.md) predicts at least 5 % fewer cycles. The search goes along all dimensions at once, from divisor to
    divisor of a size; all choices must fit the VMEM
    that a kernel gets by itself, two buffers to a window. Where blocks grow along one
    dimension, the figures come from the call as it is; other choices are predicted on
    copies of the call, no more than three of them. A loop over parts has to save
    12 % unless it has a contraction and the host changes no layout, because the compiler schedules a body less well there, and its parts may not
    be single rows of tiles. Larger blocks may spare the host a change of an array's
    layout; they are compared with the call as if the results of the host were in VMEM
    all along. Calls with `pallas.coarsen` or `pallas.split` are left to that pass. These keep their grids: kernels
    that copy or wait by themselves or access refs by arrays of indices, calls for which
    joined steps would make the host lay out another array, and all on chips without
    figures to predict. Blocks don't grow along lanes that a reshape splits or joins.
    Of matmuls of less than four steps the one with smaller windows is taken if it is
    predicted to be about as good.

    The blocks of a call that needs more VMEM than the chip has fall into parts instead,
    where its kernel treats these alike.

    Pipelines in kernels join steps where 12 % are to be saved. They are predicted as
    grids with the same windows; those whose author chose a number of buffers keep
    their steps.

    A remark tells the choice and the prediction, and so do the entries `coarsened`
    and `pipelines` of the call's metadata. The pipeline `pallas-to-mosaic-tpu` begins with this pass
    unless its option `coarsen` is `off` or lists coarsening factors.

    ```console
    $ build/bin/pallas-opt --choose-tpu-coarsening=chip=v5e examples/matmul.mlir 2>&1 >/dev/null | grep joins
    examples/matmul.mlir:3:8: remark: joins steps by d0=4,d1=2,d2=2: about 5757 cycles on v5e instead of 27619, with 3145728 bytes of VMEM
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"v5e\"", "Chip to predict">,
    Option<"reassociate", "reassociate", "bool", "false",
           "Whether sums over steps may be added up in another order">,
  ];
  let statistics = [
    Statistic<"numChosen", "num-chosen", "Calls whose steps are to be joined">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::pallas::PallasDialect"
  ];
}

def ConvertPallasToMosaicGPU
    : Pass<"convert-pallas-to-mosaic-gpu", "::mlir::ModuleOp"> {
  let summary = "turn kernels into modules of the mosaic_gpu dialect";
  let description = [{
    Each `pallas.mpmd_map` on a mesh of a GPU becomes a module of its own, as the
    Mosaic compiler for GPUs takes it, in the form of jaxlib 0.10.2: a host
    function that launches the kernel, whose operands are a stream and the addresses of inputs
    and outputs. The function around the call now calls a declaration whose
    attribute `mosaic_gpu.kernel` names the module.

    The kernel is written for warpgroups: a tensor is a vector of its shape, and
    the compiler decides how lanes share it. Refs in shared memory are places of
    the block's memory, which scopes take and give back; barriers are initialized
    when the kernel starts, and scopes take turns with them. An accumulator is the
    vector that it holds, which loops and branches carry.

    ```mlir
    pallas.copy_gmem_to_smem %g to %s signals %b : ...
    // becomes
    mosaic_gpu.arrive_expect_tx barrier(%b : ...) 16384
    "mosaic_gpu.async_load"(%g, %s, %b, %i, %j) <{slice_lengths = array<i64: 128, 64>, ...}> : ...
    ```

    Calls with blocks become such kernels by `pallas-call-to-gpu-kernel`.

    ```console
    $ build/bin/pallas-opt --convert-pallas-to-mosaic-gpu test/Conversion/PallasToMosaicGPU/copies.mlir | grep -oE 'mosaic_gpu.async_[a-z]+' | sort -u
    mosaic_gpu.async_load
    mosaic_gpu.async_store
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"",
           "Architecture to compile for: sm_90a or sm_100a">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::mosaic_gpu::MosaicGPUDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertPallasToMosaicTPU
    : Pass<"convert-pallas-to-mosaic-tpu", "::mlir::ModuleOp"> {
  let summary = "convert the bodies of kernel modules to the tpu dialect";
  let description = [{
    Operations on refs become loads, stores and copies of memrefs, and those on
    tensors become operations on vectors, in the kernel modules that
    `pallas-outline-tpu-kernels` made: those with the attribute `tpu.target`. What
    a target can do is read from one table; what it refuses but a sequence of
    other operations can compute is replaced by that sequence.

    One walk converts a body: what replaces an operation is written before it and
    converted in its turn. Constants are folded and shared on the way. The
    pipeline `pallas-to-mosaic-tpu` runs this pass and those around it.

    ```console
    $ build/bin/pallas-opt --pallas-outline-tpu-kernels --convert-pallas-to-mosaic-tpu examples/softmax.mlir | grep -oE 'vector.load|vector.multi_reduction|math.exp|arith.divf|tpu.vector_store'
    vector.load
    vector.multi_reduction
    math.exp
    vector.multi_reduction
    arith.divf
    tpu.vector_store
    ```
  }];
  let statistics = [
    Statistic<"numFunctions", "num-functions", "Functions that were converted">,
  ];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tpu::TPUDialect"];
}

def DecomposeGatherScatter : Pass<"pallas-decompose-gather-scatter"> {
  let summary = "access arrays by arrays of indices along one dimension at a time";
  let description = [{
    A gather of whole rows along one dimension becomes a `pallas.take_along`; any
    other one sees operand and result as one row each, and computes where in it an
    element lies. A scatter becomes one update after the other, in a loop if there
    are more than 32, that selects between what is there and what comes.

    A TPU searches registers for elements, so gathers of single elements that take
    more than 2048 searches are errors. A register has `tile-rows` rows of
    `tile-columns` elements of 32 bits. Vector subcores have instructions for some
    of these operations, so those in their kernels stay until bodies are converted.

    ```console
    $ build/bin/pallas-opt --pallas-decompose-gather-scatter test/Conversion/PallasToMosaicTPU/Prepare/decompose-gather-scatter.mlir | grep -oE 'pallas.(gather|take_along|scatter)|scf.for|arith.select'
    pallas.take_along
    arith.select
    arith.select
    arith.select
    arith.select
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", "8", "Rows of a vector register">,
    Option<"tileColumns", "tile-columns", "int64_t", "128",
           "Elements of 32 bits in a row of a vector register">,
  ];
  let statistics = [
    Statistic<"numGathers", "num-gathers", "Gathers that were decomposed">,
    Statistic<"numScatters", "num-scatters", "Scatters that were decomposed">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def OutlineTPUKernels : Pass<"pallas-outline-tpu-kernels", "::mlir::ModuleOp"> {
  let summary = "give each kernel a module of its own";
  let description = [{
    Each `pallas.pallas_call` and `pallas.mpmd_map` becomes a module of its own,
    as the Mosaic compiler takes it: the kernel function, then one function per
    window that computes the position of the window. The attribute `tpu.custom_call` of
    that module holds what the host has to know: aliases, memory limits, costs.
    The attribute `tpu.target` names the chip until `tpu-strip-target`. Bodies are
    still those of the pallas dialect, on refs that memrefs are cast to. The
    function around the call now calls a declaration whose attribute `tpu.kernel`
    names the module.

    ```mlir
    module {
      module @add attributes {tpu.custom_call = {name = "add", ...}} {
        func.func @add(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, ...)
        func.func @transform_0(%i: i32) -> (i32, i32)
      }
      func.func private @add_call(tensor<64x128xf32>) -> tensor<64x128xf32>
          attributes {tpu.kernel = @add}
      func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
        %0 = call @add_call(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
        return %0 : tensor<64x128xf32>
      }
    }
    ```

    Arrays whose blocks the hardware cannot address are relaid out around the call:
    the array is padded and cut so that a block is whole in its last two
    dimensions.

    ```console
    $ build/bin/pallas-opt --pallas-outline-tpu-kernels examples/softmax.mlir | grep -oE '(func.func( private)?|module) @[a-z_0-9]+'
    module @softmax_0
    func.func @softmax
    func.func @transform_0
    func.func @transform_1
    func.func private @softmax_call
    func.func @softmax
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"v5e\"",
           "Chip to compile for, for example v5e or v6e">,
    Option<"checkMeshes", "check-meshes", "bool", "false",
           "Refuse kernels on cores that the chip does not have">,
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Calls that became modules">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tpu::TPUDialect"];
}

def ConvertMosaicGPUToPallas
    : Pass<"convert-mosaic-gpu-to-pallas", "::mlir::ModuleOp"> {
  let summary = "turn modules of the mosaic_gpu dialect into kernels that run anywhere";
  let description = [{
    Raises a module of warpgroup semantics, as it is before layout inference, to
    a function that runs a `pallas.mpmd_map`, whatever producer it comes from.
    The launch bounds become the mesh: grid axes over clusters, cluster axes over
    the blocks of one, and a thread axis over warpgroups. Vectors become tensors,
    memrefs refs, and slices of shared memory scratch. Layouts, tiles and
    swizzles, which change no value, are left out.

    Code for single threads is understood where it comes to the same for a
    warpgroup: the index of the warpgroup, the election of a thread that starts
    copies, and the arrivals of threads at barriers of other blocks.

    The function has the name of the kernel function. It takes the arrays that
    the kernel takes, in their order. Arrays that the kernel writes are results;
    those that it also reads are operands as well.

    ```mlir
    gpu.launch blocks(...) in (%c64, ...) threads(...) in (%c256, ...) ... {
      mosaic_gpu.arrive_expect_tx barrier(%b : ...) 32768
      "mosaic_gpu.async_load"(%x, %s, %b, %i, %j) ...
    // becomes
    pallas.mpmd_map in(%x : ...) out(...)
        kernel @add on <gpu, [<grid "x" = 64>, <thread "warpgroup" = 2>]> (...) {
      pallas.copy_gmem_to_smem %part to %s signals %b : ...
    ```

    ```console
    $ build/bin/pallas-opt --convert-mosaic-gpu-to-pallas test/Conversion/MosaicGPUToPallas/kernels.mlir | grep -oE 'kernel @.*\]>|pallas.(copy|barrier|commit|wait)_[a-z_]+'
    kernel @copy on <gpu, [<grid "x" = 2>, <thread "warpgroup" = 2>]>
    pallas.barrier_arrive
    pallas.barrier_wait
    pallas.copy_gmem_to_smem
    pallas.barrier_wait_parity
    pallas.commit_smem
    pallas.copy_smem_to_gmem
    pallas.wait_smem_to_gmem
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::pallas::PallasDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvertMosaicTPUToPallas
    : Pass<"convert-mosaic-tpu-to-pallas", "::mlir::ModuleOp"> {
  let summary = "raise modules of the tpu dialect to pallas kernels";
  let description = [{
    Raises kernel functions, as the Mosaic compiler takes them, to
    `pallas.pallas_call` and `pallas.mpmd_map`, whatever producer they come
    from: windows become blocks, transform functions index maps, vectors
    tensors, and memrefs refs. So everything that runs or analyses calls does so
    for modules that have been lowered to the target.

    A declaration with the attribute `tpu.kernel` becomes a function that runs
    the kernels of the module that it names. A kernel module that no declaration
    names, and a module that is a kernel module itself, get a public function
    with the name of the kernel. It takes the operands of the call in the order
    of the call: the bounds of dynamic grid dimensions as `tensor<i32>`, the
    prefetched arrays, the inputs. The outputs, which the kernel takes as
    further memrefs, are its results.

    The types of these arrays, which operands share memory with results, and
    which arrays are results are given by the module's attribute `tpu.custom_call`.
    Without it they are inferred where the kernel determines them: the arrays at the
    end that it writes are results, nothing is aliased, and an array is as large
    as its windows cover.

    ```mlir
    module attributes {tpu.custom_call = {operands = [tensor<100x128xf32>],
                                          results = [tensor<100x128xf32>]}} {
      func.func @scale(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>,
                       %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {...}
      func.func @transform_0(%i: i32) -> (i32, i32)
      func.func @transform_1(%i: i32) -> (i32, i32)
    }
    // becomes
    module {
      func.func @scale(%x: tensor<100x128xf32>) -> tensor<100x128xf32> {
        %o = pallas.pallas_call @scale grid(13) in(%x ...) ...
      }
    }
    ```

    ```console
    $ build/bin/pallas-opt --pallas-to-mosaic-tpu=coarsen=off --convert-mosaic-tpu-to-pallas examples/softmax.mlir
    ...
        %softmax = pallas.pallas_call @softmax grid(8)
          in(%arg0 : tensor<64x128xf32>) block<[8, 128], vmem> map(%arg1) -> (%arg1, 0)
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::pallas::PallasDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // PALLAS_CONVERSION_PASSES_TD
