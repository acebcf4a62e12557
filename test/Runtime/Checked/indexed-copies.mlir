// Copies through index arrays are under way until they are waited for, too.

// RUN: not pallas-run %s --no-cache --check --entry gather_read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --entry gather_repaired
// RUN: not pallas-run %s --no-cache --check --entry indices_not_there 2>&1 | FileCheck %s --check-prefix=INDICES
// RUN: not pallas-run %s --no-cache --check --entry indices_overwritten 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: not pallas-run %s --no-cache --check --entry indices_unwritten 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not pallas-run %s --no-cache --check --entry same_element 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --no-cache --check --entry same_element_adds
// RUN: not pallas-run %s --no-cache --check --entry never_waited 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not pallas-run %s --no-cache --check --entry outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE

!x = !pallas.ref<16x128xf32, hbm>
!o = !pallas.ref<8x128xf32, hbm>
!ids = !pallas.ref<8xi32, hbm>
!k = !pallas.ref<8xi32, vmem>
!a = !pallas.ref<8x128xf32, vmem>
!from = !pallas.ref<8x128xf32, hbm>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @gather_read_early() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %i = arith.constant dense<[3, 1, 2, 0, 15, 4, 4, 7]> : tensor<8xi32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) in(%i : tensor<8xi32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %ir: !ids, %or: !o, %k: !k, %a: !a, %done: !dma) {
    pallas.dma_start %ir to %k signals %done : !ids, !k, !dma
    pallas.dma_wait %ir to %k signals %done : !ids, !k, !dma
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %rows to %a signals %done : !from, !a, !dma
    // READ: indexed-copies.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [{{.*}}] of {{.*}}, while 'pallas.dma_start' at {{.*}}indexed-copies.mlir:[[@LINE-1]]:5, started at grid point (0, 0), may still be writing it
    %v = pallas.get %a[0, ds(0, 8)] : !a
    pallas.dma_wait %rows to %a signals %done : !from, !a, !dma
    pallas.swap %a[0, ds(0, 8)], %v : !a, tensor<8xf32>
    pallas.dma_start %a to %or signals %done : !a, !o, !dma
    pallas.dma_wait %a to %or signals %done : !a, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

func.func @gather_repaired() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %i = arith.constant dense<[3, 1, 2, 0, 15, 4, 4, 7]> : tensor<8xi32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) in(%i : tensor<8xi32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %ir: !ids, %or: !o, %k: !k, %a: !a, %done: !dma) {
    pallas.dma_start %ir to %k signals %done : !ids, !k, !dma
    pallas.dma_wait %ir to %k signals %done : !ids, !k, !dma
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %rows to %a signals %done : !from, !a, !dma
    pallas.dma_wait %rows to %a signals %done : !from, !a, !dma
    %v = pallas.get %a[0, ds(0, 8)] : !a
    pallas.swap %a[0, ds(0, 8)], %v : !a, tensor<8xf32>
    pallas.dma_start %a to %or signals %done : !a, !o, !dma
    pallas.dma_wait %a to %or signals %done : !a, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

func.func @indices_not_there() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %i = arith.constant dense<[3, 1, 2, 0, 15, 4, 4, 7]> : tensor<8xi32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) in(%i : tensor<8xi32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %ir: !ids, %or: !o, %k: !k, %come: !dma, %done: !dma) {
    pallas.dma_start %ir to %k signals %come : !ids, !k, !dma
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    // INDICES: indexed-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' reads element [{{.*}}] of {{.*}}, while 'pallas.dma_start' at {{.*}}indexed-copies.mlir:[[@LINE-2]]:5, started at grid point (0, 0), may still be writing it
    pallas.dma_start %rows to %or signals %done : !from, !o, !dma
    pallas.dma_wait %ir to %k signals %come : !ids, !k, !dma
    pallas.dma_wait %rows to %or signals %done : !from, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

func.func @indices_overwritten() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %or: !o, %k: !k, %done: !dma) {
    %zero = arith.constant dense<0> : tensor<8xi32>
    pallas.swap %k[...], %zero : !k, tensor<8xi32>
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %rows to %or signals %done : !from, !o, !dma
    // OVERWRITTEN: indexed-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [{{.*}}] of {{.*}}, while 'pallas.dma_start' at {{.*}}, started at grid point (0, 0), may still be reading it
    pallas.swap %k[...], %zero : !k, tensor<8xi32>
    pallas.dma_wait %rows to %or signals %done : !from, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

func.func @indices_unwritten() -> tensor<8x128xf32> {
  %x = pallas.iota 0 : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %or: !o, %k: !k, %done: !dma) {
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    // UNWRITTEN: indexed-copies.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.dma_start' reads element [{{.*}}0] of {{.*}}, which nothing has written
    pallas.dma_start %rows to %or signals %done : !from, !o, !dma
    pallas.dma_wait %rows to %or signals %done : !from, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

// Two subcores scatter to the same rows.
func.func @same_element() -> tensor<16x128xf32> {
  %x = arith.constant dense<1.0> : tensor<8x128xf32>
  %i = arith.constant dense<[3, 1, 2, 0, 15, 4, 5, 7]> : tensor<8xi32>
  %z = arith.constant dense<0.0> : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<8x128xf32>) in(%i : tensor<8xi32>) in(%z : tensor<16x128xf32>) out(tensor<16x128xf32>) aliases [2 -> 0]
      kernel @scatter on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 2>]>
          (%xr: !o, %ir: !ids, %zr: !x, %or: !x, %k: !k, %done: !dma) {
    pallas.dma_start %ir to %k signals %done : !ids, !k, !dma
    pallas.dma_wait %ir to %k signals %done : !ids, !k, !dma
    %rows = pallas.slice_ref %or[gather(%k : !k), :] : !x
    // SAME: indexed-copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [3, 0] of output 0 at grid point (0, 1), while 'pallas.dma_start' at {{.*}}, started at grid point (0, 0), may still be writing it
    pallas.dma_start %xr to %rows signals %done : !o, !from, !dma
    pallas.dma_wait %xr to %rows signals %done : !o, !from, !dma
  }
  return %r : tensor<16x128xf32>
}

