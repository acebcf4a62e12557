// RUN: pallas-opt %s --split-input-file --pallas-insert-checks --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// With checks, the index of an access is reported before it is moved inside, with the length, the
// stride and the size of the dimension; the memory that is read (1) or written (2) follows. The text
// has the place, the operation and the name of the memory.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+40]]:8\0Apallas.get\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+38]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @get(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: i32)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C4]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]]] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<4xf32> to tensor<4xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<4xf32>
func.func @get(%x: tensor<8xf32>, %i: i32) -> tensor<4xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.get %r[ds(%i, 4)] : !pallas.ref<8xf32, vmem>
  return %v : tensor<4xf32>
}

// -----

// A swap whose result is used reads and writes (3).

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+24]]:10\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+22]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<8xf32>)
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C3_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[ALLOC]], %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @swap(%x: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %old = pallas.swap %r[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  return %old : tensor<8xf32>
}

// -----

// New memory is announced as unwritten (1), with three values of its type for the runtime to fill it
// with: 0.75, NaN and -24.0.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+27]]:8\0Apallas.freeze\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+25]]:3\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("a ref\00")
// CHECK-LABEL: func.func @empty_ref(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4xf32>)
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
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<4xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS3]], %[[C1_I64]], %[[C2_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4xf32>, memref<4xf32>) -> ()
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<4xf32> to tensor<4xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<4xf32>
func.func @empty_ref(%v: tensor<4xf32>) -> tensor<4xf32> {
  %r = pallas.empty_ref : !pallas.ref<4xf32, vmem>
  pallas.swap %r[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  %o = pallas.freeze %r : !pallas.ref<4xf32, vmem>
  return %o : tensor<4xf32>
}

// -----

// A constant index inside needs no check of bounds; a stride is part of the memory that is read.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+29]]:8\0Apallas.get\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+27]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8x8xf32>)
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8x8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][0, 1] [3, 4] [2, 1] : memref<8x8xf32> to memref<3x4xf32, strided<[16, 1], offset: 1>>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<3x4xf32, strided<[16, 1], offset: 1>> -> index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER2]], %[[C4]] : index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST2]], %[[C4_I64]], %[[C2_I64]], %[[C3_I64]], %[[C4_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x4xf32>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<3x4xf32, strided<[16, 1], offset: 1>> to memref<3x4xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<3x4xf32> to tensor<3x4xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<3x4xf32>
func.func @strided(%x: tensor<8x8xf32>) -> tensor<3x4xf32> {
  %r = pallas.new_ref %x : tensor<8x8xf32> -> !pallas.ref<8x8xf32, vmem>
  %v = pallas.get %r[ds(0, 3, 2), ds(1, 4)] : !pallas.ref<8x8xf32, vmem>
  return %v : tensor<3x4xf32>
}

// -----

// Each element of an index array is checked where it is used.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+56]]:8\0Apallas.get\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+54]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<3xi32>)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<3xi32>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi ult, %[[SELECT]], %[[C8]] : index
// CHECK: %[[CMPI3:.*]] = arith.cmpi uge, %[[CAST2]], %[[C8]] : index
// CHECK: scf.if %[[CMPI3]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[SELECT]]] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3xf32>
// CHECK: scf.for %[[ARG2:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG2]]] : tensor<3xi32>
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[EXTRACT2]] : i32 to index
// CHECK: %[[CMPI4:.*]] = arith.cmpi slt, %[[CAST5]], %[[C0]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[CAST5]], %[[C8]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI4]], %[[ADDI3]], %[[CAST5]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT2]], %[[C7]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][%[[MAXSI]]] : memref<8xf32>
// CHECK: memref.store %[[LOAD]], %[[ALLOC2]][%[[ARG2]]] : memref<3xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<3xf32> to tensor<3xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<3xf32>
func.func @gather(%x: tensor<8xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.get %r[gather(%i : tensor<3xi32>)] : !pallas.ref<8xf32, vmem>
  return %v : tensor<3xf32>
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+58]]:8\0Apallas.freeze\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+56]]:3\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+54]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<3xi32>, %[[ARG2:[^:]*]]: tensor<3xf32>)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<3xi32>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi ult, %[[SELECT]], %[[C8]] : index
// CHECK: %[[CMPI3:.*]] = arith.cmpi uge, %[[CAST2]], %[[C8]] : index
// CHECK: scf.if %[[CMPI3]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[SELECT]]] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG3]]] : tensor<3xi32>
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[EXTRACT2]] : i32 to index
// CHECK: %[[CMPI4:.*]] = arith.cmpi slt, %[[CAST5]], %[[C0]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[CAST5]], %[[C8]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI4]], %[[ADDI3]], %[[CAST5]] : index
// CHECK: %[[CMPI5:.*]] = arith.cmpi ult, %[[SELECT2]], %[[C8]] : index
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG2]][%[[ARG3]]] : tensor<3xf32>
// CHECK: scf.if %[[CMPI5]] {
// CHECK: memref.store %[[EXTRACT3]], %[[ALLOC]][%[[SELECT2]]] : memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @scatter(%x: tensor<8xf32>, %i: tensor<3xi32>, %v: tensor<3xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  pallas.swap %r[gather(%i : tensor<3xi32>)], %v : !pallas.ref<8xf32, vmem>, tensor<3xf32>
  %o = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %o : tensor<8xf32>
}

