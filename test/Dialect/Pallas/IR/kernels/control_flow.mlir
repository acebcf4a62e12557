// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Branches, loops with dynamic bounds, loops that end by a condition, carried
// tensors, and refs read at positions that a loop computes.

!v = !pallas.ref<8x128xf32, vmem>
!s = !pallas.ref<4xi32, smem>

// Doubles block i when flags[i] is not 0, else negates it, then adds 1 if the
// flag is 2 or more.
// CHECK-LABEL: func.func @branches
func.func @branches(%flags: tensor<4xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @branches grid(4)
      in(%flags : tensor<4xi32>) block<[4], smem>
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%fr: !s, %xr: !v, %or: !v) {
    %i = pallas.program_id 0
    %flag = pallas.get %fr[%i] : !s
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %on = arith.cmpi ne, %flag, %c0 : i32
    // CHECK: scf.if
    scf.if %on {
      %v = pallas.get %xr[...] : !v
      %d = arith.addf %v, %v : tensor<8x128xf32>
      pallas.swap %or[...], %d : !v, tensor<8x128xf32>
      %more = arith.cmpi sge, %flag, %c2 : i32
      scf.if %more {
        %one = arith.constant dense<1.0> : tensor<8x128xf32>
        pallas.addupdate %or[...], %one : !v, tensor<8x128xf32>
      }
    } else {
      %v = pallas.get %xr[...] : !v
      %n = arith.negf %v : tensor<8x128xf32>
      pallas.swap %or[...], %n : !v, tensor<8x128xf32>
    }
  }
  return %o : tensor<32x128xf32>
}

// CHECK-LABEL: func.func @three_way
func.func @three_way(%which: tensor<1xi32>, %x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @three_way grid()
      in(%which : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%wr: !pallas.ref<1xi32, smem>, %xr: !v, %or: !v) {
    %w = pallas.get %wr[0] : !pallas.ref<1xi32, smem>
    %index = arith.index_cast %w : i32 to index
    %v = pallas.get %xr[...] : !v
    // CHECK: scf.index_switch
    %r = scf.index_switch %index -> tensor<8x128xf32>
    case 0 {
      %a = arith.addf %v, %v : tensor<8x128xf32>
      scf.yield %a : tensor<8x128xf32>
    }
    case 1 {
      %b = arith.mulf %v, %v : tensor<8x128xf32>
      scf.yield %b : tensor<8x128xf32>
    }
    default {
      %c = arith.negf %v : tensor<8x128xf32>
      scf.yield %c : tensor<8x128xf32>
    }
    pallas.swap %or[...], %r : !v, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// Sums rows [bounds[0], bounds[1]) of x.
// CHECK-LABEL: func.func @dynamic_bounds
func.func @dynamic_bounds(%bounds: tensor<2xi32>, %x: tensor<32x128xf32>) -> tensor<1x128xf32> {
  %o = pallas.pallas_call @dynamic_bounds grid()
      in(%bounds : tensor<2xi32>) block<[2], smem>
      in(%x : tensor<32x128xf32>) block<[32, 128], vmem>
      out(tensor<1x128xf32>) block<[1, 128], vmem>
      kernel(%br: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<32x128xf32, vmem>,
             %or: !pallas.ref<1x128xf32, vmem>) {
    %lo = pallas.get %br[0] : !pallas.ref<2xi32, smem>
    %hi = pallas.get %br[1] : !pallas.ref<2xi32, smem>
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<1x128xf32>
    %sum = scf.for %k = %lo to %hi step %c1 iter_args(%acc = %zero) -> (tensor<1x128xf32>) : i32 {
      %row = pallas.get %xr[ds(%k, 1), :] : !pallas.ref<32x128xf32, vmem>
      %next = arith.addf %acc, %row : tensor<1x128xf32>
      scf.yield %next : tensor<1x128xf32>
    }
    pallas.swap %or[...], %sum : !pallas.ref<1x128xf32, vmem>, tensor<1x128xf32>
  }
  return %o : tensor<1x128xf32>
}

// Halves n until it is odd, and counts; the state is carried.
// CHECK-LABEL: func.func @while_carry
func.func @while_carry(%n: tensor<1xi32>) -> tensor<2xi32> {
  %o = pallas.pallas_call @while_carry grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      out(tensor<2xi32>) block<[2], smem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %or: !pallas.ref<2xi32, smem>) {
    %start = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.while
    %r:2 = scf.while (%v = %start, %count = %c0) : (i32, i32) -> (i32, i32) {
      %bit = arith.andi %v, %c1 : i32
      %even = arith.cmpi eq, %bit, %c0 : i32
      scf.condition(%even) %v, %count : i32, i32
    } do {
    ^bb0(%v: i32, %count: i32):
      %half = arith.shrui %v, %c1 : i32
      %more = arith.addi %count, %c1 : i32
      scf.yield %half, %more : i32, i32
    }
    pallas.swap %or[0], %r#0 : !pallas.ref<2xi32, smem>, i32
    pallas.swap %or[1], %r#1 : !pallas.ref<2xi32, smem>, i32
  }
  return %o : tensor<2xi32>
}

// The condition reads what the body writes: halves the ref until it is below 1.
// CHECK-LABEL: func.func @while_ref
func.func @while_ref(%x: tensor<1xf32>) -> tensor<1xf32> {
  %o = pallas.pallas_call @while_ref grid()
      in(%x : tensor<1xf32>) block<[1], smem>
      out(tensor<1xf32>) block<[1], smem>
      kernel(%xr: !pallas.ref<1xf32, smem>, %or: !pallas.ref<1xf32, smem>) {
    %v = pallas.get %xr[0] : !pallas.ref<1xf32, smem>
    pallas.swap %or[0], %v : !pallas.ref<1xf32, smem>, f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    scf.while : () -> () {
      %now = pallas.get %or[0] : !pallas.ref<1xf32, smem>
      %big = arith.cmpf oge, %now, %one : f32
      scf.condition(%big)
    } do {
      %now = pallas.get %or[0] : !pallas.ref<1xf32, smem>
      %next = arith.mulf %now, %half : f32
      pallas.swap %or[0], %next : !pallas.ref<1xf32, smem>, f32
      scf.yield
    }
  }
  return %o : tensor<1xf32>
}

// Adds up the products of neighbours: a carried row and a scalar counter.
// CHECK-LABEL: func.func @loop_over_ref
func.func @loop_over_ref(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @loop_over_ref grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !v, %or: !v) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zero, %before = %zero)
        -> (tensor<128xf32>, tensor<128xf32>) : i32 {
      %row = pallas.get %xr[%k, :] : !v
      %prod = arith.mulf %row, %before : tensor<128xf32>
      %next = arith.addf %sum, %prod : tensor<128xf32>
      pallas.swap %or[%k, :], %next : !v, tensor<128xf32>
      scf.yield %next, %row : tensor<128xf32>, tensor<128xf32>
    }
  }
  return %o : tensor<8x128xf32>
}
