// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Block 1 waits for what block 0 signals, and in each block the second
// warpgroup for the first one. semaphores-meet.py executes both stages.

// CHECK-LABEL: module @kernel
// CHECK: mosaic_gpu.arrays = [memref<7xi32>, memref<4xi32>, memref<7xi32>]
// CHECK: gpu.launch
// CHECK-COUNT-4: scf.while
// CHECK-COUNT-2: "@$2 red.release.gpu.global.add.u32 [$0], $1;"
// CHECK: func.func private @kernel_call(tensor<7xi32>) -> (tensor<4xi32>, tensor<7xi32>)
func.func @meet() -> tensor<4xi32> {
  %0 = pallas.mpmd_map
      out(tensor<4xi32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "t" = 2>]> (%o: !pallas.ref<4xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<3x!pallas.semaphore, gmem>) collective ["t"] {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c5 = arith.constant 5 : i32
      %c7 = arith.constant 7 : i32
      %i = pallas.axis_index "i"
      %t = pallas.axis_index "t"
      %all = pallas.get_global "all" : !pallas.ref<!pallas.semaphore, gmem>
      %own = pallas.slice_ref %s[%c2] : !pallas.ref<3x!pallas.semaphore, gmem>
      %first = arith.cmpi eq, %t, %c0 : i32
      %block0 = arith.cmpi eq, %i, %c0 : i32
      scf.if %first {
        %count = arith.addi %i, %c7 : i32
        pallas.semaphore_signal %own, %count : !pallas.ref<!pallas.semaphore, gmem>
        scf.if %block0 {
          pallas.semaphore_signal %all, %c7 : !pallas.ref<!pallas.semaphore, gmem>
        }
      } else {
        pallas.semaphore_wait %own, %c5 : !pallas.ref<!pallas.semaphore, gmem>
        %left = pallas.semaphore_read %own : !pallas.ref<!pallas.semaphore, gmem>
        %place = arith.addi %i, %c2 : i32
        pallas.swap %o[%place], %left : !pallas.ref<4xi32, gmem>, i32
        pallas.semaphore_wait %own, %left : !pallas.ref<!pallas.semaphore, gmem>
        scf.if %block0 {
          pallas.swap %o[0], %c5 : !pallas.ref<4xi32, gmem>, i32
        } else {
          pallas.semaphore_wait %all, %c7 {decrement = false} : !pallas.ref<!pallas.semaphore, gmem>
          %n = pallas.semaphore_read %all : !pallas.ref<!pallas.semaphore, gmem>
          pallas.swap %o[1], %n : !pallas.ref<4xi32, gmem>, i32
          pallas.semaphore_wait %all, %n : !pallas.ref<!pallas.semaphore, gmem>
        }
      }
    }
  }
  return %0 : tensor<4xi32>
}
