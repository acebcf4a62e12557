// RUN: pallas-opt %s --pallas-drop-scalar-prefetch | FileCheck %s
// RUN: pallas-opt %s --pallas-drop-scalar-prefetch --verify-diagnostics -o /dev/null

!t = !pallas.ref<4xi32, smem>
!b = !pallas.ref<8x128xf32, vmem>

// The second operand has no uses, and the third one is the first.
// CHECK-LABEL: func.func @drop
// CHECK-SAME: (%[[T:.*]]: tensor<4xi32>, %[[U:.*]]: tensor<4xi32>, %[[X:.*]]: tensor<32x128xf32>)
func.func @drop(%t: tensor<4xi32>, %u: tensor<4xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // CHECK: prefetch(%[[T]] : tensor<4xi32>)
  %o = pallas.pallas_call grid(4)
      prefetch(%t, %u, %t : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
      // CHECK: in(%[[X]] : tensor<32x128xf32>) block<[8, 128], vmem> map(%[[I:.*]], %[[R:.*]]) {
      // CHECK: pallas.get %[[R]][%[[I]]]
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %a, %n, %c) {
        %row = pallas.get %c[%i] : !t
        %zero = arith.constant 0 : i32
        pallas.yield %row, %zero : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      // CHECK: aliases [1 -> 0]
      aliases [3 -> 0]
      // CHECK: kernel(%[[K:.*]]: !pallas.ref<4xi32, smem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>)
      kernel(%a: !t, %n: !t, %c: !t, %xr: !b, %or: !b) {
    // CHECK: pallas.get %[[K]][0]
    // CHECK: pallas.get %[[K]][1]
    %p = pallas.get %a[0] : !t
    %q = pallas.get %c[1] : !t
    %s = arith.addi %p, %q : i32
    %f = arith.sitofp %s : i32 to f32
    %v = pallas.broadcast %f : f32 -> tensor<8x128xf32>
    pallas.swap %or[...], %v : !b, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// What the kernel writes to stays apart from what it reads.
// CHECK-LABEL: func.func @written
func.func @written(%t: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: prefetch(%{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xi32>)
  // expected-remark @below {{prefetched operands 0 and 1 hold the same array, but stay two: the kernel writes to one of them}}
  %o = pallas.pallas_call grid(4)
      prefetch(%t, %t : tensor<4xi32>, tensor<4xi32>)
      out(tensor<4xi32>) block<[4], smem>
      kernel(%a: !t, %b: !t, %or: !t) {
    %i = pallas.program_id 0
    %v = pallas.get %a[%i] : !t
    pallas.swap %b[0], %v : !t, i32
    %w = pallas.get %a[0] : !t
    pallas.swap %or[%i], %w : !t, i32
  }
  return %o : tensor<4xi32>
}
