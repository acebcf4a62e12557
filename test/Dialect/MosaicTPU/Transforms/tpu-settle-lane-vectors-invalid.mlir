// RUN: pallas-opt %s --tpu-settle-lane-vectors --split-input-file --verify-diagnostics

module attributes {tpu.target = "v6e", tpu.custom_call = {name = "scans"}} {
  func.func @scans(%m: memref<4x16xf32, #tpu.memory_space<vmem>>, %s: vector<8xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %zero = arith.constant 0 : index
    // expected-error @below {{accesses 'vector<16xf32>' where vectors are registers, which hold 8 elements of type 'f32' on v6e; access as many at a time, or leave out what combines lanes and ask for layout passes}}
    %v = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x16xf32, #tpu.memory_space<vmem>>, vector<1x16xf32>, 
    %r = tpu.scan <sum>, %s : vector<8xf32>,  -> vector<8xf32>
    return
  }
}

// -----

// expected-error @below {{chip 'v1' is unknown; use v4, v5e, v5p, v6e, tpu7x}}
module attributes {tpu.target = "v1"} {
}

// -----

// expected-error @below {{has a 'tpu.target' that is no string; give the name of a chip, as in "v5e"}}
module attributes {tpu.target = 4} {
}
