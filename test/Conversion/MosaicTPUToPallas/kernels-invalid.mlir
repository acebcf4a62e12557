// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas --verify-diagnostics

// What attributes say about a kernel has to fit its arguments.

module {
  // expected-error @below {{dimension_semantics holds 7 : i64, which is not the order of a dimension}}
  func.func @kernel(%i: i32) attributes {dimension_semantics = [7], iteration_bounds = array<i64: 4>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{dimension_semantics names 2 dimensions, but the grid has 1; name each of them}}
  func.func @kernel(%i: i32) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{argument 0 of kernel 'kernel' has type 'i64', but must be i32: it is a grid index}}
  func.func @kernel(%i: i64) attributes {iteration_bounds = array<i64: 4>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{argument 0 of kernel 'kernel' has type 'memref<8x128xf32, strided<[1, 8]>>', but must be a memref of numbers or semaphores in row-major order}}
  func.func @kernel(%x: memref<8x128xf32, strided<[1, 8]>>) attributes {tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{window_params describes 1 windows, but the kernel takes 2 arrays; give one for each}}
  func.func @kernel(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 4>, window_params = [{}], tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{window_params has the entry 3 : i64, which is not a dictionary}}
  func.func @kernel(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 4>, window_params = [3], tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{window 0 has the bounds [8, 64], but the kernel takes 'memref<8x128xf32, #tpu.memory_space<vmem>>'; both are one block}}
  func.func @kernel(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 64>}], tpu.core_type = #tpu.core_type<tc>} {
    return
  }
  func.func @place(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module {
  // expected-error @below {{is a kernel with 1 results and 1 blocks; kernels have no results, and control flow of scf only}}
  func.func @kernel(%i: i32) -> i32 attributes {iteration_bounds = array<i64: 4>, tpu.core_type = #tpu.core_type<tc>} {
    return %i : i32
  }
}

// -----

module {
  // expected-error @below {{runs on sc_vector_subcore cores with iteration bounds [4], but such a mesh has two static axes: cores and subcores}}
  func.func @kernel(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<hbm>>)
      attributes {iteration_bounds = array<i64: 4>, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    return
  }
}

// -----

module {
  // expected-error @below {{calls kernel @nobody, but there is no module of this name}}
  func.func private @call(tensor<8x128xf32>) -> tensor<8x128xf32> attributes {tpu.kernel = @nobody}
}
