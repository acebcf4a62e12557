// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s -mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s -emit-bytecode | pallas-opt | FileCheck %s

// CHECK-LABEL: func.func @windows(
func.func @windows(%x: !pallas.ref<16x256xf32, hbm>, %y: !pallas.ref<12xi32, any>, %i: i32, %j: index, %k: i64) {
  // CHECK: %[[A:.*]] = pallas.window %{{.*}}[%{{.*}}, %{{.*}} : i32, index] block<[8, squeezed], vmem> : !pallas.ref<16x256xf32, hbm>
  // CHECK: pallas.get %[[A]][...] : !pallas.ref<8xf32, vmem>
  %a = pallas.window %x[%i, %j : i32, index] block<[8, squeezed], vmem> : !pallas.ref<16x256xf32, hbm>
  %v = pallas.get %a[...] : !pallas.ref<8xf32, vmem>
  // CHECK: pallas.window %{{.*}}[%{{.*}} : i64] block<[element<4, 1, 1>], smem, pipeline = <2>> : !pallas.ref<12xi32, any>
  %b = pallas.window %y[%k : i64] block<[element<4, 1, 1>], smem, pipeline = <2>> : !pallas.ref<12xi32, any>
  return
}

// CHECK-LABEL: func.func @scalar(
func.func @scalar(%x: !pallas.ref<f32, any>) {
  // CHECK: pallas.window %{{.*}}[] block<[], smem> : !pallas.ref<f32, any>
  %a = pallas.window %x[] block<[], smem> : !pallas.ref<f32, any>
  return
}

// CHECK-LABEL: func.func @padding(
func.func @padding(%x: !pallas.ref<10x128xf32, any>) {
  // CHECK: %[[P:.*]] = pallas.pad_ref %[[X:.*]] low [1, 0] : !pallas.ref<10x128xf32, any> -> !pallas.ref<12x128xf32, any>
  %p = pallas.pad_ref %x low [1, 0] : !pallas.ref<10x128xf32, any> -> !pallas.ref<12x128xf32, any>
  // CHECK: pallas.unpad_ref %[[P]] low [1, 0] to %[[X]] : !pallas.ref<12x128xf32, any>, !pallas.ref<10x128xf32, any>
  pallas.unpad_ref %p low [1, 0] to %x : !pallas.ref<12x128xf32, any>, !pallas.ref<10x128xf32, any>
  return
}
