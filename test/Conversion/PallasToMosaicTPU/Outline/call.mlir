// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu=coarsen=off | FileCheck %s
// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu="chip=v6e coarsen=off" | FileCheck %s

// A pipelined kernel: windows, transforms, scratch memory, an accumulator that
// goes into the product, and no load of an old value that nobody asked for.

// CHECK-LABEL: module @matmul attributes {tpu.custom_call = {name = "matmul", operands = [tensor<512x256xf32>, tensor<256x512xf32>], results = [tensor<512x512xf32>]}}
// CHECK: func.func @matmul(%[[I:.*]]: i32, %[[J:.*]]: i32, %[[K:.*]]: i32,
// CHECK-SAME: dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>]
// CHECK-SAME: iteration_bounds = array<i64: 4, 4, 2>
// CHECK-SAME: scalar_prefetch = 0 : i64, scratch_operands = 1 : i64
// CHECK-SAME: tpu.core_type = #tpu.core_type<tc>
// CHECK-SAME: transform_indices = @transform_0, window_bounds = array<i64: 128, 128>
// CHECK: scf.if
// CHECK-NOT: vector.load
// CHECK: tpu.vector_store
// CHECK: %[[ACC:[0-9]+]] = vector.load %arg6[
// CHECK: tpu.matmul %{{.*}}, %{{.*}}, %[[ACC]] {
// CHECK-NOT: arith.addf
// CHECK: func.func @transform_0(%[[A:.*]]: i32, %{{.*}}: i32, %[[C:.*]]: i32) -> (i32, i32)
// CHECK-NEXT: return %[[A]], %[[C]]
// CHECK: func.func private @matmul_call(tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32> attributes {tpu.kernel = @matmul}
// CHECK: func.func @f
// CHECK: call @matmul_call
func.func @f(%x: tensor<512x256xf32>, %y: tensor<256x512xf32>) -> tensor<512x512xf32> {
  %o = pallas.pallas_call @matmul grid(4, 4, 2)
      in(%x : tensor<512x256xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)
      in(%y : tensor<256x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%k, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %j)
      semantics [parallel, parallel, arbitrary]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %yr: !pallas.ref<128x128xf32, vmem>,
             %or: !pallas.ref<128x128xf32, vmem>, %acc: !pallas.ref<128x128xf32, vmem>) {
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<128x128xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<128x128xf32, vmem>
    %old = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
      : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    pallas.swap %acc[...], %new : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    pallas.swap %or[...], %new : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return %o : tensor<512x512xf32>
}

// -----

// A block that isn't made of whole tiles: the host cuts the array, and the
// window is whole in its last two dimensions.

// CHECK-LABEL: module @small
// CHECK: func.func @small(%{{.*}}: i32, %{{.*}}: i32, %[[X:[a-z0-9]+]]: memref<1x1x4x16xf32, #tpu.memory_space<vmem>>
// CHECK: vector.load %[[X]]
// CHECK-SAME: vector<1x1x4x16xf32>
// CHECK: vector.shape_cast %{{.*}} : vector<1x1x4x16xf32> to vector<4x16xf32>
// CHECK-LABEL: func.func @g
// CHECK: tensor.pad
// CHECK: pallas.reshape %{{.*}} : tensor<12x64xf32> -> tensor<3x4x4x16xf32>
// CHECK: pallas.transpose %{{.*}}, [0, 2, 1, 3]
// CHECK: call @small_call(%{{.*}}) : (tensor<3x4x4x16xf32>) -> tensor<3x4x4x16xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [10, 50] [1, 1]
func.func @g(%x: tensor<10x50xf32>) -> tensor<10x50xf32> {
  %o = pallas.pallas_call @small grid(3, 4)
      in(%x : tensor<10x50xf32>) block<[4, 16], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<10x50xf32>) block<[4, 16], vmem> map(%i, %j) -> (%i, %j)
      kernel(%xr: !pallas.ref<4x16xf32, vmem>, %or: !pallas.ref<4x16xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<4x16xf32, vmem>
    %b = arith.addf %a, %a : tensor<4x16xf32>
    pallas.swap %or[...], %b : !pallas.ref<4x16xf32, vmem>, tensor<4x16xf32>
  }
  return %o : tensor<10x50xf32>
}
