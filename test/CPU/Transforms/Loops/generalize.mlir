// RUN: pallas-opt %s --pallas-cpu-generalize | FileCheck %s

// Operations on elements and linalg's named ones become generic, each on its
// own; contractions and fills stay what they are.
// CHECK-LABEL: func.func @each
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8x8xf32>)
// CHECK: %[[DIFFERENCE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[WIDE]] : tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: arith.subf
// CHECK: linalg.generic {{.*}} ins(%[[DIFFERENCE]] : tensor<8x8xf32>)
// CHECK: math.exp
func.func @each(%x: tensor<8x8xf32>, %v: tensor<8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %wide = linalg.broadcast ins(%v : tensor<8xf32>) outs(%empty : tensor<8x8xf32>) dimensions = [1]
  %d = arith.subf %p, %wide : tensor<8x8xf32>
  %e = math.exp %d : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

// A contraction starts from what is added to it.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8xf32>, %[[Y:[^:]*]]: tensor<8x8xf32>
// CHECK-NOT: arith.addf
// CHECK: linalg.matmul ins(%[[X]], %[[X]] : {{.*}}) outs(%[[Y]] :
// CHECK-NOT: arith.addf
// CHECK: return
func.func @sum(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = arith.addf %p, %y : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// Loops that do nothing go together with what is inside of them.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %a = arith.index_cast %i : index to i32
    scf.for %j = %c0 to %c1 step %c1 {
      %b = arith.index_cast %j : index to i32
      %s = arith.addi %a, %b : i32
    }
  }
  return
}

// A constant of equal elements is made where it is used.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: linalg.fill
// CHECK: scf.if
// CHECK: linalg.fill
func.func @branch(%c: i1, %m: memref<8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  scf.if %c {
    bufferization.materialize_in_destination %zero in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  }
  return
}

// Bodies of loops see no arrays: what they extract is the element.
// CHECK-LABEL: func.func @gathered_by_constant
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: arith.index_cast %[[FIVE]]
func.func @gathered_by_constant(%x: tensor<64xf32>) -> tensor<f32> {
  %indices = arith.constant dense<5> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<f32>
  %element = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%empty : tensor<f32>) {
  ^bb0(%out: f32):
    %index = tensor.extract %indices[%c0] : tensor<1xi32>
    %i = arith.index_cast %index : i32 to index
    %e = tensor.extract %x[%i] : tensor<64xf32>
    linalg.yield %e : f32
  } -> tensor<f32>
  return %element : tensor<f32>
}

// A slice of equal elements is not a slice of all of them, which a loop would
// fill again for each slice.
// CHECK-LABEL: func.func @slice_of_constant
// CHECK: scf.for
// CHECK-NOT: tensor<512x8xf32>
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : tensor<1x8xf32>)
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.insert_slice
func.func @slice_of_constant(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<512x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %x) -> (tensor<64x8xf32>) {
    %s = tensor.extract_slice %ones[%i, 0] [1, 8] [1, 1] : tensor<512x8xf32> to tensor<1x8xf32>
    %n = tensor.insert_slice %s into %a[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<64x8xf32>
    scf.yield %n : tensor<64x8xf32>
  }
  return %r : tensor<64x8xf32>
}

// Products read what is transposed for them where it is, as both do here, and
// keep how they convert. Who reads it otherwise needs it in memory.
// CHECK-LABEL: func.func @transposed_operand
// CHECK-SAME: %[[X:.*]]: tensor<4x8xi8>, %[[Y:.*]]: tensor<16x8xi8>
// CHECK-NOT: linalg.generic
// CHECK-COUNT-2: linalg.contract indexing_maps = [#[[A:.*]], #[[B:.*]], #[[C:.*]]] {cast = #linalg.type_fn<cast_unsigned>} ins(%{{.*}}, %[[Y]] : tensor<{{.*}}>, tensor<16x8xi8>)
// CHECK-LABEL: func.func @transposed_batch
// CHECK: linalg.contract {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<2x16x8xf32>)
// CHECK-LABEL: func.func @transposed_heads
// CHECK: linalg.batch_matmul
// CHECK-LABEL: func.func @transposed_for_others
// CHECK: linalg.generic
// CHECK: linalg.matmul
func.func @transposed_operand(%x: tensor<4x8xi8>, %y: tensor<16x8xi8>, %o: tensor<4x16xi32>) -> (tensor<4x16xi32>, tensor<4x16xi32>) {
  %empty = tensor.empty() : tensor<8x16xi8>
  %t = linalg.transpose ins(%y : tensor<16x8xi8>) outs(%empty : tensor<8x16xi8>) permutation = [1, 0]
  %p = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %t : tensor<4x8xi8>, tensor<8x16xi8>) outs(%o : tensor<4x16xi32>) -> tensor<4x16xi32>
  %q = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %t : tensor<4x8xi8>, tensor<8x16xi8>) outs(%p : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %p, %q : tensor<4x16xi32>, tensor<4x16xi32>
}
func.func @transposed_batch(%x: tensor<2x4x8xf32>, %y: tensor<2x16x8xf32>, %o: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %empty = tensor.empty() : tensor<2x8x16xf32>
  %t = linalg.transpose ins(%y : tensor<2x16x8xf32>) outs(%empty : tensor<2x8x16xf32>) permutation = [0, 2, 1]
  %p = linalg.batch_matmul ins(%x, %t : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%o : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %p : tensor<2x4x16xf32>
}
func.func @transposed_heads(%x: tensor<2x4x8xf32>, %y: tensor<8x2x16xf32>, %o: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %empty = tensor.empty() : tensor<2x8x16xf32>
  %t = linalg.transpose ins(%y : tensor<8x2x16xf32>) outs(%empty : tensor<2x8x16xf32>) permutation = [1, 0, 2]
  %p = linalg.batch_matmul ins(%x, %t : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%o : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %p : tensor<2x4x16xf32>
}
func.func @transposed_for_others(%x: tensor<4x8xf32>, %y: tensor<16x8xf32>, %o: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<8x16xf32>) {
  %empty = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%y : tensor<16x8xf32>) outs(%empty : tensor<8x16xf32>) permutation = [1, 0]
  %p = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p, %t : tensor<4x16xf32>, tensor<8x16xf32>
}
