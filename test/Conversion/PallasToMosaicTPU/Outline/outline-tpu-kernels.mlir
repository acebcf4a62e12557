// RUN: pallas-opt %s --pallas-outline-tpu-kernels=chip=v6e | FileCheck %s
// RUN: pallas-opt %s --pallas-outline-tpu-kernels=chip=v6e --convert-pallas-to-mosaic-tpu | FileCheck %s --check-prefix=BODY
// RUN: pallas-opt %s --pallas-outline-tpu-kernels --convert-pallas-to-mosaic-tpu --tpu-strip-target \
// RUN:   | pallas-opt --pallas-to-mosaic-tpu | FileCheck %s --check-prefix=TWICE
// RUN: not pallas-opt %s --convert-pallas-to-mosaic-tpu 2>&1 | FileCheck %s --check-prefix=UNPREPARED
// RUN: not pallas-opt %s --pallas-outline-tpu-kernels=chip=v1 2>&1 | FileCheck %s --check-prefix=CHIP

// UNPREPARED: error: 'pallas.pallas_call' op is no kernel module yet; run pallas-outline-tpu-kernels before
// CHIP: error: chip 'v1' is unknown; use v4, v5e, v5p, v6e, tpu7x

// The kernel gets a module, with the grid as its first arguments. Its body is
// still that of the pallas dialect.
// CHECK: module @scale attributes {
// CHECK-SAME: tpu.target = "v6e"
// CHECK: func.func @scale(%[[I:[^:]*]]: i32, %[[X:[^:]*]]: memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: %[[REF:.*]] = builtin.unrealized_conversion_cast %[[X]] : memref<8x128xf32, #tpu.memory_space<vmem>> to !pallas.ref<8x128xf32, vmem>
// CHECK: pallas.get %[[REF]][...]
// CHECK: arith.sitofp %[[I]]
// CHECK: func.func @transform_0
// CHECK: func.func private @scale_call{{.*}} attributes {tpu.kernel = @scale}
// CHECK: call @scale_call

// BODY: func.func @scale(
// BODY-NOT: pallas.
// BODY: vector.load
// BODY: arith.mulf {{.*}} : vector<8x128xf32>
// BODY: tpu.vector_store

// Nothing changes what has been lowered: no loop is unrolled.
// TWICE-NOT: tpu.target
// TWICE: scf.for
func.func @f(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call @scale grid(2)
      in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %i = pallas.program_id 0
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %f = arith.sitofp %i : i32 to f32
    %all = pallas.broadcast %f : f32 -> tensor<8x128xf32>
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %v) -> tensor<8x128xf32> : i32 {
      %t = arith.mulf %s, %all : tensor<8x128xf32>
      scf.yield %t : tensor<8x128xf32>
    }
    pallas.swap %or[...], %r : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<16x128xf32>
}
