module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x128xf32>]}} {
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %0 = tpu.tile_size %x, 0 : memref<8x128xf32, #tpu.memory_space<vmem>>
    return
  }
}
