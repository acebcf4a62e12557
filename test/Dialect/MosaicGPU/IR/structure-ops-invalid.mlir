// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @layouts(%v: vector<64xf32>) {
  // expected-error @below {{has 1 vector operands, but 0 entries in in_layouts}}
  "mosaic_gpu.custom_primitive"(%v) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%a: vector<64xf32>):
    mosaic_gpu.return
  }) : (vector<64xf32>) -> ()
  return
}

// -----

func.func @transforms(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{has 1 operands in shared memory, but 0 entries in in_transforms}}
  "mosaic_gpu.custom_primitive"(%m) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%a: memref<64xf32, #gpu.address_space<workgroup>>):
    mosaic_gpu.return
  }) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @results(%m: memref<64xf32>) {
  // expected-error @below {{gives a result of type 'memref<64xf32>'; results are scalars and vectors}}
  %0 = "mosaic_gpu.custom_primitive"(%m) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%a: memref<64xf32>):
    mosaic_gpu.return %a : memref<64xf32>
  }) : (memref<64xf32>) -> memref<64xf32>
  return
}

// -----

func.func @returned(%i: i32) {
  %0 = "mosaic_gpu.custom_primitive"(%i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%a: i32):
    // expected-error @below {{returns 0 values, but 'mosaic_gpu.custom_primitive' has 1 results}}
    mosaic_gpu.return
  }) : (i32) -> i32
  return
}

// -----

func.func @returned_type(%i: i32) {
  %0 = "mosaic_gpu.custom_primitive"(%i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%a: i32):
    // expected-error @below {{returns a value of type 'i32', but result 0 of 'mosaic_gpu.custom_primitive' has type 'f32'}}
    mosaic_gpu.return %a : i32
  }) : (i32) -> f32
  return
}

// -----

func.func @alone() {
  // expected-error @below {{expects parent op to be one of 'mosaic_gpu.custom_primitive, mosaic_gpu.run_scoped'}}
  mosaic_gpu.return
}

// -----

func.func @warp_vector(%v: vector<64xf32>) {
  // expected-error @below {{takes a vector of type 'vector<64xf32>'; a warp holds a part of it only}}
  "mosaic_gpu.warp_map"(%v) ({
  ^bb0(%a: vector<64xf32>):
  }) : (vector<64xf32>) -> ()
  return
}

// -----

func.func @warp_arguments(%i: i32) {
  // expected-error @below {{has 1 operands and 0 block arguments; number and types are equal}}
  "mosaic_gpu.warp_map"(%i) ({
  ^bb0:
    %0 = arith.constant 0 : i32
  }) : (i32) -> ()
  return
}

// -----

func.func @buffers() {
  // expected-error @below {{has 1 buffers, but 0 entries in buffer_attrs}}
  "mosaic_gpu.run_scoped"() <{buffer_attrs = []}> ({
  ^bb0(%a: memref<64xf32, #gpu.address_space<workgroup>>):
    mosaic_gpu.return
  }) : () -> ()
  return
}

// -----

func.func @buffer_memory() {
  // expected-error @below {{has a buffer of type 'memref<64xf32>'; give a static memref in #gpu.address_space<workgroup>}}
  "mosaic_gpu.run_scoped"() <{buffer_attrs = [#mosaic_gpu.smem_alloc]}> ({
  ^bb0(%a: memref<64xf32>):
    mosaic_gpu.return
  }) : () -> ()
  return
}

// -----

func.func @buffer_attribute() {
  // expected-error @below {{has 1 : i64 in buffer_attrs; give #mosaic_gpu.smem_alloc}}
  "mosaic_gpu.run_scoped"() <{buffer_attrs = [1]}> ({
  ^bb0(%a: memref<64xf32, #gpu.address_space<workgroup>>):
    mosaic_gpu.return
  }) : () -> ()
  return
}

// -----

func.func @escape(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{gives a result of type 'memref<64xf32, #gpu.address_space<workgroup>>'; memory does not leave its scope}}
  %0 = "mosaic_gpu.alloca_scope"() ({
    "mosaic_gpu.alloca_scope.return"(%m) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  }) : () -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}
