// RUN: pallas-opt %s --split-input-file --pallas-insert-checks --pallas-grids-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// With checks, the grid tells the runtime which program runs and which part of which array its
// windows are. At the end each element of an output must have been written.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+73]]:5\0Apallas.swap\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+71]]:10\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+66]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+65]]:8\0Apallas.pallas_call\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+64]]:8\0Apallas.pallas_call\0Awindows\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("output 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("input 0\00")
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[ARG0:[^:]*]]: tensor<16xf32>)
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C5_I64:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[TO_BUFFER:.*]] = bufferization.to_buffer %[[ARG0]] read_only : tensor<16xf32> to memref<16xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[TO_BUFFER]] : memref<16xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS7]], %[[C0_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS6]], %[[C1_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS5]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C1_I64]], %[[CAST3]])
// CHECK: %[[MULI:.*]] = arith.muli %[[ARG]], %[[C4]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[TO_BUFFER]][%[[MULI]]] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER3]], %[[MULI2]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[MULI]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS4]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST5]], %[[C4_I64]], %[[C0_I64]], %[[C16_I64]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][%[[MULI]]] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<4xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<4xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER4]], %[[MULI3]] : index
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS3]], %[[C1_I64]], %[[C5_I64]], %[[C0_I64]], %[[CAST6]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST5]], %[[C4_I64]], %[[C0_I64]], %[[C16_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC2]] : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[ALLOC2]] restrict writable : memref<4xf32> to tensor<4xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C2_I64]], %[[CAST6]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: bufferization.materialize_in_destination %[[TO_TENSOR]] in restrict writable %[[SUBVIEW2]] : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS3]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]], %[[C1_I64]], %[[C4_I64]])
// CHECK: %[[TO_TENSOR2:.*]] = bufferization.to_tensor %[[ALLOC]] restrict : memref<16xf32> to tensor<16xf32>
// CHECK: return %[[TO_TENSOR2]] : tensor<16xf32>
func.func @windows(%x: tensor<16xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<16xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<16xf32>
}

// -----

