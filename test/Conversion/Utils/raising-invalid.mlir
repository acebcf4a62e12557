// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas --verify-diagnostics

// Operations of upstream dialects that both raising conversions refuse.

module {
  func.func @transposed_result(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<128x128xf32, #tpu.memory_space<vmem>>, %o: memref<128x8xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<128x8xf32>
    %a = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %b = vector.load %y[%c0, %c0] : memref<128x128xf32, #tpu.memory_space<vmem>>, vector<128x128xf32>
    // expected-error @below {{must add products and yield the batch dimensions, then those of lhs, then those of rhs; transpose its result}}
    %p = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (j, i)>],
                          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero
        : vector<8x128xf32>, vector<128x128xf32> into vector<128x8xf32>
    vector.store %p, %o[%c0, %c0] : memref<128x8xf32, #tpu.memory_space<vmem>>, vector<128x8xf32>
    return
  }
}

// -----

module {
  func.func @largest_product(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<128x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<8x128xf32>
    %a = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %b = vector.load %y[%c0, %c0] : memref<128x128xf32, #tpu.memory_space<vmem>>, vector<128x128xf32>
    // expected-error @below {{must add products and yield the batch dimensions, then those of lhs, then those of rhs; transpose its result}}
    %p = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>} %a, %b, %zero
        : vector<8x128xf32>, vector<128x128xf32> into vector<8x128xf32>
    vector.store %p, %o[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    return
  }
}
