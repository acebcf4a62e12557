// RUN: pallas-opt %s --tpu-analyze-cost="chip=v5e json=- counts" --split-input-file -o /dev/null 2>/dev/null | FileCheck %s

// What changes of shapes cost.

// Rows of 16 lanes move one by one into whole registers: 256 pieces.
// CHECK: "Relayout": {{25[0-9]\.}}
// CHECK: "name": "joined",
module {
  func.func @joined(%x: memref<256x16xf32, #tpu.memory_space<vmem>>, %o: memref<2x2048xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<256x16xf32, #tpu.memory_space<vmem>>, vector<256x16xf32>
    %r = vector.shape_cast %v : vector<256x16xf32> to vector<2x2048xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<2x2048xf32, #tpu.memory_space<vmem>>, vector<2x2048xf32>,
    return
  }
}

// -----

// Both sides are apart, 256 rows and 64.
// CHECK: "Relayout": {{3[12][0-9]\.}}
// CHECK: "name": "apart",
module {
  func.func @apart(%x: memref<256x16xf32, #tpu.memory_space<vmem>>, %o: memref<64x64xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<256x16xf32, #tpu.memory_space<vmem>>, vector<256x16xf32>
    %r = vector.shape_cast %v : vector<256x16xf32> to vector<64x64xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<64x64xf32, #tpu.memory_space<vmem>>, vector<64x64xf32>,
    return
  }
}

// -----

// The rows of a group become one, for eight groups at a time.
// CHECK: "Relayout": {{[789][0-9]\.}}
// CHECK: "name": "groups",
module {
  func.func @groups(%x: memref<64x8x4xf32, #tpu.memory_space<vmem>>, %o: memref<64x32xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0, %c0] : memref<64x8x4xf32, #tpu.memory_space<vmem>>, vector<64x8x4xf32>
    %r = vector.shape_cast %v : vector<64x8x4xf32> to vector<64x32xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<64x32xf32, #tpu.memory_space<vmem>>, vector<64x32xf32>,
    return
  }
}

// -----

// Whole registers change their sublanes.
// CHECK: "Relayout": {{0\.[0-9]}}
// CHECK: "name": "whole",
module {
  func.func @whole(%x: memref<8x256xf32, #tpu.memory_space<vmem>>, %o: memref<2x1024xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>
    %r = vector.shape_cast %v : vector<8x256xf32> to vector<2x1024xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<2x1024xf32, #tpu.memory_space<vmem>>, vector<2x1024xf32>,
    return
  }
}

// -----

// Rows stay whole, in other tiles.
// CHECK: "Relayout": {{[0-3]\.[0-9]}}
// CHECK: "name": "tiles",
module {
  func.func @tiles(%x: memref<64x1x32xf32, #tpu.memory_space<vmem>>, %o: memref<4x16x32xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0, %c0] : memref<64x1x32xf32, #tpu.memory_space<vmem>>, vector<64x1x32xf32>
    %r = vector.shape_cast %v : vector<64x1x32xf32> to vector<4x16x32xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %r {strides = array<i32>} : memref<4x16x32xf32, #tpu.memory_space<vmem>>, vector<4x16x32xf32>,
    return
  }
}

// -----

// A column is in all lanes when it is made, so that its broadcast is free.
// CHECK-NOT: "LaneBroadcast"
// CHECK: "Relayout": {{1[345][0-9]\.}}
// CHECK: "name": "repeated",
module {
  func.func @repeated(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128x4xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %c = vector.shape_cast %v : vector<8x128xf32> to vector<8x128x1xf32>
    %r = vector.broadcast %c : vector<8x128x1xf32> to vector<8x128x4xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %r {strides = array<i32>} : memref<8x128x4xf32, #tpu.memory_space<vmem>>, vector<8x128x4xf32>,
    return
  }
}

// -----

// A left operand that is transposed crosses lanes twice before the product.
// CHECK: "CrossLatency": {{1\.9|2}}
// CHECK: "MatmulLatency"
// CHECK: "name": "turned",
module {
  func.func @turned(%x: memref<32x8xf32, #tpu.memory_space<vmem>>, %o: memref<8x8xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<32x8xf32, #tpu.memory_space<vmem>>, vector<32x8xf32>
    %zero = arith.constant dense<0.0> : vector<8x8xf32>
    %r = tpu.matmul %v, %v, %zero {dimension_numbers = #tpu.dot_dimension_numbers<[0], [0], [1], [1], [0, 1, 1, 1], [], []>, transpose_lhs_hint = false}
      : vector<32x8xf32>, vector<32x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
    tpu.vector_store %o[%c0, %c0], %r {strides = array<i32>} : memref<8x8xf32, #tpu.memory_space<vmem>>, vector<8x8xf32>,
    return
  }
}
