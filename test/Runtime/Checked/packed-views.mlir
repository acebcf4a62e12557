// Views that change the width of elements are seen as the memory behind them.

// RUN: pallas-run %s --no-cache --check --entry written
// RUN: not pallas-run %s --no-cache --check --entry half_written 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: pallas-run %s --no-cache --check --entry written_in_pipeline
// RUN: pallas-run %s --no-cache --check --entry wide_memory
// RUN: not pallas-run %s --no-cache --check --entry unwritten_half 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: pallas-run %s --no-cache --check --entry written_half
// RUN: not pallas-run %s --no-cache --check --entry nibbles 2>&1 | FileCheck %s --check-prefix=NIBBLES
// RUN: not pallas-run %s --no-cache --check --entry view_of_view 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not pallas-run %s --no-cache --check --entry read_early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not pallas-run %s --no-cache --check --entry cores 2>&1 | FileCheck %s --check-prefix=CORES
// RUN: pallas-run %s --no-cache --check --entry cores_repaired

!narrow = !pallas.ref<16x128xbf16, any>
!wide = !pallas.ref<8x128xi32, any>
!word = !pallas.ref<8x128xi32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @written() -> tensor<16x128xbf16> {
  %o = pallas.pallas_call grid() out(tensor<16x128xbf16>) block<[16, 128], any>
      kernel(%or: !narrow, %t: !word, %done: !dma) {
    %v = arith.constant dense<7> : tensor<8x128xi32>
    pallas.swap %t[...], %v : !word, tensor<8x128xi32>
    %w = pallas.bitcast_ref %or : !narrow -> !wide
    pallas.dma_start %t to %w signals %done : !word, !wide, !dma
    pallas.dma_wait %t to %w signals %done : !word, !wide, !dma
  }
  return %o : tensor<16x128xbf16>
}

// A row of words is two rows of the output.
func.func @half_written() -> tensor<16x128xbf16> {
  // HALF: packed-views.mlir:[[@LINE+1]]:8: error: output not written: 'pallas.pallas_call' returns element [6, 0] of output 0, in block (0, 0)
  %o = pallas.pallas_call grid() out(tensor<16x128xbf16>) block<[16, 128], any> kernel(%or: !narrow) {
    %w = pallas.bitcast_ref %or : !narrow -> !wide
    %v = arith.constant dense<7> : tensor<3x128xi32>
    pallas.swap %w[ds(0, 3), :], %v : !wide, tensor<3x128xi32>
    %u = arith.constant dense<7> : tensor<4x128xi32>
    pallas.swap %w[ds(4, 4), :], %u : !wide, tensor<4x128xi32>
  }
  return %o : tensor<16x128xbf16>
}

func.func @written_in_pipeline() -> tensor<16x128xbf16> {
  %o = pallas.pallas_call grid() out(tensor<16x128xbf16>) block<[16, 128], any> kernel(%or: !narrow) {
    %w = pallas.bitcast_ref %or : !narrow -> !wide
    pallas.emit_pipeline grid(4) out(%w : !wide) block<[2, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %wr: !pallas.ref<2x128xi32, vmem>) {
      %v = arith.constant dense<7> : tensor<2x128xi32>
      pallas.swap %wr[...], %v : !pallas.ref<2x128xi32, vmem>, tensor<2x128xi32>
    }
  }
  return %o : tensor<16x128xbf16>
}

// Words that are written as halves.
func.func @wide_memory() -> tensor<8x128xi32> {
  %o = pallas.pallas_call grid() out(tensor<8x128xi32>) block<[8, 128], any> kernel(%or: !wide) {
    %n = pallas.bitcast_ref %or : !wide -> !narrow
    %one = arith.constant dense<1.0> : tensor<1x128xbf16>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      pallas.swap %n[ds(%i, 1), :], %one : !narrow, tensor<1x128xbf16>
    }
  }
  return %o : tensor<8x128xi32>
}

