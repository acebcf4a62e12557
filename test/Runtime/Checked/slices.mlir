// Accesses that leave their ref.

// RUN: not pallas-run %s --no-cache --check --entry slice 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: pallas-run %s --no-cache --check --entry slice_repaired
// RUN: not pallas-run %s --no-cache --check --entry negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not pallas-run %s --no-cache --check --entry scalar 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not pallas-run %s --no-cache --check --entry strided 2>&1 | FileCheck %s --check-prefix=STRIDED
// RUN: not pallas-run %s --no-cache --check --entry gathered 2>&1 | FileCheck %s --check-prefix=GATHERED
// RUN: not pallas-run %s --no-cache --check --entry view 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not pallas-run %s --no-cache --check --entry copied_view 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: not pallas-run %s --no-cache --check --entry unmasked 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: pallas-run %s --no-cache --check --entry unmasked_repaired
// RUN: not pallas-run %s --no-cache --check --entry atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC

!block = !pallas.ref<8x4xf32, vmem>
!line = !pallas.ref<8xi32, smem>

func.func @slice() -> tensor<12x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<8x4xf32>) block<[8, 4], vmem>
      out(tensor<12x4xf32>) block<[3, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !pallas.ref<3x4xf32, vmem>) {
    %p = pallas.program_id 0
    %c2 = arith.constant 2 : i32
    %at = arith.muli %p, %c2 : i32
    // SLICE: slices.mlir:[[@LINE+2]]:10: error: access out of bounds: 'pallas.get' accesses indices 6 to 8 in dimension 0 of input 0 at grid point (3), which has size 8
    // SLICE-NEXT: slices.mlir:[[@LINE+1]]:10: note: keep the start between 0 and the size of the dimension minus what is accessed, or mask the access
    %v = pallas.get %xr[ds(%at, 3), :] : !block
    pallas.swap %or[...], %v : !pallas.ref<3x4xf32, vmem>, tensor<3x4xf32>
  }
  return %o : tensor<12x4xf32>
}

func.func @slice_repaired() -> tensor<9x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<8x4xf32>) block<[8, 4], vmem>
      out(tensor<9x4xf32>) block<[3, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !pallas.ref<3x4xf32, vmem>) {
    %p = pallas.program_id 0
    %c2 = arith.constant 2 : i32
    %at = arith.muli %p, %c2 : i32
    %v = pallas.get %xr[ds(%at, 3), :] : !block
    pallas.swap %or[...], %v : !pallas.ref<3x4xf32, vmem>, tensor<3x4xf32>
  }
  return %o : tensor<9x4xf32>
}

func.func @negative() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(4) out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %one : !block, tensor<8x4xf32>
    %p = pallas.program_id 0
    %c2 = arith.constant 2 : i32
    %at = arith.subi %p, %c2 : i32
    %two = arith.constant dense<2.0> : tensor<2x4xf32>
    // NEGATIVE: slices.mlir:[[@LINE+1]]:5: error: access out of bounds: 'pallas.swap' accesses indices -2 to -1 in dimension 0 of output 0 at grid point (0), which has size 8 (2 times)
    pallas.swap %or[ds(%at, 2), :], %two : !block, tensor<2x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// Looks at the neighbour to the right, which the last one doesn't have.
func.func @scalar() -> tensor<8xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<8xi32>) block<[8], smem> out(tensor<8xi32>) block<[8], smem>
      kernel(%xr: !line, %or: !line) {
    %p = pallas.program_id 0
    %c1 = arith.constant 1 : i32
    %next = arith.addi %p, %c1 : i32
    // SCALAR: slices.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.get' accesses index 8 in dimension 0 of input 0 at grid point (7), which has size 8
    %v = pallas.get %xr[%next] : !line
    pallas.swap %or[%p], %v : !line, i32
  }
  return %o : tensor<8xi32>
}

func.func @strided() -> tensor<2x4xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xi32>) block<[8], vmem>
      out(tensor<2x4xi32>) block<[squeezed, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<4xi32, vmem>) {
    %p = pallas.program_id 0
    %c2 = arith.constant 2 : i32
    %at = arith.muli %p, %c2 : i32
    // STRIDED: slices.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.get' accesses indices 2 to 8 in dimension 0 of input 0 at grid point (1), which has size 8
    %v = pallas.get %xr[ds(%at, 4, 2)] : !pallas.ref<8xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<2x4xi32>
}

