// Which parts of arrays programs see, in which order, and what stays of what they write: natively,
// after refs became values, and as kernels of TPUs. `pallas-run --entry=NAME` runs one case.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu | pallas-run - --no-cache --entry=main | FileCheck %s

!t = tensor<6xi32>
!r = !pallas.ref<6xi32, vmem>
!four = !pallas.ref<4xi32, vmem>

// The last block hangs over its array by two elements, which are dropped.
// CHECK: partial_blocks: [0 2 4 6 8 10]
func.func @partial_blocks() {
  %x = pallas.iota 0 : !t
  %o = pallas.pallas_call grid(2)
      in(%x : !t) block<[4], vmem> map(%i) -> (%i)
      out(!t) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !four, %or: !four) {
    %v = pallas.get %xr[...] : !four
    %w = arith.addi %v, %v : tensor<4xi32>
    pallas.swap %or[...], %w : !four, tensor<4xi32>
  }
  pallas.debug_print "partial_blocks: {}" %o : !t
  return
}

// Programs that follow each other see one block of the output, also where it is partial.
// CHECK: revisited_block: [10 35]
func.func @revisited_block() {
  %i = pallas.iota 0 : tensor<10xi32>
  %x = pallas.reshape %i : tensor<10xi32> -> tensor<2x5xi32>
  %o = pallas.pallas_call grid(1, 5)
      in(%x : tensor<2x5xi32>) block<[4, 1], vmem> map(%i, %k) -> (%i, %k)
      out(tensor<2xi32>) block<[4], vmem> map(%i, %k) -> (%i)
      kernel(%xr: !pallas.ref<4x1xi32, vmem>, %or: !four) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0> : tensor<4xi32>
      pallas.swap %or[...], %zero : !four, tensor<4xi32>
    }
    %v = pallas.get %xr[:, 0] : !pallas.ref<4x1xi32, vmem>
    pallas.addupdate %or[...], %v : !four, tensor<4xi32>
  }
  pallas.debug_print "revisited_block: {}" %o : tensor<2xi32>
  return
}

// A squeezed dimension has no place in the ref; an element dimension starts where the map says.
// CHECK: element_dimension: {{\[}}[0 1] [5 6] [10 11]]
func.func @element_dimension() {
  %i = pallas.iota 0 : tensor<12xi32>
  %x = pallas.reshape %i : tensor<12xi32> -> tensor<3x4xi32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<3x4xi32>) block<[squeezed, element<2>], vmem> map(%i) -> (%i, %i)
      out(tensor<3x2xi32>) block<[squeezed, 2], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<2xi32, vmem>, %or: !pallas.ref<2xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<2xi32, vmem>, tensor<2xi32>
  }
  pallas.debug_print "element_dimension: {}" %o : tensor<3x2xi32>
  return
}

// CHECK: aliased_output: [0 2 4 6 4 5]
func.func @aliased_output() {
  %x = pallas.iota 0 : !t
  // No program visits the last block, which keeps what the operand holds.
  %o = pallas.pallas_call grid(2)
      in(%x : !t) block<[2], vmem> map(%i) -> (%i)
      out(!t) block<[2], vmem> map(%i) -> (%i)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<2xi32, vmem>, %or: !pallas.ref<2xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xi32, vmem>
    pallas.addupdate %or[...], %v : !pallas.ref<2xi32, vmem>, tensor<2xi32>
  }
  pallas.debug_print "aliased_output: {}" %o : !t
  return
}

// CHECK: no_programs: [0 1 2 3 4 5]
func.func @no_programs() {
  %x = pallas.iota 0 : !t
  %o = pallas.pallas_call grid(3, 0)
      in(%x : !t) block<[6], vmem>
      out(!t) block<[6], vmem>
      aliases [0 -> 0]
      kernel(%xr: !r, %or: !r) {
    %v = pallas.get %xr[...] : !r
    pallas.addupdate %or[...], %v : !r, !t
  }
  pallas.debug_print "no_programs: {}" %o : !t
  return
}

// CHECK: scratch: [0 1 3 6 10 15]
func.func @scratch() {
  %x = pallas.iota 0 : !t
  %o = pallas.pallas_call grid(6)
      in(%x : !t) block<[squeezed], smem> map(%i) -> (%i)
      out(!t) block<[squeezed], smem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<i32, smem>, %or: !pallas.ref<i32, smem>, %sum: !pallas.ref<i32, smem>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    scf.if %isFirst {
      pallas.swap %sum[...], %c0 : !pallas.ref<i32, smem>, i32
    }
    %v = pallas.get %xr[...] : !pallas.ref<i32, smem>
    pallas.addupdate %sum[...], %v : !pallas.ref<i32, smem>, i32
    %s = pallas.get %sum[...] : !pallas.ref<i32, smem>
    pallas.swap %or[...], %s : !pallas.ref<i32, smem>, i32
  }
  pallas.debug_print "scratch: {}" %o : !t
  return
}

