// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: warps wrote to shared memory from which others might still load under the name of a scope
// that has ended. A reduction counted a barrier that was dropped later, and stores of scalars knew
// only the uses of their own scope.

// No barrier is in the reduction of the rows, each of which one lane has.

// CHECK-LABEL: module @reductions
// CHECK: "mosaic_gpu.vector_load"(%subview)
// CHECK-NOT: bar.sync
// CHECK: vector.multi_reduction <add>, {{.*}}offset = 4096
// CHECK: bar.sync $0, 128
// CHECK-NEXT: vector.reduction <add>, {{.*}}offset = 0
func.func @behind_reduction(%x: tensor<128xi32>, %y: tensor<64x64xi32>) -> (tensor<128xi32>, tensor<64xi32>, tensor<1xi32>) {
  %0:3 = pallas.mpmd_map
    in(%x : tensor<128xi32>)
    in(%y : tensor<64x64xi32>)
    out(tensor<128xi32>)
    out(tensor<64xi32>)
    out(tensor<1xi32>)
    kernel @reductions on <gpu, [<grid "b" = 1>]>(%xr: !pallas.ref<128xi32, gmem>, %yr: !pallas.ref<64x64xi32, gmem>, %or: !pallas.ref<128xi32, gmem>, %pr: !pallas.ref<64xi32, gmem>, %qr: !pallas.ref<1xi32, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<128xi32, gmem>
    %m = pallas.get %yr[...] : !pallas.ref<64x64xi32, gmem>
    pallas.run_scoped (%s: !pallas.ref<1024xi32, smem>) {
      %view = pallas.slice_ref %s[ds(0, 128)] : !pallas.ref<1024xi32, smem>
      pallas.swap %view[...], %v : !pallas.ref<128xi32, smem>, tensor<128xi32>
      %w = pallas.get %view[...] : !pallas.ref<128xi32, smem>
      pallas.swap %or[...], %w : !pallas.ref<128xi32, gmem>, tensor<128xi32>
      %rows = pallas.reduce <add> %m dims [1] : tensor<64x64xi32>
      pallas.swap %pr[...], %rows : !pallas.ref<64xi32, gmem>, tensor<64xi32>
    }
    %all = pallas.reduce <add> %v dims [0] : tensor<128xi32>
    %c0 = arith.constant 0 : i32
    pallas.swap %qr[%c0], %all : !pallas.ref<1xi32, gmem>, i32
  }
  return %0#0, %0#1, %0#2 : tensor<128xi32>, tensor<64xi32>, tensor<1xi32>
}

// CHECK-LABEL: module @scalars
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 0 : i32}>
// CHECK: "mosaic_gpu.vector_load"
// CHECK: scf.for
// CHECK: bar.sync $0, 128
// CHECK-NEXT: memref.store
// CHECK-NEXT: {{.*}}bar.sync $0, 128
func.func @behind_scope(%x: tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %0:2 = pallas.mpmd_map
    in(%x : tensor<128xf32>)
    out(tensor<128xf32>)
    out(tensor<128xf32>)
    kernel @scalars on <gpu, [<grid "b" = 2>]>(%xr: !pallas.ref<128xf32, gmem>, %or: !pallas.ref<128xf32, gmem>, %pr: !pallas.ref<128xf32, gmem>) {
    %f = arith.constant 3.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    pallas.run_scoped (%s: !pallas.ref<128xf32, smem>) {
      %v = pallas.get %xr[...] : !pallas.ref<128xf32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<128xf32, smem>, tensor<128xf32>
      %w = pallas.get %s[...] : !pallas.ref<128xf32, smem>
      pallas.swap %or[...], %w : !pallas.ref<128xf32, gmem>, tensor<128xf32>
    }
    pallas.run_scoped (%t: !pallas.ref<128xf32, smem>) {
      scf.for %i = %c0 to %c5 step %c1 : i32 {
      pallas.swap %t[%i], %f : !pallas.ref<128xf32, smem>, f32
      }
      pallas.commit_smem
      pallas.copy_smem_to_gmem %t to %pr : !pallas.ref<128xf32, smem>, !pallas.ref<128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0#0, %0#1 : tensor<128xf32>, tensor<128xf32>
}

// Nothing else is in the memory of the scope, so lanes need not wait.

// CHECK-LABEL: module @alone
// CHECK-NOT: bar.sync
// CHECK: memref.store
func.func @alone(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128xf32>)
    out(tensor<128xf32>)
    kernel @alone on <gpu, [<grid "b" = 2>]>(%xr: !pallas.ref<128xf32, gmem>, %or: !pallas.ref<128xf32, gmem>) {
    pallas.run_scoped (%t: !pallas.ref<128xf32, smem>) {
      %c5 = arith.constant 5 : i32
      %f = arith.constant 3.0 : f32
      pallas.swap %t[%c5], %f : !pallas.ref<128xf32, smem>, f32
      pallas.commit_smem
      pallas.copy_smem_to_gmem %t to %or : !pallas.ref<128xf32, smem>, !pallas.ref<128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<128xf32>
}
