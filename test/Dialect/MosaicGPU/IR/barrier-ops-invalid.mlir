// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @initialize(%p: !llvm.ptr<3>) {
  // expected-error @below {{attribute 'arrival_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 0 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  return
}

// -----

func.func @initialize(%p: !llvm.ptr) {
  // expected-error @below {{operand #0 must be LLVM pointer in address space 3, but got '!llvm.ptr'}}
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr) -> ()
  return
}

// -----

func.func @array(%b: memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{operand #0 must be 0D memref of}}
  "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @no_count(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{has no byte counts; give an attribute or an operand}}
  "mosaic_gpu.arrive_expect_tx"(%b) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @two_counts(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %n: i32) {
  // expected-error @below {{has two byte counts; give an attribute or an operand}}
  "mosaic_gpu.arrive_expect_tx"(%b, %n) <{expect_tx = 8 : i32}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @negative(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{attribute 'expect_tx' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -8
  return
}

// -----

func.func @answer(%m: memref<8xi8, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{has an answer of type 'memref<8xi8, #gpu.address_space<workgroup>>'; the answer takes 16 bytes}}
  "mosaic_gpu.try_cluster_cancel"(%m, %b) : (memref<8xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @answer(%m: memref<16xi8>) {
  // expected-error @below {{has an answer of type 'memref<16xi8>'; it lies in #gpu.address_space<workgroup>}}
  %0:4 = "mosaic_gpu.query_cluster_cancel"(%m) : (memref<16xi8>) -> (i32, i32, i32, i1)
  return
}