// Checked programs run in order along a parallel dimension, too.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+51]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+50]]:8\0Apallas.pallas_call\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+49]]:8\0Apallas.pallas_call\0Aparallel\00")
// CHECK-LABEL: func.func @parallel(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C5_I64:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<8x4xf32> -> index
// CHECK: arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8x4xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS3]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: scf.for %[[ARG2:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ARG2]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C2_I64]], %[[CAST2]], %[[CAST3]])
// CHECK: %[[MULI:.*]] = arith.muli %[[ARG]], %[[C4]] : index
// CHECK: %[[MULI2:.*]] = arith.muli %[[ARG2]], %[[C2]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{[^ ,)]*}}[%[[MULI]], %[[MULI2]]] [4, 2] [1, 1] : memref<8x4xf32> to memref<4x2xf32, strided<[4, 1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[SUBVIEW]] : memref<4x2xf32, strided<[4, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<4x2xf32, strided<[4, 1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER3]], %[[MULI3]] : index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[MULI]] : index to i64
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[MULI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS2]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST4]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[CAST5]], %[[C4_I64]], %[[C0_I64]], %[[C8_I64]], %[[CAST6]], %[[C2_I64]], %[[C0_I64]], %[[C4_I64]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][%[[MULI]], %[[MULI2]]] [4, 2] [1, 1] : memref<8x4xf32> to memref<4x2xf32, strided<[4, 1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<4x2xf32, strided<[4, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<4x2xf32, strided<[4, 1], offset: ?>> -> index
// CHECK: %[[MULI4:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER4]], %[[MULI4]] : index
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS]], %[[C1_I64]], %[[C5_I64]], %[[C0_I64]], %[[CAST7]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C2_I64]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[CAST5]], %[[C4_I64]], %[[C0_I64]], %[[C8_I64]], %[[CAST6]], %[[C2_I64]], %[[C0_I64]], %[[C4_I64]])
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4x2xf32>
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS]], %[[CAST]], %[[C4_I64]], %[[C2_I64]], %[[C8_I64]], %[[C4_I64]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C4_I64]], %[[C2_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<8x4xf32>
func.func @parallel(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(2, 2)
      in(%x : tensor<8x4xf32>) block<[4, 2], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<8x4xf32>) block<[4, 2], vmem> map(%i, %j) -> (%i, %j)
      semantics [parallel, arbitrary]
      kernel(%xr: !pallas.ref<4x2xf32, vmem>, %or: !pallas.ref<4x2xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x2xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x2xf32, vmem>, tensor<4x2xf32>
  }
  return %o : tensor<8x4xf32>
}

// -----

// Where a window extends past its array, the array is copied to a padded one and back. The runtime is
// told that contents move, so that it doesn't take the copy for an access of the kernel.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+96]]:5\0Apallas.swap\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+94]]:10\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+89]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+88]]:8\0Apallas.pallas_call\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+87]]:8\0Apallas.pallas_call\0Aedge\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("output 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("a padded array\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT8:.*]]("input 0\00")
// CHECK-LABEL: func.func @edge(
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C5_I64:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C10_I64:.*]] = arith.constant 10 : i64
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[CST:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG: %[[ADDRESS8:.*]] = llvm.mlir.addressof @[[TEXT8]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<10xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS8]], %[[C0_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: linalg.fill ins(%[[CST]] : f32) outs(%[[ALLOC]] : memref<16xf32>)
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][0] [10] [1] : memref<16xf32> to memref<10xf32, strided<[1]>>
// CHECK: memref.copy %{{[^ ,)]*}}, %[[SUBVIEW]] : memref<10xf32> to memref<10xf32, strided<[1]>>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS7]], %[[C2_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<10xf32, strided<[1]>> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_same_contents(%[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<10xf32> -> index
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[POINTER4]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS6]], %[[C1_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: linalg.fill ins(%[[CST]] : f32) outs(%[[ALLOC3]] : memref<16xf32>)
// CHECK: %[[POINTER5:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC3]] : memref<16xf32> -> index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[POINTER5]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS7]], %[[C2_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC3]][0] [10] [1] : memref<16xf32> to memref<10xf32, strided<[1]>>
// CHECK: %[[POINTER6:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<10xf32, strided<[1]>> -> index
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[POINTER6]] : index to i64
// CHECK: llvm.call @pallas_check_same_contents(%[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]], %[[CAST6]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS5]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C1_I64]], %[[CAST7]])
// CHECK: %[[MULI:.*]] = arith.muli %[[ARG]], %[[C8]] : index
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[ALLOC]][%[[MULI]]] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW3]] : memref<8xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER7:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW3]] : memref<8xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER7]], %[[MULI2]] : index
// CHECK: %[[CAST8:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: %[[CAST9:.*]] = arith.index_cast %[[MULI]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS4]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST8]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST9]], %[[C8_I64]], %[[C0_I64]], %[[C10_I64]])
// CHECK: %[[SUBVIEW4:.*]] = memref.subview %[[ALLOC3]][%[[MULI]]] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW4]] : memref<8xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER8:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW4]] : memref<8xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER8]], %[[MULI3]] : index
// CHECK: %[[CAST10:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS3]], %[[C1_I64]], %[[C5_I64]], %[[C0_I64]], %[[CAST10]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST9]], %[[C8_I64]], %[[C0_I64]], %[[C10_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST8]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[SUBVIEW3]], %[[ALLOC4]] : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C2_I64]], %[[CAST10]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: memref.copy %[[SUBVIEW2]], %[[ALLOC2]] : memref<10xf32, strided<[1]>> to memref<10xf32>
// CHECK: llvm.call @pallas_check_same_contents(%[[CAST6]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS3]], %[[CAST4]], %[[C4_I64]], %[[C1_I64]], %[[C10_I64]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<10xf32>
func.func @edge(%x: tensor<10xf32>) -> tensor<10xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<10xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<10xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<10xf32>
}

// -----

