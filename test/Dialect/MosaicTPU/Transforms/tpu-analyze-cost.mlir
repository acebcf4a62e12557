// RUN: pallas-opt %s --tpu-analyze-cost=chip=v5e --split-input-file --verify-diagnostics -o /dev/null
// RUN: pallas-opt %s --tpu-analyze-cost="chip=v5e json=- counts" --split-input-file -o /dev/null 2>/dev/null | FileCheck %s

// Small blocks: two are fetched at a time, so that the latency counts every
// second time, and so does what else a step does.
// CHECK-LABEL: "bytes_copied": 65536,
// CHECK-NEXT:  "call_cycles": {{[0-9]+}},
// CHECK:       "copies": [
// CHECK:       "cycles": {{[0-9]+}},
// CHECK-NEXT:  "output": false,
// CHECK-NEXT:  "window": 0
// CHECK:       "output": true,
// CHECK-NEXT:  "window": 1
// CHECK:       "Call": 1,
// CHECK:       "FetchLatency": {{[34]}},
// CHECK:       "FlushLatency": {{[23]}},
// CHECK:       "Step": {{[45]}},
// CHECK:       "name": "copies",
// CHECK:       "steps": 8,
// CHECK-NEXT:  "waits_for": "copies"
module {
  // expected-remark @below {{on v5e in 8 steps and waits for copies most: copies}}
  func.func @copies(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 8>, scalar_prefetch = 0 : i64,
                  scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>},
                                   {transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
  func.func @place(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %i, %c0 : i32, i32
  }
}

// -----

// Blocks that stay are fetched once: 4 KiB in 8 steps, and 4 KiB are written.
// CHECK-LABEL: "bytes_copied": 8192,
// CHECK:       "FetchLatency": 1,
// CHECK:       "FlushLatency": 1,
// CHECK:       "name": "stays",
module {
  // expected-remark @below {{in 8 steps}}
  func.func @stays(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 8>, scalar_prefetch = 0 : i64,
                  scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>},
                                   {transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
  func.func @place(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %c0, %c0 : i32, i32
  }
}

// -----

// The matrix unit: 4 x 4 passes over 64 rows of registers, and what they leave.
// CHECK:       "name": "product",
// CHECK:         "matmul":
// CHECK:       "waits_for": "matmul"
module {
  // expected-remark @below {{in 1 step and waits for matmul most: matmul}}
  func.func @product(%x: memref<512x512xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<512x512xf32, #tpu.memory_space<vmem>>, vector<512x512xf32>
    %zero = arith.constant dense<0.0> : vector<512x512xf32>
    %p = tpu.matmul %v, %v, %zero {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false}
      : vector<512x512xf32>, vector<512x512xf32>, vector<512x512xf32> -> vector<512x512xf32>
    tpu.vector_store %x[%c0, %c0], %p {strides = array<i32>} : memref<512x512xf32, #tpu.memory_space<vmem>>, vector<512x512xf32>,
    return
  }
}

// -----

// Vector units: sines are long polynomials.
// CHECK:       "name": "sines",
// CHECK:       "waits_for": "vector"
module {
  // expected-remark @below {{waits for vector most}}
  func.func @sines(%x: memref<256x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<256x128xf32, #tpu.memory_space<vmem>>, vector<256x128xf32>
    %s = math.sin %v : vector<256x128xf32>
    tpu.vector_store %x[%c0, %c0], %s {strides = array<i32>} : memref<256x128xf32, #tpu.memory_space<vmem>>, vector<256x128xf32>,
    return
  }
}

// -----

// Work across lanes: every row is reduced.
// CHECK:       "name": "rows",
// CHECK:         "cross-lane":
// CHECK:       "waits_for": "cross-lane"
module {
  // expected-remark @below {{waits for cross-lane most}}
  func.func @rows(%x: memref<1024x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<1024x128xf32, #tpu.memory_space<vmem>>, vector<1024x128xf32>
    %t = tpu.transpose %v, [1, 0] : vector<1024x128xf32> -> vector<128x1024xf32>
    %low = arith.constant dense<0xFF800000> : vector<128xf32>
    %m = vector.multi_reduction <maximumf>, %t, %low [1] : vector<128x1024xf32> to vector<128xf32>
    %c = vector.shape_cast %m : vector<128xf32> to vector<128x1xf32>
    %b = vector.broadcast %c : vector<128x1xf32> to vector<128x128xf32>
    tpu.vector_store %x[%c0, %c0], %b {strides = array<i32>} : memref<1024x128xf32, #tpu.memory_space<vmem>>, vector<128x128xf32>,
    return
  }
}

// -----

// A loop counts its iterations, and a value that registers can't hold goes
// through memory in each; the branch is taken in the last one.
// CHECK:       "Branch": 20,
// CHECK:       "Iteration": 20,
// CHECK:       "SpillCarried": 320,
// CHECK:       "name": "loop",
module {
  // expected-remark @below {{in 1 step}}
  func.func @loop(%x: memref<512x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %first = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 19 : i32
    %count = arith.constant 20 : i32
    %v = vector.load %x[%c0, %c0] : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>
    %r = scf.for %i = %first to %count step %one iter_args(%s = %v) -> (vector<512x128xf32>) : i32 {
      %n = arith.addf %s, %s : vector<512x128xf32>
      %is_last = arith.cmpi eq, %i, %last : i32
      scf.if %is_last {
        tpu.vector_store %x[%c0, %c0], %n {strides = array<i32>} : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>,
      }
      scf.yield %n : vector<512x128xf32>
    }
    return
  }
}

// -----

// A copy of the kernel's own is waited for where it is needed.
// CHECK:       "CopyIssue": 1,
// CHECK-NEXT:  "CopyKiB": 4,
// CHECK-NEXT:  "CopyLatency": 1,
// CHECK:       "name": "own_copy",
// CHECK:       "waits_for": "copies"
module {
  // expected-remark @below {{waits for copies most}}
  func.func @own_copy(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %b: memref<8x128xf32, #tpu.memory_space<vmem>>,
                      %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%b : memref<8x128xf32, #tpu.memory_space<vmem>>)
        target_semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        src(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) dst(%b : memref<8x128xf32, #tpu.memory_space<vmem>>)
    return
  }
}

// -----

// Of a grid of many dimensions a few points are looked at.
// CHECK: "name": "dimensions",
// CHECK: "steps": 60397977600,
module {
  // expected-remark @below {{in 60397977600 steps}}
  func.func @dimensions(%i0: i32, %i1: i32, %i2: i32, %i3: i32, %i4: i32, %i5: i32, %i6: i32, %i7: i32, %i8: i32, %i9: i32, %i10: i32, %i11: i32) attributes {iteration_bounds = array<i64: 6, 6, 8, 8, 8, 8, 8, 8, 8, 8, 10, 10>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

// How many groups there are is known at run time, and counts as 42 steps for
// each of 4. Tables hold zeros, so that the block moves with the other dimension.
// CHECK: "bytes_copied": 16384,
// CHECK: "PrefetchKiB": 0.09765625,
// CHECK-NEXT: "PrefetchLatency": 1,
// CHECK: "StepLookup": {{3[0-9]+}}
// CHECK: "name": "groups",
// CHECK: "steps": 168,
module {
  // expected-remark @below {{in 168 steps}}
  func.func @groups(%i: i32, %j: i32, %table: memref<12xi32, #tpu.memory_space<smem>>, %starts: memref<13xi32, #tpu.memory_space<smem>>,
                    %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 4, -9223372036854775808>, scalar_prefetch = 2 : i64, scratch_operands = 0 : i64,
                  tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @place(%i: i32, %j: i32, %table: memref<12xi32, #tpu.memory_space<smem>>, %starts: memref<13xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %at = arith.index_cast %j : i32 to index
    %start = memref.load %starts[%at] : memref<13xi32, #tpu.memory_space<smem>>
    %group = memref.load %table[%at] : memref<12xi32, #tpu.memory_space<smem>>
    %sum = arith.addi %start, %group : i32
    return %sum, %i : i32, i32
  }
}

// -----

// The simulator of libtpu knows no division: the quotient counts as zero, so the
// branch is taken in every step.
// CHECK: "Branch": 8,
// CHECK: "SpecialLatency": {{7[.]9|8}}
// CHECK: "name": "every_fourth",
module {
  // expected-remark @below {{in 8 steps}}
  func.func @every_fourth(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 8>, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %four = arith.constant 4 : i32
    %rest = arith.remsi %i, %four : i32
    %isFourth = arith.cmpi eq, %rest, %zero : i32
    scf.if %isFourth {
      %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
      %e = math.exp %v : vector<8x128xf32>
      tpu.vector_store %x[%c0, %c0], %e {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    }
    return
  }
}

// -----

// A copy out of VMEM ends like the flush of a block.
// CHECK: "CopyIssue": 1,
// CHECK: "FlushKiB": 4,
// CHECK-NEXT: "FlushLatency": 1,
// CHECK: "name": "leaves",
module {
  // expected-remark @below {{waits for copies most}}
  func.func @leaves(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %b: memref<8x128xf32, #tpu.memory_space<vmem>>,
                    %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    tpu.enqueue_dma source(%b : memref<8x128xf32, #tpu.memory_space<vmem>>) target(%x : memref<8x128xf32, #tpu.memory_space<hbm>>)
        target_semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
        src(%b : memref<8x128xf32, #tpu.memory_space<vmem>>) dst(%x : memref<8x128xf32, #tpu.memory_space<hbm>>)
    return
  }
}

// -----

// A block is fetched one step ahead, so each of 4 fetches is waited for, though
// a block stays for 16 steps.
// CHECK: "FetchLatency": 4,
// CHECK: "name": "seldom",
module {
  // expected-remark @below {{in 64 steps}}
  func.func @seldom(%i: i32, %j: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64: 4, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @place, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @place(%i: i32, %j: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %i, %c0 : i32, i32
  }
}

// -----

// A loop with a condition runs until it fails, and evaluates it once more.
// CHECK: "Iteration": 6,
// CHECK: "name": "counts",
module {
  // expected-remark @below {{in 1 step}}
  func.func @counts(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %r:2 = scf.while (%i = %zero, %s = %v) : (i32, vector<8x128xf32>) -> (i32, vector<8x128xf32>) {
      %goes = arith.cmpi slt, %i, %five : i32
      scf.condition(%goes) %i, %s : i32, vector<8x128xf32>
    } do {
    ^bb0(%i: i32, %s: vector<8x128xf32>):
      %n = arith.addi %i, %one : i32
      %t = arith.addf %s, %s : vector<8x128xf32>
      scf.yield %n, %t : i32, vector<8x128xf32>
    }
    tpu.vector_store %x[%c0, %c0], %r#1 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// A loop that never ends is left after some iterations.
// CHECK: "Iteration": 4096,
// CHECK: "name": "goes_on",
module {
  // expected-remark @below {{in 1 step}}
  func.func @goes_on(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %true = arith.constant true
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    }
    return
  }
}

// -----

// A reduction along lanes leaves its result in all of them, so that adding it up
// again takes no broadcast. What is loaded is in one lane.
// CHECK-NOT: "LaneBroadcast"
// CHECK: "LaneReduction":
// CHECK: "name": "reduced",
// CHECK: "LaneBroadcast":
// CHECK: "name": "loaded",
module {
  // expected-remark @below {{in 1 step}}
  func.func @reduced(%x: memref<512x128xf32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<512xf32>
    %one = arith.constant dense<1.0> : vector<512x1xf32>
    %v = vector.load %x[%c0, %c0] : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>
    %s = vector.multi_reduction <add>, %v, %zero [1] : vector<512x128xf32> to vector<512xf32>
    %t = vector.shape_cast %s : vector<512xf32> to vector<512x1xf32>
    %u = arith.addf %t, %one : vector<512x1xf32>
    %b = vector.broadcast %u : vector<512x1xf32> to vector<512x128xf32>
    %r = arith.addf %v, %b : vector<512x128xf32>
    tpu.vector_store %x[%c0, %c0], %r {strides = array<i32>} : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>,
    return
  }
}

// -----

module {
  // expected-remark @below {{in 1 step}}
  func.func @loaded(%x: memref<512x128xf32, #tpu.memory_space<vmem>>, %y: memref<512x1xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>
    %u = vector.load %y[%c0, %c0] : memref<512x1xf32, #tpu.memory_space<vmem>>, vector<512x1xf32>
    %b = vector.broadcast %u : vector<512x1xf32> to vector<512x128xf32>
    %r = arith.addf %v, %b : vector<512x128xf32>
    tpu.vector_store %x[%c0, %c0], %r {strides = array<i32>} : memref<512x128xf32, #tpu.memory_space<vmem>>, vector<512x128xf32>,
    return
  }
}

// -----

// Rows that become lanes are moved.
// CHECK: "Relayout":
// CHECK: "name": "turned",
module {
  // expected-remark @below {{in 1 step}}
  func.func @turned(%x: memref<8x1xf32, #tpu.memory_space<vmem>>, %y: memref<1x8xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 2 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x1xf32, #tpu.memory_space<vmem>>, vector<8x1xf32>
    %r = vector.shape_cast %v : vector<8x1xf32> to vector<1x8xf32>
    tpu.vector_store %y[%c0, %c0], %r {strides = array<i32>} : memref<1x8xf32, #tpu.memory_space<vmem>>, vector<1x8xf32>,
    return
  }
}

// -----

// The least of integers takes three turns of the unit, their sum two.
// CHECK: "CrossLatency": 4.99
// CHECK: "name": "integers",
module {
  // expected-remark @below {{in 1 step}}
  func.func @integers(%x: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0> : vector<8xi32>
    %v = vector.load %x[%c0, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>
    %s = vector.multi_reduction <add>, %v, %zero [1] : vector<8x128xi32> to vector<8xi32>
    %t = vector.shape_cast %s : vector<8xi32> to vector<8x1xi32>
    %b = vector.broadcast %t : vector<8x1xi32> to vector<8x128xi32>
    %m = vector.multi_reduction <minsi>, %b, %zero [1] : vector<8x128xi32> to vector<8xi32>
    %n = vector.shape_cast %m : vector<8xi32> to vector<8x1xi32>
    %c = vector.broadcast %n : vector<8x1xi32> to vector<8x128xi32>
    tpu.vector_store %x[%c0, %c0], %c {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
    return
  }
}

// -----

// A matmul with k = 32 on a unit of 128 rows waits for a quarter of the weights.
// CHECK: "MatmulLatency": 0.62
// CHECK: "name": "short",
module {
  // expected-remark @below {{in 1 step}}
  func.func @short(%x: memref<8x32xf32, #tpu.memory_space<vmem>>, %y: memref<32x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {scratch_operands = 3 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x32xf32, #tpu.memory_space<vmem>>, vector<8x32xf32>
    %w = vector.load %y[%c0, %c0] : memref<32x128xf32, #tpu.memory_space<vmem>>, vector<32x128xf32>
    %zero = arith.constant dense<0.0> : vector<8x128xf32>
    %p = tpu.matmul %v, %w, %zero {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false}
      : vector<8x32xf32>, vector<32x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %p {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// A loop that counts in scalar memory ends when the counter says so.
// CHECK: "Iteration": 4
// CHECK: "name": "counter",
module {
  // expected-remark @below {{in 1 step}}
  func.func @counter(%n: memref<1xi32, #tpu.memory_space<smem>>) attributes {scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    memref.store %zero, %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    scf.while : () -> () {
      %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
      %more = arith.cmpi slt, %i, %three : i32
      scf.condition(%more)
    } do {
      %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
      %next = arith.addi %i, %one : i32
      memref.store %next, %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
      scf.yield
    }
    return
  }
}
