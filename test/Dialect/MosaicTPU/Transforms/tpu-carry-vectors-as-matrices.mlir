// RUN: pallas-opt %s --tpu-carry-vectors-as-matrices=chip=v5e | FileCheck %s
// RUN: pallas-opt %s --tpu-carry-vectors-as-matrices | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pallas-opt %s --tpu-carry-vectors-as-matrices=chip=v1 2>&1 | FileCheck %s --check-prefix=CHIP

// That kernels give the same from here on test/Runner/diff-passes-mosaic-tpu.mlir
// shows.

// CHIP: error: chip 'v1' is unknown; use v4, v5e, v5p, v6e, tpu7x

// Without a chip and without tpu.target nothing changes.
// UNKNOWN-NOT: vector<1x128xf32>

// A loop carries a row of a matrix; numbers and matrices stay.
// CHECK-LABEL: func.func @loop
// CHECK: %[[ROW:.*]] = vector.shape_cast %{{.*}} : vector<128xf32> to vector<1x128xf32>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[ROW]], %{{.*}} = %{{.*}}) -> (vector<1x128xf32>, f32)
// CHECK: vector.shape_cast %[[A]] : vector<1x128xf32> to vector<128xf32>
// CHECK: arith.addf
// CHECK: scf.yield %{{.*}}, %{{.*}} : vector<1x128xf32>, f32
// CHECK: vector.shape_cast %[[R]]#0
func.func @loop(%m: memref<128xf32, #tpu.memory_space<vmem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %f = arith.constant 0.0 : f32
  %v = vector.load %m[%zero] : memref<128xf32, #tpu.memory_space<vmem>>, vector<128xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %s = %f) -> (vector<128xf32>, f32) : i32 {
    %b = arith.addf %a, %a : vector<128xf32>
    scf.yield %b, %s : vector<128xf32>, f32
  }
  tpu.vector_store %m[%zero], %r#0 {strides = array<i32>} : memref<128xf32, #tpu.memory_space<vmem>>, vector<128xf32>, 
  return
}

// What starts as a broadcast goes through memory.
// CHECK-LABEL: func.func @while
// CHECK: tpu.region
// CHECK: memref.alloca
// CHECK: tpu.vector_store
// CHECK: vector.load
// CHECK: scf.while
func.func @while(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %f: f32, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = vector.broadcast %f : f32 to vector<8x128xf32>
  %r:2 = scf.while (%a = %v, %i = %c0) : (vector<8x128xf32>, i32) -> (vector<8x128xf32>, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %a, %i : vector<8x128xf32>, i32
  } do {
  ^bb0(%a: vector<8x128xf32>, %i: i32):
    %b = arith.addf %a, %a : vector<8x128xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %b, %j : vector<8x128xf32>, i32
  }
  tpu.vector_store %m[%zero, %zero], %r#0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, 
  return
}

// Carried vectors that are exchanged: %b gets the elements of the load in the first round, %a only
// in the second one, and starts in memory.
// CHECK-LABEL: func.func @exchanged
// CHECK: %[[SPLAT:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[LOAD:.*]] = vector.load
// CHECK: %[[A:.*]] = "tpu.region"
// CHECK: tpu.vector_store {{.*}}, %[[SPLAT]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[SPLAT]], %{{.*}} = %[[LOAD]])
func.func @exchanged(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %splat = arith.constant dense<1.0> : vector<8x128xf32>
  %load = vector.load %m[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %splat, %b = %splat, %c = %load) -> (vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>) : i32 {
    %first = arith.cmpi eq, %i, %c0 : i32
    %next = scf.if %first -> vector<8x128xf32> {
      %twice = arith.addf %b, %b : vector<8x128xf32>
      scf.yield %twice : vector<8x128xf32>
    } else {
      scf.yield %b : vector<8x128xf32>
    }
    scf.yield %next, %c, %a : vector<8x128xf32>, vector<8x128xf32>, vector<8x128xf32>
  }
  tpu.vector_store %m[%zero, %zero], %r#0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, 
  return
}

// A vector that stays a broadcast, and one that takes elements at once, start as they are.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: tpu.region
func.func @sums(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %splat = arith.constant dense<0.0> : vector<8x128xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %splat, %b = %splat) -> (vector<8x128xf32>, vector<8x128xf32>) : i32 {
    %load = vector.load %m[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %sum = arith.addf %a, %load : vector<8x128xf32>
    %same = arith.addf %b, %b : vector<8x128xf32>
    scf.yield %sum, %same : vector<8x128xf32>, vector<8x128xf32>
  }
  tpu.vector_store %m[%zero, %zero], %r#0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>, 
  return
}

// Vectors of SparseCores have one dimension everywhere.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT: vector.shape_cast
func.func @lanes(%v: vector<16xf32>, %c: i1) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %r = scf.if %c -> vector<16xf32> {
    %b = arith.addf %v, %v : vector<16xf32>
    scf.yield %b : vector<16xf32>
  } else {
    scf.yield %v : vector<16xf32>
  }
  return
}

// Scalars are carried in 32 bits, which are all that scalar units know.

// CHECK-LABEL: func.func @scalars
// CHECK: %[[START:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[START]], %{{.*}} = %{{.*}}) -> (f32, i32)
// CHECK: arith.truncf %[[A]] : f32 to bf16
// CHECK: scf.yield %{{.*}} : f32, i32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @scalars(%n: i32, %x: bf16, %k: i8) -> (bf16, i8) attributes {tpu.core_type = #tpu.core_type<tc>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %k) -> (bf16, i8) : i32 {
    %d = arith.negf %a : bf16
    scf.yield %d, %b : bf16, i8
  }
  return %r#0, %r#1 : bf16, i8
}
