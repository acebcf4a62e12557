// Products whose accumulators are values.

// RUN: not pallas-run %s --no-cache --check --entry read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --entry read_early_repaired
// RUN: not pallas-run %s --no-cache --check --entry carried 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: pallas-run %s --no-cache --check --entry carried_repaired
// RUN: not pallas-run %s --no-cache --check --entry turns_early 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: pallas-run %s --no-cache --check --entry turns
// RUN: pallas-run %s --no-cache --check --entry empty_group
// RUN: pallas-run %s --no-cache --check --entry halves
// RUN: not pallas-run %s --no-cache --check --entry halves_early 2>&1 | FileCheck %s --check-prefix=HALVES

!s = !pallas.ref<64x64xf16, smem>
!og = !pallas.ref<64x64xf32, gmem>
!v = tensor<64x64xf32>

func.func @read_early() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %sum = pallas.wgmma %zero, %t, %t : !v, !s, !s
    // READ: accumulators.mlir:[[@LINE+1]]:14: error: data race: 'pallas.accumulator_deref' reads an accumulator at grid point (0), while 'pallas.wgmma' at {{.*}}:[[@LINE-1]]:12, started at grid point (0), may still be writing it
    %twice = arith.addf %sum, %sum : !v
    pallas.wgmma_wait 0
    pallas.swap %or[...], %twice : !og, !v
  }
  // READ-NEXT: note: commit the product, and wait for its group in between
  return %o : !v
}

func.func @read_early_repaired() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %sum = pallas.wgmma %zero, %t, %t : !v, !s, !s
    pallas.wgmma_wait 0
    %twice = arith.addf %sum, %sum : !v
    pallas.swap %or[...], %twice : !og, !v
  }
  return %o : !v
}

// The sum of a loop, which leaves one product under way.
func.func @carried() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!v) : i32 {
      %next = pallas.wgmma %acc, %t, %t : !v, !s, !s
      pallas.wgmma_wait 1
      scf.yield %next : !v
    }
    // CARRIED: accumulators.mlir:[[@LINE+1]]:5: error: data race: 'pallas.accumulator_deref' reads an accumulator
    pallas.swap %or[...], %sum : !og, !v
  }
  return %o : !v
}

func.func @carried_repaired() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!v) : i32 {
      %next = pallas.wgmma %acc, %t, %t : !v, !s, !s
      pallas.wgmma_wait 1
      scf.yield %next : !v
    }
    pallas.wgmma_wait 0
    pallas.swap %or[...], %sum : !og, !v
  }
  return %o : !v
}

// A step reads the product of the step before, while its own is under way.
func.func @turns() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %first = pallas.wgmma %zero, %t, %t : !v, !s, !s
    %last, %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %first, %acc = %zero) -> (!v, !v) : i32 {
      %next = pallas.wgmma %zero, %t, %t : !v, !s, !s
      pallas.wgmma_wait 1
      %added = arith.addf %acc, %before : !v
      scf.yield %next, %added : !v, !v
    }
    pallas.wgmma_wait 0
    %all = arith.addf %sum, %last : !v
    pallas.swap %or[...], %all : !og, !v
  }
  return %o : !v
}

func.func @turns_early() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %first = pallas.wgmma %zero, %t, %t : !v, !s, !s
    %last, %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %first, %acc = %zero) -> (!v, !v) : i32 {
      %next = pallas.wgmma %zero, %t, %t : !v, !s, !s
      pallas.wgmma_wait 2
      // TURNS: accumulators.mlir:[[@LINE+1]]:16: error: data race: 'pallas.accumulator_deref' reads an accumulator
      %added = arith.addf %acc, %before : !v
      scf.yield %next, %added : !v, !v
    }
    pallas.wgmma_wait 0
    %all = arith.addf %sum, %last : !v
    pallas.swap %or[...], %all : !og, !v
  }
  return %o : !v
}

// A group without copies counts.
func.func @empty_group() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s, %w: !pallas.ref<64x64xf32, smem>) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %sum = pallas.wgmma %zero, %t, %t : !v, !s, !s
    pallas.wgmma_wait 0
    pallas.swap %w[...], %sum : !pallas.ref<64x64xf32, smem>, !v
    pallas.commit_smem
    pallas.copy_smem_to_gmem %w to %or : !pallas.ref<64x64xf32, smem>, !og
    pallas.commit_smem_to_gmem_group
    pallas.wait_smem_to_gmem 1
    pallas.swap %w[...], %zero : !pallas.ref<64x64xf32, smem>, !v
  }
  return %o : !v
}

// Products that add to some columns of an accumulator each.
func.func @halves() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %b = pallas.slice_ref %t[:, ds(0, 32)] : !s
    %left = tensor.extract_slice %zero[0, 0] [64, 32] [1, 1] : !v to tensor<64x32xf32>
    %first = pallas.wgmma %left, %t, %b : tensor<64x32xf32>, !s, !pallas.ref<64x32xf16, smem>
    %half = tensor.insert_slice %first into %zero[0, 0] [64, 32] [1, 1] : tensor<64x32xf32> into !v
    %right = tensor.extract_slice %half[0, 32] [64, 32] [1, 1] : !v to tensor<64x32xf32>
    %second = pallas.wgmma %right, %t, %b : tensor<64x32xf32>, !s, !pallas.ref<64x32xf16, smem>
    %both = tensor.insert_slice %second into %half[0, 32] [64, 32] [1, 1] : tensor<64x32xf32> into !v
    pallas.wgmma_wait 0
    pallas.swap %or[...], %both : !og, !v
  }
  return %o : !v
}

func.func @halves_early() -> !v {
  %o = pallas.mpmd_map out(!v) kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %t: !s) {
    %one = arith.constant dense<1.0> : tensor<64x64xf16>
    %zero = arith.constant dense<0.0> : !v
    pallas.swap %t[...], %one : !s, tensor<64x64xf16>
    pallas.commit_smem
    %b = pallas.slice_ref %t[:, ds(0, 32)] : !s
    %left = tensor.extract_slice %zero[0, 0] [64, 32] [1, 1] : !v to tensor<64x32xf32>
    %first = pallas.wgmma %left, %t, %b : tensor<64x32xf32>, !s, !pallas.ref<64x32xf16, smem>
    %half = tensor.insert_slice %first into %zero[0, 0] [64, 32] [1, 1] : tensor<64x32xf32> into !v
    %right = tensor.extract_slice %half[0, 32] [64, 32] [1, 1] : !v to tensor<64x32xf32>
    %second = pallas.wgmma %right, %t, %b : tensor<64x32xf32>, !s, !pallas.ref<64x32xf16, smem>
    %both = tensor.insert_slice %second into %half[0, 32] [64, 32] [1, 1] : tensor<64x32xf32> into !v
    pallas.wgmma_wait 1
    // HALVES: accumulators.mlir:[[@LINE+1]]:5: error: data race: 'pallas.accumulator_deref' reads an accumulator at grid point (0), while 'pallas.wgmma' at {{.*}}:[[@LINE-3]]:15, started at grid point (0), may still be writing it
    pallas.swap %or[...], %both : !og, !v
  }
  return %o : !v
}