func.func @gathered() -> tensor<4xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>
  %at = arith.constant dense<[7, 0, 8, 1]> : tensor<4xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], vmem> in(%at : tensor<4xi32>) block<[4], vmem>
      out(tensor<4xi32>) block<[4], vmem>
      kernel(%xr: !pallas.ref<8xi32, vmem>, %ar: !pallas.ref<4xi32, vmem>, %or: !pallas.ref<4xi32, vmem>) {
    %a = pallas.get %ar[...] : !pallas.ref<4xi32, vmem>
    // GATHERED: slices.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.get' accesses index 8 in dimension 0 of input 0, which has size 8
    %v = pallas.get %xr[gather(%a : tensor<4xi32>)] : !pallas.ref<8xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}

func.func @view() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %one : !block, tensor<8x4xf32>
    %p = pallas.program_id 0
    %c4 = arith.constant 4 : i32
    %at = arith.muli %p, %c4 : i32
    // VIEW: slices.mlir:[[@LINE+1]]:13: error: access out of bounds: 'pallas.slice_ref' accesses indices 8 to 11 in dimension 0 of output 0 at grid point (2), which has size 8
    %half = pallas.slice_ref %or[ds(%at, 4), :] : !block
    %two = arith.constant dense<2.0> : tensor<4x4xf32>
    pallas.swap %half[...], %two : !pallas.ref<4x4xf32, vmem>, tensor<4x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @copied_view() -> tensor<12x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<8x4xf32>) block<[8, 4], any>
      out(tensor<12x4xf32>) block<[4, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x4xf32, any>, %or: !pallas.ref<4x4xf32, vmem>,
             %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %p = pallas.program_id 0
    %c4 = arith.constant 4 : i32
    %at = arith.muli %p, %c4 : i32
    // COPIED: slices.mlir:[[@LINE+1]]:13: error: access out of bounds: 'pallas.slice_ref' accesses indices 8 to 11 in dimension 0 of input 0 at grid point (2), which has size 8
    %part = pallas.slice_ref %xr[ds(%at, 4), :] : !pallas.ref<8x4xf32, any>
    pallas.dma_start %part to %or signals %done : !pallas.ref<4x4xf32, any>, !pallas.ref<4x4xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %part to %or signals %done : !pallas.ref<4x4xf32, any>, !pallas.ref<4x4xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<12x4xf32>
}

// The mask lets one lane too many through.
func.func @unmasked() -> tensor<4xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 5]> : tensor<5xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi32>) block<[5], vmem> out(tensor<4xi32>) block<[4], vmem>
      kernel(%xr: !pallas.ref<5xi32, vmem>, %or: !pallas.ref<4xi32, vmem>) {
    %lane = pallas.iota 0 : tensor<4xi32>
    %at = arith.constant 3 : i32
    %end = arith.constant dense<3> : tensor<4xi32>
    %m = arith.cmpi slt, %lane, %end : tensor<4xi32>
    %zero = arith.constant dense<0> : tensor<4xi32>
    // MASK: slices.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.masked_load' accesses index 5 in dimension 0 of input 0
    %v = pallas.masked_load %xr[ds(%at, 4)] mask %m other %zero : !pallas.ref<5xi32, vmem>, tensor<4xi1>, other tensor<4xi32>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}

func.func @unmasked_repaired() -> tensor<4xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 5]> : tensor<5xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<5xi32>) block<[5], vmem> out(tensor<4xi32>) block<[4], vmem>
      kernel(%xr: !pallas.ref<5xi32, vmem>, %or: !pallas.ref<4xi32, vmem>) {
    %lane = pallas.iota 0 : tensor<4xi32>
    %at = arith.constant 3 : i32
    %end = arith.constant dense<2> : tensor<4xi32>
    %m = arith.cmpi slt, %lane, %end : tensor<4xi32>
    %zero = arith.constant dense<0> : tensor<4xi32>
    %v = pallas.masked_load %xr[ds(%at, 4)] mask %m other %zero : !pallas.ref<5xi32, vmem>, tensor<4xi1>, other tensor<4xi32>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}

// The histogram has no bin for the largest value.
func.func @atomic() -> tensor<8xi32> {
  %x = arith.constant dense<[3, 1, 4, 1, 8, 7, 2, 6]> : tensor<8xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], gmem> out(tensor<8xi32>) block<[8], gmem>
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    %zero = arith.constant dense<0> : tensor<8xi32>
    pallas.swap %or[...], %zero : !pallas.ref<8xi32, gmem>, tensor<8xi32>
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, gmem>
    %one = arith.constant dense<1> : tensor<8xi32>
    // ATOMIC: slices.mlir:[[@LINE+1]]:12: error: access out of bounds: 'pallas.atomic_rmw' accesses index 8 in dimension 0 of output 0, which has size 8
    %old = pallas.atomic_rmw <add> %or[gather(%v : tensor<8xi32>)], %one : !pallas.ref<8xi32, gmem>, tensor<8xi32>
  }
  return %o : tensor<8xi32>
}
