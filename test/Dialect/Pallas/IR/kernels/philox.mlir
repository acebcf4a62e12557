// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Random bits by Philox-4x32 with 10 rounds. High halves of products come from
// products of 16-bit parts, so that 32-bit multiplication is enough.

// CHECK-LABEL: func.func @philox
func.func @philox(%key: tensor<2xi32>) -> tensor<16x128xi32> {
  %o = pallas.pallas_call @philox grid(2)
      in(%key : tensor<2xi32>) block<[2], smem>
      out(tensor<16x128xi32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%kr: !pallas.ref<2xi32, smem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %k0 = pallas.get %kr[0] : !pallas.ref<2xi32, smem>
    %k1 = pallas.get %kr[1] : !pallas.ref<2xi32, smem>
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
    %zero = arith.constant dense<0> : tensor<8x128xi32>
    %half = arith.constant dense<65535> : tensor<8x128xi32>
    %sixteen = arith.constant dense<16> : tensor<8x128xi32>
    // 0xD2511F53 and 0xCD9E8D57, whole and in halves.
    %m0 = arith.constant dense<0xD2511F53> : tensor<8x128xi32>
    %m0h = arith.constant dense<0xD251> : tensor<8x128xi32>
    %m0l = arith.constant dense<0x1F53> : tensor<8x128xi32>
    %m1 = arith.constant dense<0xCD9E8D57> : tensor<8x128xi32>
    %m1h = arith.constant dense<0xCD9E> : tensor<8x128xi32>
    %m1l = arith.constant dense<0x8D57> : tensor<8x128xi32>
    %w0 = arith.constant 0x9E3779B9 : i32
    %w1 = arith.constant 0xBB67AE85 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %r:6 = scf.for %g = %c0 to %c10 step %c1
        iter_args(%x0 = %low, %x1 = %zero, %x2 = %zero, %x3 = %zero, %ka = %k0, %kb = %k1)
        -> (tensor<8x128xi32>, tensor<8x128xi32>, tensor<8x128xi32>, tensor<8x128xi32>, i32, i32) : i32 {
      %pxl = arith.andi %x0, %half : tensor<8x128xi32>
      %pxh = arith.shrui %x0, %sixteen : tensor<8x128xi32>
      %pll = arith.muli %pxl, %m0l : tensor<8x128xi32>
      %plh = arith.muli %pxl, %m0h : tensor<8x128xi32>
      %phl = arith.muli %pxh, %m0l : tensor<8x128xi32>
      %phh = arith.muli %pxh, %m0h : tensor<8x128xi32>
      %pc0 = arith.shrui %pll, %sixteen : tensor<8x128xi32>
      %pc1 = arith.andi %plh, %half : tensor<8x128xi32>
      %pc2 = arith.andi %phl, %half : tensor<8x128xi32>
      %ps0 = arith.addi %pc0, %pc1 : tensor<8x128xi32>
      %ps1 = arith.addi %ps0, %pc2 : tensor<8x128xi32>
      %pcarry = arith.shrui %ps1, %sixteen : tensor<8x128xi32>
      %pd0 = arith.shrui %plh, %sixteen : tensor<8x128xi32>
      %pd1 = arith.shrui %phl, %sixteen : tensor<8x128xi32>
      %pe0 = arith.addi %phh, %pd0 : tensor<8x128xi32>
      %pe1 = arith.addi %pe0, %pd1 : tensor<8x128xi32>
      %phigh = arith.addi %pe1, %pcarry : tensor<8x128xi32>
      %plow = arith.muli %x0, %m0 : tensor<8x128xi32>
      %qxl = arith.andi %x2, %half : tensor<8x128xi32>
      %qxh = arith.shrui %x2, %sixteen : tensor<8x128xi32>
      %qll = arith.muli %qxl, %m1l : tensor<8x128xi32>
      %qlh = arith.muli %qxl, %m1h : tensor<8x128xi32>
      %qhl = arith.muli %qxh, %m1l : tensor<8x128xi32>
      %qhh = arith.muli %qxh, %m1h : tensor<8x128xi32>
      %qc0 = arith.shrui %qll, %sixteen : tensor<8x128xi32>
      %qc1 = arith.andi %qlh, %half : tensor<8x128xi32>
      %qc2 = arith.andi %qhl, %half : tensor<8x128xi32>
      %qs0 = arith.addi %qc0, %qc1 : tensor<8x128xi32>
      %qs1 = arith.addi %qs0, %qc2 : tensor<8x128xi32>
      %qcarry = arith.shrui %qs1, %sixteen : tensor<8x128xi32>
      %qd0 = arith.shrui %qlh, %sixteen : tensor<8x128xi32>
      %qd1 = arith.shrui %qhl, %sixteen : tensor<8x128xi32>
      %qe0 = arith.addi %qhh, %qd0 : tensor<8x128xi32>
      %qe1 = arith.addi %qe0, %qd1 : tensor<8x128xi32>
      %qhigh = arith.addi %qe1, %qcarry : tensor<8x128xi32>
      %qlow = arith.muli %x2, %m1 : tensor<8x128xi32>
      %kas = pallas.broadcast %ka : i32 -> tensor<8x128xi32>
      %kbs = pallas.broadcast %kb : i32 -> tensor<8x128xi32>
      %u0 = arith.xori %qhigh, %x1 : tensor<8x128xi32>
      %y0 = arith.xori %u0, %kas : tensor<8x128xi32>
      %u2 = arith.xori %phigh, %x3 : tensor<8x128xi32>
      %y2 = arith.xori %u2, %kbs : tensor<8x128xi32>
      %na = arith.addi %ka, %w0 : i32
      %nb = arith.addi %kb, %w1 : i32
      scf.yield %y0, %qlow, %y2, %plow, %na, %nb
          : tensor<8x128xi32>, tensor<8x128xi32>, tensor<8x128xi32>, tensor<8x128xi32>, i32, i32
    }
    pallas.swap %or[...], %r#0 : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<16x128xi32>
}
