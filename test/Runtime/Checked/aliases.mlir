// Inputs that become outputs: on devices both are one array.

// RUN: not pallas-run %s --no-cache --check --entry reads_output 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: pallas-run %s --no-cache --check --entry reads_output_repaired
// RUN: not pallas-run %s --no-cache --check --entry row_before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: pallas-run %s --no-cache --check --entry row_after
// RUN: not pallas-run %s --no-cache --check --entry in_place 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: pallas-run %s --no-cache --check --entry in_place_repaired
// RUN: not pallas-run %s --no-cache --check --entry copied_back 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: pallas-run %s --no-cache --check --entry some_blocks
// RUN: pallas-run %s --no-cache --check --entry through_input

!block = !pallas.ref<8x4xf32, vmem>
!array = !pallas.ref<8x4xf32, any>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>

// The window of an aliased output is not filled from the input.
func.func @reads_output() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !block, %or: !block) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    // OUTPUT: aliases.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.addupdate' reads element [0, 0] of output 0 at grid point (0), which nothing has written
    pallas.addupdate %or[...], %one : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @reads_output_repaired() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !block, %or: !block) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
    pallas.addupdate %or[...], %one : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

// Each program reads the block that the one before has written.
func.func @row_before() -> tensor<24x4xf32> {
  %x = arith.constant dense<1.0> : tensor<24x4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<24x4xf32>) block<[8, 4], vmem, origin = "state"> map(%i) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %before = arith.subi %i, %c1 : i32
        %there = arith.maxsi %before, %c0 : i32
        pallas.yield %there, %c0 : i32, i32
      }
      out(tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !block, %or: !block) {
    // BEFORE: aliases.mlir:[[@LINE+2]]:10: error: aliased input overwritten: 'pallas.get' reads element [0, 0] of input 0 (state) at grid point (1), which the output that is aliased to it has overwritten; result 0 depends on it at [8, 0]
    // BEFORE-NEXT: aliases.mlir:[[@LINE+1]]:10: note: read it before the output is written there, or leave out the alias
    %v = pallas.get %xr[...] : !block
    %w = arith.addf %v, %v : tensor<8x4xf32>
    pallas.swap %or[...], %w : !block, tensor<8x4xf32>
  }
  return %o : tensor<24x4xf32>
}

// The block behind has not been written yet.
func.func @row_after() -> tensor<24x4xf32> {
  %x = arith.constant dense<1.0> : tensor<24x4xf32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<24x4xf32>) block<[8, 4], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %next = arith.addi %i, %c1 : i32
        %there = arith.minsi %next, %c2 : i32
        pallas.yield %there, %c0 : i32, i32
      }
      out(tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<24x4xf32>
}

// Without windows a write reaches the input at once.
func.func @in_place() -> tensor<8xi32> {
  %x = arith.constant dense<1> : tensor<8xi32>
  %o = pallas.pallas_call grid(7)
      in(%x : tensor<8xi32>) block<[8], gmem> out(tensor<8xi32>) block<[8], gmem>
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    %p = pallas.program_id 0
    %c1 = arith.constant 1 : i32
    %next = arith.addi %p, %c1 : i32
    // PLACE: aliases.mlir:[[@LINE+1]]:10: error: aliased input overwritten: 'pallas.get' reads element [1] of input 0 at grid point (1), which the output that is aliased to it has overwritten
    %v = pallas.get %xr[%p] : !pallas.ref<8xi32, gmem>
    %w = arith.addi %v, %c1 : i32
    pallas.swap %or[%next], %w : !pallas.ref<8xi32, gmem>, i32
  }
  return %o : tensor<8xi32>
}

func.func @in_place_repaired() -> tensor<8xi32> {
  %x = arith.constant dense<1> : tensor<8xi32>
  %o = pallas.pallas_call grid(7)
      in(%x : tensor<8xi32>) block<[8], gmem> out(tensor<8xi32>) block<[8], gmem>
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    %p = pallas.program_id 0
    %c1 = arith.constant 1 : i32
    %next = arith.addi %p, %c1 : i32
    %v = pallas.get %or[%p] : !pallas.ref<8xi32, gmem>
    %w = arith.addi %v, %c1 : i32
    pallas.swap %or[%next], %w : !pallas.ref<8xi32, gmem>, i32
  }
  return %o : tensor<8xi32>
}

func.func @copied_back() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<16x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<16x4xf32>) block<[16, 4], any> out(tensor<16x4xf32>) block<[16, 4], any>
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<16x4xf32, any>, %or: !pallas.ref<16x4xf32, any>, %t: !block, %done: !sem) {
    %one = arith.constant dense<2.0> : tensor<8x4xf32>
    pallas.swap %t[...], %one : !block, tensor<8x4xf32>
    %top = pallas.slice_ref %or[ds(0, 8), :] : !pallas.ref<16x4xf32, any>
    %bottom = pallas.slice_ref %or[ds(8, 8), :] : !pallas.ref<16x4xf32, any>
    %from = pallas.slice_ref %xr[ds(0, 8), :] : !pallas.ref<16x4xf32, any>
    pallas.dma_start %t to %top signals %done : !block, !array, !sem
    pallas.dma_wait %t to %top signals %done : !block, !array, !sem
    // COPIED: aliases.mlir:[[@LINE+1]]:5: error: aliased input overwritten: 'pallas.dma_start' reads element [0, 0] of input 0 at grid point (0), which the output that is aliased to it has overwritten
    pallas.dma_start %from to %bottom signals %done : !array, !array, !sem
    pallas.dma_wait %from to %bottom signals %done : !array, !array, !sem
  }
  return %o : tensor<16x4xf32>
}

// Blocks that no program comes to keep what the input holds.
func.func @some_blocks() -> tensor<24x4xf32> {
  %x = arith.constant dense<1.0> : tensor<24x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<24x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<24x4xf32>
}

// A store through the input is one to the output: both are one name then.
func.func @through_input() -> tensor<8xi32> {
  %x = arith.constant dense<1> : tensor<8xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], gmem> out(tensor<8xi32>) block<[8], gmem>
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    %two = arith.constant dense<2> : tensor<4xi32>
    pallas.swap %xr[ds(0, 4)], %two : !pallas.ref<8xi32, gmem>, tensor<4xi32>
    %v = pallas.get %xr[ds(2, 4)] : !pallas.ref<8xi32, gmem>
    pallas.swap %or[ds(4, 4)], %v : !pallas.ref<8xi32, gmem>, tensor<4xi32>
  }
  return %o : tensor<8xi32>
}
