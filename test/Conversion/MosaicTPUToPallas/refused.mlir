// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file --verify-diagnostics

// The queues of a matrix unit and the parts of packed vectors have no form as values.

module {
  func.func @reinterpret_cast(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'tpu.reinterpret_cast' op sees 'memref<16x128xf32, #tpu.memory_space<vmem>>' as 'memref<8x256xf32, #tpu.memory_space<vmem>>', which depends on how memory is tiled; use tpu.memref_reshape or tpu.memref_bitcast}}
    %0 = tpu.reinterpret_cast %x : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<8x256xf32, #tpu.memory_space<vmem>>
    %v = vector.load %0[%c0, %c0] : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>,
    return
  }
}

// -----

module {
  func.func @matmul_push_rhs(%b: memref<128x256xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %r = vector.load %b[%c0, %c0] : memref<128x256xbf16, #tpu.memory_space<vmem>>, vector<128x256xbf16>
    // expected-error @below {{failed to legalize operation 'tpu.matmul_push_rhs'}}
    tpu.matmul_push_rhs %r {mxu_index = 0 : i32} : vector<128x256xbf16>
    return
  }
}

// -----

module {
  func.func @matmul_acc_lhs(%a: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = vector.load %a[%c0, %c0] : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>
    // expected-error @below {{failed to legalize operation 'tpu.matmul_acc_lhs'}}
    tpu.matmul_acc_lhs 1, %l {load_staged_rhs = 0 : i32, mxu_index = 0 : i32} : vector<16x128xbf16>
    return
  }
}

// -----

module {
  func.func @matmul_pop(%o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{failed to legalize operation 'tpu.matmul_pop'}}
    %0 = tpu.matmul_pop 1 {mxu_index = 0 : i32} : vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

module {
  func.func @matmul_lhs_fifo(%a: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = vector.load %a[%c0, %c0] : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>
    // expected-error @below {{failed to legalize operation 'tpu.matmul_lhs_fifo'}}
    tpu.matmul_lhs_fifo %l {mxu_index = 0 : i32} : vector<16x128xbf16>
    return
  }
}

// -----

module {
  func.func @matmul_pop_fifo(%o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{failed to legalize operation 'tpu.matmul_pop_fifo'}}
    %0 = tpu.matmul_pop_fifo 0 : vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

module {
  func.func @pack_subelements(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<32x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    // expected-error @below {{failed to legalize operation 'tpu.pack_subelements'}}
    %0 = tpu.pack_subelements %v, %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 1>} : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xbf16>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>,
    return
  }
}

// -----

module {
  func.func @unpack_subelements(%x: memref<32x128xbf16, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>
    // expected-error @below {{failed to legalize operation 'tpu.unpack_subelements'}}
    %0 = tpu.unpack_subelements %v, 0 {pack_format = #tpu.pack_format<compressed>} : vector<32x128xbf16> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

module {
  // expected-note @below {{the function has dimension_semantics}}
  func.func @core_id(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    // expected-error @below {{'tpu.core_id' op is in a function over a mesh, where the argument of the function gives this number}}
    %0 = tpu.core_id : i32
    tpu.delay %0
    return
  }
}

// -----

module {
  // expected-note @below {{the function has dimension_semantics}}
  func.func @subcore_id(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    // expected-error @below {{'tpu.subcore_id' op is in a function over a mesh, where the argument of the function gives this number}}
    %0 = tpu.subcore_id : i32
    tpu.delay %0
    return
  }
}

// -----

module {
  func.func @conv(%x: memref<1x8x8x128xf32, #tpu.memory_space<vmem>>, %k: memref<3x3x128x128xf32, #tpu.memory_space<vmem>>, %o: memref<1x6x6x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0, %c0, %c0] : memref<1x8x8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x8x128xf32>
    %w = vector.load %k[%c0, %c0, %c0, %c0] : memref<3x3x128x128xf32, #tpu.memory_space<vmem>>, vector<3x3x128x128xf32>
    %a = arith.constant dense<0.0> : vector<1x6x6x128xf32>
    // expected-error @below {{failed to legalize operation 'tpu.conv'}}
    %0 = tpu.conv %v, %w, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, precision = #tpu.contract_precision<fp32>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
    tpu.vector_store %o[%c0, %c0, %c0, %c0], %0 {strides = array<i32>} : memref<1x6x6x128xf32, #tpu.memory_space<vmem>>, vector<1x6x6x128xf32>,
    return
  }
}

// -----

module {
  func.func @shared_memref_slice(%c: i32, %s: i32, %m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'tpu.shared_memref_slice' op depends on how the Mosaic compiler lays memory out, so it can only run on a TPU}}
    %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
    %v = tpu.vector_load %0[%c0, %c0] {strides = array<i32>} : memref<8x8xi32, #tpu.memory_space<vmem>>, vector<8x8xi32>,
    tpu.vector_store %0[%c0, %c0], %v {strides = array<i32>} : memref<8x8xi32, #tpu.memory_space<vmem>>, vector<8x8xi32>,
    return
  }
}

// -----

module {
  func.func @filtered_rows(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %i = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %d = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      // expected-error @below {{leaves out rows by offset_filter, which copies have no word for here; copy row by row}}
      tpu.enqueue_indirect_dma source(%x : memref<128xi32, #tpu.memory_space<hbm>>) target(%a : memref<16xi32, #tpu.memory_space<vmem>>) offsets(%i : memref<16xi32, #tpu.memory_space<vmem>>) offset_filter(%c) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

module {
  func.func @table_of_offsets(%c: i32, %s: i32, %x: memref<1x128x8xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    "tpu.region"() ({
      %a = memref.alloca() : memref<1x16x8xi32, #tpu.memory_space<vmem>>
      %i = memref.alloca() : memref<1x16xi32, #tpu.memory_space<vmem>>
      %d = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      // expected-error @below {{takes offsets of type 'memref<1x16xi32, #tpu.memory_space<vmem>>'; use a list of them}}
      tpu.enqueue_indirect_dma source(%x : memref<1x128x8xi32, #tpu.memory_space<hbm>>) target(%a : memref<1x16x8xi32, #tpu.memory_space<vmem>>) offsets(%i : memref<1x16xi32, #tpu.memory_space<vmem>>) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

module {
  func.func @another_sparse_core(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    "tpu.region"() ({
      %b = tpu.sem_alloc : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
      %c1 = arith.constant 1 : i32
      %other = arith.subi %c1, %c : i32
      // expected-error @below {{names a vector subcore of another SparseCore, which has no number of its own here; address one of the same SparseCore}}
      tpu.sem_signal %b, %c1 core_id %other subcore_id %s : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.yield
    }) : () -> ()
    return
  }
}
