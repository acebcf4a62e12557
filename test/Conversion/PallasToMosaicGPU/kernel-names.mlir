// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Names of kernels become symbols of PTX, which have letters, digits and
// underscores.

// CHECK: module @attention_page_64_
// CHECK: func.func @attention_page_64__mosaic_gpu
func.func @named() {
  pallas.mpmd_map
      kernel @"attention[page=64]" on <gpu, [<grid "i" = 1>]> () {
    %ns = arith.constant 100 : i32
    pallas.delay %ns
  }
  return
}
