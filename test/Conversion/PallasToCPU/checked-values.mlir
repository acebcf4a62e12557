// RUN: pallas-opt %s --split-input-file --pallas-insert-checks --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// Indices of tensors are checked, too. After a finding, code goes on with index 0, which is inside. The
// first modules have no operation of the pallas dialect; the conversion itself loads it.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+20]]:8\0Atensor.extract\0Aits tensor\00")
// CHECK-LABEL: func.func @extract(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: index)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[CMPI:.*]] = arith.cmpi sge, %[[ARG1]], %[[C0]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C8]], %[[ARG1]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[SUBI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[MAXSI]], %[[C1]] : index
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI2]] : i1
// CHECK: %[[XORI:.*]] = arith.xori %[[ANDI]], %[[TRUE]] : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: llvm.call @pallas_check_tensor_bounds(%[[ADDRESS]])
// CHECK: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ARG1]], %[[C0]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG0]][%[[SELECT]]] : tensor<8xf32>
// CHECK: return %[[EXTRACT]] : f32
func.func @extract(%x: tensor<8xf32>, %i: index) -> f32 {
  %v = tensor.extract %x[%i] : tensor<8xf32>
  return %v : f32
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+20]]:8\0Atensor.insert\0Aits tensor\00")
// CHECK-LABEL: func.func @insert(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: f32, %[[ARG2:[^:]*]]: index)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[CMPI:.*]] = arith.cmpi sge, %[[ARG2]], %[[C0]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C8]], %[[ARG2]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[SUBI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[MAXSI]], %[[C1]] : index
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI2]] : i1
// CHECK: %[[XORI:.*]] = arith.xori %[[ANDI]], %[[TRUE]] : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: llvm.call @pallas_check_tensor_bounds(%[[ADDRESS]])
// CHECK: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ARG2]], %[[C0]] : index
// CHECK: %[[INSERT:.*]] = tensor.insert %[[ARG1]] into %[[ARG0]][%[[SELECT]]] : tensor<8xf32>
// CHECK: return %[[INSERT]] : tensor<8xf32>
func.func @insert(%x: tensor<8xf32>, %v: f32, %i: index) -> tensor<8xf32> {
  %o = tensor.insert %v into %x[%i] : tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// The last element of a slice is inside, too.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+20]]:8\0Atensor.extract_slice\0Aits tensor\00")
// CHECK-LABEL: func.func @extract_slice(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: index)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[CMPI:.*]] = arith.cmpi sge, %[[ARG1]], %[[C0]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C8]], %[[ARG1]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[SUBI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[MAXSI]], %[[C4]] : index
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI2]] : i1
// CHECK: %[[XORI:.*]] = arith.xori %[[ANDI]], %[[TRUE]] : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: llvm.call @pallas_check_tensor_bounds(%[[ADDRESS]])
// CHECK: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ARG1]], %[[C0]] : index
// CHECK: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[ARG0]][%[[SELECT]]] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK: return %[[EXTRACT_SLICE]] : tensor<4xf32>
func.func @extract_slice(%x: tensor<8xf32>, %i: index) -> tensor<4xf32> {
  %o = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %o : tensor<4xf32>
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+20]]:8\0Atensor.insert_slice\0Aits tensor\00")
// CHECK-LABEL: func.func @insert_slice(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<4xf32>, %[[ARG2:[^:]*]]: index)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[CMPI:.*]] = arith.cmpi sge, %[[ARG2]], %[[C0]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C8]], %[[ARG2]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[SUBI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi sge, %[[MAXSI]], %[[C4]] : index
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI2]] : i1
// CHECK: %[[XORI:.*]] = arith.xori %[[ANDI]], %[[TRUE]] : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: llvm.call @pallas_check_tensor_bounds(%[[ADDRESS]])
// CHECK: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ARG2]], %[[C0]] : index
// CHECK: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[ARG1]] into %[[ARG0]][%[[SELECT]]] [4] [1] : tensor<4xf32> into tensor<8xf32>
// CHECK: return %[[INSERT_SLICE]] : tensor<8xf32>
func.func @insert_slice(%x: tensor<8xf32>, %v: tensor<4xf32>, %i: index) -> tensor<8xf32> {
  %o = tensor.insert_slice %v into %x[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// The state has the values of its operand at the start.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+34]]:5\0Apallas.addupdate\0Aref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+32]]:8\0Apallas.run_state\0Aref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("ref 0\00")
// CHECK-LABEL: func.func @run_state(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS3]], %[[C1_I64]], %[[C2_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C3_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[TO_TENSOR]], %[[ARG1]] : tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ADDF]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR2]] : tensor<8xf32>
func.func @run_state(%v: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.run_state (%s: !pallas.ref<8xf32, vmem> = %v : tensor<8xf32>) {
    pallas.addupdate %s[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// Memory of a scope is announced at its start as unwritten.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+30]]:10\0Apallas.get\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+28]]:5\0Apallas.swap\0Ascoped ref 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("scoped ref 0\00")
// CHECK-LABEL: func.func @run_scoped(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS3]], %[[C1_I64]], %[[C2_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @run_scoped(%v: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.run_scoped (%r: !pallas.ref<8xf32, vmem>) -> tensor<8xf32> {
    pallas.swap %r[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %w = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
    pallas.yield %w : tensor<8xf32>
  }
  return %o : tensor<8xf32>
}
