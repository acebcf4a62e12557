// A kernel with windows, control flow, a matmul and a DMA.
module {
  func.func @kernel(%i: i32, %n: memref<4xi32, #tpu.memory_space<smem>>,
      %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %h: memref<8x128xf32, #tpu.memory_space<any>>,
      %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>,
      scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
      window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}, {},
                       {transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %acc = arith.constant dense<0.000000e+00> : vector<8x8xf32>
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %p = tpu.matmul %v, %v, %acc {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [0], [0], [0, 0, 1, 0], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<8x128xf32>, vector<8x8xf32> -> vector<8x8xf32>
    %first = arith.cmpi eq, %i, %zero : i32
    scf.if %first {
      "tpu.region"() ({
        %sem = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
        tpu.enqueue_dma source(%h : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%h : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
        tpu.yield
      }) : () -> ()
    } else {
      tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    }
    return
  }
  func.func @transform_0(%i: i32, %n: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    %at = arith.index_cast %i : i32 to index
    %row = memref.load %n[%at] : memref<4xi32, #tpu.memory_space<smem>>
    return %row, %zero : i32, i32
  }
}
