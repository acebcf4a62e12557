// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Updates of scalars, of elements that arrays name or masks select, and those that yield what was there go
// element by element, in code for lanes. atomics.py executes both stages.

// CHECK-LABEL: module @kernel

// A counter in global memory: one lane adds.
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: scf.for %{{.*}} = %[[LANE]] to %c1_i32 step %c128_i32
// CHECK: %[[COUNTER:.*]] = memref.cast
// CHECK-NEXT: "mosaic_gpu.custom_primitive"(%[[COUNTER]], %{{.*}}) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
// CHECK-NEXT: ^bb0(%[[PLACE:.*]]: memref<i32, {{.*}}>, %[[ONE:.*]]: i32):
// CHECK-NEXT: %[[WAS:.*]] = memref.atomic_rmw addi %[[ONE]], %[[PLACE]][] : (i32, memref<i32, {{.*}}>) -> i32
// CHECK-NEXT: mosaic_gpu.return %[[WAS]] : i32

// A histogram in shared memory: bins that the array names outside of it are left out.
// CHECK: scf.for %{{.*}} = %{{.*}} to %c256_i32 step %c128_i32
// CHECK: scf.if
// CHECK: in_transforms = {{\[\[\]\]}}
// CHECK: memref.atomic_rmw addi

// Maxima under a mask yield the old values.
// CHECK: %[[MOST:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK: memref.atomic_rmw maximumf
// CHECK: memref.store %[[MOST]], %{{.*}}[] : memref<f32
// CHECK: "mosaic_gpu.vector_load"

// Every second element is exchanged, and a lock is taken.
// CHECK: memref.atomic_rmw assign
// CHECK: memref.generic_atomic_rmw %{{.*}}[] : memref<i32, {{.*}}> {
// CHECK-NEXT: ^bb0(%[[CURRENT:.*]]: i32):
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[CURRENT]], %{{.*}} : i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.select %[[IS]], %{{.*}}, %[[CURRENT]] : i32
// CHECK-NEXT: memref.atomic_yield %[[NEXT]] : i32
func.func @update(%bins: tensor<256xi32>, %x: tensor<128xf32>, %m: tensor<128xi1>, %zeros: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<128xi32>, tensor<128xf32>, tensor<128xf32>, tensor<64xf32>) {
  %0:5 = pallas.mpmd_map
      in(%bins : tensor<256xi32>)
      in(%x : tensor<128xf32>)
      in(%m : tensor<128xi1>)
      in(%zeros : tensor<4xi32>)
      out(tensor<4xi32>)
      out(tensor<128xi32>)
      out(tensor<128xf32>)
      out(tensor<128xf32>)
      out(tensor<64xf32>)
      aliases [3 -> 0]
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%b: !pallas.ref<256xi32, gmem>, %g: !pallas.ref<128xf32, gmem>, %mask: !pallas.ref<128xi1, gmem>,
          %z: !pallas.ref<4xi32, gmem>, %count: !pallas.ref<4xi32, gmem>, %hist: !pallas.ref<128xi32, gmem>, %most: !pallas.ref<128xf32, gmem>,
          %olds: !pallas.ref<128xf32, gmem>, %halves: !pallas.ref<64xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<128xi32, smem>, %t: !pallas.ref<128xf32, smem>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c9 = arith.constant 9 : i32
      %i = pallas.axis_index "i"
      pallas.atomic_rmw <add> %count[%c1], %c1 : !pallas.ref<4xi32, gmem>, i32
      %first = arith.cmpi eq, %i, %c0 : i32
      scf.if %first {
        %none = arith.constant dense<0> : tensor<128xi32>
        %ones = arith.constant dense<1> : tensor<256xi32>
        %places = pallas.get %b[...] : !pallas.ref<256xi32, gmem>
        pallas.swap %s[...], %none : !pallas.ref<128xi32, smem>, tensor<128xi32>
        pallas.addupdate %s[gather(%places : tensor<256xi32>)], %ones : !pallas.ref<128xi32, smem>, tensor<256xi32>
        %counts = pallas.get %s[...] : !pallas.ref<128xi32, smem>
        pallas.swap %hist[...], %counts : !pallas.ref<128xi32, gmem>, tensor<128xi32>
        %v = pallas.get %g[...] : !pallas.ref<128xf32, gmem>
        %k = pallas.get %mask[...] : !pallas.ref<128xi1, gmem>
        %half = arith.constant dense<0.5> : tensor<128xf32>
        pallas.swap %t[...], %half : !pallas.ref<128xf32, smem>, tensor<128xf32>
        %old = pallas.atomic_rmw <max> %t[...], %v mask %k : !pallas.ref<128xf32, smem>, tensor<128xf32>, tensor<128xi1>
        %new = pallas.get %t[...] : !pallas.ref<128xf32, smem>
        pallas.swap %most[...], %new : !pallas.ref<128xf32, gmem>, tensor<128xf32>
        pallas.swap %olds[...], %old : !pallas.ref<128xf32, gmem>, tensor<128xf32>
        %w = arith.constant dense<7.0> : tensor<64xf32>
        %were = pallas.atomic_rmw <xchg> %t[ds(0, 64, 2)], %w : !pallas.ref<128xf32, smem>, tensor<64xf32>
        pallas.swap %halves[...], %were : !pallas.ref<64xf32, gmem>, tensor<64xf32>
        %free = pallas.atomic_cas %count[2], %c0, %c9 : !pallas.ref<4xi32, gmem>, i32
        %taken = pallas.atomic_cas %count[2], %c0, %c1 : !pallas.ref<4xi32, gmem>, i32
        %sum = arith.addi %free, %taken : i32
        pallas.swap %count[3], %sum : !pallas.ref<4xi32, gmem>, i32
      }
    }
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<4xi32>, tensor<128xi32>, tensor<128xf32>, tensor<128xf32>, tensor<64xf32>
}
