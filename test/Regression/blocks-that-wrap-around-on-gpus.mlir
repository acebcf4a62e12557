// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --split-input-file --verify-diagnostics

// The bug: the block of the result moves with %j, but not by %j itself, and was
// taken to stay for all steps of %j, so that it was stored once for each %i.
// blocks-that-wrap-around-on-gpus.py executes what becomes of it.

func.func @around(%x: tensor<24x32xi32>) -> tensor<24x32xi32> {
  %out = pallas.pallas_call grid(3, 4)
      in(%x : tensor<24x32xi32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
      out(tensor<24x32xi32>) block<[8, 8], default> map(%i, %j) {
        %c1 = arith.constant 1 : i32
        %c4 = arith.constant 4 : i32
        %next = arith.addi %j, %c1 : i32
        %around = arith.remui %next, %c4 : i32
        pallas.yield %i, %around : i32, i32
      }
      kernel(%from: !pallas.ref<8x8xi32, default>, %to: !pallas.ref<8x8xi32, default>) {
    %v = pallas.get %from[...] : !pallas.ref<8x8xi32, default>
    pallas.swap %to[...], %v : !pallas.ref<8x8xi32, default>, tensor<8x8xi32>
  }
  return %out : tensor<24x32xi32>
}

// -----

// Two steps share a block.
func.func @halves(%x: tensor<8x32xi32>) -> tensor<8x16xi32> {
  // expected-error @below {{computes the block of result 0 from grid indices; on GPUs each step of a sequential dimension that the map of a result uses has a block of its own}}
  %out = pallas.pallas_call grid(4)
      in(%x : tensor<8x32xi32>) block<[8, 8], default> map(%i) -> (0, %i)
      out(tensor<8x16xi32>) block<[8, 8], default> map(%i) {
        %c0 = arith.constant 0 : i32
        %c2 = arith.constant 2 : i32
        %half = arith.divsi %i, %c2 : i32
        pallas.yield %c0, %half : i32, i32
      }
      kernel(%from: !pallas.ref<8x8xi32, default>, %to: !pallas.ref<8x8xi32, default>) {
    %v = pallas.get %from[...] : !pallas.ref<8x8xi32, default>
    pallas.swap %to[...], %v : !pallas.ref<8x8xi32, default>, tensor<8x8xi32>
  }
  return %out : tensor<8x16xi32>
}

// -----

// Backwards it is another block in each step.
func.func @backwards(%x: tensor<8x32xi32>) -> tensor<8x32xi32> {
  %out = pallas.pallas_call grid(4)
      in(%x : tensor<8x32xi32>) block<[8, 8], default> map(%i) -> (0, %i)
      out(tensor<8x32xi32>) block<[8, 8], default> map(%i) {
        %c0 = arith.constant 0 : i32
        %c3 = arith.constant 3 : i32
        %back = arith.subi %c3, %i : i32
        pallas.yield %c0, %back : i32, i32
      }
      kernel(%from: !pallas.ref<8x8xi32, default>, %to: !pallas.ref<8x8xi32, default>) {
    %v = pallas.get %from[...] : !pallas.ref<8x8xi32, default>
    pallas.swap %to[...], %v : !pallas.ref<8x8xi32, default>, tensor<8x8xi32>
  }
  return %out : tensor<8x32xi32>
}
