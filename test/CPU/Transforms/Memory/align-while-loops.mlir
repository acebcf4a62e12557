// RUN: pallas-opt %s --pallas-cpu-align-while-loops | FileCheck %s

// A carried value that is forwarded itself keeps its position; one that nothing takes the place of is forwarded, too.
// CHECK-LABEL: func.func @last_only
// CHECK: %[[R:.*]]:2 = scf.while (%[[N:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) : (i32, tensor<8xf32>) -> (i32, tensor<8xf32>) {
// CHECK: scf.condition(%{{.*}}) %[[N]], %[[A]] : i32, tensor<8xf32>
// CHECK: ^bb0(%{{.*}}: i32, %[[B:.*]]: tensor<8xf32>):
// CHECK: math.exp %[[B]]
// CHECK: return %[[R]]#1
func.func @last_only(%x: tensor<8xf32>, %start: i32, %end: i32) -> tensor<8xf32> {
  %r = scf.while (%n = %start, %a = %x) : (i32, tensor<8xf32>) -> tensor<8xf32> {
    %c = arith.cmpi slt, %n, %end : i32
    scf.condition(%c) %a : tensor<8xf32>
  } do {
  ^bb0(%b: tensor<8xf32>):
    %e = math.exp %b : tensor<8xf32>
    scf.yield %end, %e : i32, tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Values of one type stay where they are carried, whatever the order that they are forwarded in.
// CHECK-LABEL: func.func @exchanged
// CHECK: %[[R:.*]]:2 = scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: scf.condition(%{{.*}}) %[[A]], %[[B]] :
// CHECK: ^bb0(%[[A2:.*]]: tensor<8xf32>, %[[B2:.*]]: tensor<8xf32>):
// CHECK-NEXT: scf.yield %[[B2]], %[[A2]]
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @exchanged(%x: tensor<8xf32>, %y: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = scf.while (%a = %x, %b = %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.condition(%c) %b, %a : tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    scf.yield %p, %q : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A value that is not carried follows behind, and an aligned loop stays.
// CHECK-LABEL: func.func @computed
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[S:.*]] : tensor<8xf32>, f32
// CHECK: scf.condition(%{{.*}}) %{{.*}} : tensor<8xf32>
func.func @computed(%x: tensor<8xf32>, %i: index, %c: i1) -> (f32, tensor<8xf32>) {
  %r:2 = scf.while (%a = %x) : (tensor<8xf32>) -> (f32, tensor<8xf32>) {
    %s = tensor.extract %a[%i] : tensor<8xf32>
    scf.condition(%c) %s, %a : f32, tensor<8xf32>
  } do {
  ^bb0(%s: f32, %a: tensor<8xf32>):
    %n = tensor.insert %s into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %q = scf.while (%a = %r#1) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%c) %a : tensor<8xf32>
  } do {
  ^bb0(%a: tensor<8xf32>):
    scf.yield %a : tensor<8xf32>
  }
  return %r#0, %q : f32, tensor<8xf32>
}
