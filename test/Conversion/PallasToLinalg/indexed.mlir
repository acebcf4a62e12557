// RUN: pallas-opt %s --split-input-file --convert-pallas-to-linalg --canonicalize --cse | FileCheck %s

// Indices that are clipped name the last place where the whole slice is inside: 64 - 8.

// CHECK-LABEL: func.func @gather_clip(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<64xf32>, %[[ARG1:[^:]*]]: tensor<3x1xi32>)
// CHECK-DAG: %[[C56:.*]] = arith.constant 56 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<3x8xf32>
// CHECK: %[[FOR:.*]] = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ARG2:[^ :,)]*]] = %[[EMPTY]]) -> (tensor<3x8xf32>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]], %[[C0]]] : tensor<3x1xi32>
// CHECK: %[[CAST:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[CAST]], %[[C56]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[ARG0]][%[[MAXSI]]] [8] [1] : tensor<64xf32> to tensor<8xf32>
// CHECK: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[EXTRACT_SLICE]] into %[[ARG2]][%[[ARG]], 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<3x8xf32>
// CHECK: scf.yield %[[INSERT_SLICE]] : tensor<3x8xf32>
// CHECK: return %[[FOR]] : tensor<3x8xf32>
func.func @gather_clip(%a: tensor<64xf32>, %i: tensor<3x1xi32>) -> tensor<3x8xf32> {
  %0 = pallas.gather %a at %i offset [1] collapsed [] batching [] x [] map [0] sizes [8] mode clip
      : tensor<64xf32>, tensor<3x1xi32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// An index may have several coordinates, in any order of dimensions.

// CHECK-LABEL: func.func @gather_two_coordinates(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8x16xf32>, %[[ARG1:[^:]*]]: tensor<5x2xi32>)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<5xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(%[[EMPTY]] : tensor<5xf32>) {
// CHECK: ^bb0(%{{[^ :,)]*}}: f32):
// CHECK: %[[INDEX:.*]] = linalg.index 0 : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[INDEX]], %[[C0]]] : tensor<5x2xi32>
// CHECK: %[[CAST:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[INDEX]], %[[C1]]] : tensor<5x2xi32>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[EXTRACT2]] : i32 to index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[CAST]], %[[C15]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[CAST2]], %[[C7]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG0]][%[[MAXSI2]], %[[MAXSI]]] : tensor<8x16xf32>
// CHECK: linalg.yield %[[EXTRACT3]] : f32
// CHECK: return %[[GENERIC]] : tensor<5xf32>
func.func @gather_two_coordinates(%a: tensor<8x16xf32>, %i: tensor<5x2xi32>) -> tensor<5xf32> {
  %0 = pallas.gather %a at %i offset [] collapsed [0, 1] batching [] x [] map [1, 0] sizes [1, 1]
      : tensor<8x16xf32>, tensor<5x2xi32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Places outside yield the fill value: for integers the lowest number.

// CHECK-LABEL: func.func @gather_fill_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xi32>, %[[ARG1:[^:]*]]: tensor<4x1xi32>)
// CHECK-DAG: %[[C_2147483648_I32:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[STARTS:.*]] = tensor.extract_slice %[[ARG1]][0, 0] [4, 1] [1, 1] : tensor<4x1xi32> to tensor<4xi32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%[[STARTS]] : tensor<4xi32>) outs(%[[EMPTY]] : tensor<4xi32>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: i32, %{{[^ :,)]*}}: i32):
// CHECK: %[[CAST:.*]] = arith.index_cast %[[IN]] : i32 to index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[CAST]], %[[C15]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG0]][%[[MAXSI]]] : tensor<16xi32>
// CHECK: %[[CMPI:.*]] = arith.cmpi ule, %[[CAST]], %[[C15]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[EXTRACT2]], %[[C_2147483648_I32]] : i32
// CHECK: linalg.yield %[[SELECT]] : i32
// CHECK: return %[[GENERIC]] : tensor<4xi32>
func.func @gather_fill_integers(%a: tensor<16xi32>, %i: tensor<4x1xi32>) -> tensor<4xi32> {
  %0 = pallas.gather %a at %i offset [] collapsed [0] batching [] x [] map [0] sizes [1] mode fill
      : tensor<16xi32>, tensor<4x1xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @take_along_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8x16xf32>, %[[ARG1:[^:]*]]: tensor<8x4xi32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[ARG1]] : tensor<8x4xi32>) outs(%[[EMPTY]] : tensor<8x4xf32>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: i32, %{{[^ :,)]*}}: f32):
