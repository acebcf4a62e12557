// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Kernels without a reduction: whole windows, ragged windows, squeezed and
// element dimensions, tables of program ids.

// CHECK-LABEL: func.func @double
func.func @double(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // CHECK: pallas.pallas_call @double grid()
  %o = pallas.pallas_call @double grid()
      in(%x : tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %d = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %or[...], %d : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// The last window hangs over the end of the array.
// CHECK-LABEL: func.func @add_one_ragged
func.func @add_one_ragged(%x: tensor<100xf32>) -> tensor<100xf32> {
  // CHECK: block<[32], vmem> map(%[[I:.*]]) -> (%[[I]])
  %o = pallas.pallas_call @add_one grid(4)
      in(%x : tensor<100xf32>) block<[32], vmem> map(%i) -> (%i)
      out(tensor<100xf32>) block<[32], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<32xf32, vmem>, %or: !pallas.ref<32xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32xf32, vmem>
    %one = arith.constant dense<1.0> : tensor<32xf32>
    %s = arith.addf %v, %one : tensor<32xf32>
    pallas.swap %or[...], %s : !pallas.ref<32xf32, vmem>, tensor<32xf32>
  }
  return %o : tensor<100xf32>
}

// out[i, j] = 10 * i + j, one scalar per program.
// CHECK-LABEL: func.func @program_ids
func.func @program_ids() -> tensor<4x6xi32> {
  // CHECK: out(tensor<4x6xi32>) block<[squeezed, squeezed], smem> map(%[[I:.*]], %[[J:.*]]) -> (%[[I]], %[[J]])
  %o = pallas.pallas_call @program_ids grid(4, 6)
      out(tensor<4x6xi32>) block<[squeezed, squeezed], smem> map(%i, %j) -> (%i, %j)
      kernel(%or: !pallas.ref<i32, smem>) {
    %i = pallas.program_id 0
    %j = pallas.program_id 1
    %ten = arith.constant 10 : i32
    %row = arith.muli %i, %ten : i32
    %v = arith.addi %row, %j : i32
    pallas.swap %or[...], %v : !pallas.ref<i32, smem>, i32
  }
  return %o : tensor<4x6xi32>
}

// Element dimensions: window i covers elements [2 * i, 2 * i + 8).
// CHECK-LABEL: func.func @sliding_sum
func.func @sliding_sum(%x: tensor<16x128xf32>) -> tensor<5x128xf32> {
  // CHECK: block<[element<8>, 128], vmem>
  %o = pallas.pallas_call @sliding_sum grid(5)
      in(%x : tensor<16x128xf32>) block<[element<8>, 128], vmem> map(%i) {
        %two = arith.constant 2 : i32
        %start = arith.muli %i, %two : i32
        %zero = arith.constant 0 : i32
        pallas.yield %start, %zero : i32, i32
      }
      out(tensor<5x128xf32>) block<[squeezed, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %s = pallas.reduce <add> %v dims [0] : tensor<8x128xf32>
    pallas.swap %or[...], %s : !pallas.ref<128xf32, vmem>, tensor<128xf32>
  }
  return %o : tensor<5x128xf32>
}

// CHECK-LABEL: func.func @iota_table
func.func @iota_table() -> tensor<16x128xi32> {
  %o = pallas.pallas_call @iota grid(2)
      out(tensor<16x128xi32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%or: !pallas.ref<8x128xi32, vmem>) {
    %i = pallas.program_id 0
    %rows = pallas.iota 0 : tensor<8x128xi32>
    %lanes = pallas.iota 1 : tensor<8x128xi32>
    %eight = arith.constant 8 : i32
    %base = arith.muli %i, %eight : i32
    %bases = pallas.broadcast %base : i32 -> tensor<8x128xi32>
    %row = arith.addi %rows, %bases : tensor<8x128xi32>
    %width = arith.constant dense<128> : tensor<8x128xi32>
    %start = arith.muli %row, %width : tensor<8x128xi32>
    %v = arith.addi %start, %lanes : tensor<8x128xi32>
    pallas.swap %or[...], %v : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<16x128xi32>
}
