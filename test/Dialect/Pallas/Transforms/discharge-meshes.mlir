// RUN: pallas-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state --convert-pallas-to-linalg --split-input-file --verify-diagnostics \
// RUN:   | mlir-opt-22 --canonicalize --split-input-file -o /dev/null

// The points of a mesh are loops; only what a kernel writes goes through them.
// CHECK-LABEL: func.func @map
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @map(%x: tensor<4x8xf32>, %f: f32) -> tensor<4x8xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
  // CHECK: %[[R:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[O:.*]] = %[[E]]) -> (tensor<4x8xf32>)
  // CHECK: tensor.extract_slice %[[X]]
  // CHECK: tensor.insert_slice %{{.*}} into %[[O]]
  // CHECK: return %[[R]]
  %o = pallas.mpmd_map
      in(%x : tensor<4x8xf32>)
      in(%f : f32)
      out(tensor<4x8xf32>)
      kernel @rows on <tensorcore, [<core "core" = 4>]>
          (%xr: !pallas.ref<4x8xf32, hbm>, %fr: f32, %or: !pallas.ref<4x8xf32, hbm>,
           %tmp: !pallas.ref<8xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %i = pallas.axis_index "core"
    %from = pallas.slice_ref %xr[%i, :] : !pallas.ref<4x8xf32, hbm>
    pallas.dma_start %from to %tmp signals %sem : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>,
        !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %from to %tmp signals %sem : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>,
        !pallas.ref<!pallas.dma_semaphore, semaphore>
    %v = pallas.get %tmp[...] : !pallas.ref<8xf32, vmem>
    %fs = pallas.broadcast %fr : f32 -> tensor<8xf32>
    %p = arith.mulf %v, %fs : tensor<8xf32>
    pallas.swap %or[%i, :], %p : !pallas.ref<4x8xf32, hbm>, tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}

// -----

// A core_map changes refs of its surroundings.
// CHECK-LABEL: func.func @core_map
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>
func.func @core_map(%x: !pallas.ref<2xf32, hbm>, %y: !pallas.ref<2xf32, hbm>) {
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[Y]]) -> (tensor<2xf32>)
  // CHECK: tensor.extract %[[X]]
  // CHECK: tensor.insert %{{.*}} into %[[I]]
  // CHECK: return %[[X]], %[[R]]
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %i = pallas.axis_index "core"
    %v = pallas.get %x[%i] : !pallas.ref<2xf32, hbm>
    pallas.swap %y[%i], %v : !pallas.ref<2xf32, hbm>, f32
  }
  return
}

// -----

// Threads share their scratch, blocks don't.
// CHECK-LABEL: func.func @threads
func.func @threads() -> tensor<2x3xi32> {
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<2x3xi32>)
  // CHECK: %[[S:.*]] = tensor.empty() : tensor<3xi32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[S]]) -> (tensor<2x3xi32>, tensor<3xi32>)
  %o = pallas.mpmd_map
      out(tensor<2x3xi32>)
      kernel @k on <gpu, [<grid "b" = 2>, <thread "t" = 3>]>
          (%or: !pallas.ref<2x3xi32, gmem>, %tmp: !pallas.ref<3xi32, smem>) {
    %b = pallas.axis_index "b"
    %t = pallas.axis_index "t"
    pallas.swap %tmp[%t], %t : !pallas.ref<3xi32, smem>, i32
    %v = pallas.get %tmp[%t] : !pallas.ref<3xi32, smem>
    pallas.swap %or[%b, %t], %v : !pallas.ref<2x3xi32, gmem>, i32
  }
  return %o : tensor<2x3xi32>
}

// -----

// Where nobody waits, the indices are values, too.
// CHECK-LABEL: func.func @fetch_alone
// CHECK-NOT: pallas.mpmd_map
// CHECK-NOT: slice_ref
// CHECK: return
func.func @fetch_alone(%ids: tensor<2xi32>, %x: tensor<64x16xf32>) -> tensor<2x16xf32> {
  %o = pallas.mpmd_map
      in(%ids : tensor<2xi32>)
      in(%x : tensor<64x16xf32>)
      out(tensor<2x16xf32>)
      kernel @k on <sc_scalar, [<core "core" = 2>]>
          (%ir: !pallas.ref<2xi32, hbm>, %xr: !pallas.ref<64x16xf32, hbm>, %or: !pallas.ref<2x16xf32, hbm>) {
    %core = pallas.axis_index "core"
    pallas.run_scoped (%id: !pallas.ref<1xi32, vmem>, %row: !pallas.ref<1x16xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %from = pallas.slice_ref %ir[ds(%core, 1)] : !pallas.ref<2xi32, hbm>
      pallas.dma_start %from to %id signals %sem : !pallas.ref<1xi32, hbm>, !pallas.ref<1xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %from to %id signals %sem : !pallas.ref<1xi32, hbm>, !pallas.ref<1xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %picked = pallas.slice_ref %xr[gather(%id : !pallas.ref<1xi32, vmem>), :] : !pallas.ref<64x16xf32, hbm>
      pallas.dma_start %picked to %row signals %sem : !pallas.ref<1x16xf32, hbm>, !pallas.ref<1x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %picked to %row signals %sem : !pallas.ref<1x16xf32, hbm>, !pallas.ref<1x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %v = pallas.get %row[...] : !pallas.ref<1x16xf32, vmem>
      pallas.swap %or[ds(%core, 1), :], %v : !pallas.ref<2x16xf32, hbm>, tensor<1x16xf32>
    }
  }
  return %o : tensor<2x16xf32>
}

// -----

// Kernels of several meshes that have nothing to do with each other.
// CHECK-LABEL: func.func @two_meshes
// CHECK-NOT: pallas.mpmd_map
// CHECK: return
func.func @two_meshes(%x: tensor<1x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<1x128xf32>)
      kernel @s on <sc_scalar, [<core "c" = 2>]> (%xr: !pallas.ref<1x128xf32, hbm>) {
    pallas.run_scoped (%a: !pallas.ref<16xi32, smem>) {
    }
  }
      kernel @v on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%xr: !pallas.ref<1x128xf32, hbm>) {
  }
  return
}
