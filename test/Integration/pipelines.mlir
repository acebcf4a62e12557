// Pipelines in kernels, executed as loops and as values.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-grids-to-loops | pallas-run - --no-cache --entry=main | FileCheck %s

// Blocks of 4 and arrays of 10: the last program sees padding, and nobody sees what it stores
// there.
// CHECK: partial_blocks: [0 2 4 6 8 10 12 14 16 18]
func.func @partial_blocks() {
  %x = pallas.iota 0 : tensor<10xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<10xi32>) block<[10], any>
      out(tensor<10xi32>) block<[10], any>
      kernel(%xr: !pallas.ref<10xi32, any>, %or: !pallas.ref<10xi32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<10xi32, any>) block<[4], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<10xi32, any>) block<[4], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<4xi32, vmem>, %b: !pallas.ref<4xi32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<4xi32, vmem>
      %w = arith.addi %v, %v : tensor<4xi32>
      pallas.swap %b[...], %w : !pallas.ref<4xi32, vmem>, tensor<4xi32>
    }
  }
  pallas.debug_print "partial_blocks: {}" %o : tensor<10xi32>
  return
}

// Windows that overlap: each program adds two neighbors.
// CHECK: overlapping: [1 3 5 7 9 11]
func.func @overlapping() {
  %x = pallas.iota 0 : tensor<7xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<7xi32>) block<[7], any>
      out(tensor<6xi32>) block<[6], any>
      kernel(%xr: !pallas.ref<7xi32, any>, %or: !pallas.ref<6xi32, any>) {
    pallas.emit_pipeline grid(6)
        in(%xr : !pallas.ref<7xi32, any>) block<[element<2>], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<6xi32, any>) block<[1], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<2xi32, vmem>, %b: !pallas.ref<1xi32, vmem>) {
      %v = pallas.get %a[0] : !pallas.ref<2xi32, vmem>
      %w = pallas.get %a[1] : !pallas.ref<2xi32, vmem>
      %s = arith.addi %v, %w : i32
      pallas.swap %b[0], %s : !pallas.ref<1xi32, vmem>, i32
    }
  }
  pallas.debug_print "overlapping: {}" %o : tensor<6xi32>
  return
}

// Loops carry the sum; scratch holds what the program before saw. The grid has a size that is
// known at run time only.
// CHECK: carried: [28 21]
func.func @carried() {
  %x = pallas.iota 0 : tensor<8xi32>
  %n = arith.constant dense<4> : tensor<1xi32>
  %o = pallas.pallas_call grid()
      prefetch(%n : tensor<1xi32>)
      in(%x : tensor<8xi32>) block<[8], any>
      out(tensor<2xi32>) block<[2], smem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<8xi32, any>, %or: !pallas.ref<2xi32, smem>) {
    %size = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %c0 = arith.constant 0 : i32
    %last = arith.constant 7 : i32
    %sums:2 = pallas.emit_pipeline grid(2, %size)
        in(%xr : !pallas.ref<8xi32, any>) block<[1], smem> map(%i, %j) {
          %c4 = arith.constant 4 : i32
          %first = arith.muli %i, %c4 : i32
          %at = arith.addi %first, %j : i32
          pallas.yield %at : i32
        }
        carry(%c0, %c0 : i32, i32)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<1xi32, smem>, %t: !pallas.ref<1xi32, smem>, %s: i32, %d: i32) {
      %v = pallas.get %a[0] : !pallas.ref<1xi32, smem>
      %isFirst = arith.cmpi eq, %v, %c0 : i32
      scf.if %isFirst {
        pallas.swap %t[0], %c0 : !pallas.ref<1xi32, smem>, i32
      }
      %before = pallas.get %t[0] : !pallas.ref<1xi32, smem>
      pallas.swap %t[0], %v : !pallas.ref<1xi32, smem>, i32
      %sum = arith.addi %s, %v : i32
      %others = arith.addi %d, %before : i32
      pallas.yield %sum, %others : i32, i32
    }
    pallas.swap %or[0], %sums#0 : !pallas.ref<2xi32, smem>, i32
    pallas.swap %or[1], %sums#1 : !pallas.ref<2xi32, smem>, i32
  }
  pallas.debug_print "carried: {}" %o : tensor<2xi32>
  return
}

// A pipeline on the windows of another one, which sums up columns.
// CHECK: nested: [2 4 10 12]
func.func @nested() {
  %x = pallas.iota 0 : tensor<8xi32>
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], any>
      out(tensor<4xi32>) block<[4], any>
      kernel(%xr: !pallas.ref<8xi32, any>, %or: !pallas.ref<4xi32, any>) {
    pallas.emit_pipeline grid(2)
        in(%xr : !pallas.ref<8xi32, any>) block<[4], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<4xi32, any>) block<[2], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<4xi32, vmem>, %b: !pallas.ref<2xi32, vmem>) {
      pallas.emit_pipeline grid(2)
          in(%a : !pallas.ref<4xi32, vmem>) block<[2], vmem> map(%j) -> (%j)
          out(%b : !pallas.ref<2xi32, vmem>) block<[2], vmem> map(%j) -> (0)
          kernel(%j: i32, %c: !pallas.ref<2xi32, vmem>, %d: !pallas.ref<2xi32, vmem>) {
        %c0 = arith.constant 0 : i32
        %isFirst = arith.cmpi eq, %j, %c0 : i32
        scf.if %isFirst {
          %zeros = arith.constant dense<0> : tensor<2xi32>
          pallas.swap %d[...], %zeros : !pallas.ref<2xi32, vmem>, tensor<2xi32>
        }
        %v = pallas.get %c[...] : !pallas.ref<2xi32, vmem>
        %s = pallas.get %d[...] : !pallas.ref<2xi32, vmem>
        %w = arith.addi %s, %v : tensor<2xi32>
        pallas.swap %d[...], %w : !pallas.ref<2xi32, vmem>, tensor<2xi32>
      }
    }
  }
  pallas.debug_print "nested: {}" %o : tensor<4xi32>
  return
}

// The array is a view of other elements; rows of it are pairs of rows of the memory.
// CHECK: words: [1 2 3 4]
func.func @words() {
  %o = pallas.pallas_call grid()
      out(tensor<8x2xi16>) block<[8, 2], any>
      kernel(%or: !pallas.ref<8x2xi16, any>) {
    %w = pallas.bitcast_ref %or : !pallas.ref<8x2xi16, any> -> !pallas.ref<4x2xi32, any>
    pallas.emit_pipeline grid(4)
        out(%w : !pallas.ref<4x2xi32, any>) block<[1, 2], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<1x2xi32, vmem>) {
      %c1 = arith.constant 1 : i32
      %n = arith.addi %i, %c1 : i32
      %v = tensor.splat %n : tensor<1x2xi32>
      pallas.swap %a[...], %v : !pallas.ref<1x2xi32, vmem>, tensor<1x2xi32>
    }
  }
  %low = tensor.extract_slice %o[0, 0] [4, 1] [2, 1] : tensor<8x2xi16> to tensor<4xi16>
  %wide = arith.extsi %low : tensor<4xi16> to tensor<4xi32>
  pallas.debug_print "words: {}" %wide : tensor<4xi32>
  return
}

func.func @main() {
  call @partial_blocks() : () -> ()
  call @overlapping() : () -> ()
  call @carried() : () -> ()
  call @nested() : () -> ()
  call @words() : () -> ()
  return
}