// Copies that add may come in any order.
func.func @same_element_adds() -> tensor<16x128xf32> {
  %x = arith.constant dense<1.0> : tensor<8x128xf32>
  %i = arith.constant dense<[3, 1, 2, 0, 15, 4, 5, 7]> : tensor<8xi32>
  %z = arith.constant dense<0.0> : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<8x128xf32>) in(%i : tensor<8xi32>) in(%z : tensor<16x128xf32>) out(tensor<16x128xf32>) aliases [2 -> 0]
      kernel @scatter on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 2>]>
          (%xr: !o, %ir: !ids, %zr: !x, %or: !x, %k: !k, %done: !dma) {
    pallas.dma_start %ir to %k signals %done : !ids, !k, !dma
    pallas.dma_wait %ir to %k signals %done : !ids, !k, !dma
    %rows = pallas.slice_ref %or[gather(%k : !k), :] : !x
    pallas.dma_start %xr to %rows signals %done {add} : !o, !from, !dma
    pallas.dma_wait %xr to %rows signals %done : !o, !from, !dma
  }
  return %r : tensor<16x128xf32>
}

func.func @never_waited() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %or: !o, %k: !k, %done: !dma) {
    %zero = arith.constant dense<0> : tensor<8xi32>
    pallas.swap %k[...], %zero : !k, tensor<8xi32>
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    // NEVER: indexed-copies.mlir:[[@LINE+1]]:5: error: copy never waited for: 'pallas.dma_start' copies {{.*}} at grid point (0, 0), but nothing waits for its end
    pallas.dma_start %rows to %or signals %done : !from, !o, !dma
  }
  return %r : tensor<8x128xf32>
}

func.func @outside() -> tensor<8x128xf32> {
  %x = arith.constant dense<1.0> : tensor<16x128xf32>
  %r = pallas.mpmd_map in(%x : tensor<16x128xf32>) out(tensor<8x128xf32>)
      kernel @gather on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !x, %or: !o, %k: !k, %done: !dma) {
    %ids = arith.constant dense<[3, 1, 2, 0, 16, 4, 5, 7]> : tensor<8xi32>
    pallas.swap %k[...], %ids : !k, tensor<8xi32>
    // OUTSIDE: indexed-copies.mlir:[[@LINE+1]]:13: error: access out of bounds: 'pallas.slice_ref' accesses index 16 in dimension 0 of {{.*}}, which has size 16
    %rows = pallas.slice_ref %xr[gather(%k : !k), :] : !x
    pallas.dma_start %rows to %or signals %done : !from, !o, !dma
    pallas.dma_wait %rows to %or signals %done : !from, !o, !dma
  }
  return %r : tensor<8x128xf32>
}
