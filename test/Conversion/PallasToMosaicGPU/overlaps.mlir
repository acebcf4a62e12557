// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A loop that writes elements of a ref doesn't read them from there: values,
// indices and masks that the ref has held are copied first.

// CHECK-LABEL: module @kernel
// CHECK: %[[O:.*]] = "mosaic_gpu.slice_smem"() <{offset = 2048 : i32}>
// CHECK: %[[K:.*]] = "mosaic_gpu.slice_smem"() <{offset = 4096 : i32}>
// The value.
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%[[O]])
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[V]] : vector<128xf32>)
// CHECK: %[[COPY:.*]] = "mosaic_gpu.with_transforms"({{.*}} -> memref<128xf32,
// CHECK: "mosaic_gpu.vector_store"(%[[L]], %[[COPY]])
// CHECK: bar.sync
// CHECK: scf.for
// CHECK: %[[FROM:.*]] = memref.subview %[[COPY]]
// CHECK: %[[E:.*]] = memref.load %[[FROM]]
// CHECK: %[[TO:.*]] = memref.subview %[[O]]
// CHECK: memref.store %[[E]], %[[TO]]
// Half of the ref, which is spread over all of it.
// CHECK: "mosaic_gpu.slice_smem"() <{alias_id = 1 : i32, {{.*}} -> memref<64xf32,
// CHECK: %[[HALF:.*]] = "mosaic_gpu.with_transforms"
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[HALF]])
// CHECK: scf.for
// CHECK: memref.subview %[[HALF]]
// The indices; the values come from other memory, which is not copied.
// CHECK: %[[I:.*]] = "mosaic_gpu.vector_load"(%[[K]])
// CHECK: %[[POSITIONS:.*]] = mosaic_gpu.layout_cast x(%[[I]] : vector<128xi32>)
// CHECK: %[[AT:.*]] = "mosaic_gpu.with_transforms"({{.*}} -> memref<128xi32,
// CHECK: "mosaic_gpu.vector_store"(%[[POSITIONS]], %[[AT]])
// CHECK-NOT: "mosaic_gpu.vector_store"
// CHECK: scf.for
// CHECK: memref.subview %[[AT]]
// A part that moves under a mask.
// CHECK: "mosaic_gpu.slice_smem"() <{alias_id = {{.*}} -> memref<100xf32,
// CHECK: %[[PART:.*]] = "mosaic_gpu.with_transforms"
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[PART]])
// CHECK: scf.for
// CHECK: memref.subview %[[PART]]
func.func @overlaps(%x: tensor<128xf32>, %i: tensor<128xi32>, %m: tensor<100xi1>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xi32>, tensor<128xf32>) {
  %0:4 = pallas.pallas_call grid(1)
    in(%x : tensor<128xf32>) block<[128], default>
    in(%i : tensor<128xi32>) block<[128], default>
    in(%m : tensor<100xi1>) block<[100], default>
    out(tensor<128xf32>) block<[128], default>
    out(tensor<128xf32>) block<[128], default>
    out(tensor<128xi32>) block<[128], default>
    out(tensor<128xf32>) block<[128], default>
    kernel(%xr: !pallas.ref<128xf32, default>, %ir: !pallas.ref<128xi32, default>, %mr: !pallas.ref<100xi1, default>, %scattered: !pallas.ref<128xf32, default>, %spread: !pallas.ref<128xf32, default>, %permuted: !pallas.ref<128xi32, default>, %moved: !pallas.ref<128xf32, default>) {
    %all = pallas.get %xr[...] : !pallas.ref<128xf32, default>
    %index = pallas.get %ir[...] : !pallas.ref<128xi32, default>
    pallas.swap %scattered[...], %all : !pallas.ref<128xf32, default>, tensor<128xf32>
    %v = pallas.get %scattered[...] : !pallas.ref<128xf32, default>
    pallas.swap %scattered[gather(%index : tensor<128xi32>)], %v : !pallas.ref<128xf32, default>, tensor<128xf32>
    pallas.swap %spread[...], %all : !pallas.ref<128xf32, default>, tensor<128xf32>
    %half = pallas.get %spread[ds(0, 64)] : !pallas.ref<128xf32, default>
    pallas.swap %spread[ds(0, 64, 2)], %half : !pallas.ref<128xf32, default>, tensor<64xf32>
    pallas.swap %permuted[...], %index : !pallas.ref<128xi32, default>, tensor<128xi32>
    %at = pallas.get %permuted[...] : !pallas.ref<128xi32, default>
    %j = pallas.get %ir[...] : !pallas.ref<128xi32, default>
    pallas.swap %permuted[gather(%at : tensor<128xi32>)], %j : !pallas.ref<128xi32, default>, tensor<128xi32>
    pallas.swap %moved[...], %all : !pallas.ref<128xf32, default>, tensor<128xf32>
    %mask = pallas.get %mr[...] : !pallas.ref<100xi1, default>
    %part = pallas.get %moved[ds(0, 100)] : !pallas.ref<128xf32, default>
    pallas.masked_swap %moved[ds(28, 100)], %part mask %mask : !pallas.ref<128xf32, default>, tensor<100xf32>, tensor<100xi1>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<128xf32>, tensor<128xf32>, tensor<128xi32>, tensor<128xf32>
}
