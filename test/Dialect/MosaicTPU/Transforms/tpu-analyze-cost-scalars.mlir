// RUN: pallas-opt %s --tpu-analyze-cost="chip=v5e json=- counts" --split-input-file -o /dev/null 2>/dev/null | FileCheck %s

// A window that stays where it is costs less than one that each step asks for,
// and an id of a dimension of one step is a number. A shift takes 3 operations,
// of which half hides, in each of two evaluations of 8 steps.
// CHECK: "ArithLatency": 24,
// CHECK: "Step": 8,
// CHECK-NEXT: "StepStill": 16,
// CHECK-NEXT: "StepWindow": 8
// CHECK: "name": "windows",
module {
  func.func @windows(%i: i32, %j: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>,
                     %z: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 8, 1>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @number, window_bounds = array<i64: 8, 128>},
                                   {transform_indices = @one, window_bounds = array<i64: 8, 128>},
                                   {transform_indices = @seldom, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @number(%i: i32, %j: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %c0, %c0 : i32, i32
  }
  func.func @one(%i: i32, %j: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %j, %c0 : i32, i32
  }
  func.func @seldom(%i: i32, %j: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = arith.divsi %i, %c8 : i32
    return %part, %c0 : i32, i32
  }
}

// -----

// A window in scalar memory arrives later than one of vectors, at the same time.
// CHECK: "PrefetchKiB": 0.25,
// CHECK-NEXT: "PrefetchLatency": 1,
// CHECK: "name": "in_scalar_memory",
// CHECK-NOT: "FetchLatency"
module {
  func.func @in_scalar_memory(%s: memref<64xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

// A size of run time arrives before anything else begins.
// CHECK: "FetchLatency": 1,
// CHECK: "name": "dynamic",
module {
  func.func @dynamic(%i: i32) attributes {iteration_bounds = array<i64: -9223372036854775808>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

// A divisor that is known becomes a product or a shift; another one takes a step
// for each bit. The remainder comes with the quotient of the same numbers.
// CHECK: "IntegerDivide": {{6[34]}}
// CHECK: "LongDivide": {{6[34]}}
// CHECK: "name": "division",
// CHECK: "waits_for": "vector"
module {
  func.func @division(%x: memref<512x128xi32, #tpu.memory_space<vmem>>, %y: memref<512x128xi32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %seven = arith.constant dense<7> : vector<512x128xi32>
    %v = vector.load %x[%c0, %c0] : memref<512x128xi32, #tpu.memory_space<vmem>>, vector<512x128xi32>
    %w = vector.load %y[%c0, %c0] : memref<512x128xi32, #tpu.memory_space<vmem>>, vector<512x128xi32>
    %a = arith.divsi %v, %seven : vector<512x128xi32>
    %q = arith.divsi %a, %w : vector<512x128xi32>
    %r = arith.remsi %a, %w : vector<512x128xi32>
    %s = arith.addi %q, %r : vector<512x128xi32>
    tpu.vector_store %x[%c0, %c0], %s {strides = array<i32>} : memref<512x128xi32, #tpu.memory_space<vmem>>, vector<512x128xi32>,
    return
  }
}

// -----

// An element moves to the first lane before it becomes a scalar. Rows at places
// that depend on data are stored one after the other: 3 and 3, and an addition.
// CHECK: "ArithLatency": {{6.9|7}}
// CHECK: "CrossLatency": {{1.9|2}}
// CHECK: "ExtractLane":
// CHECK: "name": "elements",
module {
  func.func @elements(%x: memref<8x128xi32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.iota {dimensions = array<i32: 1>} : vector<1x8xi32>
    %f = vector.shape_cast %v : vector<1x8xi32> to vector<8xi32>
    %row = vector.load %x[%c0, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<1x128xi32>
    %a = vector.extract %f[3] : i32 from vector<8xi32>
    %i = arith.index_cast %a : i32 to index
    tpu.vector_store %x[%i, %c0], %row {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<1x128xi32>,
    %b = vector.extract %f[5] : i32 from vector<8xi32>
    %j = arith.index_cast %b : i32 to index
    tpu.vector_store %x[%j, %c0], %row {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<1x128xi32>,
    return
  }
}
