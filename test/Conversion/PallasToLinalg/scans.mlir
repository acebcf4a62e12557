// RUN: pallas-opt %s --split-input-file --convert-pallas-to-linalg --canonicalize --cse | FileCheck %s

// A scan carries one slice of sums through a loop over its dimension.

// CHECK-LABEL: func.func @cumsum_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[EXPAND_SHAPE:.*]] = tensor.expand_shape %[[ARG0]] {{\[\[}}0], [1, 2]] output_shape [4, 8, 1] : tensor<4x8xf32> into tensor<4x8x1xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8x1xf32>
// CHECK: %[[FOR:.*]] = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[EMPTY]]) -> (tensor<4x8x1xf32>) {
// CHECK: %[[FOR2:.*]]:2 = scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%[[ARG4:[^ :,)]*]] = %[[CST]], %[[ARG5:[^ :,)]*]] = %[[ARG2]]) -> (f32, tensor<4x8x1xf32>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[ARG]], %[[ARG3]], %[[C0]]] : tensor<4x8x1xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[ARG4]], %[[EXTRACT]] : f32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[ADDF]] into %[[ARG5]][%[[ARG]], %[[ARG3]], %[[C0]]] : tensor<4x8x1xf32>
// CHECK: scf.yield %[[ADDF]], %[[INSERT]] : f32, tensor<4x8x1xf32>
// CHECK: scf.yield %[[FOR2]]#1 : tensor<4x8x1xf32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[FOR]] {{\[\[}}0], [1, 2]] : tensor<4x8x1xf32> into tensor<4x8xf32>
// CHECK: return %[[COLLAPSE_SHAPE]] : tensor<4x8xf32>
func.func @cumsum_rows(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pallas.cumulative <sum> %a dim 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @cumprod(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[CST:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[EXPAND_SHAPE:.*]] = tensor.expand_shape %[[ARG0]] {{\[\[}}0, 1, 2]] output_shape [1, 8, 1] : tensor<8xf32> into tensor<1x8x1xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x8x1xf32>
// CHECK: %[[FOR:.*]]:2 = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[CST]], %[[ARG3:[^ :,)]*]] = %[[EMPTY]]) -> (f32, tensor<1x8x1xf32>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[C0]], %[[ARG]], %[[C0]]] : tensor<1x8x1xf32>
// CHECK: %[[MULF:.*]] = arith.mulf %[[ARG2]], %[[EXTRACT]] : f32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[MULF]] into %[[ARG3]][%[[C0]], %[[ARG]], %[[C0]]] : tensor<1x8x1xf32>
// CHECK: scf.yield %[[MULF]], %[[INSERT]] : f32, tensor<1x8x1xf32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[FOR]]#1 {{\[\[}}0, 1, 2]] : tensor<1x8x1xf32> into tensor<8xf32>
// CHECK: return %[[COLLAPSE_SHAPE]] : tensor<8xf32>
func.func @cumprod(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pallas.cumulative <prod> %a dim 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A reversed scan starts at the end.

// CHECK-LABEL: func.func @cummin_reversed(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[CST:.*]] = arith.constant 0x7F800000 : f32
// CHECK: %[[EXPAND_SHAPE:.*]] = tensor.expand_shape %[[ARG0]] {{\[\[}}0, 1, 2]] output_shape [1, 8, 1] : tensor<8xf32> into tensor<1x8x1xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x8x1xf32>
// CHECK: %[[FOR:.*]]:2 = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[CST]], %[[ARG3:[^ :,)]*]] = %[[EMPTY]]) -> (f32, tensor<1x8x1xf32>) {
// CHECK: %[[SUBI:.*]] = arith.subi %[[C7]], %[[ARG]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[C0]], %[[SUBI]], %[[C0]]] : tensor<1x8x1xf32>
// CHECK: %[[MINIMUMF:.*]] = arith.minimumf %[[ARG2]], %[[EXTRACT]] : f32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[MINIMUMF]] into %[[ARG3]][%[[C0]], %[[SUBI]], %[[C0]]] : tensor<1x8x1xf32>
// CHECK: scf.yield %[[MINIMUMF]], %[[INSERT]] : f32, tensor<1x8x1xf32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[FOR]]#1 {{\[\[}}0, 1, 2]] : tensor<1x8x1xf32> into tensor<8xf32>
// CHECK: return %[[COLLAPSE_SHAPE]] : tensor<8xf32>
func.func @cummin_reversed(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pallas.cumulative <min> %a dim 0 reverse : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Counts of a masked scan: elements that the mask leaves out count as none.

// CHECK-LABEL: func.func @scan_count(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4xi32>, %[[ARG1:[^:]*]]: tensor<4xi1>)
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<4xi1>
// CHECK: %[[FOR:.*]]:2 = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[EMPTY]], %[[ARG3:[^ :,)]*]] = %[[EMPTY2]]) -> (tensor<4xi32>, tensor<4xi1>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG0]][%[[ARG]]] : tensor<4xi32>
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<4xi1>
// CHECK: %[[FOR2:.*]]:2 = scf.for %[[ARG4:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG5:[^ :,)]*]] = %[[C0_I32]], %[[ARG6:[^ :,)]*]] = %[[EXTRACT2]]) -> (i32, i1) {
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG0]][%[[ARG4]]] : tensor<4xi32>
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %[[EXTRACT]], %[[EXTRACT3]] : i32
// CHECK: %[[EXTRACT4:.*]] = tensor.extract %[[ARG1]][%[[ARG4]]] : tensor<4xi1>
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[EXTRACT4]] : i1
// CHECK: %[[ANDI2:.*]] = arith.andi %[[ANDI]], %[[EXTRACT2]] : i1
// CHECK: %[[CMPI2:.*]] = arith.cmpi ugt, %[[ARG4]], %[[ARG]] : index
// CHECK: %[[EXTUI:.*]] = arith.extui %[[ANDI2]] : i1 to i32
// CHECK: %[[ADDI:.*]] = arith.addi %[[ARG5]], %[[EXTUI]] : i32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI2]], %[[ARG5]], %[[ADDI]] : i32
// CHECK: %[[ANDI3:.*]] = arith.andi %[[CMPI2]], %[[ANDI2]] : i1
// CHECK: %[[SELECT2:.*]] = arith.select %[[ANDI3]], %[[FALSE]], %[[ARG6]] : i1
// CHECK: scf.yield %[[SELECT]], %[[SELECT2]] : i32, i1
// CHECK: %[[INSERT:.*]] = tensor.insert %[[FOR2]]#0 into %[[ARG2]][%[[ARG]]] : tensor<4xi32>
// CHECK: %[[INSERT2:.*]] = tensor.insert %[[FOR2]]#1 into %[[ARG3]][%[[ARG]]] : tensor<4xi1>
// CHECK: scf.yield %[[INSERT]], %[[INSERT2]] : tensor<4xi32>, tensor<4xi1>
// CHECK: return %[[FOR]]#0, %[[FOR]]#1 : tensor<4xi32>, tensor<4xi1>
func.func @scan_count(%x: tensor<4xi32>, %m: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi1>) {
  %0:2 = pallas.scan_count %x mask %m : tensor<4xi32>, tensor<4xi1> -> tensor<4xi32>, tensor<4xi1>
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi1>
}

// -----

// A merge sort with two buffers: rows are sorted apart, and equal keys keep their order.

// CHECK-LABEL: func.func @sort_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<2x4xf32>, %[[ARG1:[^:]*]]: tensor<2x4xi32>)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[EXPAND_SHAPE:.*]] = tensor.expand_shape %[[ARG0]] {{\[\[}}0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x1xf32>
// CHECK: %[[EXPAND_SHAPE2:.*]] = tensor.expand_shape %[[ARG1]] {{\[\[}}0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xi32> into tensor<2x4x1xi32>
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<2x4x1xi32>
// CHECK: %[[FOR:.*]]:2 = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[EMPTY]], %[[ARG3:[^ :,)]*]] = %[[EMPTY2]]) -> (tensor<2x4x1xf32>, tensor<2x4x1xi32>) {
// CHECK: %[[EMPTY3:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(%[[EMPTY3]] : tensor<4xi32>) {
// CHECK: ^bb0(%{{[^ :,)]*}}: i32):
// CHECK: %[[INDEX:.*]] = linalg.index 0 : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: linalg.yield %[[CAST]] : i32
// CHECK: %[[FOR2:.*]]:2 = scf.for %[[ARG4:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[ARG5:[^ :,)]*]] = %[[GENERIC]], %[[ARG6:[^ :,)]*]] = %[[EMPTY3]]) -> (tensor<4xi32>, tensor<4xi32>) {
// CHECK: %[[SHLI:.*]] = arith.shli %[[C1]], %[[ARG4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[SHLI]], %[[SHLI]] : index
// CHECK: %[[FOR3:.*]] = scf.for %[[ARG7:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[ADDI]] iter_args(%[[ARG8:[^ :,)]*]] = %[[ARG6]]) -> (tensor<4xi32>) {
// CHECK: %[[ADDI2:.*]] = arith.addi %[[ARG7]], %[[SHLI]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[ADDI2]], %[[C4]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[ARG7]], %[[ADDI]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[ADDI3]], %[[C4]] : index
// CHECK: %[[FOR4:.*]]:3 = scf.for %[[ARG9:[^ :,)]*]] = %[[ARG7]] to %[[MINSI2]] step %[[C1]] iter_args(%[[ARG10:[^ :,)]*]] = %[[ARG7]], %[[ARG11:[^ :,)]*]] = %[[MINSI]], %[[ARG12:[^ :,)]*]] = %[[ARG8]]) -> (index, index, tensor<4xi32>) {
// CHECK: %[[MINSI3:.*]] = arith.minsi %[[ARG10]], %[[C3]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG5]][%[[MINSI3]]] : tensor<4xi32>
// CHECK: %[[MINSI4:.*]] = arith.minsi %[[ARG11]], %[[C3]] : index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG5]][%[[MINSI4]]] : tensor<4xi32>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[EXTRACT2]] : i32 to index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[ARG]], %[[CAST2]], %[[C0]]] : tensor<2x4x1xf32>
// CHECK: %[[EXTRACT4:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[ARG]], %[[CAST3]], %[[C0]]] : tensor<2x4x1xf32>
// CHECK: %[[CMPF:.*]] = arith.cmpf ult, %[[EXTRACT3]], %[[EXTRACT4]] : f32
// CHECK: %[[CMPF2:.*]] = arith.cmpf ord, %[[EXTRACT3]], %[[EXTRACT3]] : f32
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF2]] : i1
// CHECK: %[[CMPI:.*]] = arith.cmpi sge, %[[ARG10]], %[[MINSI]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[ARG11]], %[[MINSI2]] : index
// CHECK: %[[ORI:.*]] = arith.ori %[[CMPI]], %[[ANDI]] : i1
// CHECK: %[[ANDI2:.*]] = arith.andi %[[CMPI2]], %[[ORI]] : i1
// CHECK: %[[SELECT:.*]] = arith.select %[[ANDI2]], %[[EXTRACT2]], %[[EXTRACT]] : i32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[SELECT]] into %[[ARG12]][%[[ARG9]]] : tensor<4xi32>
// CHECK: %[[INDEX_CASTUI:.*]] = arith.index_castui %[[ANDI2]] : i1 to index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C1]], %[[INDEX_CASTUI]] : index
// CHECK: %[[ADDI4:.*]] = arith.addi %[[ARG10]], %[[SUBI]] : index
// CHECK: %[[ADDI5:.*]] = arith.addi %[[ARG11]], %[[INDEX_CASTUI]] : index
// CHECK: scf.yield %[[ADDI4]], %[[ADDI5]], %[[INSERT]] : index, index, tensor<4xi32>
// CHECK: scf.yield %[[FOR4]]#2 : tensor<4xi32>
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[FOR3]] : tensor<4xi32>) outs(%[[ARG5]] : tensor<4xi32>) -> tensor<4xi32>
// CHECK: scf.yield %[[COPY]], %[[FOR3]] : tensor<4xi32>, tensor<4xi32>
// CHECK: %[[FOR5:.*]]:2 = scf.for %[[ARG13:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ARG14:[^ :,)]*]] = %[[ARG2]], %[[ARG15:[^ :,)]*]] = %[[ARG3]]) -> (tensor<2x4x1xf32>, tensor<2x4x1xi32>) {
// CHECK: %[[EXTRACT5:.*]] = tensor.extract %[[FOR2]]#0[%[[ARG13]]] : tensor<4xi32>
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[EXTRACT5]] : i32 to index
// CHECK: %[[EXTRACT6:.*]] = tensor.extract %[[EXPAND_SHAPE]][%[[ARG]], %[[CAST4]], %[[C0]]] : tensor<2x4x1xf32>
// CHECK: %[[INSERT2:.*]] = tensor.insert %[[EXTRACT6]] into %[[ARG14]][%[[ARG]], %[[ARG13]], %[[C0]]] : tensor<2x4x1xf32>
// CHECK: %[[EXTRACT7:.*]] = tensor.extract %[[EXPAND_SHAPE2]][%[[ARG]], %[[CAST4]], %[[C0]]] : tensor<2x4x1xi32>
// CHECK: %[[INSERT3:.*]] = tensor.insert %[[EXTRACT7]] into %[[ARG15]][%[[ARG]], %[[ARG13]], %[[C0]]] : tensor<2x4x1xi32>
// CHECK: scf.yield %[[INSERT2]], %[[INSERT3]] : tensor<2x4x1xf32>, tensor<2x4x1xi32>
// CHECK: scf.yield %[[FOR5]]#0, %[[FOR5]]#1 : tensor<2x4x1xf32>, tensor<2x4x1xi32>
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[FOR]]#0 {{\[\[}}0], [1, 2]] : tensor<2x4x1xf32> into tensor<2x4xf32>
// CHECK: %[[COLLAPSE_SHAPE2:.*]] = tensor.collapse_shape %[[FOR]]#1 {{\[\[}}0], [1, 2]] : tensor<2x4x1xi32> into tensor<2x4xi32>
// CHECK: return %[[COLLAPSE_SHAPE]], %[[COLLAPSE_SHAPE2]] : tensor<2x4xf32>, tensor<2x4xi32>
func.func @sort_rows(%a: tensor<2x4xf32>, %b: tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %0:2 = pallas.sort %a, %b dim 1 keys 1 : tensor<2x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>, tensor<2x4xi32>
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<2x4xi32>
}

