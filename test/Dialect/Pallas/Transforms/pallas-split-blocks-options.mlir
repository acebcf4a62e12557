// RUN: pallas-opt %s --pallas-split-blocks=parts=d0=4,d1=2 | FileCheck %s
// RUN: pallas-opt %s --pallas-coarsen-grid=factors=d0=4 --pallas-split-blocks=parts=d0=2 | FileCheck %s --check-prefix=BOTH
// RUN: not pallas-opt %s --pallas-split-blocks=parts=d0=3 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not pallas-opt %s --pallas-split-blocks=parts=d1=200 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not pallas-opt %s --pallas-split-blocks=parts=d2=2 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not pallas-opt %s --pallas-split-blocks=parts=d0=2,d0=4 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK: grid(2, 4, 8)
// CHECK: block<[2, 64], default>
// BOTH: grid(2, 2)
// BOTH: block<[16, 128], default>
// PARTS: error: the blocks of the first result have 8 elements along dimension 0, which 3 parts do not divide; write 2 or 4
// MORE: error: {{.*}} write 128{{$}}
// RANK: error: the number of parts 'd2=2' is about dimension 2, but the first result has 2 of them; give each call its own by the attribute 'pallas.split'
// AGAIN: error: dimension 0 has two numbers of parts, 2 and 4; leave one out

func.func @twice(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %w = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}