// The second half of each word has no value.
func.func @unwritten_half() -> tensor<8x128xi32> {
  %o = pallas.pallas_call grid() out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%or: !word, %t: !pallas.ref<16x128xbf16, vmem>) {
    %one = arith.constant dense<1.0> : tensor<8x128xbf16>
    pallas.swap %t[ds(0, 8, 2), :], %one : !pallas.ref<16x128xbf16, vmem>, tensor<8x128xbf16>
    %w = pallas.bitcast_ref %t : !pallas.ref<16x128xbf16, vmem> -> !word
    // UNWRITTEN: packed-views.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [1, 0] of scratch 0, which nothing has written
    %v = pallas.get %w[...] : !word
    pallas.swap %or[...], %v : !word, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

// The kernel masks it away, so only what the first half holds remains.
func.func @written_half() -> tensor<8x128xi32> {
  %o = pallas.pallas_call grid() out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%or: !word, %t: !pallas.ref<16x128xbf16, vmem>) {
    %one = arith.constant dense<1.0> : tensor<8x128xbf16>
    pallas.swap %t[ds(0, 8, 2), :], %one : !pallas.ref<16x128xbf16, vmem>, tensor<8x128xbf16>
    %w = pallas.bitcast_ref %t : !pallas.ref<16x128xbf16, vmem> -> !word
    %v = pallas.get %w[...] : !word
    %mask = arith.constant dense<65535> : tensor<8x128xi32>
    %low = arith.andi %v, %mask : tensor<8x128xi32>
    pallas.swap %or[...], %low : !word, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

func.func @nibbles() -> tensor<8x128xi32> {
  %o = pallas.pallas_call grid() out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%or: !word, %t: !pallas.ref<64x128xi4, vmem>) {
    %one = arith.constant dense<1> : tensor<63x128xi4>
    pallas.swap %t[ds(0, 63), :], %one : !pallas.ref<64x128xi4, vmem>, tensor<63x128xi4>
    %w = pallas.bitcast_ref %t : !pallas.ref<64x128xi4, vmem> -> !word
    // NIBBLES: packed-views.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [63, 0] of scratch 0, which nothing has written; result 0 depends on it at [7, 0]
    %v = pallas.get %w[...] : !word
    pallas.swap %or[...], %v : !word, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

func.func @view_of_view() -> tensor<32x128xi8> {
  %o = pallas.pallas_call grid() out(tensor<32x128xi8>) block<[32, 128], vmem>
      kernel(%or: !pallas.ref<32x128xi8, vmem>, %t: !pallas.ref<16x128xi16, vmem>) {
    %one = arith.constant dense<1> : tensor<15x128xi16>
    pallas.swap %t[ds(0, 15), :], %one : !pallas.ref<16x128xi16, vmem>, tensor<15x128xi16>
    %w = pallas.bitcast_ref %t : !pallas.ref<16x128xi16, vmem> -> !word
    %part = pallas.slice_ref %w[ds(4, 4), :] : !word
    %n = pallas.bitcast_ref %part : !pallas.ref<4x128xi32, vmem> -> !pallas.ref<16x128xi8, vmem>
    // VIEW: packed-views.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [15, 0] of scratch 0, which nothing has written; result 0 depends on it at [30, 0]
    %v = pallas.get %n[...] : !pallas.ref<16x128xi8, vmem>
    %zero = arith.constant dense<0> : tensor<16x128xi8>
    pallas.swap %or[ds(0, 16), :], %zero : !pallas.ref<32x128xi8, vmem>, tensor<16x128xi8>
    pallas.swap %or[ds(16, 16), :], %v : !pallas.ref<32x128xi8, vmem>, tensor<16x128xi8>
  }
  return %o : tensor<32x128xi8>
}

func.func @read_early() -> tensor<8x128xi32> {
  %x = arith.constant dense<1.0> : tensor<16x128xbf16>
  %o = pallas.pallas_call grid() in(%x : tensor<16x128xbf16>) block<[16, 128], any>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !narrow, %or: !word, %t: !pallas.ref<16x128xbf16, vmem>, %done: !dma) {
    pallas.dma_start %xr to %t signals %done : !narrow, !pallas.ref<16x128xbf16, vmem>, !dma
    %w = pallas.bitcast_ref %t : !pallas.ref<16x128xbf16, vmem> -> !word
    // EARLY: packed-views.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [0, 0] of scratch 0, while 'pallas.dma_start' at {{.*}}:[[@LINE-2]]:5, may still be writing it
    %v = pallas.get %w[...] : !word
    pallas.dma_wait %xr to %t signals %done : !narrow, !pallas.ref<16x128xbf16, vmem>, !dma
    pallas.swap %or[...], %v : !word, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

// Each core writes rows through a view of its own.
func.func @cores() -> tensor<16x128xbf16> {
  %o = pallas.mpmd_map out(tensor<16x128xbf16>)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%or: !narrow, %t: !pallas.ref<4x128xi32, vmem>, %done: !dma) {
    %core = pallas.axis_index "core"
    %c3 = arith.constant 3 : i32
    %at = arith.muli %core, %c3 : i32
    %v = arith.constant dense<7> : tensor<4x128xi32>
    pallas.swap %t[...], %v : !pallas.ref<4x128xi32, vmem>, tensor<4x128xi32>
    %w = pallas.bitcast_ref %or : !narrow -> !wide
    %to = pallas.slice_ref %w[ds(%at, 4), :] : !wide
    // CORES: packed-views.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [6, 0] of {{.*}} at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
    pallas.dma_start %t to %to signals %done : !pallas.ref<4x128xi32, vmem>, !pallas.ref<4x128xi32, any>, !dma
    pallas.dma_wait %t to %to signals %done : !pallas.ref<4x128xi32, vmem>, !pallas.ref<4x128xi32, any>, !dma
  }
  return %o : tensor<16x128xbf16>
}

func.func @cores_repaired() -> tensor<16x128xbf16> {
  %o = pallas.mpmd_map out(tensor<16x128xbf16>)
      kernel @copy on <tensorcore, [<core "core" = 2>]> (%or: !narrow, %t: !pallas.ref<4x128xi32, vmem>, %done: !dma) {
    %core = pallas.axis_index "core"
    %c4 = arith.constant 4 : i32
    %at = arith.muli %core, %c4 : i32
    %v = arith.constant dense<7> : tensor<4x128xi32>
    pallas.swap %t[...], %v : !pallas.ref<4x128xi32, vmem>, tensor<4x128xi32>
    %w = pallas.bitcast_ref %or : !narrow -> !wide
    %to = pallas.slice_ref %w[ds(%at, 4), :] : !wide
    pallas.dma_start %t to %to signals %done : !pallas.ref<4x128xi32, vmem>, !pallas.ref<4x128xi32, any>, !dma
    pallas.dma_wait %t to %to signals %done : !pallas.ref<4x128xi32, vmem>, !pallas.ref<4x128xi32, any>, !dma
  }
  return %o : tensor<16x128xbf16>
}