// The index of a block that isn't known to be inside is checked.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+92]]:5\0Apallas.swap\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+90]]:10\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+80]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+79]]:8\0Apallas.pallas_call\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+80]]:15\0Apallas.get\0Aindex operand 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+77]]:8\0Apallas.pallas_call\0Ablock_outside\00")
// CHECK-LABEL: func.func @block_outside(
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C5_I64:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C16_I64:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<4xi32> -> index
// CHECK: arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<16xf32> -> index
// CHECK: arith.index_cast %[[POINTER2]] : index to i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<16xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS6]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C4]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C1_I64]], %[[CAST2]])
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS5]], %[[C1_I64]], %[[C0_I64]], %[[CAST2]], %[[C1_I64]], %[[C1_I64]], %[[C4_I64]])
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[ARG]], %[[C0]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[ARG]], %[[C4]] : index
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ADDI]], %[[ARG]] : index
// CHECK: %[[MINSI:.*]] = arith.minsi %[[SELECT]], %[[C3]] : index
// CHECK: %[[MAXSI:.*]] = arith.maxsi %[[MINSI]], %[[C0]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{[^ ,)]*}}[%[[MAXSI]]] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]] = memref.extract_strided_metadata %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> memref<i32>, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<i32, strided<[], offset: ?>> -> index
// CHECK: %[[MULI:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER4]], %[[MULI]] : index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS5]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C0_I64]])
// CHECK: %[[LOAD:.*]] = memref.load %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[LOAD]] : i32 to index
// CHECK: %[[MULI2:.*]] = arith.muli %[[CAST4]], %[[C4]] : index
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[MULI2]], %[[C0]] : index
// CHECK: %[[ADDI3:.*]] = arith.addi %[[MULI2]], %[[C16]] : index
// CHECK: %[[SELECT2:.*]] = arith.select %[[CMPI2]], %[[ADDI3]], %[[MULI2]] : index
// CHECK: %[[MINSI2:.*]] = arith.minsi %[[SELECT2]], %[[C12]] : index
// CHECK: %[[MAXSI2:.*]] = arith.maxsi %[[MINSI2]], %[[C0]] : index
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %{{[^ ,)]*}}[%[[MAXSI2]]] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<4xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER5:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<4xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI4:.*]] = arith.addi %[[POINTER5]], %[[MULI3]] : index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[ADDI4]] : index to i64
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[MULI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS4]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST6]], %[[C4_I64]], %[[C0_I64]], %[[C16_I64]])
// CHECK: %[[MULI4:.*]] = arith.muli %[[ARG]], %[[C4]] : index
// CHECK: %[[SUBVIEW3:.*]] = memref.subview %[[ALLOC]][%[[MULI4]]] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META3:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW3]] : memref<4xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER6:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW3]] : memref<4xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI5:.*]] = arith.muli %[[META3]], %[[C4]] : index
// CHECK: %[[ADDI5:.*]] = arith.addi %[[POINTER6]], %[[MULI5]] : index
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ADDI5]] : index to i64
// CHECK: %[[CAST8:.*]] = arith.index_cast %[[MULI4]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS3]], %[[C1_I64]], %[[C5_I64]], %[[C0_I64]], %[[CAST7]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST8]], %[[C4_I64]], %[[C0_I64]], %[[C16_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[SUBVIEW2]], %[[ALLOC2]] : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C2_I64]], %[[CAST7]], %[[C4_I64]], %[[C1_I64]], %[[C4_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS3]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C16_I64]], %[[C1_I64]], %[[C1_I64]], %[[C4_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<16xf32>
func.func @block_outside(%x: tensor<16xf32>, %t: tensor<4xi32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4) prefetch(%t : tensor<4xi32>)
      in(%x : tensor<16xf32>) block<[4], vmem> map(%i, %tr) {
        %at = pallas.get %tr[%i] : !pallas.ref<4xi32, smem>
        pallas.yield %at : i32
      }
      out(tensor<16xf32>) block<[4], vmem> map(%i, %tr) {
        pallas.yield %i : i32
      }
      kernel(%tr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<16xf32>
}

// -----

