//===- MosaicGPUDialect.td - The mosaic_gpu dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_DIALECT_TD
#define PALLAS_MOSAICGPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def MosaicGPU_Dialect : Dialect {
  let name = "mosaic_gpu";
  let cppNamespace = "::mlir::mosaic_gpu";
  let summary = "Kernels as the Mosaic compiler for GPUs takes them";
  let description = [{
    The `mosaic_gpu` dialect writes a kernel for warpgroups of 128 lanes:
    vectors have the shape of the whole array, and how lanes share them is left
    to layouts. It holds what the upstream dialects lack: barriers, copies by
    the tensor memory accelerator, matmuls, tensor memory, and hints of
    layouts. It is used with `arith`, `math`, `scf`, `memref`, `vector`,
    `gpu`, `nvvm` and `llvm`; one `gpu.launch` holds the kernel.

    Names, operand order, attributes, text and enum values are those that the
    Mosaic compiler reads, so modules can be exchanged with it as text. Its
    operations changed between releases. This dialect has the forms of jaxlib
    0.10.2 and of 0.12.0.1, prints an operation in the form that it has, and
    `mosaic-gpu-set-release` gives all of a module the form of one release.

    | | 0.10.2 | 0.12.0.1 |
    | --- | --- | --- |
    | `arrive_expect_tx` | bytes are an attribute | bytes are an operand |
    | `async_load` | five operand segments | six: `gmem_peer_id`; the barrier is optional |
    | `arrive`, `tcgen05_commit_arrive` | | may have a predicate |
    | `async_load_tmem` | one result | `reduce` gives a second one |
    | `layout_cast` | | `strict` |
    | `slice_smem`, `slice_tmem` | `alias_id` of `slice_smem` is an i32 | `alias_id` is an i64 |
    | `wait` | | gone |
    | `alloc_smem`, `alloca_scope`, `run_scoped`, `vector_concat` | | new |
    | `!mosaic_gpu.b6x16_p32`, `!mosaic_gpu.p2b6` | | new |

    | memory | memory space of a memref |
    | --- | --- |
    | global | none |
    | shared | `#gpu.address_space<workgroup>` |
    | shared, of another block of the cluster | `#mosaic_gpu.smem_cluster` |
    | tensor memory | `#mosaic_gpu.tmem` |

    Operations of other dialects keep what only the compiler for GPUs reads as
    discardable attributes. Without them a kernel computes the same.

    | attribute | value | becomes |
    | --- | --- | --- |
    | `mosaic_gpu.oob_fill_mode` | `0 : i32` undefined, `1 : i32` promise in bounds, `2 : i32` zeros | `oob_fill_mode` of the copy |
    | `mosaic_gpu.optimized` | `true` or `false` | `optimized` of the load or store |
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];

  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOperations();
  }];
}

#endif // PALLAS_MOSAICGPU_DIALECT_TD
