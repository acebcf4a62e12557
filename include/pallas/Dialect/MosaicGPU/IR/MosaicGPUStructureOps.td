//===- MosaicGPUStructureOps.td - Operations with regions --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_STRUCTUREOPS_TD
#define PALLAS_MOSAICGPU_STRUCTUREOPS_TD

include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_CustomPrimitiveOp : MosaicGPU_Op<"custom_primitive", [
    IsolatedFromAbove,
    SingleBlockImplicitTerminator<"::mlir::mosaic_gpu::ReturnOp">]> {
  let summary = "code for lanes, with the layouts that it takes and gives";
  let description = [{
    Each vector operand has an entry in `in_layouts`, each memref in shared memory
    one in `in_transforms`, each vector result one in `out_layouts`.
  }];
  let arguments = (ins Variadic<AnyType>:$operands, ArrayAttr:$in_layouts,
                       ArrayAttr:$in_transforms, ArrayAttr:$out_layouts);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def MosaicGPU_RunScopedOp : MosaicGPU_Op<"run_scoped", [
    SingleBlockImplicitTerminator<"::mlir::mosaic_gpu::ReturnOp">]> {
  let summary = "code with private buffers in shared memory (since 0.12)";
  let description = [{
    Each argument of the block is a memref with an entry in `buffer_attrs`.
  }];
  let arguments = (ins ArrayAttr:$buffer_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasVerifier = 1;
}

def MosaicGPU_ReturnOp : MosaicGPU_Op<"return", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["::mlir::mosaic_gpu::CustomPrimitiveOp",
                 "::mlir::mosaic_gpu::RunScopedOp"]>]> {
  let summary = "ends the region of custom_primitive or run_scoped";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
  let hasVerifier = 1;
}

def MosaicGPU_AllocaScopeOp : MosaicGPU_Op<"alloca_scope", [
    SingleBlockImplicitTerminator<"::mlir::mosaic_gpu::AllocaScopeReturnOp">]> {
  let summary = "code whose alloc_smem end with it (since 0.12)";
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasVerifier = 1;
}

def MosaicGPU_AllocaScopeReturnOp : MosaicGPU_Op<"alloca_scope.return", [
    Pure, ReturnLike, Terminator,
    HasParent<"::mlir::mosaic_gpu::AllocaScopeOp">]> {
  let summary = "ends the region of alloca_scope (since 0.12)";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
  let hasVerifier = 1;
}

def MosaicGPU_WarpMapOp : MosaicGPU_Op<"warp_map", [
    SingleBlock, NoTerminator, IsolatedFromAbove]> {
  let summary = "code that each warp of the warpgroup runs for itself";
  let description = [{
    ```mlir
    "mosaic_gpu.warp_map"(%barrier) ({
    ^bb0(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>):
      "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    }) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let regions = (region SizedRegion<1>:$region);
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICGPU_STRUCTUREOPS_TD
