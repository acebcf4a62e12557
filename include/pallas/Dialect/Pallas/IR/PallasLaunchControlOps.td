//===- PallasLaunchControlOps.td - Work of other blocks ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks take over the work of clusters that have not started. These operations
// are apart from PallasOps.td, as only the conversions of GPU kernels know them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LAUNCH_CONTROL_OPS_TD
#define PALLAS_LAUNCH_CONTROL_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

def Pallas_TryClusterCancelOp : Pallas_Op<"try_cluster_cancel"> {
  let summary = "takes over the work of a cluster that has not started";
  let description = [{
    A GPU takes a cluster of blocks that is still to be launched, if there is one,
    and writes which one to 16 bytes of shared memory of each block of the cluster
    that asks. Warpgroups and blocks along the axes behind `collective` ask
    together, for one cluster; by default those along all axes but the grid's.
    Each one arrives at the barrier of its block, whose phase also waits for the
    answer. CPUs start all blocks, so the answer is that none is left.

    ```mlir
    pallas.try_cluster_cancel %answer signals %b collective ["wg"]
      : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemWrite]>:$answer,
                       Arg<Pallas_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrArrayAttr>:$collectiveAxes);
  let assemblyFormat = [{
    $answer `signals` $barrier (`collective` $collectiveAxes^)? attr-dict
    `:` qualified(type($answer)) `,` qualified(type($barrier))
  }];
  let extraClassDeclaration = [{
    /// The axes of a role whose programs ask together; those of one program
    /// are left out.
    ::llvm::SmallVector<::llvm::StringRef> getAskingAxes(
        ::mlir::pallas::MeshAttr mesh, ::mlir::pallas::MeshAxisRole role);
  }];
  let hasVerifier = 1;
}

def Pallas_QueryClusterCancelOp : Pallas_Op<"query_cluster_cancel", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "decodes the answer to `pallas.try_cluster_cancel`";
  let description = [{
    Yields the indices of the cluster along axes of the grid, and whether there
    is one. Without one, the indices mean nothing.

    ```mlir
    %i, %j, %found = pallas.query_cluster_cancel %answer along ["i", "j"] : !pallas.ref<16xi8, smem>
    ```
  }];
  let arguments = (ins Arg<Pallas_RefType, "", [MemRead]>:$answer,
                       StrArrayAttr:$axisNames);
  let results = (outs Variadic<I32>:$indices, I1:$found);
  let assemblyFormat = [{
    $answer `along` $axisNames attr-dict `:` qualified(type($answer))
  }];
  let hasVerifier = 1;
}

#endif // PALLAS_LAUNCH_CONTROL_OPS_TD
