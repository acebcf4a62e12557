// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A test that finds its phase complete begins the next one; the word of the
// phases stays as it is otherwise. All threads of the warp get one answer.

// CHECK-LABEL: module @kernel
// CHECK: "mosaic_gpu.warp_map"
// CHECK: nvvm.bar.warp.sync %c-1_i32
// CHECK: %[[WORD:.*]] = memref.load %[[PHASES:.*]][] : memref<i32>
// CHECK: %[[BIT:.*]] = arith.andi %[[WORD]], %[[MASK:.*]] : i32
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[WORD]], %[[MASK]] : i32
// CHECK: %[[PARITY:.*]] = arith.extui %[[ODD]] : i1 to i32
// CHECK: %[[DONE:.*]] = nvvm.mbarrier.test.wait %{{.*}}, %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
// CHECK: scf.if %[[DONE]] {
// CHECK-NEXT: memref.store %[[FLIPPED]], %[[PHASES]][] : memref<i32>
// CHECK-NEXT: }
// CHECK: arith.extui %[[DONE]] : i1 to i32
// CHECK: scf.index_switch
// CHECK: nvvm.mbarrier.try_wait.parity
func.func @call(%x: tensor<64x128xf32>) -> tensor<4xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<4xi32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<4xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %all: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
      %b = pallas.slice_ref %all[1] : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
      pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %c1 = arith.constant 1 : i32
        %w = pallas.axis_index "w"
        %done = pallas.barrier_test %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        scf.if %done {
          pallas.swap %o[%w], %c1 : !pallas.ref<4xi32, gmem>, i32
        } else {
          pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        }
      }
    }
  }
  return %0 : tensor<4xi32>
}

// A kernel that counts phases itself has the parity at hand.

// CHECK-LABEL: module @counted
// CHECK: nvvm.bar.warp.sync %c-1_i32
// CHECK-NOT: memref.load
// CHECK: %[[PARITY:.*]] = arith.extui %{{.*}} : i1 to i32
// CHECK-NOT: memref.load
// CHECK: %[[DONE:.*]] = nvvm.mbarrier.test.wait %{{.*}}, %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
// CHECK-NOT: scf.if
// CHECK: arith.extui %[[DONE]] : i1 to i32
func.func @call_counted(%x: tensor<64x128xf32>) -> tensor<4xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<4xi32>)
      kernel @counted on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<4xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %zero = arith.constant 0 : i32
        %w = pallas.axis_index "w"
        %parity = arith.cmpi slt, %w, %zero : i32
        %done = pallas.barrier_test %b parity %parity : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        %found = arith.extui %done : i1 to i32
        pallas.swap %o[%w], %found : !pallas.ref<4xi32, gmem>, i32
      }
    }
  }
  return %0 : tensor<4xi32>
}
