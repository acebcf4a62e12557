// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The bug: scalar units know 32 bits only, but the compiler for TPUs joins and compares narrow scalars for
// extended ones. They have no power and no count of bits either.

// CHECK-LABEL: func.func @bytes
// CHECK: %[[A:.*]] = vector.extract %{{.*}} : i32 from
// CHECK: %[[B:.*]] = vector.extract %{{.*}} : i32 from
// CHECK: %[[UPPER:.*]] = arith.shli %[[A]], %c24_i32
// CHECK: %[[WIDE:.*]] = arith.shrsi %[[UPPER]], %c24_i32
// CHECK: %[[OTHER:.*]] = arith.shrsi
// CHECK: arith.andi %[[WIDE]], %[[OTHER]] : i32
// CHECK-NOT: arith.cmpi {{.*}} : i8
// CHECK: arith.cmpi eq, %{{.*}} : i32
// CHECK-NOT: math.ctpop
// CHECK: arith.shrui
func.func @f(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %o = pallas.pallas_call @bytes grid()
      in(%x : tensor<32x128xi8>) block<[32, 128], vmem>
      out(tensor<32x128xi8>) block<[32, 128], vmem>
      kernel(%xr: !pallas.ref<32x128xi8, vmem>, %or: !pallas.ref<32x128xi8, vmem>) {
    %a = pallas.get %xr[0, 0] : !pallas.ref<32x128xi8, vmem>
    %b = pallas.get %xr[1, 0] : !pallas.ref<32x128xi8, vmem>
    %both = arith.andi %a, %b : i8
    %same = arith.cmpi eq, %both, %b : i8
    %bits = math.ctpop %both : i8
    %r = arith.select %same, %bits, %a : i8
    %all = pallas.broadcast %r : i8 -> tensor<32x128xi8>
    pallas.swap %or[...], %all : !pallas.ref<32x128xi8, vmem>, tensor<32x128xi8>
  }
  return %o : tensor<32x128xi8>
}

// CHECK-LABEL: func.func @halves
// CHECK: arith.select %{{.*}} : f32
// CHECK: math.powf %{{.*}} : vector<1x1xf32>
func.func @g(%x: tensor<16x128xbf16>) -> tensor<16x128xbf16> {
  %o = pallas.pallas_call @halves grid()
      in(%x : tensor<16x128xbf16>) block<[16, 128], vmem>
      out(tensor<16x128xbf16>) block<[16, 128], vmem>
      kernel(%xr: !pallas.ref<16x128xbf16, vmem>, %or: !pallas.ref<16x128xbf16, vmem>) {
    %a = pallas.get %xr[0, 0] : !pallas.ref<16x128xbf16, vmem>
    %b = pallas.get %xr[1, 0] : !pallas.ref<16x128xbf16, vmem>
    %less = arith.cmpf olt, %a, %b : bf16
    %least = arith.select %less, %a, %b : bf16
    %power = math.powf %least, %b : bf16
    %all = pallas.broadcast %power : bf16 -> tensor<16x128xbf16>
    pallas.swap %or[...], %all : !pallas.ref<16x128xbf16, vmem>, tensor<16x128xbf16>
  }
  return %o : tensor<16x128xbf16>
}
