//===- MosaicGPUBarrierOps.td - Barriers -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_BARRIEROPS_TD
#define PALLAS_MOSAICGPU_BARRIEROPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOpBase.td"

def MosaicGPU_InitializeBarrierOp : MosaicGPU_Op<"initialize_barrier"> {
  let summary = "gives barriers in shared memory their number of arrivals";
  let description = [{
    An arrival is one of a warpgroup, though each of its lanes arrives.

    ```mlir
    "mosaic_gpu.initialize_barrier"(%pointer) <{arrival_count = 1 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$base_pointer,
                       ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers,
                       BoolAttr:$orders_tensor_core);
}

def MosaicGPU_ArriveOp : MosaicGPU_Op<"arrive"> {
  let summary = "arrives at a barrier";
  let description = [{
    Since 0.12 it may have a predicate.

    ```mlir
    "mosaic_gpu.arrive"(%barrier) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins MosaicGPU_BarrierRef:$barrier,
                       MosaicGPU_Predicate:$predicate,
                       BoolAttr:$orders_tensor_core);
}

def MosaicGPU_ArriveExpectTxOp : MosaicGPU_Op<"arrive_expect_tx"> {
  let summary = "arrives at a barrier that further bytes will reach";
  let description = [{
    The number of bytes is an attribute; since 0.11.1 it is an operand.

    ```mlir
    mosaic_gpu.arrive_expect_tx barrier(%barrier : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
    mosaic_gpu.arrive_expect_tx barrier(%barrier : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %bytes
    ```
  }];
  let arguments = (ins
    MosaicGPU_BarrierRef:$barrier,
    Optional<I32>:$dynamic_expect_tx,
    OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$expect_tx);
  let assemblyFormat = [{
    `barrier` `(` $barrier `:` type($barrier) `)`
        custom<ByteCount>($dynamic_expect_tx, $expect_tx) attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$barrier, "int32_t":$bytes), [{
      build($_builder, $_state, barrier, ::mlir::Value(),
            $_builder.getI32IntegerAttr(bytes));
    }]>,
  ];
  let hasVerifier = 1;
}

def MosaicGPU_WaitOp : MosaicGPU_Op<"wait"> {
  let summary = "waits for the phase of a barrier (until 0.10.2)";
  let description = [{
    ```mlir
    mosaic_gpu.wait barrier(%barrier : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%parity : i1)
    ```
  }];
  let arguments = (ins MosaicGPU_BarrierRef:$barrier, I1:$parity);
  let assemblyFormat = [{
    `barrier` `(` $barrier `:` type($barrier) `)`
        `parity` `(` $parity `:` type($parity) `)` attr-dict
  }];
}

def MosaicGPU_TryClusterCancelOp : MosaicGPU_Op<"try_cluster_cancel"> {
  let summary = "asks for a cluster of the grid that has not started yet";
  let description = [{
    The answer is written to 16 bytes of shared memory, after which the barrier
    completes.
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$cancellation_result,
                       MosaicGPU_BarrierRef:$barrier,
                       MosaicGPU_Predicate:$predicate);
  let hasVerifier = 1;
}

def MosaicGPU_QueryClusterCancelOp : MosaicGPU_Op<"query_cluster_cancel"> {
  let summary = "whether a cluster was given away, and its first block";
  let arguments = (ins MemRefRankOf<[I8], [1]>:$cancellation_result);
  let results = (outs I32:$x, I32:$y, I32:$z, I1:$success);
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICGPU_BARRIEROPS_TD
