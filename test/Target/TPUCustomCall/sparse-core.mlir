// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.42.1 %s | FileCheck %s
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.48 %s | FileCheck %s
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.50 %s | FileCheck %s --check-prefix=NAMED
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.1 %s | FileCheck %s --check-prefix=NAMED
// RUN: sed 's/, sparse_core_tiling = "TILING_SPARSE_CORE"//' %s | pallas-translate --to-tpu-custom-call --libtpu=0.0.52 - | FileCheck %s --check-prefix=COMPACT

// Cores, communication and the number of cores follow from the kernel.

// CHECK: \22has_communication\22:true
// CHECK-NOT: needs_layout_passes
// CHECK: \22sparse_core_config\22:{\22tiling\22:\22TILING_SPARSE_CORE\22},\22device_type\22:\22DEVICE_TYPE_SPARSECORE\22,\22megachip_parallelism_config\22:{\22cores\22:[\220\22]}}

// Later releases name the cores in the configuration, and want it with all kernels.
// NAMED: \22sparse_core_config\22:{\22core_ids\22:[\220\22],\22tiling\22:\22TILING_SPARSE_CORE\22},\22device_type\22:\22DEVICE_TYPE_SPARSECORE\22}"
// COMPACT: \22sparse_core_config\22:{\22core_ids\22:[\220\22],\22tiling\22:\22TILING_COMPACT\22},\22device_type\22
module attributes {tpu.custom_call = {
    operands = [tensor<1024xf32>], results = [tensor<1024xf32>],
    needs_layout_passes = false, sparse_core_tiling = "TILING_SPARSE_CORE"}} {
  func.func @kernel(%core: i32, %x: memref<1024xf32, #tpu.memory_space<hbm>>, %o: memref<1024xf32, #tpu.memory_space<hbm>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      dimension_semantics = [#tpu.dimension_semantics<core_parallel>], iteration_bounds = array<i64: 1>, scalar_prefetch = 0 : i64,
      scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<sc_scalar_subcore>,
      window_params = [{transform_indices = affine_map<(d0) -> (0)>}, {transform_indices = affine_map<(d0) -> (0)>}]} {
    tpu.sem_signal %s, %core device_id %core : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}
