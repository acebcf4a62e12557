// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Regions, grid, random bits, debugging. Some ops have the generic form only.

// CHECK-LABEL: @region
func.func @region(%n: i32) {
  // CHECK: "tpu.region"() ({
  "tpu.region"() ({
    // CHECK: tpu.yield
    tpu.yield
  }) : () -> ()
  // CHECK: "tpu.region"() ({
  %0 = "tpu.region"() ({
    // CHECK: tpu.yield %{{.*}} : i32
    tpu.yield %n : i32
  }) : () -> i32
  // CHECK: "tpu.trace"() <{level = 3 : i32, message = "inner"}> ({
  %1 = "tpu.trace"() <{level = 3 : i32, message = "inner"}> ({
    // CHECK: tpu.yield %{{.*}} : i32
    tpu.yield %n : i32
  }) : () -> i32
  return
}

// CHECK-LABEL: @grid
func.func @grid() attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>} {
  // CHECK: tpu.iteration_bound 0 : i32
  %0 = tpu.iteration_bound 0 : i32
  return
}

// CHECK-LABEL: @random
func.func @random(%n: i32) {
  // CHECK: "tpu.prng_set_seed_32"(%{{.*}}, %{{.*}}) : (i32, i32) -> ()
  "tpu.prng_set_seed_32"(%n, %n) : (i32, i32) -> ()
  // CHECK: "tpu.prng_random_bits"() : () -> vector<8x128xi32>
  %0 = "tpu.prng_random_bits"() : () -> vector<8x128xi32>
  return
}

// CHECK-LABEL: @debug
func.func @debug(%n: i32, %f: f32, %m: memref<8x128xf32, #tpu.memory_space<vmem>>) {
  // CHECK: "tpu.trace_start"() <{level = 10 : i32, message = "span"}> : () -> ()
  "tpu.trace_start"() <{level = 10 : i32, message = "span"}> : () -> ()
  // CHECK: "tpu.trace_stop"() : () -> ()
  "tpu.trace_stop"() : () -> ()
  // CHECK: tpu.trace_value %{{.*}}, "number" : f32
  tpu.trace_value %f, "number" : f32
  // CHECK: tpu.delay %{{.*}}
  tpu.delay %n
  // CHECK: tpu.log "here"
  tpu.log "here"
  // CHECK: tpu.log "step $s0 of $f1" {formatted = true} : [%{{.*}}, %{{.*}}] : i32, f32
  tpu.log "step $s0 of $f1" {formatted = true} : [%n, %f] : i32, f32
  // CHECK: tpu.log_buffer "buffer" {shape = array<i64: 8, 128>} : %{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>
  tpu.log_buffer "buffer" {shape = array<i64: 8, 128>} : %m : memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}
