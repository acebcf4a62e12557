//===- PallasMeshOps.td - Cores of meshes that are loops ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a mesh has become loops or tasks, these operations are what its cores
// were. Frontends don't make them. They are apart from PallasOps.td, as only
// the pass pallas-meshes-to-loops and the lowering to CPUs know them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MESH_OPS_TD
#define PALLAS_MESH_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

def Pallas_OnCoreOp : Pallas_Op<"on_core", [
    RecursiveMemoryEffects, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "runs its body on one core of a mesh";
  let description = [{
    The ids are the coordinates of the core along the axes of the mesh. Collective
    scopes, barriers of cores, random generators and names of memory of other
    cores refer to them; queries of coordinates have been replaced by the ids.

    ```mlir
    pallas.on_core <tensorcore, [<core "core" = 2>]>(%i) {
      ...
    }
    pallas.on_core <gpu, [<grid "b" = 64>, <cluster "c" = 2>]>(%b, %c) first_axis 1 first_task 0 {
      ...
    }
    ```
    Cores that run at the same time are tasks: those along `first_axis` and the axes
    behind it. `first_task` is the number of the mesh's first core among the tasks
    of all kernels.
  }];
  let arguments = (ins Pallas_MeshAttr:$mesh, Variadic<I32>:$ids,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$firstAxis,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$firstTask);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $mesh `` `(` $ids `)` (`first_axis` $firstAxis^)? (`first_task` $firstTask^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Pallas_TaskScopeOp : Pallas_Op<"task_scope", [
    RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "scratch of cores that run at the same time";
  let description = [{
    It is around the loop over the tasks, since one of them may name the scratch
    of another before the other has started. Each core of the mesh behind `of` has
    an instance of the scratch, except where cores share it. Tasks of any kernel see
    theirs by `core_scratch`.

    ```mlir
    pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "core" = 2>]>) {
      scf.forall (%task) in (2) {
        ...
      }
    }
    ```
    Cores along `first_axis` and the axes behind it are tasks. The others are loops
    around the scope, so they have scratch of their own.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$firstAxis,
                       Pallas_MeshArrayAttr:$owners);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `first_axis` $firstAxis attr-dict-with-keyword custom<TaskScratch>($owners, $body)
  }];
  let hasVerifier = 1;
}

def Pallas_CoreScratchOp : Pallas_Op<"core_scratch", [
    NoMemoryEffect, AllTypesMatch<["scratch", "instance"]>]> {
  let summary = "the scratch of the core that runs this";
  let description = [{
    It is the instance whose core has the same coordinates along the axes of the
    same name.

    ```mlir
    %own = pallas.core_scratch %s : !pallas.ref<8xf32, vmem>
    ```
  }];
  let arguments = (ins Pallas_AnyRef:$scratch);
  let results = (outs Pallas_AnyRef:$instance);
  let assemblyFormat = "$scratch attr-dict `:` qualified(type($scratch))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The scope whose argument this is an instance of.
    TaskScopeOp getScope();
    /// The mesh whose cores have an instance each.
    MeshAttr getOwner();
  }];
}

def Pallas_ClusterSyncOp : Pallas_Op<"cluster_sync", [
    MemoryEffects<[MemRead<Pallas_DeviceResource>, MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "waits for the other blocks of the cluster";
  let description = [{
    It is at the end of a scope whose memory other blocks name, so that none leaves
    while others may use its memory. With `threads`, it waits for all threads of
    all blocks: a scope of theirs together.

    ```mlir
    pallas.on_core <gpu, [<cluster "c" = 2>]>(%c) {
      pallas.cluster_sync
    }
    ```
  }];
  let arguments = (ins UnitAttr:$threads);
  let assemblyFormat = "(`threads` $threads^)? attr-dict";
  let hasVerifier = 1;
}

#endif // PALLAS_MESH_OPS_TD