// Later programs see what is written to an input, the caller doesn't.
// CHECK: written_input: [0 8 16 24 32 40] [0 1 2 3 4 5]
func.func @written_input() {
  %x = pallas.iota 0 : !t
  %o = pallas.pallas_call grid(3)
      in(%x : !t) block<[6], vmem>
      out(!t) block<[6], vmem>
      kernel(%xr: !r, %or: !r) {
    %v = pallas.get %xr[...] : !r
    pallas.addupdate %xr[...], %v : !r, !t
    %w = pallas.get %xr[...] : !r
    pallas.swap %or[...], %w : !r, !t
  }
  pallas.debug_print "written_input: {} {}" %o, %x : !t, !t
  return
}

// Windows that a prefetched table chooses; those outside move inside, negative ones wrap first.
// CHECK: prefetched: [4 5 0 1 2 3 4 5]
func.func @prefetched() {
  %x = pallas.iota 0 : !t
  %table = arith.constant dense<[2, 0, -2, 7]> : tensor<4xi32>
  %o = pallas.pallas_call grid(4) prefetch(%table : tensor<4xi32>)
      in(%x : !t) block<[2], vmem> map(%i, %t) {
        %at = pallas.get %t[%i] : !pallas.ref<4xi32, smem>
        pallas.yield %at : i32
      }
      out(tensor<8xi32>) block<[2], vmem> map(%i, %t) {
        pallas.yield %i : i32
      }
      kernel(%t: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<2xi32, vmem>, %or: !pallas.ref<2xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<2xi32, vmem>, tensor<2xi32>
  }
  pallas.debug_print "prefetched: {}" %o : tensor<8xi32>
  return
}

// CHECK: two_results: [0 1 2 3 4 5] 15
func.func @two_results() {
  %x = pallas.iota 0 : !t
  %o:2 = pallas.pallas_call grid(1)
      in(%x : !t) block<[6], vmem>
      out(!t) block<[6], vmem>
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !r, %or: !r, %sum: !pallas.ref<1xi32, smem>) {
    %v = pallas.get %xr[...] : !r
    pallas.swap %or[...], %v : !r, !t
    %s = pallas.reduce <add> %v dims [0] : !t
    pallas.swap %sum[0], %s : !pallas.ref<1xi32, smem>, i32
  }
  %s = pallas.reshape %o#1 : tensor<1xi32> -> i32
  pallas.debug_print "two_results: {} {}" %o#0, %s : !t, i32
  return
}

// A number of programs that is known at run time only.
// CHECK: dynamic_grid: [0 2 4 6 4 5]
func.func @dynamic_grid() {
  %x = pallas.iota 0 : !t
  %at = arith.constant 2 : index
  %n = tensor.extract %x[%at] : !t
  %o = pallas.pallas_call grid(%n)
      in(%x : !t) block<[2], vmem> map(%i) -> (%i)
      out(!t) block<[2], vmem> map(%i) -> (%i)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<2xi32, vmem>, %or: !pallas.ref<2xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xi32, vmem>
    pallas.addupdate %or[...], %v : !pallas.ref<2xi32, vmem>, tensor<2xi32>
  }
  pallas.debug_print "dynamic_grid: {}" %o : !t
  return
}

// A pipeline inside of a kernel, over tiles as TPUs have them.
// CHECK: pipeline: [0 2 4]
func.func @pipeline() {
  %x = pallas.iota 0 : tensor<3x8x128xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<3x8x128xi32>) block<[3, 8, 128], any>
      out(tensor<3x8x128xi32>) block<[3, 8, 128], any>
      kernel(%xr: !pallas.ref<3x8x128xi32, any>, %or: !pallas.ref<3x8x128xi32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<3x8x128xi32, any>) block<[squeezed, 8, 128], vmem> map(%i) -> (%i, 0, 0)
        out(%or : !pallas.ref<3x8x128xi32, any>) block<[squeezed, 8, 128], vmem> map(%i) -> (%i, 0, 0)
        kernel(%i: i32, %a: !pallas.ref<8x128xi32, vmem>, %b: !pallas.ref<8x128xi32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x128xi32, vmem>
      %w = arith.addi %v, %v : tensor<8x128xi32>
      pallas.swap %b[...], %w : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
    }
  }
  %m = pallas.reduce <max> %o dims [1, 2] : tensor<3x8x128xi32>
  pallas.debug_print "pipeline: {}" %m : tensor<3xi32>
  return
}

func.func @main() {
  call @partial_blocks() : () -> ()
  call @revisited_block() : () -> ()
  call @element_dimension() : () -> ()
  call @aliased_output() : () -> ()
  call @no_programs() : () -> ()
  call @scratch() : () -> ()
  call @written_input() : () -> ()
  call @prefetched() : () -> ()
  call @two_results() : () -> ()
  call @dynamic_grid() : () -> ()
  call @pipeline() : () -> ()
  return
}
