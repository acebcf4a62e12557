// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// All lanes update a scalar: none stores the next value before all have read
// the last one, and none reads before it is stored.

// CHECK-LABEL: module @kernel
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: %[[NEW:.*]] = arith.addi %[[OLD]]
// CHECK: bar.sync $0, 128
// CHECK-NEXT: memref.store %[[NEW]]
// CHECK-NEXT: {{.*}}bar.sync $0, 128
func.func @scalars(%n: tensor<4xi32>) -> tensor<128xi32> {
  %0 = pallas.pallas_call grid()
      in(%n : tensor<4xi32>) block<[4], default>
      out(tensor<128xi32>) block<[128], default>
      kernel(%nr: !pallas.ref<4xi32, default>, %or: !pallas.ref<128xi32, default>) {
    %zeros = arith.constant dense<0> : tensor<128xi32>
    pallas.swap %or[...], %zeros : !pallas.ref<128xi32, default>, tensor<128xi32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    scf.for %i = %c0 to %c5 step %c1 : i32 {
      %old = pallas.get %or[0] : !pallas.ref<128xi32, default>
      %new = arith.addi %old, %i : i32
      pallas.swap %or[0], %new : !pallas.ref<128xi32, default>, i32
    }
  }
  return %0 : tensor<128xi32>
}

// Lanes that only write don't wait: the last value is the same in all of them.

// CHECK-LABEL: module @written
// CHECK-NOT: bar.sync
// CHECK: memref.store
// CHECK-NOT: bar.sync
// CHECK: gpu.terminator
func.func @numbers() -> tensor<4xi32> {
  %0 = pallas.mpmd_map
    out(tensor<4xi32>)
    kernel @written on <gpu, [<grid "i" = 4>]>(%or: !pallas.ref<4xi32, gmem>) {
    %i = pallas.axis_index "i"
    pallas.swap %or[%i], %i : !pallas.ref<4xi32, gmem>, i32
  }
  return %0 : tensor<4xi32>
}

// An output that is an input, too, may be read as that.

// CHECK-LABEL: module @aliased
// CHECK: bar.sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: {{.*}}bar.sync
func.func @in_place(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<4xi32>)
    out(tensor<4xi32>)
    aliases [0 -> 0]
    kernel @aliased on <gpu, [<grid "i" = 4>]>(%xr: !pallas.ref<4xi32, gmem>, %or: !pallas.ref<4xi32, gmem>) {
    %i = pallas.axis_index "i"
    %old = pallas.get %xr[%i] : !pallas.ref<4xi32, gmem>
    %new = arith.addi %old, %i : i32
    pallas.swap %or[%i], %new : !pallas.ref<4xi32, gmem>, i32
  }
  return %0 : tensor<4xi32>
}
