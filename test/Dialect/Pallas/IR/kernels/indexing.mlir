// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// What an indexer can say: views of views, strides, arrays next to slices,
// positions that are known at run time only.

!x = !pallas.ref<16x128xf32, vmem>

// Rows 2 to 9 of rows 4 to 15, and of these the lanes 32 to 95.
// CHECK-LABEL: func.func @view_of_view
func.func @view_of_view(%x: tensor<16x128xf32>) -> tensor<8x64xf32> {
  %o = pallas.pallas_call @view_of_view grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<8x64xf32>) block<[8, 64], vmem>
      kernel(%xr: !x, %or: !pallas.ref<8x64xf32, vmem>) {
    // CHECK: pallas.slice_ref %{{.*}}[ds(4, 12), :]
    %lower = pallas.slice_ref %xr[ds(4, 12), :] : !x
    %rows = pallas.slice_ref %lower[ds(2, 8), :] : !pallas.ref<12x128xf32, vmem>
    %v = pallas.get %rows[:, ds(32, 64)] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x64xf32, vmem>, tensor<8x64xf32>
  }
  return %o : tensor<8x64xf32>
}

// Every other row, and one row four times.
// CHECK-LABEL: func.func @strides
func.func @strides(%x: tensor<16x128xf32>) -> (tensor<8x128xf32>, tensor<4x128xf32>) {
  %o:2 = pallas.pallas_call @strides grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<4x128xf32>) block<[4, 128], vmem>
      kernel(%xr: !x, %er: !pallas.ref<8x128xf32, vmem>, %rr: !pallas.ref<4x128xf32, vmem>) {
    // CHECK: [ds(0, 8, 2), :]
    %even = pallas.get %xr[ds(0, 8, 2), :] : !x
    pallas.swap %er[...], %even : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    // CHECK: [ds(3, 4, 0), :]
    %same = pallas.get %xr[ds(3, 4, 0), :] : !x
    pallas.swap %rr[...], %same : !pallas.ref<4x128xf32, vmem>, tensor<4x128xf32>
  }
  return %o#0, %o#1 : tensor<8x128xf32>, tensor<4x128xf32>
}

// An array picks rows; with a scalar in front of a slice, the array's dimension
// comes first.
// CHECK-LABEL: func.func @arrays
func.func @arrays(%x: tensor<2x16x128xf32>, %idx: tensor<5xi32>) -> (tensor<5x128xf32>, tensor<5x16xf32>) {
  %o:2 = pallas.pallas_call @arrays grid()
      in(%x : tensor<2x16x128xf32>) block<[2, 16, 128], vmem>
      in(%idx : tensor<5xi32>) block<[5], vmem>
      out(tensor<5x128xf32>) block<[5, 128], vmem>
      out(tensor<5x16xf32>) block<[5, 16], vmem>
      kernel(%xr: !pallas.ref<2x16x128xf32, vmem>, %ir: !pallas.ref<5xi32, vmem>,
             %ar: !pallas.ref<5x128xf32, vmem>, %br: !pallas.ref<5x16xf32, vmem>) {
    %i = pallas.get %ir[...] : !pallas.ref<5xi32, vmem>
    %rows = pallas.get %xr[1, gather(%i : tensor<5xi32>), :] : !pallas.ref<2x16x128xf32, vmem>
    pallas.swap %ar[...], %rows : !pallas.ref<5x128xf32, vmem>, tensor<5x128xf32>
    %lanes = pallas.get %xr[0, :, gather(%i : tensor<5xi32>)] : !pallas.ref<2x16x128xf32, vmem>
    pallas.swap %br[...], %lanes : !pallas.ref<5x16xf32, vmem>, tensor<5x16xf32>
  }
  return %o#0, %o#1 : tensor<5x128xf32>, tensor<5x16xf32>
}

// Adds to places that an array may name twice: both addends count.
// CHECK-LABEL: func.func @scatter_add
func.func @scatter_add(%idx: tensor<8xi32>, %v: tensor<8xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call @scatter_add grid()
      in(%idx : tensor<8xi32>) block<[8], vmem>
      in(%v : tensor<8xf32>) block<[8], vmem>
      out(tensor<16xf32>) block<[16], vmem>
      kernel(%ir: !pallas.ref<8xi32, vmem>, %vr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<16xf32, vmem>) {
    %zero = arith.constant dense<0.0> : tensor<16xf32>
    pallas.swap %or[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %i = pallas.get %ir[...] : !pallas.ref<8xi32, vmem>
    %a = pallas.get %vr[...] : !pallas.ref<8xf32, vmem>
    pallas.addupdate %or[gather(%i : tensor<8xi32>)], %a : !pallas.ref<16xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<16xf32>
}

// Moves 4 rows from one place to another; both places come from scalar memory.
// CHECK-LABEL: func.func @dynamic_rows
func.func @dynamic_rows(%at: tensor<2xi32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call @dynamic_rows grid()
      prefetch(%at : tensor<2xi32>)
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<16x128xf32>) block<[16, 128], vmem>
      kernel(%at_ref: !pallas.ref<2xi32, smem>, %xr: !x, %or: !x) {
    %from = pallas.get %at_ref[0] : !pallas.ref<2xi32, smem>
    %to = pallas.get %at_ref[1] : !pallas.ref<2xi32, smem>
    %all = pallas.get %xr[...] : !x
    pallas.swap %or[...], %all : !x, tensor<16x128xf32>
    %rows = pallas.get %xr[ds(%from, 4), :] : !x
    // CHECK: pallas.swap %{{.*}}[ds(%{{.*}}, 4), :]
    pallas.swap %or[ds(%to, 4), :], %rows : !x, tensor<4x128xf32>
  }
  return %o : tensor<16x128xf32>
}

// The same memory under another shape, transposed, and as other elements.
// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<16x128xf32>) -> (tensor<2x8x128xf32>, tensor<128x16xf32>, tensor<16x128xi32>) {
  %o:3 = pallas.pallas_call @views grid()
      in(%x : tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<2x8x128xf32>) block<[2, 8, 128], vmem>
      out(tensor<128x16xf32>) block<[128, 16], vmem>
      out(tensor<16x128xi32>) block<[16, 128], vmem>
      kernel(%xr: !x, %ar: !pallas.ref<2x8x128xf32, vmem>, %br: !pallas.ref<128x16xf32, vmem>,
             %cr: !pallas.ref<16x128xi32, vmem>) {
    // CHECK: pallas.reshape_ref
    %tall = pallas.reshape_ref %xr : !x -> !pallas.ref<2x8x128xf32, vmem>
    %a = pallas.get %tall[...] : !pallas.ref<2x8x128xf32, vmem>
    pallas.swap %ar[...], %a : !pallas.ref<2x8x128xf32, vmem>, tensor<2x8x128xf32>
    // CHECK: pallas.transpose_ref
    %turned = pallas.transpose_ref %br, [1, 0] : !pallas.ref<128x16xf32, vmem> -> !x
    %b = pallas.get %xr[...] : !x
    pallas.swap %turned[...], %b : !x, tensor<16x128xf32>
    // CHECK: pallas.bitcast_ref
    %bits = pallas.bitcast_ref %xr : !x -> !pallas.ref<16x128xi32, vmem>
    %c = pallas.get %bits[...] : !pallas.ref<16x128xi32, vmem>
    pallas.swap %cr[...], %c : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
  }
  return %o#0, %o#1, %o#2 : tensor<2x8x128xf32>, tensor<128x16xf32>, tensor<16x128xi32>
}
