// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A row that stands beside an index array was counted up with the elements: rows 2, 3 and so on were read instead of 2.
// rows-beside-arrays-on-gpus.py executes it.

// CHECK: memref.subview %{{.*}}[2, %{{.*}}] [1, 1] [1, 1] : memref<80x16xf32>
// CHECK: memref.subview %{{.*}}[%[[ROW:.*]], %{{.*}}] [1, 1] [1, 1] : memref<80x16xf32>
func.func @kernel(%x: tensor<80x16xf32>, %i: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<80x16xf32>)
      in(%i : tensor<64xi32>)
      out(tensor<64xf32>)
      out(tensor<64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<80x16xf32, gmem>, %ir: !pallas.ref<64xi32, gmem>, %a: !pallas.ref<64xf32, gmem>, %b: !pallas.ref<64xf32, gmem>) {
    %index = pallas.get %ir[...] : !pallas.ref<64xi32, gmem>
    %known = pallas.get %xr[2, gather(%index : tensor<64xi32>)] : !pallas.ref<80x16xf32, gmem>
    pallas.swap %a[...], %known : !pallas.ref<64xf32, gmem>, tensor<64xf32>
    %row = pallas.get %ir[5] : !pallas.ref<64xi32, gmem>
    %found = pallas.get %xr[%row, gather(%index : tensor<64xi32>)] : !pallas.ref<80x16xf32, gmem>
    pallas.swap %b[...], %found : !pallas.ref<64xf32, gmem>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64xf32>, tensor<64xf32>
}