// -----

// An addition reads and writes each element, in the order of the indices.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+61]]:8\0Apallas.freeze\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+59]]:3\0Apallas.addupdate\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+57]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @addupdate_gather(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<3xi32>, %[[ARG2:[^:]*]]: tensor<3xf32>)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<3xi32>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[EXTRACT]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi ult, %[[SELECT]], %[[C8]] : index
// CHECK: %[[CMPI3:.*]] = arith.cmpi uge, %[[CAST2]], %[[C8]] : index
// CHECK: scf.if %[[CMPI3]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[SELECT]]] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C3_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG3]]] : tensor<3xi32>
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[EXTRACT2]] : i32 to index
// CHECK: %[[CMPI4:.*]] = arith.cmpi slt, %[[CAST5]], %[[C0]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[CAST5]], %[[C8]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI4]], %[[ADDI3]], %[[CAST5]] : index
// CHECK: %[[CMPI5:.*]] = arith.cmpi ult, %[[SELECT2]], %[[C8]] : index
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG2]][%[[ARG3]]] : tensor<3xf32>
// CHECK: scf.if %[[CMPI5]] {
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][%[[SELECT2]]] : memref<8xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[LOAD]], %[[EXTRACT3]] : f32
// CHECK: memref.store %[[ADDF]], %[[ALLOC]][%[[SELECT2]]] : memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @addupdate_gather(%x: tensor<8xf32>, %i: tensor<3xi32>, %v: tensor<3xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  pallas.addupdate %r[gather(%i : tensor<3xi32>)], %v : !pallas.ref<8xf32, vmem>, tensor<3xf32>
  %o = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %o : tensor<8xf32>
}

// -----