// CHECK: %[[INDEX:.*]] = linalg.index 0 : index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[IN]] : i32 to index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[CAST]], %[[C15]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG0]][%[[INDEX]], %[[MAXSI]]] : tensor<8x16xf32>
// CHECK: linalg.yield %[[EXTRACT]] : f32
// CHECK: return %[[GENERIC]] : tensor<8x4xf32>
func.func @take_along_rows(%a: tensor<8x16xf32>, %i: tensor<8x4xi32>) -> tensor<8x4xf32> {
  %0 = pallas.take_along %a at %i dim 1 : tensor<8x16xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Updates are applied one by one, in order, as indices may repeat. Those that don't fit are dropped.

// CHECK-LABEL: func.func @scatter_add(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16x4xf32>, %[[ARG1:[^:]*]]: tensor<3x1xi32>, %[[ARG2:[^:]*]]: tensor<3x4xf32>)
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[FOR:.*]] = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ARG3:[^ :,)]*]] = %[[ARG0]]) -> (tensor<16x4xf32>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]], %[[C0]]] : tensor<3x1xi32>
// CHECK: %[[CAST:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi ule, %[[CAST]], %[[C15]] : index
// CHECK: %[[IF:.*]] = scf.if %[[CMPI]] -> (tensor<16x4xf32>) {
// CHECK: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[ARG2]][%[[ARG]], 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
// CHECK: %[[EXTRACT_SLICE2:.*]] = tensor.extract_slice %[[ARG3]][%[[CAST]], 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%[[EXTRACT_SLICE2]], %[[EXTRACT_SLICE]] : tensor<4xf32>, tensor<4xf32>) outs(%[[EMPTY]] : tensor<4xf32>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: f32, %[[IN2:[^ :,)]*]]: f32, %{{[^ :,)]*}}: f32):
// CHECK: %[[ADDF:.*]] = arith.addf %[[IN]], %[[IN2]] : f32
// CHECK: linalg.yield %[[ADDF]] : f32
// CHECK: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[GENERIC]] into %[[ARG3]][%[[CAST]], 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<16x4xf32>
// CHECK: scf.yield %[[INSERT_SLICE]] : tensor<16x4xf32>
// CHECK: scf.yield %[[ARG3]] : tensor<16x4xf32>
// CHECK: scf.yield %[[IF]] : tensor<16x4xf32>
// CHECK: return %[[FOR]] : tensor<16x4xf32>
func.func @scatter_add(%a: tensor<16x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<16x4xf32> {
  %0 = pallas.scatter combining <add> %a at %i, %u window [1] inserted [0] batching [] x [] map [0]
      : tensor<16x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>
  return %0 : tensor<16x4xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_max(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xi32>, %[[ARG1:[^:]*]]: tensor<3x1xi32>, %[[ARG2:[^:]*]]: tensor<3xi32>)
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[FOR:.*]] = scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] iter_args(%[[ARG3:[^ :,)]*]] = %[[ARG0]]) -> (tensor<16xi32>) {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]], %[[C0]]] : tensor<3x1xi32>
// CHECK: %[[CAST:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi ule, %[[CAST]], %[[C15]] : index
// CHECK: %[[IF:.*]] = scf.if %[[CMPI]] -> (tensor<16xi32>) {
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG2]][%[[ARG]]] : tensor<3xi32>
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG3]][%[[CAST]]] : tensor<16xi32>
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[EXTRACT3]], %[[EXTRACT2]] : i32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[MAXSI]] into %[[ARG3]][%[[CAST]]] : tensor<16xi32>
// CHECK: scf.yield %[[INSERT]] : tensor<16xi32>
// CHECK: scf.yield %[[ARG3]] : tensor<16xi32>
// CHECK: scf.yield %[[IF]] : tensor<16xi32>
// CHECK: return %[[FOR]] : tensor<16xi32>
func.func @scatter_max(%a: tensor<16xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> tensor<16xi32> {
  %0 = pallas.scatter combining <max> %a at %i, %u window [] inserted [0] batching [] x [] map [0]
      : tensor<16xi32>, tensor<3x1xi32>, tensor<3xi32>
  return %0 : tensor<16xi32>
}
