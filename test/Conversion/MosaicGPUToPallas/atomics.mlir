// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s

// Code for lanes that updates elements is an atomic update of the pallas dialect.

// CHECK-LABEL: func.func @updates(
// CHECK: scf.for
// CHECK: %[[AT:.*]] = pallas.slice_ref
// CHECK: %[[OLD:.*]] = pallas.atomic_rmw <add> %[[AT]][...], %{{.*}} : !pallas.ref<i32, gmem>, i32
// CHECK: %[[ELSE:.*]] = pallas.atomic_cas %[[AT]][...], %[[OLD]], %{{.*}} : !pallas.ref<i32, gmem>, i32
// CHECK: pallas.atomic_rmw <umax> %[[AT]][...], %[[ELSE]]
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  func.func @updates_mosaic_gpu(%o: memref<256xi32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %n = arith.constant 256 : i32
    %step = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %lane = arith.remui %t, %step : i32
      scf.for %i = %lane to %n step %step : i32 {
        %j = arith.index_cast %i : i32 to index
        %e = memref.subview %o[%j] [1] [1] : memref<256xi32> to memref<i32, strided<[], offset: ?>>
        %0 = "mosaic_gpu.custom_primitive"(%e, %i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
        ^bb0(%m: memref<i32, strided<[], offset: ?>>, %v: i32):
          %old = memref.atomic_rmw addi %v, %m[] : (i32, memref<i32, strided<[], offset: ?>>) -> i32
          mosaic_gpu.return %old : i32
        }) : (memref<i32, strided<[], offset: ?>>, i32) -> i32
        %1 = "mosaic_gpu.custom_primitive"(%e, %0, %i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
        ^bb0(%m: memref<i32, strided<[], offset: ?>>, %expected: i32, %v: i32):
          %old = memref.generic_atomic_rmw %m[] : memref<i32, strided<[], offset: ?>> {
          ^bb0(%current: i32):
            %is = arith.cmpi eq, %current, %expected : i32
            %next = arith.select %is, %v, %current : i32
            memref.atomic_yield %next : i32
          }
          mosaic_gpu.return %old : i32
        }) : (memref<i32, strided<[], offset: ?>>, i32, i32) -> i32
        %2 = memref.atomic_rmw maxu %1, %e[] : (i32, memref<i32, strided<[], offset: ?>>) -> i32
      }
      gpu.terminator
    }
    return
  }
}
