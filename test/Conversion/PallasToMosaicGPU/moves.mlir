// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Elements change lanes by way of shared memory: each lane takes every 128th
// one. Values loaded from shared memory are read where they lie.

// CHECK-LABEL: module @kernel
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{.*}}[0, 0, 0] [1, 8, 16] [1, 1, 1]
// CHECK: %[[CAST:.*]] = memref.cast %[[SUBVIEW]]
// CHECK: nvvm.mbarrier.try_wait.parity
// Memory of single elements has no tiles.
// CHECK: %[[X:.*]] = "mosaic_gpu.with_transforms"(%[[CAST]]) <{transforms = []}>
// The memory of the transposed elements.
// CHECK: %[[SLICE:.*]] = "mosaic_gpu.slice_smem"() <{alias_id = 0 : i32, offset = {{.*}} : i32}> : () -> memref<16x8xf32,
// CHECK: %[[T:.*]] = "mosaic_gpu.with_transforms"(%[[SLICE]]) <{transforms = []}>
// CHECK: llvm.inline_asm has_side_effects "bar.sync $0, 128;"
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c128_i32 : i32
// CHECK: scf.for %[[P:.*]] = %[[LANE]] to %c128_i32 step %c128_i32
// CHECK: %[[COLUMN:.*]] = arith.remui %[[P]], %c8_i32 : i32
// CHECK: %[[J:.*]] = arith.index_cast %[[COLUMN]] : i32 to index
// CHECK: %[[ROW:.*]] = arith.divui %[[P]], %c8_i32 : i32
// CHECK: %[[I:.*]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK: %[[FROM:.*]] = memref.subview %[[X]][%[[J]], %[[I]]] [1, 1] [1, 1] : {{.*}} to memref<f32, strided<[], offset: ?>
// CHECK: %[[E:.*]] = memref.load %[[FROM]][]
// CHECK: %[[TO:.*]] = memref.subview %[[T]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK: memref.store %[[E]], %[[TO]][]
// CHECK: llvm.inline_asm has_side_effects "bar.sync $0, 128;"
// CHECK: "mosaic_gpu.vector_load"(%[[T]])
// The row of each place is read by the loop itself.
// CHECK: arith.maxsi
// The place of the greatest element is carried by a loop of one lane.
// CHECK: %{{.*}}:2 = scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(
// Parts are written side by side.
// CHECK: memref.subview %{{.*}}[8, 0] [8, 16] [1, 1]
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[2, 4] [4, 8] [1, 1]
// CHECK: "mosaic_gpu.vector_load"(%[[PART]])
// CHECK-NOT: linalg
func.func @moves(%x: tensor<8x16xf32>, %i: tensor<4x16xi32>) -> (tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<8xi32>, tensor<16x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0:8 = pallas.pallas_call grid(1)
    in(%x : tensor<8x16xf32>) block<[8, 16], default>
    in(%i : tensor<4x16xi32>) block<[4, 16], default>
    out(tensor<16x8xf32>) block<[16, 8], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<4x16xf32>) block<[4, 16], default>
    out(tensor<8xi32>) block<[8], default>
    out(tensor<16x16xf32>) block<[16, 16], default>
    out(tensor<4x8xf32>) block<[4, 8], default>
    out(tensor<4x8xf32>) block<[4, 8], default>
    kernel(%xr: !pallas.ref<8x16xf32, default>, %ir: !pallas.ref<4x16xi32, default>, %tr: !pallas.ref<16x8xf32, default>, %rr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>, %ar: !pallas.ref<4x16xf32, default>, %mr: !pallas.ref<8xi32, default>, %cr: !pallas.ref<16x16xf32, default>, %pr: !pallas.ref<4x8xf32, default>, %sr: !pallas.ref<4x8xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %transposed = pallas.transpose %v, [1, 0] : tensor<8x16xf32>
    pallas.swap %tr[...], %transposed : !pallas.ref<16x8xf32, default>, tensor<16x8xf32>
    %reversed = pallas.rev %v dims [1] : tensor<8x16xf32>
    pallas.swap %rr[...], %reversed : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    %c3 = arith.constant 3 : i32
    %rolled = pallas.roll %v by %c3 dim 1 : tensor<8x16xf32>
    pallas.swap %or[...], %rolled : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    %at = pallas.get %ir[...] : !pallas.ref<4x16xi32, default>
    %taken = pallas.take_along %v at %at dim 0 : tensor<8x16xf32>, tensor<4x16xi32> -> tensor<4x16xf32>
    pallas.swap %ar[...], %taken : !pallas.ref<4x16xf32, default>, tensor<4x16xf32>
    %most = pallas.arg_reduce <max> %v dim 1 to i32 : tensor<8x16xf32>
    pallas.swap %mr[...], %most : !pallas.ref<8xi32, default>, tensor<8xi32>
    %both = tensor.concat dim(0) %v, %reversed : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    pallas.swap %cr[...], %both : !pallas.ref<16x16xf32, default>, tensor<16x16xf32>
    %part = tensor.extract_slice %v[2, 4] [4, 8] [1, 1] : tensor<8x16xf32> to tensor<4x8xf32>
    pallas.swap %pr[...], %part : !pallas.ref<4x8xf32, default>, tensor<4x8xf32>
    %apart = tensor.extract_slice %v[1, 0] [4, 8] [2, 2] : tensor<8x16xf32> to tensor<4x8xf32>
    pallas.swap %sr[...], %apart : !pallas.ref<4x8xf32, default>, tensor<4x8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<8xi32>, tensor<16x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
