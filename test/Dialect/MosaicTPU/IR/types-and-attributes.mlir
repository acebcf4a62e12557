// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// CHECK-LABEL: @memory_spaces
// CHECK-SAME: memref<f32, #tpu.memory_space<any>>
// CHECK-SAME: memref<f32, #tpu.memory_space<vmem>>
// CHECK-SAME: memref<f32, #tpu.memory_space<smem>>
// CHECK-SAME: memref<f32, #tpu.memory_space<hbm>>
// CHECK-SAME: memref<f32, #tpu.memory_space<cmem>>
// CHECK-SAME: memref<f32, #tpu.memory_space<vmem_shared>>
// CHECK-SAME: memref<f32, #tpu.memory_space<host>>
// CHECK-SAME: memref<f32, #tpu.memory_space<vmem, sc_vector_subcore>>
func.func private @memory_spaces(
    memref<f32, #tpu.memory_space<any>>, memref<f32, #tpu.memory_space<vmem>>,
    memref<f32, #tpu.memory_space<smem>>, memref<f32, #tpu.memory_space<hbm>>,
    memref<f32, #tpu.memory_space<cmem>>, memref<f32, #tpu.memory_space<vmem_shared>>,
    memref<f32, #tpu.memory_space<host>>, memref<f32, #tpu.memory_space<vmem, sc_vector_subcore>>)

// CHECK-LABEL: @elements
// CHECK-SAME: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK-SAME: memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
// CHECK-SAME: vector<8x!tpu.float8_exmy<f6E3M2FN>>
func.func private @elements(
    memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>,
    memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>,
    vector<8x!tpu.float8_exmy<f6E3M2FN>>)

// CHECK-LABEL: @layouts
// CHECK-SAME: memref<64x512xbf16, #tpu.tiled<(8,128)(2,1),[4,1]>, #tpu.memory_space<vmem>>
// CHECK-SAME: memref<4x256xf32, #tpu.tiled<(128),[2,1]>>
// CHECK-SAME: memref<4x256xf32, #tpu.tiled<,[256,1]>>
// CHECK-SAME: memref<?x256xf32, #tpu.tiled<(8,128),[2,1]>>
func.func private @layouts(
    memref<64x512xbf16, #tpu.tiled<(8, 128)(2, 1), [4, 1]>, #tpu.memory_space<vmem>>,
    memref<4x256xf32, #tpu.tiled<(128),[2,1]>>, memref<4x256xf32, #tpu.tiled<,[256,1]>>,
    memref<?x256xf32, #tpu.tiled<(8,128),[2,1]>>)

// CHECK-LABEL: @kernel
// CHECK-SAME: dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>]
// CHECK-SAME: tpu.core_type = #tpu.core_type<tc>
// CHECK-SAME: pipeline_mode = #tpu.pipeline_mode<synchronous>
// CHECK-SAME: window_kind = #tpu.element_window<[0, 1], [2, 0]>
// CHECK-SAME: pipeline_mode = #tpu.pipeline_mode<double_buffered>, revisit_mode = #tpu.revisit_mode<any>
func.func private @kernel() attributes {
  dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>,
                         #tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>],
  tpu.core_type = #tpu.core_type<tc>,
  window_params = [
    {pipeline_mode = #tpu.pipeline_mode<synchronous>, window_kind = #tpu.element_window<[0, 1], [2, 0]>},
    {pipeline_mode = #tpu.pipeline_mode<double_buffered>, revisit_mode = #tpu.revisit_mode<any>}]
}

// CHECK-LABEL: @others
// CHECK-SAME: a = #tpu.rounding_mode<towards_zero>, b = #tpu.revisit_mode<immediate>
// CHECK-SAME: c = #tpu.dot_dimension_numbers<[1], [1], [], [], [0, 0], [0], [0]>
func.func private @others() attributes {
  a = #tpu.rounding_mode<towards_zero>, b = #tpu.revisit_mode<immediate>,
  c = #tpu.dot_dimension_numbers<[1], [1], [], [], [0, 0], [0], [0]>
}
