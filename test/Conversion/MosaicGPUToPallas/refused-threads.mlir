// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas --verify-diagnostics

// A program is a warpgroup, so code of single threads has few forms.

!s = memref<256xi32, #gpu.address_space<workgroup>>
func.func @steps_of_a_shared_loop() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
    %v = arith.constant 1 : i32
    %lane = arith.remui %tx, %c128 : index
    // expected-error@+1 {{starts at the number of a thread; it has steps of 128 then, and carries no values}}
    scf.for %i = %lane to %c256 step %c64 {
      memref.store %v, %s[%i] : !s
    }
    gpu.terminator
  }
  return
}

// -----

func.func @waits_in_a_shared_loop() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %lane = arith.remui %tx, %c128 : index
    scf.for %i = %lane to %c256 step %c128 {
      // expected-error@+1 {{is in a loop whose steps threads share; those compute by arith and math, and load and store elements}}
      nvvm.barrier0
    }
    gpu.terminator
  }
  return
}

// -----

func.func @shuffled_lanes() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %c31_i32 = arith.constant 31 : i32
  %all = arith.constant -1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    // expected-error@+1 {{shuffles values that differ between the threads of a warp; only values that a warp has in common can be}}
    %same = nvvm.shfl.sync idx %all, %t, %c0_i32, %c31_i32 : i32 -> i32
    gpu.terminator
  }
  return
}

// -----

func.func @assembly_of_threads() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    // expected-error@+1 {{is code for single threads; only arrivals at barriers of other blocks have a form for warpgroups}}
    llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r" %t : (i32) -> ()
    gpu.terminator
  }
  return
}
