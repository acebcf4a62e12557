// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Random bits by Threefry-2x32 with 20 rounds: the key in scalar memory, the
// counter of an element is its position; both halves are joined by xor. Blocks
// hang over the end of the result.

// CHECK-LABEL: func.func @threefry
func.func @threefry(%key: tensor<2xi32>) -> tensor<20x128xi32> {
  // CHECK: in(%{{.*}} : tensor<2xi32>) block<[2], smem>
  %o = pallas.pallas_call @threefry grid(3)
      in(%key : tensor<2xi32>) block<[2], smem>
      out(tensor<20x128xi32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%kr: !pallas.ref<2xi32, smem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %k0 = pallas.get %kr[0] : !pallas.ref<2xi32, smem>
    %k1 = pallas.get %kr[1] : !pallas.ref<2xi32, smem>
    %parity = arith.constant 466688986 : i32
    %kx = arith.xori %k0, %k1 : i32
    %k2 = arith.xori %kx, %parity : i32
    %i = pallas.program_id 0
    %size = arith.constant 1024 : i32
    %base = arith.muli %i, %size : i32
    %bases = pallas.broadcast %base : i32 -> tensor<8x128xi32>
    %row = pallas.iota 0 : tensor<8x128xi32>
    %lane = pallas.iota 1 : tensor<8x128xi32>
    %width = arith.constant dense<128> : tensor<8x128xi32>
    %offset = arith.muli %row, %width : tensor<8x128xi32>
    %place = arith.addi %offset, %lane : tensor<8x128xi32>
    %low = arith.addi %place, %bases : tensor<8x128xi32>
    %ks0 = pallas.broadcast %k0 : i32 -> tensor<8x128xi32>
    %ks1 = pallas.broadcast %k1 : i32 -> tensor<8x128xi32>
    %start1 = arith.addi %low, %ks1 : tensor<8x128xi32>
    %bits = arith.constant dense<32> : tensor<8x128xi32>
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    // The keys rotate: group g adds keys g and g + 1, and its number.
    // CHECK: scf.for
    %r:5 = scf.for %g = %c1 to %c6 step %c1
        iter_args(%x0 = %ks0, %x1 = %start1, %ka = %k0, %kb = %k1, %kc = %k2)
        -> (tensor<8x128xi32>, tensor<8x128xi32>, i32, i32, i32) : i32 {
      %c2 = arith.constant 2 : i32
      %rest = arith.remui %g, %c2 : i32
      %even = arith.cmpi eq, %rest, %c1 : i32
      %e0 = arith.constant 13 : i32
      %d0 = arith.constant 17 : i32
      %r0 = arith.select %even, %e0, %d0 : i32
      %s0 = pallas.broadcast %r0 : i32 -> tensor<8x128xi32>
      %t0 = arith.subi %bits, %s0 : tensor<8x128xi32>
      %a0 = arith.addi %x0, %x1 : tensor<8x128xi32>
      %l0 = arith.shli %x1, %s0 : tensor<8x128xi32>
      %h0 = arith.shrui %x1, %t0 : tensor<8x128xi32>
      %o0 = arith.ori %l0, %h0 : tensor<8x128xi32>
      %b0 = arith.xori %o0, %a0 : tensor<8x128xi32>
      %e1 = arith.constant 15 : i32
      %d1 = arith.constant 29 : i32
      %r1 = arith.select %even, %e1, %d1 : i32
      %s1 = pallas.broadcast %r1 : i32 -> tensor<8x128xi32>
      %t1 = arith.subi %bits, %s1 : tensor<8x128xi32>
      %a1 = arith.addi %a0, %b0 : tensor<8x128xi32>
      %l1 = arith.shli %b0, %s1 : tensor<8x128xi32>
      %h1 = arith.shrui %b0, %t1 : tensor<8x128xi32>
      %o1 = arith.ori %l1, %h1 : tensor<8x128xi32>
      %b1 = arith.xori %o1, %a1 : tensor<8x128xi32>
      %e2 = arith.constant 26 : i32
      %d2 = arith.constant 16 : i32
      %r2 = arith.select %even, %e2, %d2 : i32
      %s2 = pallas.broadcast %r2 : i32 -> tensor<8x128xi32>
      %t2 = arith.subi %bits, %s2 : tensor<8x128xi32>
      %a2 = arith.addi %a1, %b1 : tensor<8x128xi32>
      %l2 = arith.shli %b1, %s2 : tensor<8x128xi32>
      %h2 = arith.shrui %b1, %t2 : tensor<8x128xi32>
      %o2 = arith.ori %l2, %h2 : tensor<8x128xi32>
      %b2 = arith.xori %o2, %a2 : tensor<8x128xi32>
      %e3 = arith.constant 6 : i32
      %d3 = arith.constant 24 : i32
      %r3 = arith.select %even, %e3, %d3 : i32
      %s3 = pallas.broadcast %r3 : i32 -> tensor<8x128xi32>
      %t3 = arith.subi %bits, %s3 : tensor<8x128xi32>
      %a3 = arith.addi %a2, %b2 : tensor<8x128xi32>
      %l3 = arith.shli %b2, %s3 : tensor<8x128xi32>
      %h3 = arith.shrui %b2, %t3 : tensor<8x128xi32>
      %o3 = arith.ori %l3, %h3 : tensor<8x128xi32>
      %b3 = arith.xori %o3, %a3 : tensor<8x128xi32>
      %add0 = pallas.broadcast %kb : i32 -> tensor<8x128xi32>
      %kg = arith.addi %kc, %g : i32
      %add1 = pallas.broadcast %kg : i32 -> tensor<8x128xi32>
      %y0 = arith.addi %a3, %add0 : tensor<8x128xi32>
      %y1 = arith.addi %b3, %add1 : tensor<8x128xi32>
      scf.yield %y0, %y1, %kb, %kc, %ka : tensor<8x128xi32>, tensor<8x128xi32>, i32, i32, i32
    }
    %v = arith.xori %r#0, %r#1 : tensor<8x128xi32>
    pallas.swap %or[...], %v : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<20x128xi32>
}