// The memory of an aliased output starts with the contents of the operand and is written already (0).

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+82]]:5\0Apallas.addupdate\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+80]]:10\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+74]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+73]]:8\0Apallas.pallas_call\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+72]]:8\0Apallas.pallas_call\0Aaliased\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("output 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("a copy\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT8:.*]]("input 0\00")
// CHECK-LABEL: func.func @aliased(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C3_I64:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[C7_I64:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ADDRESS8:.*]] = llvm.mlir.addressof @[[TEXT8]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS8]], %[[C0_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %{{[^ ,)]*}}, %[[ALLOC]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS7]], %[[C1_I64]], %[[C2_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_same_contents(%[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %{{[^ ,)]*}}, %[[ALLOC2]] : memref<8xf32> to memref<8xf32>
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8xf32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS6]], %[[C0_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS5]])
// CHECK: llvm.call @pallas_check_alias(%[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[C1_I64]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C1_I64]], %[[CAST4]])
// CHECK: %[[MULI:.*]] = arith.muli %[[ARG]], %[[C2]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %[[ALLOC]][%[[MULI]]] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW]] : memref<2xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<2xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER4]], %[[MULI2]] : index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: %[[CAST6:.*]] = arith.index_cast %[[MULI]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS4]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST6]], %[[C2_I64]], %[[C0_I64]], %[[C8_I64]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC2]][%[[MULI]]] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<2xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER5:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<2xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER5]], %[[MULI3]] : index
// CHECK: %[[CAST7:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS3]], %[[C1_I64]], %[[C7_I64]], %[[C0_I64]], %[[CAST7]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST6]], %[[C2_I64]], %[[C0_I64]], %[[C8_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C1_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xf32>
// CHECK: memref.copy %[[SUBVIEW]], %[[ALLOC3]] : memref<2xf32, strided<[1], offset: ?>> to memref<2xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[C3_I64]], %[[CAST7]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]])
// CHECK: arith.addf %{{[^ ,)]*}}, %{{[^ ,)]*}} : tensor<2xf32>
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS3]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[C1_I64]], %[[C2_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<8xf32>
func.func @aliased(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<2xf32, vmem>, %or: !pallas.ref<2xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xf32, vmem>
    pallas.addupdate %or[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// The windows of a pipeline are parts of refs.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+61]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+69]]:7\0Apallas.swap\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+67]]:12\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+62]]:5\0Apallas.emit_pipeline\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+61]]:5\0Apallas.emit_pipeline\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+60]]:5\0Apallas.emit_pipeline\0A\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("{{.*}}:[[#@LINE+55]]:8\0Apallas.pallas_call\0Apipeline\00")
// CHECK-LABEL: func.func @pipeline(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[C5_I64:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[C6_I64:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<6xf32> -> index
// CHECK: arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<6xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS7]])
// CHECK: llvm.call @pallas_check_program(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS6]])
// CHECK: scf.for %[[ARG:[^ :,)]*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[ARG]] : index to i64
// CHECK: llvm.call @pallas_check_program(%[[C1_I64]], %[[CAST2]])
// CHECK: %[[MULI:.*]] = arith.muli %[[ARG]], %[[C2]] : index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{[^ ,)]*}}[%[[MULI]]] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW]] : memref<2xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW]] : memref<2xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI2:.*]] = arith.muli %[[META]], %[[C4]] : index
// CHECK: %[[ADDI:.*]] = arith.addi %[[POINTER3]], %[[MULI2]] : index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[ADDI]] : index to i64
// CHECK: %[[CAST4:.*]] = arith.index_cast %[[MULI]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS5]], %[[C0_I64]], %[[C4_I64]], %[[C0_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST4]], %[[C2_I64]], %[[C0_I64]], %[[C6_I64]])
// CHECK: %[[SUBVIEW2:.*]] = memref.subview %[[ALLOC]][%[[MULI]]] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[META2:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SUBVIEW2]] : memref<2xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
// CHECK: %[[POINTER4:.*]] = memref.extract_aligned_pointer_as_index %[[SUBVIEW2]] : memref<2xf32, strided<[1], offset: ?>> -> index
// CHECK: %[[MULI3:.*]] = arith.muli %[[META2]], %[[C4]] : index
// CHECK: %[[ADDI2:.*]] = arith.addi %[[POINTER4]], %[[MULI3]] : index
// CHECK: %[[CAST5:.*]] = arith.index_cast %[[ADDI2]] : index to i64
// CHECK: llvm.call @pallas_check_window(%[[ADDRESS4]], %[[C1_I64]], %[[C5_I64]], %[[C0_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]], %[[C1_I64]], %[[CAST4]], %[[C2_I64]], %[[C0_I64]], %[[C6_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]])
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST5]], %[[C4_I64]], %[[C1_I64]], %[[C2_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C6_I64]], %[[C1_I64]], %[[C1_I64]], %[[C6_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<6xf32>
func.func @pipeline(%x: tensor<6xf32>) -> tensor<6xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<6xf32>) block<[6], any>
      out(tensor<6xf32>) block<[6], any>
      kernel(%xr: !pallas.ref<6xf32, any>, %or: !pallas.ref<6xf32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>, %b: !pallas.ref<2xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<2xf32, vmem>
      pallas.swap %b[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
    }
  }
  return %o : tensor<6xf32>
}

// -----

// Scratch memory is unwritten at the start of a call.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("{{.*}}:[[#@LINE+53]]:8\0Apallas.pallas_call\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT2:.*]]("{{.*}}:[[#@LINE+59]]:5\0Apallas.swap\0Aoutput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT3:.*]]("{{.*}}:[[#@LINE+57]]:10\0Apallas.get\0Ascratch 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT4:.*]]("{{.*}}:[[#@LINE+55]]:5\0Apallas.swap\0Ascratch 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT5:.*]]("{{.*}}:[[#@LINE+53]]:10\0Apallas.get\0Ainput 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT6:.*]]("{{.*}}:[[#@LINE+48]]:8\0Apallas.pallas_call\0Ascratch\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT7:.*]]("scratch 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT8:.*]]("output 0\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT9:.*]]("input 0\00")
// CHECK-LABEL: func.func @scratch(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK-DAG: %[[C8_I64:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[ADDRESS2:.*]] = llvm.mlir.addressof @[[TEXT2]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS3:.*]] = llvm.mlir.addressof @[[TEXT3]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS4:.*]] = llvm.mlir.addressof @[[TEXT4]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS5:.*]] = llvm.mlir.addressof @[[TEXT5]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS6:.*]] = llvm.mlir.addressof @[[TEXT6]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS7:.*]] = llvm.mlir.addressof @[[TEXT7]] : !llvm.ptr
// CHECK-DAG: %[[C2_I64:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ADDRESS8:.*]] = llvm.mlir.addressof @[[TEXT8]] : !llvm.ptr
// CHECK-DAG: %[[ADDRESS9:.*]] = llvm.mlir.addressof @[[TEXT9]] : !llvm.ptr
// CHECK-DAG: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4_I64:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C2139095039_I64:.*]] = arith.constant 2139095039 : i64
// CHECK-DAG: %[[C4286578687_I64:.*]] = arith.constant 4286578687 : i64
// CHECK-DAG: %[[C2143289344_I64:.*]] = arith.constant 2143289344 : i64
// CHECK-DAG: %[[C1061158912_I64:.*]] = arith.constant 1061158912 : i64
// CHECK-DAG: %[[C0_I64:.*]] = arith.constant 0 : i64
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %{{[^ ,)]*}} : memref<8xf32> -> index
// CHECK: %[[CAST:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS9]], %[[C0_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[POINTER2:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<8xf32> -> index
// CHECK: %[[CAST2:.*]] = arith.index_cast %[[POINTER2]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS8]], %[[C1_I64]], %[[C0_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC2:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[POINTER3:.*]] = memref.extract_aligned_pointer_as_index %[[ALLOC2]] : memref<8xf32> -> index
// CHECK: %[[CAST3:.*]] = arith.index_cast %[[POINTER3]] : index to i64
// CHECK: llvm.call @pallas_check_region(%[[ADDRESS7]], %[[C1_I64]], %[[C2_I64]], %[[C1061158912_I64]], %[[C2143289344_I64]], %[[C2139095039_I64]], %[[C4286578687_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_begin(%[[ADDRESS6]])
// CHECK: llvm.call @pallas_check_program(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS5]], %[[C1_I64]], %[[CAST]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC3:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %{{[^ ,)]*}}, %[[ALLOC3]] : memref<8xf32> to memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS4]], %[[C2_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS3]], %[[C1_I64]], %[[CAST3]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: %[[ALLOC4:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[ALLOC2]], %[[ALLOC4]] : memref<8xf32> to memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS2]], %[[C2_I64]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]])
// CHECK: llvm.call @pallas_check_grid_end(%[[C0_I64]])
// CHECK: llvm.call @pallas_check_output(%[[ADDRESS]], %[[CAST2]], %[[C4_I64]], %[[C1_I64]], %[[C8_I64]], %[[C1_I64]], %[[C1_I64]], %[[C8_I64]])
// CHECK: return %{{[^ ,)]*}} : tensor<8xf32>
func.func @scratch(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>, %t: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %t[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %w = pallas.get %t[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}