// Only elements that the mask selects are checked and read.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+71]]:8\0Apallas.masked_load\0Awhat its mask leaves out\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+70]]:8\0Apallas.masked_load\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+68]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @masked_load(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<4xi1>, %[[ARG2:[^:]*]]: i32)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG2]] : i32 to index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[ARG]] : index
// CHECK: %[[CMPI:.*]] = arith.cmpi ult, %[[ADDI]], %[[C8]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<4xi1>
// CHECK: scf.if %[[EXTRACT]] {
// CHECK: %[[CMPI2:.*]] = arith.cmpi uge, %[[ADDI]], %[[C8]] : index
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: scf.if %[[CMPI]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[ADDI]]] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %[[META:.*]], %[[META2:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<4xf32> -> index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: scf.for %[[ARG3:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[ARG2]] : i32 to index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[CAST6]], %[[ARG3]] : index
// CHECK: %[[CMPI3:.*]] = arith.cmpi ult, %[[ADDI3]], %[[C8]] : index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG3]]] : tensor<4xi1>
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI3]], %[[EXTRACT2]] : i1
// CHECK: scf.if %[[ANDI]] {
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC2]][%[[ARG3]]] [1] [1] : memref<4xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %[[META3:.*]], %[[META4:.*]] = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META4]], %[[C4]] : index
// CHECK: %[[ADDI4:.*]] = arith.addi %[[POINTER4]], %[[MULI2]] : index
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ADDI4]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C2_I64]], %[[CAST7]], %[[C4_I64]], %[[C0_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[ALLOC2]], %[[ALLOC3]] : memref<4xf32> to memref<4xf32>
// CHECK: %[[LEFT:.*]] = bufferization.to_tensor %[[ALLOC3]] restrict writable : memref<4xf32> to tensor<4xf32>
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: scf.if %{{.*}} {
// CHECK: arith.select %[[ARG1]], %{{.*}}, %[[LEFT]] : tensor<4xi1>, tensor<4xf32>
// CHECK: } else {
// CHECK: %[[OTHER:.*]] = tensor.extract %[[LEFT]][%{{.*}}] : tensor<4xf32>
// CHECK: scf.yield %[[OTHER]] : f32
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC4]] restrict writable : memref<4xf32> to tensor<4xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<4xf32>
func.func @masked_load(%x: tensor<8xf32>, %m: tensor<4xi1>, %i: i32) -> tensor<4xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.masked_load %r[ds(%i, 4)] mask %m : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  return %v : tensor<4xf32>
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+58]]:8\0Apallas.freeze\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+56]]:10\0Apallas.masked_swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+54]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @masked_swap(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: tensor<4xi1>, %[[ARG2:[^:]*]]: tensor<4xf32>, %[[ARG3:[^:]*]]: i32)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG3]] : i32 to index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[ARG]] : index
// CHECK: %[[CMPI:.*]] = arith.cmpi ult, %[[ADDI]], %[[C8]] : index
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG1]][%[[ARG]]] : tensor<4xi1>
// CHECK: scf.if %[[EXTRACT]] {
// CHECK: %[[CMPI2:.*]] = arith.cmpi uge, %[[ADDI]], %[[C8]] : index
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: scf.if %[[CMPI]] {
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[ADDI]]] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[ARG3]] : i32 to index
// CHECK: scf.if %{{.*}} {
// CHECK: arith.select %[[ARG1]], %[[ARG2]], %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: } else {
// CHECK: scf.for %[[ARG4:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[ADDI3:.*]] = arith.addi %[[CAST5]], %[[ARG4]] : index
// CHECK: %[[CMPI3:.*]] = arith.cmpi ult, %[[ADDI3]], %[[C8]] : index
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[ARG1]][%[[ARG4]]] : tensor<4xi1>
// CHECK: %[[ANDI:.*]] = arith.andi %[[CMPI3]], %[[EXTRACT2]] : i1
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %[[ARG2]][%[[ARG4]]] : tensor<4xf32>
// CHECK: scf.if %[[ANDI]] {
// CHECK: memref.store %[[EXTRACT3]], %[[ALLOC]][%[[ADDI3]]] : memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<8xf32>
func.func @masked_swap(%x: tensor<8xf32>, %m: tensor<4xi1>, %v: tensor<4xf32>, %i: i32) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %old = pallas.masked_swap %r[ds(%i, 4)], %v mask %m : !pallas.ref<8xf32, vmem>, tensor<4xf32>, tensor<4xi1>
  %o = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %o : tensor<8xf32>
}

// -----

// Atomic updates of several tasks don't race, so they have a kind of their own.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+47]]:10\0Apallas.atomic_rmw\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+45]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @atomic_rmw(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xi32>, %[[ARG1:[^:]*]]: i32, %[[ARG2:[^:]*]]: i32)
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[C7_I64:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xi32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<16xi32>, memref<16xi32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16xi32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C16]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C15]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi uge, %[[CAST2]], %[[C16]] : index
// CHECK: scf.if %[[CMPI2]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C16_I64]])
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI]]] [1] [1] : memref<16xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> memref<i32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C7_I64]], %[[CAST4]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i32>
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOC]][%[[MAXSI]]] : memref<16xi32>
// CHECK: %[[ADDI3:.*]] = arith.addi %[[LOAD]], %[[ARG2]] : i32
// CHECK: memref.store %[[ADDI3]], %[[ALLOC]][%[[MAXSI]]] : memref<16xi32>
// CHECK: memref.store %[[LOAD]], %[[ALLOC2]][] : memref<i32>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ALLOC2]][] : memref<i32>
// CHECK: return %[[LOAD2]] : i32
func.func @atomic_rmw(%x: tensor<16xi32>, %i: i32, %v: i32) -> i32 {
  %r = pallas.new_ref %x : tensor<16xi32> -> !pallas.ref<16xi32, gmem>
  %old = pallas.atomic_rmw <add> %r[%i], %v : !pallas.ref<16xi32, gmem>, i32
  return %old : i32
}

