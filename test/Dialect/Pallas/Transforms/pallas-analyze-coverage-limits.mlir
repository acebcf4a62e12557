// RUN: pallas-opt %s --pallas-analyze-coverage=max-programs=8 --split-input-file --verify-diagnostics
// RUN: pallas-opt %s --pallas-analyze-coverage --split-input-file -o /dev/null 2>&1 | FileCheck %s

// What takes too long is left alone, and the remark says what to raise.

!block = !pallas.ref<8x128xf32, vmem>

// CHECK: remark: output 0: 9 of 9 blocks are visited by 9 programs
func.func @programs(%x: tensor<72x128xf32>) -> tensor<72x128xf32> {
  // expected-remark @below {{input 0: coverage is not known: the grid has 9 programs, of which at most 8 are evaluated; raise max-programs}}
  // expected-remark @below {{output 0: coverage is not known: the grid has 9 programs, of which at most 8 are evaluated; raise max-programs}}
  %o = pallas.pallas_call grid(9)
      in(%x : tensor<72x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<72x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
  }
  return %o : tensor<72x128xf32>
}

// -----

!block = !pallas.ref<8x8xf32, vmem>

// Windows along a diagonal cut each dimension into 17 pieces.
// CHECK: remark: output 0: 512 of 16384 elements are visited by 8 programs
func.func @cells(%x: tensor<8x8xf32>) -> tensor<128x128xf32> {
  // expected-remark @below {{output 0: coverage is not known: its windows overlap in too many ways; raise max-programs}}
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<8x8xf32>) block<[8, 8], vmem> map(%i) -> (0, 0)
      out(tensor<128x128xf32>) block<[element<8>, element<8>], vmem> map(%i) {
        %step = arith.constant 12 : i32
        %one = arith.constant 1 : i32
        %at = arith.muli %i, %step : i32
        %start = arith.addi %at, %one : i32
        pallas.yield %start, %start : i32, i32
      }
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x8xf32>
  }
  return %o : tensor<128x128xf32>
}
