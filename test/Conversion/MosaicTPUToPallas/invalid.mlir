// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas --verify-diagnostics

module {
  // expected-error @below {{sees blocks 'memref<8x128xf32, #tpu.memory_space<vmem>>' of array 0, and where they lie depends on data, so the kernel does not say how large the array is}}
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
  // expected-error @below {{window 0 lies where @nowhere says, but there is no such function}}
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
  // expected-error @below {{says where window 0 of 'wrong' lies: it must take the grid indices and the prefetched arrays and yield 2 i32, in one block}}
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
