// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The last of three warpgroups is elsewhere, which the condition tells, so the
// others are inside: no start is tested. Bits of a number are not negative.

// CHECK-LABEL: module @warpgroups
// CHECK: scf.index_switch
// CHECK-NOT: arith.minsi
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1]
// CHECK: %[[BITS:.*]] = arith.andi
// CHECK-NOT: arith.select
// CHECK: %[[LAST:.*]] = arith.minsi %[[BITS]], %c128_i32
// CHECK-NOT: arith.maxsi
// CHECK: %[[AT:.*]] = arith.index_cast %[[LAST]]
// CHECK: memref.subview %{{.*}}[%[[AT]]] [128] [1]

func.func @rows(%x: tensor<2x128xf32>, %n: tensor<1xi32>, %y: tensor<256xf32>) -> tensor<2x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    in(%n : tensor<1xi32>)
    in(%y : tensor<256xf32>)
    out(tensor<2x128xf32>)
    kernel @warpgroups on <gpu, [<thread "wg" = 3>]>(%xr: !pallas.ref<2x128xf32, gmem>, %nr: !pallas.ref<1xi32, gmem>, %yr: !pallas.ref<256xf32, gmem>, %or: !pallas.ref<2x128xf32, gmem>) {
    %wg = pallas.axis_index "wg"
    %c2 = arith.constant 2 : i32
    %c0 = arith.constant 0 : i32
    %is_last = arith.cmpi eq, %wg, %c2 : i32
    %number = arith.extui %is_last : i1 to i32
    %branch = arith.cmpi ne, %number, %c0 : i32
    scf.if %branch {
    } else {
      // Asked for again, it is the same place.
      %row = pallas.axis_index "wg"
      %v = pallas.get %xr[%row, :] : !pallas.ref<2x128xf32, gmem>
      %count = pallas.get %nr[0] : !pallas.ref<1xi32, gmem>
      %c192 = arith.constant 192 : i32
      %bits = arith.andi %count, %c192 : i32
      %w = pallas.get %yr[ds(%bits, 128)] : !pallas.ref<256xf32, gmem>
      %sum = arith.addf %v, %w : tensor<128xf32>
      pallas.swap %or[%row, :], %sum : !pallas.ref<2x128xf32, gmem>, tensor<128xf32>
    }
  }
  return %0 : tensor<2x128xf32>
}
