// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Index operands: tables of several types, windows that depend on them, and an
// output that shares memory with an input.

// Block i is x[rows[i], cols[i]] times scale[i].
// CHECK-LABEL: func.func @two_tables
func.func @two_tables(%rows: tensor<3xi32>, %cols: tensor<3xi32>, %scale: tensor<3xf32>, %x: tensor<32x256xf32>)
    -> tensor<24x128xf32> {
  // CHECK: prefetch(%{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>)
  %o = pallas.pallas_call @two_tables grid(3)
      prefetch(%rows, %cols, %scale : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>)
      in(%x : tensor<32x256xf32>) block<[8, 128], vmem> map(%i, %r, %c, %s) {
        %row = pallas.get %r[%i] : !pallas.ref<3xi32, smem>
        %col = pallas.get %c[%i] : !pallas.ref<3xi32, smem>
        pallas.yield %row, %col : i32, i32
      }
      out(tensor<24x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%r: !pallas.ref<3xi32, smem>, %c: !pallas.ref<3xi32, smem>, %s: !pallas.ref<3xf32, smem>,
             %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %i = pallas.program_id 0
    %factor = pallas.get %s[%i] : !pallas.ref<3xf32, smem>
    %factors = pallas.broadcast %factor : f32 -> tensor<8x128xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %p = arith.mulf %v, %factors : tensor<8x128xf32>
    pallas.swap %or[...], %p : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<24x128xf32>
}

// A table of bytes, read through the block it names.
// CHECK-LABEL: func.func @narrow_table
func.func @narrow_table(%table: tensor<4xi8>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @narrow_table grid(4)
      prefetch(%table : tensor<4xi8>)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %t) {
        %byte = pallas.get %t[%i] : !pallas.ref<4xi8, smem>
        %block = arith.extsi %byte : i8 to i32
        %zero = arith.constant 0 : i32
        pallas.yield %block, %zero : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%t: !pallas.ref<4xi8, smem>, %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// Doubles the blocks that the table names and keeps the others: the alias
// counts the index operand, so the input is number 1.
// CHECK-LABEL: func.func @update_some_blocks
func.func @update_some_blocks(%table: tensor<2xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // CHECK: aliases [1 -> 0]
  %o = pallas.pallas_call @update_some_blocks grid(2)
      prefetch(%table : tensor<2xi32>)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %t) {
        %block = pallas.get %t[%i] : !pallas.ref<2xi32, smem>
        %zero = arith.constant 0 : i32
        pallas.yield %block, %zero : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %t) {
        %block = pallas.get %t[%i] : !pallas.ref<2xi32, smem>
        %zero = arith.constant 0 : i32
        pallas.yield %block, %zero : i32, i32
      }
      aliases [1 -> 0]
      kernel(%t: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %d = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %or[...], %d : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}
