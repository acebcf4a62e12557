// A module of the tpu dialect is checked as it stands.

// RUN: split-file %s %t
// RUN: not pallas-run %t/scratch.mlir --no-cache --check 2>&1 | FileCheck %t/scratch.mlir
// RUN: not pallas-run %t/wait.mlir --no-cache --check 2>&1 | FileCheck %t/wait.mlir
// RUN: not pallas-run %t/bounds.mlir --no-cache --check 2>&1 | FileCheck %t/bounds.mlir
// RUN: pallas-run %t/right.mlir --no-cache --check

//--- scratch.mlir
!vmem = memref<8x128xf32, #tpu.memory_space<vmem>>
func.func @scratch(%o: !vmem, %s: !vmem) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : index
  // CHECK: scratch.mlir:[[@LINE+1]]:8: error: uninitialised read: 'pallas.get' reads element [0, 0] of scratch 0, which nothing has written
  %0 = vector.load %s[%c0, %c0] : !vmem, vector<8x128xf32>
  tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : !vmem, vector<8x128xf32>,
  return
}

//--- wait.mlir
!vmem = memref<8x128xf32, #tpu.memory_space<vmem>>
!hbm = memref<8x128xf32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @wait(%o: !vmem, %x: !hbm, %s: !vmem, %d: !sem) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64, tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8x128xf32>
  tpu.vector_store %s[%c0, %c0], %v {strides = array<i32>} : !vmem, vector<8x128xf32>,
  // CHECK: wait.mlir:[[@LINE+1]]:3: error: copy never waited for
  tpu.enqueue_dma source(%s : !vmem) target(%o : !vmem) target_semaphore(%d : !sem)
  return
}

//--- bounds.mlir
!vmem = memref<8x128xf32, #tpu.memory_space<vmem>>
func.func @bounds(%i: i32, %o: !vmem) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 2>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i32
  %v = arith.constant dense<1.0> : vector<8x128xf32>
  tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : !vmem, vector<8x128xf32>,
  %n = arith.muli %i, %c4 : i32
  %k = arith.index_cast %n : i32 to index
  // CHECK: bounds.mlir:[[@LINE+1]]:8: error: access out of bounds
  %0 = vector.load %o[%k, %c0] : !vmem, vector<5x128xf32>
  tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : !vmem, vector<5x128xf32>,
  return
}

//--- right.mlir
!vmem = memref<8x128xf32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @right(%o: !vmem, %s: !vmem, %d: !sem) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8x128xf32>
  tpu.vector_store %s[%c0, %c0], %v {strides = array<i32>} : !vmem, vector<8x128xf32>,
  tpu.enqueue_dma source(%s : !vmem) target(%o : !vmem) target_semaphore(%d : !sem)
  tpu.wait_dma2 semaphore(%d : !sem) src(%s : !vmem) dst(%o : !vmem)
  return
}