// -----

// Only the first two of each row are used, so a list of two positions takes in
// what precedes its last one; keys that nobody uses are not moved.

// CHECK-LABEL: func.func @first_of_rows(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<3x2x1xi32>)
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2xi32>
// CHECK: scf.for %[[I:.*]] = %c0 to %c100 step %c1 iter_args(%[[ORDER:.*]] = %[[ZEROS]]) -> (tensor<2xi32>) {
// CHECK: %[[LAST:.*]] = tensor.extract %[[ORDER]][%c1] : tensor<2xi32>
// CHECK: %[[FREE:.*]] = arith.cmpi slt, %[[I]], %c2 : index
// CHECK: %[[BEFORE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[ENTERS:.*]] = arith.ori %[[FREE]], %[[BEFORE]] : i1
// CHECK: scf.if %[[ENTERS]] -> (tensor<2xi32>) {
// CHECK: scf.for %[[AT:.*]] = %c0 to %c2 step %c1 iter_args(%[[LIST:.*]] = %[[ORDER]], %[[NEXT:.*]] = %{{.*}}) -> (tensor<2xi32>, i32)
// CHECK: %[[HERE:.*]] = tensor.extract %[[LIST]][%[[AT]]]
// CHECK: arith.cmpi sge, %[[AT]], %[[I]] : index
// CHECK: %[[MOVES:.*]] = arith.ori
// CHECK: %[[NOW:.*]] = arith.select %[[MOVES]], %[[NEXT]], %[[HERE]] : i32
// CHECK: %[[REST:.*]] = arith.select %[[MOVES]], %[[HERE]], %[[NEXT]] : i32
// CHECK: %[[INSERTED:.*]] = tensor.insert %[[NOW]] into %[[LIST]][%[[AT]]]
// CHECK: scf.yield %[[INSERTED]], %[[REST]]
// CHECK: else
// CHECK: scf.yield %[[ORDER]]
// CHECK: %[[SHORT:.*]] = tensor.collapse_shape %{{.*}} : tensor<3x2x1xi32> into tensor<3x2xi32>
// CHECK: tensor.extract_slice %[[SHORT]][1, 0] [2, 2] [1, 1] : tensor<3x2xi32> to tensor<2x2xi32>
// CHECK-LABEL: func.func @middle_of_rows(
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [3, 2] [1, 1] : tensor<3x100xi32> to tensor<3x2xi32>
// CHECK-LABEL: func.func @many_of_rows(
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [3, 57] [1, 1] : tensor<3x100xi32> to tensor<3x57xi32>
func.func @first_of_rows(%a: tensor<3x100xi32>, %b: tensor<3x100xi32>) -> tensor<2x2xi32> {
  %0:2 = pallas.sort %a, %b dim 1 stable : tensor<3x100xi32>, tensor<3x100xi32> -> tensor<3x100xi32>, tensor<3x100xi32>
  %1 = tensor.extract_slice %0#1[1, 0] [2, 2] [1, 1] : tensor<3x100xi32> to tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}
func.func @middle_of_rows(%a: tensor<3x100xi32>) -> tensor<3x2xi32> {
  %0 = pallas.sort %a dim 1 : tensor<3x100xi32> -> tensor<3x100xi32>
  %1 = tensor.extract_slice %0[0, 1] [3, 2] [1, 1] : tensor<3x100xi32> to tensor<3x2xi32>
  return %1 : tensor<3x2xi32>
}
func.func @many_of_rows(%a: tensor<3x100xi32>) -> tensor<3x57xi32> {
  %0 = pallas.sort %a dim 1 : tensor<3x100xi32> -> tensor<3x100xi32>
  %1 = tensor.extract_slice %0[0, 0] [3, 57] [1, 1] : tensor<3x100xi32> to tensor<3x57xi32>
  return %1 : tensor<3x57xi32>
}

// -----

// A later key decides where the earlier one does not, and the longer of two
// slices says how many are needed.

// CHECK-LABEL: func.func @first_by_two_keys(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<1x3x8xf32>, tensor<1x3x8xi32>)
// CHECK: linalg.fill {{.*}} -> tensor<3xi32>
// CHECK: %[[FREE:.*]] = arith.cmpi slt, %{{.*}}, %c3 : index
// CHECK: %[[LATER:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: %[[TIED:.*]] = arith.andi %{{.*}}, %[[LATER]] : i1
// CHECK: %[[BEFORE:.*]] = arith.ori %{{.*}}, %[[TIED]] : i1
// CHECK: arith.ori %[[FREE]], %[[BEFORE]] : i1
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: return
func.func @first_by_two_keys(%a: tensor<100x8xf32>, %b: tensor<100x8xi32>) -> (tensor<2x8xf32>, tensor<3x8xi32>) {
  %0:2 = pallas.sort %a, %b dim 0 keys 2 unsigned descending : tensor<100x8xf32>, tensor<100x8xi32> -> tensor<100x8xf32>, tensor<100x8xi32>
  %1 = tensor.extract_slice %0#0[0, 0] [2, 8] [1, 1] : tensor<100x8xf32> to tensor<2x8xf32>
  %2 = tensor.extract_slice %0#1[0, 0] [3, 8] [1, 1] : tensor<100x8xi32> to tensor<3x8xi32>
  return %1, %2 : tensor<2x8xf32>, tensor<3x8xi32>
}
func.func @unused(%a: tensor<100xi32>) {
  %0 = pallas.sort %a dim 0 : tensor<100xi32> -> tensor<100xi32>
  return
}

// -----

// CHECK-LABEL: func.func @mask_reduce(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xi1>)
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[FOR:.*]] = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C16]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[C0_I32]]) -> (i32) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG0]][%[[ARG]]] : tensor<16xi1>
// CHECK: %[[EXTUI:.*]] = arith.extui %[[EXTRACT]] : i1 to i32
// CHECK: %[[ADDI:.*]] = arith.addi %[[ARG2]], %[[EXTUI]] : i32
// CHECK: scf.yield %[[ADDI]] : i32
// CHECK: return %[[FOR]] : i32
func.func @mask_reduce(%m: tensor<16xi1>) -> i32 {
  %0 = pallas.mask_reduce <count> %m : tensor<16xi1>
  return %0 : i32
}

