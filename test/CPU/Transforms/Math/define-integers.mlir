// RUN: pallas-opt %s --pallas-cpu-define-integers | FileCheck %s

// CHECK-LABEL: func.func @divide
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @divide(%a: i32, %b: i32) -> (i32, i32) {
  // CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[B]]
  // CHECK: %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]]
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[Q]]
  %q = arith.divsi %a, %b : i32
  // CHECK: %[[R:.*]] = arith.remsi %[[A]], %{{.*}}
  // CHECK: arith.select %{{.*}}, %[[A]], %[[R]]
  %r = arith.remsi %a, %b : i32
  return %q, %r : i32, i32
}

// Constants that are always defined cost nothing, and so do indices.
// CHECK-LABEL: func.func @defined
func.func @defined(%a: tensor<8xi32>, %i: index) -> (tensor<8xi32>, tensor<8xi32>, index) {
  // CHECK-NOT: arith.select
  %three = arith.constant dense<3> : tensor<8xi32>
  %q = arith.divsi %a, %three : tensor<8xi32>
  %s = arith.shrui %a, %three : tensor<8xi32>
  %j = arith.divsi %i, %i : index
  return %q, %s, %j : tensor<8xi32>, tensor<8xi32>, index
}

// CHECK-LABEL: func.func @shift
func.func @shift(%a: tensor<8xi8>, %b: tensor<8xi8>) -> (tensor<8xi8>, tensor<8xi8>) {
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult
  // CHECK: arith.shli
  // CHECK: arith.select %[[INSIDE]]
  %l = arith.shli %a, %b : tensor<8xi8>
  // The last place that there is holds the sign.
  // CHECK: %[[BOUNDED:.*]] = arith.select
  // CHECK: arith.shrsi %{{.*}}, %[[BOUNDED]]
  // CHECK-NEXT: return
  %r = arith.shrsi %a, %b : tensor<8xi8>
  return %l, %r : tensor<8xi8>, tensor<8xi8>
}
