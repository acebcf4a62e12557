// RUN: pallas-translate --to-tpu-custom-call %s -o %t.default
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.42.1 %s -o %t.old
// RUN: diff %t.default %t.old
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.46 %s -o %t.46
// RUN: diff %t.default %t.46
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.48 %s -o %t.48
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.52 %s -o %t.new
// RUN: %python %S/Inputs/wire-version.py %t.old %t.48 %t.new | FileCheck %s
// RUN: not pallas-translate --to-tpu-custom-call --libtpu=0.0.48 %S/Inputs/tile-size.mlir 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: pallas-translate --to-tpu-custom-call --libtpu=0.0.50 %S/Inputs/tile-size.mlir -o %t.tile
// RUN: %python %S/Inputs/wire-version.py %t.tile | FileCheck %s --check-prefix=TILE

// The release of libtpu chooses the version of the kernel's bytes.

// CHECK: 15
// CHECK-NEXT: 17
// CHECK-NEXT: 18
// LACKS: tile-size.mlir:4:10: error: 'tpu.tile_size' is not in version 17 of stable_mosaic; use version 18 or newer
// TILE: 18
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x128xf32>]}} {
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}