// -----

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+30]]:10\0Apallas.atomic_cas\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+28]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @atomic_cas(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xi32>, %[[ARG1:[^:]*]]: i32, %[[ARG2:[^:]*]]: i32)
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C7_I64:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xi32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<16xi32>, memref<16xi32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16xi32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][3] [1] [1] : memref<16xi32> to memref<i32, strided<[], offset: 3>>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<i32, strided<[], offset: 3>> -> index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER2]], %[[C12]] : index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C7_I64]], %[[CAST2]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[LOAD:.*]] = memref.load %[[SUBVIEW]][] : memref<i32, strided<[], offset: 3>>
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %[[LOAD]], %[[ARG1]] : i32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ARG2]], %[[LOAD]] : i32
// CHECK: memref.store %[[SELECT]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: 3>>
// CHECK: return %[[LOAD]] : i32
func.func @atomic_cas(%x: tensor<16xi32>, %cmp: i32, %v: i32) -> i32 {
  %r = pallas.new_ref %x : tensor<16xi32> -> !pallas.ref<16xi32, gmem>
  %old = pallas.atomic_cas %r[3], %cmp, %v : !pallas.ref<16xi32, gmem>, i32
  return %old : i32
}

// -----

// A view of a view is reported as the memory behind both.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+46]]:8\0Apallas.get\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+44]]:8\0Apallas.slice_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+41]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x8xf32>, %[[ARG1:[^:]*]]: i32)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<4x8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[TRANSPOSE:.*]] = memref.transpose %[[ALLOC]] (d0, d1) -> (d1, d0) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C7]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[TRANSPOSE]][%[[MAXSI]], 0] [1, 4] [1, 1] : memref<8x4xf32, strided<[1, 8]>> to memref<4xf32, strided<[8], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW]] : memref<4xf32, strided<[8], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<4xf32, strided<[8], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C8_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<4xf32, strided<[8], offset: ?>> to memref<4xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<4xf32> to tensor<4xf32>
// CHECK: return %[[TO_TENSOR]] : tensor<4xf32>
func.func @views(%x: tensor<4x8xf32>, %i: i32) -> tensor<4xf32> {
  %r = pallas.new_ref %x : tensor<4x8xf32> -> !pallas.ref<4x8xf32, vmem>
  %t = pallas.transpose_ref %r, [1, 0] : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x4xf32, vmem>
  %s = pallas.slice_ref %t[%i, :] : !pallas.ref<8x4xf32, vmem>
  %v = pallas.get %s[...] : !pallas.ref<4xf32, vmem>
  return %v : tensor<4xf32>
}

// -----

// The length of a dynamic slice is checked as it is given, before it is cut to the ref.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+63]]:3): this needs an element in dimension 0, where the ref has none; give the size of the slice by an operand, or test it\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+62]]:3\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+60]]:8\0Apallas.slice_ref\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+58]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @dynamic_slice(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<8xf32>, %[[ARG1:[^:]*]]: i32, %[[ARG2:[^:]*]]: i32, %[[ARG3:[^:]*]]: f32)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS4]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG1]] : i32 to index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[CAST2]] : index to i64
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ARG2]] : i32 to index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[CAST4]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS3]], %[[C1_I64]], %[[C0_I64]], %[[CAST3]], %[[CAST5]], %[[C1_I64]], %[[C8_I64]])
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[CAST2]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[CAST2]], %[[C8]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[CAST2]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[SELECT]], %[[C0]] : index
// CHECK: %[[SUBI:.*]] = arith.subi %[[C8]], %[[MAXSI]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[MAXSI]], %[[C7]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[CAST4]], %[[SUBI]] : index
// CHECK: %[[MAXSI3:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MAXSI2]]] [%[[MAXSI3]]] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[MAXSI3]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS2]], %[[C1_I64]], %[[C0_I64]], %[[C2_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST6]])
// CHECK: %[[SUBI2:.*]] = arith.subi %[[MAXSI3]], %[[C1]] : index
// CHECK: %[[MINSI3:.*]] = arith.minsi %[[SUBI2]], %[[C2]] : index
// CHECK: %[[MAXSI4:.*]] = arith.maxsi %[[MINSI3]], %[[C0]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[MAXSI3]], %[[C1]] : index
// CHECK: scf.if %[[CMPI2]] {
// CHECK: llvm.call @pallas_rt_error(%[[ADDRESS]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[SUBVIEW]][%[[MAXSI4]]] [1] [1] : memref<?xf32, strided<[1], offset: ?>> to memref<f32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<f32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER2]], %[[MULI]] : index
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST7]], %[[C4_I64]], %[[C0_I64]])
// CHECK: scf.if %[[CMPI2]] {
// CHECK: llvm.call @pallas_rt_error(%[[ADDRESS]])
// CHECK: memref.store %[[ARG3]], %[[SUBVIEW2]][] : memref<f32, strided<[], offset: ?>>
// CHECK: return
func.func @dynamic_slice(%x: tensor<8xf32>, %i: i32, %n: i32, %v: f32) {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %s = pallas.slice_ref %r[ds(%i, %n)] : !pallas.ref<8xf32, vmem>
  pallas.swap %s[2], %v : !pallas.ref<?xf32, vmem>, f32
  return
}

