// RUN: pallas-opt %s --mosaic-gpu-set-release --split-input-file --verify-diagnostics
// RUN: not pallas-opt %s --mosaic-gpu-set-release=release=0.9 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: not pallas-opt %s --mosaic-gpu-set-release=release=0.12.0.1 --split-input-file 2>&1 | FileCheck %s --check-prefix=NEW

// RELEASE: release is '0.9'; give 0.10.2 or 0.12.0.1

// NEW: 'mosaic_gpu.wait' op waits for a barrier, which jaxlib 0.12.0.1 doesn't have; use nvvm.mbarrier.try_wait.parity
func.func @wait(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %p: i1) {
  mosaic_gpu.wait barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%p : i1)
  return
}

// -----

func.func @computed(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %n: i32) {
  // expected-error @below {{expects a number of bytes that is computed, which jaxlib 0.10.2 doesn't have; give a constant}}
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %n
  return
}

// -----

func.func @peer(%g: memref<64xf32>, %s: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32) {
  // expected-error @below {{copies from another device, which jaxlib 0.10.2 doesn't have; copy from this one}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>, slice_lengths = array<i64: 64>}> : (memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  // expected-error @below {{has no barrier, which jaxlib 0.10.2 doesn't have; give one}}
  "mosaic_gpu.async_load"(%g, %s, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0>, slice_lengths = array<i64: 64>}> : (memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @predicates(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %c: i1) {
  // expected-error @below {{has a predicate, which jaxlib 0.10.2 doesn't have; put it into an scf.if}}
  "mosaic_gpu.arrive"(%b, %c) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  // expected-error @below {{has a predicate, which jaxlib 0.10.2 doesn't have; put it into an scf.if}}
  "mosaic_gpu.tcgen05_commit_arrive"(%b, %c) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tensor_memory(%t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{reduces rows, which jaxlib 0.10.2 doesn't have; reduce the vector}}
  %0:2 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 0 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> (vector<128x128xf32>, vector<128xf32>)
  // expected-error @below {{has an alias_id, which jaxlib 0.10.2 doesn't have; leave it out}}
  %1 = "mosaic_gpu.slice_tmem"(%t) <{alias_id = 1 : i64, offset = 0 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @memory(%v: vector<64xf32>) {
  // expected-error @below {{has an alias_id of 4294967296; jaxlib 0.10.2 holds it in 32 bits}}
  %0 = "mosaic_gpu.slice_smem"() <{alias_id = 4294967296 : i64, offset = 0 : i32}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
  // expected-error @below {{takes elements of 6 bits in memory, which jaxlib 0.10.2 doesn't have; use elements of 8 bits}}
  %1 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x!mosaic_gpu.p2b6<f6E2M3FN>, #gpu.address_space<workgroup>>
  // expected-error @below {{concatenates vectors, which jaxlib 0.10.2 doesn't have; store the parts to a memref and load it}}
  %2 = mosaic_gpu.vector_concat(%v, %v : vector<64xf32>, vector<64xf32>) {dimension = 0 : i32} -> vector<128xf32>
  // expected-error @below {{allocates shared memory, which jaxlib 0.10.2 doesn't have; give offsets by mosaic_gpu.slice_smem}}
  "mosaic_gpu.run_scoped"() <{buffer_attrs = []}> ({
    mosaic_gpu.return
  }) : () -> ()
  return
}
