// RUN: pallas-translate --from-stable-mosaic %S/Inputs/newer-encodings.bc | FileCheck %s

// jaxlib 0.12 wrote these bytes. Its MLIR is younger than ours and has bytes of its own
// for affine maps, strided layouts and narrow floats, which were text before.

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0 * 1024 + d1 * 128 + d2)>
// CHECK-DAG: #[[PERMUTED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[PROJECTED:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[GENERAL:.*]] = affine_map<(d0)[s0] -> (d0 mod 8, d0 floordiv 8, d0 ceildiv 3 - s0, 5)>
// CHECK-DAG: #[[EMPTY:.*]] = affine_map<() -> ()>
// CHECK-DAG: #[[IDENTITY:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: func.func @kernel(%{{.*}}: i32, %{{.*}}: memref<8x128xf32, #tpu.memory_space<vmem>>, %{{.*}}: memref<8x128xf8E4M3FN, strided<[?, 1], offset: 4>, #tpu.memory_space<vmem>>, %{{.*}}: memref<4x8x128xf32, #[[ROWS]], #tpu.memory_space<vmem>>)
// CHECK-SAME: a = #[[PERMUTED]], b = #[[PROJECTED]], c = #[[GENERAL]], d = #[[EMPTY]], e = #[[IDENTITY]]
// CHECK-SAME: t = [tf32, f8E5M2, f8E4M3, f8E4M3FN, f8E5M2FNUZ, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E3M4, f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E8M0FNU]
