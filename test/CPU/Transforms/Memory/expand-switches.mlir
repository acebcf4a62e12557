// RUN: pallas-opt %s --pallas-cpu-expand-switches | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK-SAME: (%[[I:.*]]: index, %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %[[Z:.*]]: tensor<8xf32>)
func.func @tensors(%i: index, %x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: scf.index_switch
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[IS0:.*]] = arith.cmpi eq, %[[I]], %[[C0]]
  // CHECK: %[[R:.*]] = scf.if %[[IS0]] -> (tensor<8xf32>) {
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK-NEXT: } else {
  // CHECK: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[IS3:.*]] = arith.cmpi eq, %[[I]], %[[C3]]
  // CHECK: %[[INNER:.*]] = scf.if %[[IS3]] -> (tensor<8xf32>) {
  // CHECK-NEXT: scf.yield %[[Y]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[Z]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %[[INNER]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]
  %r = scf.index_switch %i -> tensor<8xf32>
  case 0 {
    scf.yield %x : tensor<8xf32>
  }
  case 3 {
    scf.yield %y : tensor<8xf32>
  }
  default {
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A switch without cases is its default.
// CHECK-LABEL: func.func @default_only
// CHECK-SAME: %[[X:[^ ]*]]: tensor<8xf32>)
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT: return %[[E]]
func.func @default_only(%i: index, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.index_switch %i -> tensor<8xf32>
  default {
    %e = math.exp %x : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A switch in a switch, and one of scalars, which stays.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-2: scf.if
// CHECK: scf.index_switch {{.*}} -> f32
// CHECK-NOT: scf.if
func.func @nested(%i: index, %j: index, %x: tensor<8xf32>, %a: f32, %b: f32) -> (tensor<8xf32>, f32) {
  %r = scf.index_switch %i -> tensor<8xf32>
  case 1 {
    %s = scf.index_switch %j -> tensor<8xf32>
    case 2 {
      %e = math.exp %x : tensor<8xf32>
      scf.yield %e : tensor<8xf32>
    }
    default {
      scf.yield %x : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  default {
    scf.yield %x : tensor<8xf32>
  }
  %t = scf.index_switch %j -> f32
  case 0 {
    scf.yield %a : f32
  }
  default {
    scf.yield %b : f32
  }
  return %r, %t : tensor<8xf32>, f32
}
