// Windows that index maps put outside of the array are moved inside, negative
// ones counting from the end first; what a kernel writes to an input that hangs
// over the end of its array is there for later programs.

// RUN: pallas-run %s --no-cache --entry negative
// RUN: pallas-run %s --no-cache --entry written_input

// The same after refs became values, and checks assertions.
// RUN: pallas-opt %s --pallas-discharge-state -o %t.mlir
// RUN: pallas-run %t.mlir --no-cache --entry negative
// RUN: pallas-run %t.mlir --no-cache --entry written_input

func.func @negative() -> tensor<4xi32> {
  %x = pallas.iota 0 : tensor<16xi32>
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<16xi32>) block<[4], vmem> map(%i) {
        %c1 = arith.constant 1 : i32
        %start = arith.subi %i, %c1 : i32
        pallas.yield %start : i32
      }
      out(tensor<4xi32>) block<[4], vmem>
      kernel(%a: !pallas.ref<4xi32, vmem>, %r: !pallas.ref<4xi32, vmem>) {
    %i = pallas.program_id 0
    %first = pallas.get %a[0] : !pallas.ref<4xi32, vmem>
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %block = arith.subi %i, %c1 : i32
    %start = arith.muli %block, %c4 : i32
    %sum = arith.addi %start, %c16 : i32
    %wrapped = arith.remsi %sum, %c16 : i32
    %same = arith.cmpi eq, %first, %wrapped : i32
    pallas.check %same, "another window"
    %v = pallas.get %a[...] : !pallas.ref<4xi32, vmem>
    pallas.swap %r[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}

func.func @written_input() -> tensor<4xi32> {
  %x = pallas.iota 0 : tensor<130xi32>
  %o = pallas.pallas_call grid(2, 2)
      in(%x : tensor<130xi32>) block<[128], vmem> map(%i, %j) {
        %c1 = arith.constant 1 : i32
        pallas.yield %c1 : i32
      }
      out(tensor<4xi32>) block<[4], vmem>
      kernel(%a: !pallas.ref<128xi32, vmem>, %r: !pallas.ref<4xi32, vmem>) {
    %i = pallas.program_id 0
    %j = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c128 = arith.constant 128 : i32
    %before = arith.muli %i, %c2 : i32
    %programs = arith.addi %before, %j : i32
    %expected = arith.addi %programs, %c128 : i32
    %v = pallas.get %a[0] : !pallas.ref<128xi32, vmem>
    %same = arith.cmpi eq, %v, %expected : i32
    pallas.check %same, "an update is lost"
    %next = arith.addi %v, %c1 : i32
    pallas.swap %a[0], %next : !pallas.ref<128xi32, vmem>, i32
    %all = pallas.broadcast %next : i32 -> tensor<4xi32>
    pallas.swap %r[...], %all : !pallas.ref<4xi32, vmem>, tensor<4xi32>
  }
  return %o : tensor<4xi32>
}