// -----

// The first index of an extreme wins, and a NaN is one.

// CHECK-LABEL: func.func @arg_max(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[CST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[EMPTY2:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[FILL2:.*]] = linalg.fill ins(%[[C0_I32]] : i32) outs(%[[EMPTY2]] : tensor<4xi32>) -> tensor<4xi32>
// CHECK: %[[GENERIC:.*]]:2 = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%[[ARG0]] : tensor<4x8xf32>) outs(%[[FILL]], %[[FILL2]] : tensor<4xf32>, tensor<4xi32>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: f32, %[[OUT:[^ :,)]*]]: f32, %[[OUT2:[^ :,)]*]]: i32):
// CHECK: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: %[[CMPF:.*]] = arith.cmpf ult, %[[OUT]], %[[IN]] : f32
// CHECK: %[[CMPF2:.*]] = arith.cmpf ord, %[[OUT]], %[[OUT]] : f32
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF2]] : i1
// CHECK: %[[CMPF3:.*]] = arith.cmpf oeq, %[[IN]], %[[OUT]] : f32
// CHECK: %[[CMPF4:.*]] = arith.cmpf uno, %[[IN]], %[[IN]] : f32
// CHECK: %[[CMPF5:.*]] = arith.cmpf uno, %[[OUT]], %[[OUT]] : f32
// CHECK: %[[ANDI2:.*]] = arith.andi %[[CMPF4]], %[[CMPF5]] : i1
// CHECK: %[[ORI:.*]] = arith.ori %[[CMPF3]], %[[ANDI2]] : i1
// CHECK: %[[CMPI:.*]] = arith.cmpi ult, %[[CAST]], %[[OUT2]] : i32
// CHECK: %[[ANDI3:.*]] = arith.andi %[[ORI]], %[[CMPI]] : i1
// CHECK: %[[ORI2:.*]] = arith.ori %[[ANDI]], %[[ANDI3]] : i1
// CHECK: %[[SELECT:.*]] = arith.select %[[ORI2]], %[[IN]], %[[OUT]] : f32
// CHECK: %[[SELECT2:.*]] = arith.select %[[ORI2]], %[[CAST]], %[[OUT2]] : i32
// CHECK: linalg.yield %[[SELECT]], %[[SELECT2]] : f32, i32
// CHECK: return %[[GENERIC]]#1 : tensor<4xi32>
func.func @arg_max(%a: tensor<4x8xf32>) -> tensor<4xi32> {
  %0 = pallas.arg_reduce <max> %a dim 1 to i32 : tensor<4x8xf32>
  return %0 : tensor<4xi32>
}
