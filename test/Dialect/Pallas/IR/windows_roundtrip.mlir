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

// CHECK-LABEL: func.func @arrays(
func.func @arrays(%x: tensor<10xf32>, %s: tensor<2x!pallas.semaphore>, %i: i32) -> tensor<10xf32> {
  // CHECK: %[[A:.*]] = pallas.operand_ref "input 0" %{{.*}} : tensor<10xf32> -> !pallas.ref<10xf32, any>
  %a = pallas.operand_ref "input 0" %x : tensor<10xf32> -> !pallas.ref<10xf32, any>
  // CHECK: %[[S:.*]] = pallas.operand_ref "input 1" %{{.*}} : tensor<2x!pallas.semaphore> -> !pallas.ref<2x!pallas.semaphore, any>
  %t = pallas.operand_ref "input 1" %s : tensor<2x!pallas.semaphore> -> !pallas.ref<2x!pallas.semaphore, any>
  // CHECK: pallas.result_ref "output 0" : !pallas.ref<10xf32, any>
  %o = pallas.result_ref "output 0" : !pallas.ref<10xf32, any>
  // CHECK: pallas.result_ref "output 1" of %[[A]] as !pallas.ref<10xf32, any> hidden : !pallas.ref<10xf32, any>
  %p = pallas.result_ref "output 1" of %a as !pallas.ref<10xf32, any> hidden : !pallas.ref<10xf32, any>
  // CHECK: pallas.pad_ref %{{.*}} low [0] uninitialized : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
  %q = pallas.pad_ref %o low [0] uninitialized : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
  // CHECK: pallas.share_refs %[[A]], %[[S]] : !pallas.ref<10xf32, any>, !pallas.ref<2x!pallas.semaphore, any>
  pallas.share_refs %a, %t : !pallas.ref<10xf32, any>, !pallas.ref<2x!pallas.semaphore, any>
  // CHECK: pallas.edge_window %[[A]][%{{.*}} : i32] block<[8], vmem> copied filled : !pallas.ref<10xf32, any>
  %v = pallas.edge_window %a[%i : i32] block<[8], vmem> copied filled : !pallas.ref<10xf32, any>
  // CHECK: %[[W:.*]] = pallas.edge_window %{{.*}}[%{{.*}} : i32] block<[8], vmem> output : !pallas.ref<10xf32, any>
  %w = pallas.edge_window %o[%i : i32] block<[8], vmem> output : !pallas.ref<10xf32, any>
  // CHECK: pallas.write_edge %[[W]] : !pallas.ref<8xf32, vmem>
  pallas.write_edge %w : !pallas.ref<8xf32, vmem>
  // CHECK: pallas.unshare_refs %[[A]] together : !pallas.ref<10xf32, any>
  pallas.unshare_refs %a together : !pallas.ref<10xf32, any>
  // CHECK: pallas.unshare_refs %[[S]] : !pallas.ref<2x!pallas.semaphore, any>
  pallas.unshare_refs %t : !pallas.ref<2x!pallas.semaphore, any>
  // CHECK: pallas.ref_value %{{.*}} : !pallas.ref<10xf32, any> -> tensor<10xf32>
  %r = pallas.ref_value %o : !pallas.ref<10xf32, any> -> tensor<10xf32>
  return %r : tensor<10xf32>
}
