// Copies to tensor memory run in the order of the tensor core, beside the
// thread. So they read their source, and products their scales, until a barrier
// that follows them is waited for.

// RUN: not pallas-run %s --no-cache --check --entry not_committed 2>&1 | FileCheck %s --check-prefix=COMMITTED
// RUN: not pallas-run %s --no-cache --check --entry source_overwritten 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not pallas-run %s --no-cache --check --entry read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --entry repaired
// RUN: not pallas-run %s --no-cache --check --entry scales_overwritten 2>&1 | FileCheck %s --check-prefix=SCALES
// RUN: not pallas-run %s --no-cache --check --entry scales_not_there 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: pallas-run %s --no-cache --check --entry scales_in_order
// RUN: not pallas-run %s --no-cache --check --entry places_not_there 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not pallas-run %s --no-cache --check --entry places_overwritten 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: pallas-run %s --no-cache --check --entry places_in_order

!o = !pallas.ref<64x64xf32, gmem>
!s = !pallas.ref<64x64xf32, smem>
!t = !pallas.ref<64x64xf32, tmem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>

func.func @not_committed() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%or: !o, %s: !s, %t: !t, %done: !bar) {
    %v = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    // COMMITTED: tensor-copies.mlir:[[@LINE+1]]:5: error: store not committed: 'pallas.async_copy_to_tmem' reads element [0, 0] of scratch 0 at grid point (0), which 'pallas.swap' at {{.*}}:[[@LINE-1]]:5 has written at grid point (0) without a 'pallas.commit_smem' in between
    pallas.async_copy_to_tmem matrix %s to %t : !s, !t
    pallas.tcgen05_commit %done : !bar
    pallas.barrier_wait %done : !bar
    %w = pallas.async_load_tmem %t : !t -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %w : !o, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

func.func @source_overwritten() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%or: !o, %s: !s, %t: !t, %done: !bar) {
    %v = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    pallas.commit_smem
    pallas.async_copy_to_tmem matrix %s to %t : !s, !t
    pallas.tcgen05_commit %done : !bar
    // SOURCE: tensor-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [0, 0] of scratch 0 at grid point (0), while 'pallas.async_copy_to_tmem' at {{.*}}:[[@LINE-2]]:5, started at grid point (0), may still be reading it
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    pallas.barrier_wait %done : !bar
    %w = pallas.async_load_tmem %t : !t -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %w : !o, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

func.func @read_early() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%or: !o, %s: !s, %t: !t, %done: !bar) {
    %v = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    pallas.commit_smem
    pallas.async_copy_to_tmem matrix %s to %t : !s, !t
    pallas.tcgen05_commit %done : !bar
    // READ: tensor-copies.mlir:[[@LINE+1]]:10: error: data race: 'pallas.async_load_tmem' reads element [0, 0] of scratch 1 at grid point (0), while 'pallas.async_copy_to_tmem' at {{.*}}:[[@LINE-2]]:5, started at grid point (0), may still be writing it
    %w = pallas.async_load_tmem %t : !t -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.barrier_wait %done : !bar
    pallas.swap %or[...], %w : !o, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

func.func @repaired() -> tensor<64x64xf32> {
  %o = pallas.mpmd_map out(tensor<64x64xf32>)
      kernel @copy on <gpu, [<grid "x" = 1>]> (%or: !o, %s: !s, %t: !t, %done: !bar) {
    %v = arith.constant dense<1.0> : tensor<64x64xf32>
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    pallas.commit_smem
    pallas.async_copy_to_tmem matrix %s to %t : !s, !t
    pallas.tcgen05_commit %done : !bar
    pallas.barrier_wait %done : !bar
    pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    %w = pallas.async_load_tmem %t : !t -> tensor<64x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %w : !o, tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

!og = !pallas.ref<128x64xf32, gmem>
!acc = !pallas.ref<128x64xf32, tmem>
!a = !pallas.ref<128x128xf8E4M3FN, smem>
!b = !pallas.ref<128x64xf8E4M3FN, smem>
!tiles = !pallas.ref<1x1x32x16xf8E8M0FNU, smem>
!scales = !pallas.ref<128x4xf8E8M0FNU, tmem>

func.func @scales_overwritten() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !a, %b: !b, %acc: !acc, %t: !scales, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x128xf8E4M3FN>
    %y = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    pallas.swap %a[...], %x : !a, tensor<128x128xf8E4M3FN>
    pallas.swap %b[...], %y : !b, tensor<128x64xf8E4M3FN>
    pallas.commit_smem
    %w = arith.constant dense<1.0> : tensor<128x4xf8E8M0FNU>
    pallas.async_store_tmem %w to %t : tensor<128x4xf8E8M0FNU>, !scales
    pallas.commit_tmem
    %no = arith.constant false
    pallas.tcgen05_mma %acc, %a, %b accumulate %no signals %done scales(%t : !scales, %t : !scales) : !acc, !a, !b, !bar
    // SCALES: tensor-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.async_store_tmem' writes element [0, 0] of scratch 3 at grid point (0), while 'pallas.tcgen05_mma' at {{.*}}:[[@LINE-1]]:5, started at grid point (0), may still be reading it
    pallas.async_store_tmem %w to %t : tensor<128x4xf8E8M0FNU>, !scales
    pallas.commit_tmem
    pallas.barrier_wait %done : !bar
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

func.func @scales_not_there() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !a, %b: !b, %acc: !acc, %t: !scales, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x128xf8E4M3FN>
    %y = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    pallas.swap %a[...], %x : !a, tensor<128x128xf8E4M3FN>
    pallas.swap %b[...], %y : !b, tensor<128x64xf8E4M3FN>
    pallas.commit_smem
    %no = arith.constant false
    // UNWRITTEN: tensor-copies.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.tcgen05_mma' reads element [0, 0] of scratch 3 at grid point (0), which nothing has written
    pallas.tcgen05_mma %acc, %a, %b accumulate %no signals %done scales(%t : !scales, %t : !scales) : !acc, !a, !b, !bar
    pallas.barrier_wait %done : !bar
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// The tensor core has read the scales when it copies the next ones.
func.func @scales_in_order() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !a, %b: !b, %s: !tiles, %acc: !acc, %t: !scales, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x128xf8E4M3FN>
    %y = arith.constant dense<1.0> : tensor<128x64xf8E4M3FN>
    %z = arith.constant dense<1.0> : tensor<1x1x32x16xf8E8M0FNU>
    pallas.swap %a[...], %x : !a, tensor<128x128xf8E4M3FN>
    pallas.swap %b[...], %y : !b, tensor<128x64xf8E4M3FN>
    pallas.swap %s[...], %z : !tiles, tensor<1x1x32x16xf8E8M0FNU>
    pallas.commit_smem
    %no = arith.constant false
    %yes = arith.constant true
    pallas.async_copy_to_tmem scales %s to %t : !tiles, !scales
    pallas.tcgen05_mma %acc, %a, %b accumulate %no scales(%t : !scales, %t : !scales) : !acc, !a, !b
    pallas.async_copy_to_tmem scales %s to %t : !tiles, !scales
    pallas.tcgen05_mma %acc, %a, %b accumulate %yes signals %done scales(%t : !scales, %t : !scales) : !acc, !a, !b, !bar
    pallas.barrier_wait %done : !bar
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

!half = !pallas.ref<128x64xf16, smem>
!full = !pallas.ref<128x64xf16, smem>
!places = !pallas.ref<128x64xi2, tmem>
!placetiles = !pallas.ref<1x1x128x64xi2, smem>

// Which rows of the other operand are summed up is left open.
func.func @places_not_there() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !half, %b: !full, %acc: !acc, %p: !places, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x64xf16>
    pallas.swap %a[...], %x : !half, tensor<128x64xf16>
    %i = pallas.iota 0 : tensor<128x64xi32>
    %y = arith.sitofp %i : tensor<128x64xi32> to tensor<128x64xf16>
    pallas.swap %b[...], %y : !full, tensor<128x64xf16>
    pallas.commit_smem
    %no = arith.constant false
    // PLACES: tensor-copies.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.tcgen05_mma' reads element [0, {{[01]}}] of scratch 3 at grid point (0), which nothing has written
    pallas.tcgen05_mma %acc, %a, %b accumulate %no signals %done sparse(%p : !places) : !acc, !half, !full, !bar
    pallas.barrier_wait %done : !bar
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// A barrier that the product signals follows the copy in front of it.
func.func @places_overwritten() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !half, %b: !full, %t: !placetiles, %acc: !acc, %p: !places, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x64xf16>
    %z = arith.constant dense<1> : tensor<1x1x128x64xi2>
    pallas.swap %a[...], %x : !half, tensor<128x64xf16>
    pallas.swap %b[...], %x : !full, tensor<128x64xf16>
    pallas.swap %t[...], %z : !placetiles, tensor<1x1x128x64xi2>
    pallas.commit_smem
    pallas.async_copy_to_tmem sparse_metadata %t to %p : !placetiles, !places
    %no = arith.constant false
    pallas.tcgen05_mma %acc, %a, %b accumulate %no signals %done sparse(%p : !places) : !acc, !half, !full, !bar
    // TILES: tensor-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [0, 0, 0, 0] of scratch 2 at grid point (0), while 'pallas.async_copy_to_tmem' at {{.*}}:[[@LINE-3]]:5, started at grid point (0), may still be reading it
    pallas.swap %t[...], %z : !placetiles, tensor<1x1x128x64xi2>
    pallas.barrier_wait %done : !bar
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

func.func @places_in_order() -> tensor<128x64xf32> {
  %o = pallas.mpmd_map out(tensor<128x64xf32>)
      kernel @product on <gpu, [<grid "x" = 1>]> (%or: !og, %a: !half, %b: !full, %t: !placetiles, %acc: !acc, %p: !places, %done: !bar) {
    %x = arith.constant dense<1.0> : tensor<128x64xf16>
    %z = arith.constant dense<1> : tensor<1x1x128x64xi2>
    pallas.swap %a[...], %x : !half, tensor<128x64xf16>
    pallas.swap %b[...], %x : !full, tensor<128x64xf16>
    pallas.swap %t[...], %z : !placetiles, tensor<1x1x128x64xi2>
    pallas.commit_smem
    pallas.async_copy_to_tmem sparse_metadata %t to %p : !placetiles, !places
    %no = arith.constant false
    pallas.tcgen05_mma %acc, %a, %b accumulate %no signals %done sparse(%p : !places) : !acc, !half, !full, !bar
    pallas.barrier_wait %done : !bar
    pallas.swap %t[...], %z : !placetiles, tensor<1x1x128x64xi2>
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.wait_load_tmem
    pallas.swap %or[...], %r : !og, tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}
