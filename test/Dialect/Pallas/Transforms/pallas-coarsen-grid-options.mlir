// RUN: pallas-opt %s --pallas-coarsen-grid=factors=d0=2 | FileCheck %s
// RUN: pallas-opt %s --pallas-coarsen-grid | FileCheck %s --check-prefix=OFF
// RUN: not pallas-opt %s --pallas-coarsen-grid=factors=d0=0 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not pallas-opt %s --pallas-coarsen-grid=factors=4 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pallas-opt %s --pallas-coarsen-grid=factors=d0=2,d3=2 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not pallas-opt %s --pallas-coarsen-grid=factors=d0=4,d0=2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sed 's/kernel(/attributes {pallas.coarsen = array<i64: 2>} kernel(/' %s > %t.mlir
// RUN: pallas-opt %t.mlir --pallas-to-mosaic-tpu | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: pallas-opt %t.mlir --pallas-to-mosaic-tpu=coarsen=off | FileCheck %s --check-prefix=TPU-OFF
// RUN: pallas-opt %s "--pallas-to-mosaic-tpu=coarsen=d0=4" | FileCheck %s --check-prefix=TPU
// RUN: pallas-opt %s "--pallas-to-mosaic-tpu=coarsen=off" | FileCheck %s --check-prefix=TPU-OFF
// RUN: pallas-translate %s --to-tpu-custom-call --coarsen=d0=4 | FileCheck %s --check-prefix=CALL
// RUN: not pallas-opt %s "--pallas-to-llvm=coarsen=d0=16" 2>&1 | FileCheck %s --check-prefix=SIZE

// CHECK: grid(4)
// OFF: grid(8)
// FACTOR: error: cannot read the coarsening factor 'd0=0'; write a dimension and a number of 1 or more, as in d0=4
// FORM: error: cannot read the coarsening factor '4'
// DIM: error: the coarsening factor 'd3=2' is about dimension 3, but the grid has 1 of them; give each call its own by the attribute 'pallas.coarsen'
// TWICE: error: dimension 0 has two coarsening factors, 4 and 2; leave one out
// ATTRIBUTE: iteration_bounds = array<i64: 4>
// TPU: iteration_bounds = array<i64: 2>
// TPU-OFF: iteration_bounds = array<i64: 8>
// CALL: stablehlo.custom_call
// SIZE: error: the coarsening factor 16 of dimension 0 is more than its size of 8; write 8 or less

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
