// RUN: pallas-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state --convert-pallas-to-linalg --split-input-file --verify-diagnostics \
// RUN:   | mlir-opt-22 --canonicalize --split-input-file -o /dev/null

!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// A copy happens where it starts; its barrier counts the arrival.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[X:.*]]: tensor<8xf16>, %[[Y:.*]]: tensor<8xf16>, %[[B:.*]]: i32, %[[P:.*]]: i1
func.func @copies(%x: !pallas.ref<8xf16, gmem>, %y: !pallas.ref<8xf16, smem>, %bar: !bar, %p: i1) -> i1 {
  // CHECK: %[[ONE:.*]] = arith.extui %[[P]] : i1 to i32
  // CHECK: %[[S:.*]] = arith.select %[[P]], %[[X]], %[[Y]] : tensor<8xf16>
  // CHECK: %[[C:.*]] = arith.addi %[[B]], %[[ONE]]
  pallas.copy_gmem_to_smem %x to %y signals %bar if %p : !pallas.ref<8xf16, gmem>, !pallas.ref<8xf16, smem>, !bar
  // CHECK: %[[D:.*]] = arith.addi %[[C]]
  pallas.barrier_arrive %bar : !bar
  // CHECK: %[[T:.*]] = arith.cmpi sge, %[[D]]
  // CHECK: %[[TAKEN:.*]] = arith.select %[[T]]
  // CHECK: %[[E:.*]] = arith.addi %[[D]], %[[TAKEN]]
  %done = pallas.barrier_test %bar : !bar
  // CHECK: %[[W:.*]] = arith.addi %[[E]]
  pallas.barrier_wait %bar : !bar
  pallas.commit_smem
  // CHECK: %[[A:.*]] = arith.addf %[[X]], %[[S]] : tensor<8xf16>
  pallas.copy_smem_to_gmem %y to %x {reduction = #pallas.atomic<add>} : !pallas.ref<8xf16, smem>, !pallas.ref<8xf16, gmem>
  pallas.wait_smem_to_gmem 0
  // CHECK: return %[[T]], %[[A]], %[[S]], %[[W]]
  return %done : i1
}

// -----

!acc = !pallas.ref<64x64xf32, tmem>
!m = !pallas.ref<64x64xf16, smem>

// CHECK-LABEL: func.func @tensor_memory
func.func @tensor_memory(%a: !m, %b: !m, %onto: i1) -> tensor<64x64xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]]
  // CHECK: %[[R:.*]] = pallas.dot_general %{{.*}}, %{{.*}} acc %[[S]] contract [1] x [0]
  // CHECK: return %[[R]]
  %v = pallas.run_scoped (%acc: !acc) -> tensor<64x64xf32> {
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto : !acc, !m, !m
    %r = pallas.async_load_tmem %acc : !acc -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.yield %r : tensor<64x64xf32>
  }
  return %v : tensor<64x64xf32>
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!places = !pallas.ref<128x64xi2, tmem>
!tiles = !pallas.ref<1x1x128x64xi2, smem>
!half = !pallas.ref<128x64xf16, smem>
!m = !pallas.ref<128x64xf16, smem>

// A sparse operand gets its zeros: element i of four is the one whose place is i.
// CHECK-LABEL: func.func @sparse
func.func @sparse(%a: !half, %b: !m, %t: !tiles, %onto: i1) -> tensor<128x64xf32> {
  // CHECK: %[[T:.*]] = pallas.transpose %{{.*}}, [0, 2, 1, 3] : tensor<1x1x128x64xi2>
  // CHECK: %[[P:.*]] = pallas.reshape %[[T]] : tensor<1x128x1x64xi2> -> tensor<128x64xi2>
  // CHECK: pallas.transpose %{{.*}}, [0, 1, 6, 3, 4, 5, 2, 7] : tensor<1x8x2x8x1x4x2x8xi2>
  // CHECK: arith.extui
  // CHECK: %[[I:.*]] = pallas.iota 2 : tensor<128x32x4xi32>
  // CHECK-COUNT-2: arith.cmpi eq, %{{.*}}, %[[I]]
  // CHECK: %[[L:.*]] = pallas.reshape %{{.*}} : tensor<128x32x4xf16> -> tensor<128x128xf16>
  // CHECK: pallas.dot_general %[[L]], %{{.*}} acc %{{.*}} contract [1] x [0]
  %v = pallas.run_scoped (%acc: !acc, %p: !places) -> tensor<128x64xf32> {
    pallas.async_copy_to_tmem sparse_metadata %t to %p : !tiles, !places
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto sparse(%p : !places) : !acc, !half, !m
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.yield %r : tensor<128x64xf32>
  }
  return %v : tensor<128x64xf32>
}

// -----

// What is checked while a kernel runs stays checked; hints disappear.
// CHECK-LABEL: func.func @checks
func.func @checks(%ok: i1, %x: !pallas.ref<8xf32, gmem>) {
  // CHECK-NEXT: cf.assert %{{.*}}, "out of luck"
  // CHECK-NEXT: return
  pallas.check %ok, "out of luck"
  pallas.set_max_registers 40
  pallas.async_prefetch %x : !pallas.ref<8xf32, gmem>
  return
}