// -----

// Narrow elements in a wider view are written as the bytes behind them.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+48]]:3\0Apallas.swap\0Aa ref\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+45]]:8\0Apallas.new_ref\0Aa ref\00")
// CHECK-LABEL: func.func @bitcast(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<4x8xf32>, %[[ARG1:[^:]*]]: tensor<8x8xbf16>)
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C16_I32:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[C32_I64:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: bufferization.materialize_in_destination %[[ARG0]] in restrict writable %[[ALLOC]] : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<4x8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xbf16>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8x8xbf16> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_packed_view(%[[C16_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]], %[[C32_I64]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[UNREALIZED_CONVERSION_CAST:.*]] = builtin.unrealized_conversion_cast %[[ALLOC]] : memref<4x8xf32> to memref<4x8xi32>
// CHECK: %[[UNREALIZED_CONVERSION_CAST2:.*]] = builtin.unrealized_conversion_cast %[[ALLOC2]] : memref<8x8xbf16> to memref<8x8xi16>
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST2]][0, 0] [4, 8] [2, 1] : memref<8x8xi16> to memref<4x8xi16, strided<[16, 1]>>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[UNREALIZED_CONVERSION_CAST]] : memref<4x8xi32>) outs(%[[SUBVIEW]] : memref<4x8xi16, strided<[16, 1]>>) {
// CHECK: ^bb0(%[[IN:[^ :,)]*]]: i32, %[[OUT:[^ :,)]*]]: i16):
// CHECK: %[[TRUNCI:.*]] = arith.trunci %[[IN]] : i32 to i16
// CHECK: linalg.yield %[[TRUNCI]] : i16
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[UNREALIZED_CONVERSION_CAST2]][1, 0] [4, 8] [2, 1] : memref<8x8xi16> to memref<4x8xi16, strided<[16, 1], offset: 8>>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[UNREALIZED_CONVERSION_CAST]] : memref<4x8xi32>) outs(%[[SUBVIEW2]] : memref<4x8xi16, strided<[16, 1], offset: 8>>) {
// CHECK: ^bb0(%[[IN2:[^ :,)]*]]: i32, %[[OUT2:[^ :,)]*]]: i16):
// CHECK: %[[SHRUI:.*]] = arith.shrui %[[IN2]], %[[C16_I32]] : i32
// CHECK: %[[TRUNCI2:.*]] = arith.trunci %[[SHRUI]] : i32 to i16
// CHECK: linalg.yield %[[TRUNCI2]] : i16
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C2_I64]], %[[CAST2]], %[[C2_I64]], %[[C2_I64]], %[[C8_I64]], %[[C8_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[ARG1]] in restrict writable %[[ALLOC2]] : (tensor<8x8xbf16>, memref<8x8xbf16>) -> ()
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[SUBVIEW]], %[[SUBVIEW2]] : memref<4x8xi16, strided<[16, 1]>>, memref<4x8xi16, strided<[16, 1], offset: 8>>) outs(%[[UNREALIZED_CONVERSION_CAST]] : memref<4x8xi32>) {
// CHECK: ^bb0(%[[IN3:[^ :,)]*]]: i16, %[[IN4:[^ :,)]*]]: i16, %[[OUT3:[^ :,)]*]]: i32):
// CHECK: %[[EXTUI:.*]] = arith.extui %[[IN3]] : i16 to i32
// CHECK: %[[EXTUI2:.*]] = arith.extui %[[IN4]] : i16 to i32
// CHECK: %[[SHLI:.*]] = arith.shli %[[EXTUI2]], %[[C16_I32]] : i32
// CHECK: %[[ORI:.*]] = arith.ori %[[EXTUI]], %[[SHLI]] : i32
// CHECK: linalg.yield %[[ORI]] : i32
// CHECK: return
func.func @bitcast(%x: tensor<4x8xf32>, %v: tensor<8x8xbf16>) {
  %r = pallas.new_ref %x : tensor<4x8xf32> -> !pallas.ref<4x8xf32, vmem>
  %b = pallas.bitcast_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
  pallas.swap %b[...], %v : !pallas.ref<8x8xbf16, vmem>, tensor<8x8xbf16>
  return
}
