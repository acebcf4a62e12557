// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @region(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{gives a result of type 'memref<16x128xf32, #tpu.memory_space<vmem>>'; floats, integers, indices and vectors leave a region}}
  %0 = "tpu.region"() ({
    tpu.yield %m : memref<16x128xf32, #tpu.memory_space<vmem>>
  }) : () -> memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @region(%v: vector<16x128xf32>) {
  // expected-error @below {{along control flow edge from Operation tpu.yield to parent: region branch point has 0 operands, but region successor needs 1 inputs}}
  %0 = "tpu.region"() ({
    // expected-note @below {{region branch point}}
    tpu.yield
  }) : () -> vector<16x128xf32>
  return
}

// -----

func.func @region(%n: i32) {
  // expected-error @below {{along control flow edge from Operation tpu.yield to parent: successor operand type #0 'i32' should match successor input type #0 'f32'}}
  %0 = "tpu.region"() ({
    // expected-note @below {{region branch point}}
    tpu.yield %n : i32
  }) : () -> f32
  return
}

// -----

func.func @region(%n: i32) {
  // expected-error @below {{region #0 ('region') failed to verify constraint: region with 1 blocks}}
  "tpu.region"() ({}) : () -> ()
  return
}

// -----

func.func @trace(%n: i32) {
  // expected-error @below {{along control flow edge from Operation tpu.yield to parent: successor operand type #0 'i32' should match successor input type #0 'f32'}}
  %0 = "tpu.trace"() <{level = 1 : i32, message = "x"}> ({
    // expected-note @below {{region branch point}}
    tpu.yield %n : i32
  }) : () -> f32
  return
}

// -----

func.func @yield(%b: i1) {
  scf.if %b {
    // expected-error @below {{expects parent op to be one of 'tpu.region, tpu.trace'}}
    tpu.yield
  }
  return
}

// -----

func.func @iteration_bound() {
  // expected-error @below {{asks for dimension -1 of the grid}}
  %0 = tpu.iteration_bound -1 : i32
  return
}

// -----

func.func @log(%n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{is formatted, but runs on sc_vector_subcore; only tc formats}}
  tpu.log "a" {formatted = true} : [%n] : i32
  return
}

// -----

func.func @log(%n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{prints 2 values on sc_vector_subcore; a SparseCore prints at most 1}}
  tpu.log "a" : [%n, %n] : i32, i32
  return
}

// -----

func.func @log(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error @below {{prints 'vector<16xf32>' on sc_scalar_subcore, which has no vectors}}
  tpu.log "a" : [%v] : vector<16xf32>
  return
}

// -----

func.func @log_buffer(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{has a shape of 1 dimensions for a memref of rank 2}}
  tpu.log_buffer "a" {shape = array<i64: 16>} : %m : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

// expected-error @below {{has 'tpu.core_type' of "tc", which is not a core; write #tpu.core_type<tc>, #tpu.core_type<sc_scalar_subcore> or #tpu.core_type<sc_vector_subcore>}}
func.func @core_type() attributes {tpu.core_type = "tc"} {
  
  return
}

// -----

func.func @core_type(%n: i32) {
  // expected-error @below {{has 'tpu.core_type', which belongs on functions}}
  %0 = arith.addi %n, %n {tpu.core_type = #tpu.core_type<tc>} : i32
  return
}
