// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Block-sparse times dense: only stored blocks of the left matrix are visited,
// in the order of their rows. Rows of blocks without any stored block are never
// visited; they keep the zeros of an aliased operand.

!b = !pallas.ref<128x128xf32, vmem>
!ids = !pallas.ref<6xi32, smem>

// CHECK-LABEL: func.func @block_sparse_matmul
func.func @block_sparse_matmul(%rows: tensor<6xi32>, %cols: tensor<6xi32>, %blocks: tensor<6x128x128xf32>,
                               %y: tensor<384x256xf32>) -> tensor<512x256xf32> {
  %zeros = arith.constant dense<0.0> : tensor<512x256xf32>
  // CHECK: pallas.pallas_call @block_sparse_matmul grid(2, 6)
  // CHECK: aliases [4 -> 0]
  %o = pallas.pallas_call @block_sparse_matmul grid(2, 6)
      prefetch(%rows, %cols : tensor<6xi32>, tensor<6xi32>)
      in(%blocks : tensor<6x128x128xf32>) block<[squeezed, 128, 128], vmem> map(%j, %k, %r, %c) {
        %zero = arith.constant 0 : i32
        pallas.yield %k, %zero, %zero : i32, i32, i32
      }
      in(%y : tensor<384x256xf32>) block<[128, 128], vmem> map(%j, %k, %r, %c) {
        %col = pallas.get %c[%k] : !ids
        pallas.yield %col, %j : i32, i32
      }
      in(%zeros : tensor<512x256xf32>) block<[128, 128], vmem> map(%j, %k, %r, %c) {
        %row = pallas.get %r[%k] : !ids
        pallas.yield %row, %j : i32, i32
      }
      out(tensor<512x256xf32>) block<[128, 128], vmem> map(%j, %k, %r, %c) {
        %row = pallas.get %r[%k] : !ids
        pallas.yield %row, %j : i32, i32
      }
      aliases [4 -> 0]
      semantics [parallel, arbitrary]
      kernel(%r: !ids, %c: !ids, %xr: !b, %yr: !b, %zr: !b, %or: !b, %acc: !b) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %here = pallas.get %r[%k] : !ids
    %k_before = arith.subi %k, %c1 : i32
    %k_low = arith.maxsi %k_before, %c0 : i32
    %before = pallas.get %r[%k_low] : !ids
    %at_start = arith.cmpi eq, %k, %c0 : i32
    %new_row = arith.cmpi ne, %here, %before : i32
    %enter = arith.ori %at_start, %new_row : i1
    scf.if %enter {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !b, tensor<128x128xf32>
    }
    %a = pallas.get %xr[...] : !b
    %b = pallas.get %yr[...] : !b
    %old = pallas.get %acc[...] : !b
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
        : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    pallas.swap %acc[...], %new : !b, tensor<128x128xf32>
    %k_after = arith.addi %k, %c1 : i32
    %k_high = arith.minsi %k_after, %c5 : i32
    %after = pallas.get %r[%k_high] : !ids
    %at_end = arith.cmpi eq, %k, %c5 : i32
    %other_row = arith.cmpi ne, %here, %after : i32
    %leave = arith.ori %at_end, %other_row : i1
    scf.if %leave {
      pallas.swap %or[...], %new : !b, tensor<128x128xf32>
    }
  }
  return %o : tensor<512x256xf32>
}
