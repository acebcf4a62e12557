// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas --verify-diagnostics

module {
  // expected-error @below {{sees blocks 'memref<8x128xf32, #tpu.memory_space<vmem>>' of array 0, and where they lie depends on data, so the size of the array can't be inferred}}
  func.func @picked(%i: i32, %idx: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @place(%i: i32, %idx: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %p = arith.index_cast %i : i32 to index
    %row = memref.load %idx[%p] : memref<4xi32, #tpu.memory_space<smem>>
    return %row, %row : i32, i32
  }
}

// -----

module {
  // expected-error @below {{window 0 has the transform @nowhere, but there is no such function}}
  func.func @lost(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @nowhere, window_bounds = array<i64: 8, 128>}]} {
    return
  }
}

// -----

module {
  // expected-note @below {{the kernel}}
  func.func @wrong(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  // expected-error @below {{computes the position of window 0 of 'wrong': it must take the grid indices and the prefetched arrays and yield 2 i32, in one block}}
  func.func @place(%i: i32) -> i32 {
    return %i : i32
  }
}

// -----

module {
  // expected-error @below {{has 1 arguments, but 1 grid indices, 1 prefetched arrays and 0 scratch buffers make 2}}
  func.func @short(%i: i32)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = []}} {
  func.func @tiles(%x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    // expected-error @below {{'tpu.tile_size' op depends on how the Mosaic compiler lays memory out, so it can only run on a TPU}}
    %0 = tpu.tile_size %x, 0 : memref<8x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = []}} {
  func.func @space(%x: memref<8x128xf32, #tpu.memory_space<any>>)
      attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    // expected-error @below {{'tpu.memref_memory_space_is' op asks where memory in any space is, which the Mosaic compiler decides; name its space}}
    %0 = tpu.memref_memory_space_is %x, <vmem> : memref<8x128xf32, #tpu.memory_space<any>>
    return
  }
}

// -----

module {
  func.func @wide_logistic(%x: memref<16x128xf64, #tpu.memory_space<vmem>>, %o: memref<16x128xf64, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf64, #tpu.memory_space<vmem>>, vector<16x128xf64>
    // expected-error @below {{takes elements wider than f32}}
    %r = tpu.logistic %v : vector<16x128xf64> -> vector<16x128xf64>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<16x128xf64, #tpu.memory_space<vmem>>, vector<16x128xf64>,
    return
  }
}

// -----

module {
  func.func @split_columns(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    // expected-error @below {{changes the width of elements along the last dimension; use tpu.bitcast, which does so along the one before}}
    %r = vector.bitcast %v : vector<16x128xf32> to vector<16x256xbf16>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<16x256xbf16, #tpu.memory_space<vmem>>, vector<16x256xbf16>,
    return
  }
}

// -----

module {
  func.func @no_dimension(%o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{counts along no dimension; name at least one}}
    %r = tpu.iota {dimensions = array<i32>} : vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

module {
  func.func @apart(%x: memref<4x16x128xf32, #tpu.memory_space<vmem>>, %i: memref<4x16x128xi32, #tpu.memory_space<vmem>>, %o: memref<4x16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0, %c0] : memref<4x16x128xf32, #tpu.memory_space<vmem>>, vector<4x16x128xf32>
    %at = vector.load %i[%c0, %c0, %c0] : memref<4x16x128xi32, #tpu.memory_space<vmem>>, vector<4x16x128xi32>
    // expected-error @below {{gathers along the dimensions [0, 2], but they must be neighbours in ascending order to be indexed as one; transpose the source}}
    %r = tpu.dynamic_gather %v[%at] in [0, 2] : vector<4x16x128xf32>, vector<4x16x128xi32> -> vector<4x16x128xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %r {strides = array<i32>} : memref<4x16x128xf32, #tpu.memory_space<vmem>>, vector<4x16x128xf32>,
    return
  }
}

// -----

module {
  func.func @gather_along_none(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %at = vector.load %i[%c0, %c0] : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>
    // expected-error @below {{gathers along no dimension; name at least one}}
    %r = tpu.dynamic_gather %v[%at] in [] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

module {
  func.func @first_of_rows(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %z = arith.constant dense<0.0> : vector<16x128xf32>
    %m = arith.cmpf ogt, %v, %z : vector<16x128xf32>
    // expected-error @below {{looks for the first true in 'tensor<16x128xi1>', but only vectors have a first element}}
    %r = tpu.all_reduce %m {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16x128xi1> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

module {
  func.func @strided_memory() attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    // expected-error @below {{allocates 'memref<16x128xf32, strided<[256, 1]>, #tpu.memory_space<vmem>>', which no ref can be; use a static shape and row-major order}}
    %a = memref.alloca() : memref<16x128xf32, strided<[256, 1]>, #tpu.memory_space<vmem>>
    %c0 = arith.constant 0 : index
    %v = vector.load %a[%c0, %c0] : memref<16x128xf32, strided<[256, 1]>, #tpu.memory_space<vmem>>, vector<16x128xf32>
    return
  }
}

// -----

module {
  func.func @plain_semaphore(%x: memref<16x128xf32, #tpu.memory_space<any>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    // expected-error @below {{must signal DMA semaphores; give target_semaphore a memref of !tpu.dma_semaphore}}
    tpu.enqueue_dma source(%x : memref<16x128xf32, #tpu.memory_space<any>>) target(%o : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// -----

module {
  // expected-error @below {{window 0 pads 1 dimensions, but has 2; pad each, by 0 too}}
  func.func @short_padding(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0], [8]>}]} {
    return
  }
  func.func @place(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}
