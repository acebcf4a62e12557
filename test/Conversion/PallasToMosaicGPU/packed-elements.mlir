// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu | pallas-opt --pass-pipeline="builtin.module(builtin.module(convert-mosaic-gpu-to-pallas))" | FileCheck %s --check-prefix=RAISED

// Two i4 share a byte. Code for lanes takes one out of it, and raising knows that code. Vectors that begin with a byte are
// loaded as they are. packed-elements.py executes both stages.

// CHECK-LABEL: module @quantized
// CHECK: %[[ONE:.*]] = memref.subview %{{.*}} : memref<8xi4> to memref<i4, {{.*}}>
// CHECK: "mosaic_gpu.custom_primitive"(%[[ONE]])
// CHECK-NEXT: ^bb0(%[[E:.*]]: memref<i4, {{.*}}>):
// CHECK-DAG: %{{.*}}, %[[NUMBER:.*]] = memref.extract_strided_metadata %[[E]]
// CHECK-DAG: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[E]]
// CHECK-DAG: %[[BYTE:.*]] = arith.shrui %[[NUMBER]], %{{.*}} : index
// CHECK: %[[SUM:.*]] = arith.addi %[[START]], %[[BYTE]] : index
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
// CHECK: %[[PAIR:.*]] = llvm.load %[[POINTER]] : !llvm.ptr -> i8
// CHECK: %[[HALF:.*]] = arith.shrui %[[PAIR]], %{{.*}} : i8
// CHECK: %[[OWN:.*]] = arith.trunci %[[HALF]] : i8 to i4
// CHECK: mosaic_gpu.return %[[OWN]] : i4

// CHECK: "mosaic_gpu.vector_load"(%{{.*}}) : (memref<8x64xi4, strided<[256, 1], offset: ?>>) -> vector<8x64xi4>

// CHECK: scf.for
// CHECK: "mosaic_gpu.custom_primitive"
// CHECK: memref.store %{{.*}} : memref<i8, {{.*}}>

// RAISED-LABEL: pallas.mpmd_map
// RAISED-NOT: custom_primitive
// RAISED: pallas.get {{.*}} : !pallas.ref<i4, gmem>
func.func @quantized(%x: tensor<8x256xi4>, %z: tensor<8xi4>, %i: tensor<64xi32>, %m: tensor<32xi1>)
    -> (tensor<4x32xf32>, tensor<4x8x64xf32>, tensor<64xf32>, tensor<4x32xf32>) {
  %0:4 = pallas.mpmd_map
      in(%x : tensor<8x256xi4>)
      in(%z : tensor<8xi4>)
      in(%i : tensor<64xi32>)
      in(%m : tensor<32xi1>)
      out(tensor<4x32xf32>)
      out(tensor<4x8x64xf32>)
      out(tensor<64xf32>)
      out(tensor<4x32xf32>)
      kernel @quantized on <gpu, [<grid "i" = 4>]> (%xr: !pallas.ref<8x256xi4, gmem>, %zr: !pallas.ref<8xi4, gmem>, %ir: !pallas.ref<64xi32, gmem>, %mr: !pallas.ref<32xi1, gmem>,
          %a: !pallas.ref<4x32xf32, gmem>, %b: !pallas.ref<4x8x64xf32, gmem>, %c: !pallas.ref<64xf32, gmem>, %d: !pallas.ref<4x32xf32, gmem>) {
    %p = pallas.axis_index "i"
    %z1 = pallas.get %zr[%p] : !pallas.ref<8xi4, gmem>
    %zf = arith.sitofp %z1 : i4 to f32
    %zs = tensor.splat %zf : tensor<32xf32>
    // Few elements, and those of odd places.
    %few = pallas.get %xr[%p, ds(%p, 32)] : !pallas.ref<8x256xi4, gmem>
    %fewf = arith.sitofp %few : tensor<32xi4> to tensor<32xf32>
    %less = arith.subf %fewf, %zs : tensor<32xf32>
    pallas.swap %a[%p, :], %less : !pallas.ref<4x32xf32, gmem>, tensor<32xf32>
    // Bytes from a place that is known at run time only.
    %c64 = arith.constant 64 : i32
    %start = arith.muli %p, %c64 : i32
    %block = pallas.get %xr[:, ds(%start, 64)] : !pallas.ref<8x256xi4, gmem>
    %blockf = arith.sitofp %block : tensor<8x64xi4> to tensor<8x64xf32>
    pallas.swap %b[%p, :, :], %blockf : !pallas.ref<4x8x64xf32, gmem>, tensor<8x64xf32>
    // Elements that an array names.
    %index = pallas.get %ir[...] : !pallas.ref<64xi32, gmem>
    %named = pallas.get %xr[2, gather(%index : tensor<64xi32>)] : !pallas.ref<8x256xi4, gmem>
    %namedf = arith.sitofp %named : tensor<64xi4> to tensor<64xf32>
    pallas.swap %c[...], %namedf : !pallas.ref<64xf32, gmem>, tensor<64xf32>
    // Elements of a view that a mask selects.
    %view = pallas.slice_ref %xr[:, ds(%p, 33)] : !pallas.ref<8x256xi4, gmem>
    %mask = pallas.get %mr[...] : !pallas.ref<32xi1, gmem>
    %other = arith.constant dense<-3> : tensor<32xi4>
    %chosen = pallas.masked_load %view[%p, ds(1, 32)] mask %mask other %other : !pallas.ref<8x33xi4, gmem>, tensor<32xi1>, other tensor<32xi4>
    %chosenf = arith.sitofp %chosen : tensor<32xi4> to tensor<32xf32>
    pallas.swap %d[%p, :], %chosenf : !pallas.ref<4x32xf32, gmem>, tensor<32xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x32xf32>, tensor<4x8x64xf32>, tensor<64xf32>, tensor<4x32xf32>
}
