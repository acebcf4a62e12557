// RUN: split-file %s %t

// What cannot be read or written is an error, and no file appears.

//--- module.mlir
// RUN: not pallas-translate --to-stable-mosaic=19 %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=NEWER
// RUN: not pallas-translate --to-stable-mosaic=0 %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=OLDER
// RUN: not pallas-translate --to-stable-mosaic=x %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=NUMBER
// RUN: not pallas-translate --from-stable-mosaic %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=PLAIN
// RUN: not pallas-translate --to-stable-mosaic %root/examples/softmax.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=LOWER
// RUN: not pallas-translate %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=FORMAT
// RUN: not pallas-translate --to-stable-mosaic --from-stable-mosaic %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=FORMATS
// RUN: not test -e %t/none

// NEWER: error: stable_mosaic version 19 is newer than any that this release knows; 18 is the newest
// OLDER: error: stable_mosaic version 0 is not known; 1 to 18 are
// NUMBER: 'x' is not a version number
// PLAIN: error: not a serialized kernel: the module has no 'stable_mosaic.version' of type i64
// LOWER: softmax.mlir:{{.*}} error: 'pallas.pallas_call' op is nothing that the Mosaic compiler knows; lower the module with --pallas-to-mosaic-tpu first
// FORMAT: no format is named
// FORMATS: more than one format is named
func.func @kernel() {
  return
}

//--- new_forms.mlir
// RUN: not pallas-translate --to-stable-mosaic=12 %t/new_forms.mlir 2>&1 | FileCheck %t/new_forms.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.matmul' cannot be written at this version of stable_mosaic: it has transpose_lhs_hint set; use version 13 or newer
func.func @kernel(%a: vector<8x8xf32>) {
  %0 = tpu.matmul %a, %a, %a {transpose_lhs_hint = true} : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

//--- other_core.mlir
// RUN: not pallas-translate --to-stable-mosaic=13 %t/other_core.mlir 2>&1 | FileCheck %t/other_core.mlir
// CHECK: error: 'tpu.sem_signal' cannot be written at this version of stable_mosaic: its core_id and subcore_id cannot be joined; use version 14 or newer
func.func @kernel(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  tpu.sem_signal %s, %n core_id %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>
  return
}

//--- two_dimensions.mlir
// RUN: not pallas-translate --to-stable-mosaic=5 %t/two_dimensions.mlir 2>&1 | FileCheck %t/two_dimensions.mlir
// CHECK: error: 'tpu.iota' cannot be written at this version of stable_mosaic: it has 2 dimensions; old versions have one
func.func @kernel() {
  %0 = tpu.iota {dimensions = array<i32: 0, 1>} : vector<8x128xi32>
  return
}

//--- dynamic_size.mlir
// RUN: not pallas-translate --to-stable-mosaic=14 %t/dynamic_size.mlir 2>&1 | FileCheck %t/dynamic_size.mlir
// CHECK: error: 'tpu.reinterpret_cast' cannot be written at this version of stable_mosaic: it has dynamic sizes; use version 15 or newer
func.func @kernel(%m: memref<8x128xf32>, %n: i32) {
  %0 = tpu.reinterpret_cast %m <%n> : memref<8x128xf32> -> memref<?x128xf32>
  return
}

//--- dynamic_stride.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/dynamic_stride.mlir 2>&1 | FileCheck %t/dynamic_stride.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.reinterpret_cast' cannot be written at this version of stable_mosaic: it has dynamic strides; use version 16 or newer
func.func @kernel(%m: memref<8x128xf32>, %n: i32) {
  %0 = tpu.reinterpret_cast %m [%n] : memref<8x128xf32> -> memref<8x128xf32, #tpu.tiled<(8,128),[?,1]>>
  return
}

//--- other_scan.mlir
// RUN: not pallas-translate --to-stable-mosaic=16 %t/other_scan.mlir 2>&1 | FileCheck %t/other_scan.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.scan' cannot be written at this version of stable_mosaic: it has dimension = 0 : i64 on 'vector<4x16xf32>'; use version 17 or newer
func.func @kernel(%v: vector<4x16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<4x16xf32>,  -> vector<4x16xf32>
  return
}

//--- signed_scan.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/signed_scan.mlir 2>&1 | FileCheck %t/signed_scan.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.scan' cannot be written at this version of stable_mosaic: it compares signed integers by maxsi; use version 18 or newer
func.func @kernel(%v: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = tpu.scan <maxsi>, %v {dimension = 0 : i64} : vector<16xi32>,  -> vector<16xi32>
  return
}

//--- unsigned_all_reduce.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/unsigned_all_reduce.mlir 2>&1 | FileCheck %t/unsigned_all_reduce.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.all_reduce' cannot be written at this version of stable_mosaic: it compares unsigned integers by minui; use version 18 or newer
func.func @kernel(%v: vector<16xi32>) {
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<minui>} : vector<16xi32> -> vector<16xi32>
  return
}

//--- conv.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/conv.mlir 2>&1 | FileCheck %t/conv.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.conv' is not in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel(%l: vector<1x8x128xf32>, %r: vector<1x128x128xf32>, %a: vector<1x8x128xf32>) {
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 2, [1], 1, 2, [0], 0, 2, [1]>, lhs_dilation = array<i64: 1>, padding = array<i64: 0, 0>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>} : vector<1x8x128xf32>, vector<1x128x128xf32>, vector<1x8x128xf32> -> vector<1x8x128xf32>
  return
}

//--- logistic.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/logistic.mlir 2>&1 | FileCheck %t/logistic.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.logistic' is not in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel(%v: vector<8x128xf32>) {
  %0 = tpu.logistic %v : vector<8x128xf32> -> vector<8x128xf32>
  return
}

//--- reduce.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/reduce.mlir 2>&1 | FileCheck %t/reduce.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.reduce' is not in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel(%v: vector<8x128xf32>) {
  %0 = tpu.reduce <sum>, %v [0] : vector<8x128xf32> -> vector<1x128xf32>
  return
}

//--- matmul_lhs_fifo.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/matmul_lhs_fifo.mlir 2>&1 | FileCheck %t/matmul_lhs_fifo.mlir
// CHECK: [[#@LINE+2]]:3: error: 'tpu.matmul_lhs_fifo' is not in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel(%v: vector<8x128xf32>) {
  tpu.matmul_lhs_fifo %v {mxu_index = 0 : i32} : vector<8x128xf32>
  return
}

//--- matmul_pop_fifo.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/matmul_pop_fifo.mlir 2>&1 | FileCheck %t/matmul_pop_fifo.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.matmul_pop_fifo' is not in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel() {
  %0 = tpu.matmul_pop_fifo 0 : vector<16x256xf32>
  return
}

//--- annotate.mlir
// RUN: not pallas-translate --to-stable-mosaic=16 %t/annotate.mlir 2>&1 | FileCheck %t/annotate.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.annotate' is not in version 16 of stable_mosaic; use version 17 or newer
func.func @kernel(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  %0 = tpu.annotate %m {no_store = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

//--- reduce_precision.mlir
// RUN: not pallas-translate --to-stable-mosaic=16 %t/reduce_precision.mlir 2>&1 | FileCheck %t/reduce_precision.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.reduce_precision' is not in version 16 of stable_mosaic; use version 17 or newer
func.func @kernel(%v: vector<8x128xf32>) {
  %0 = tpu.reduce_precision %v {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<8x128xf32> -> vector<8x128xf32>
  return
}

//--- memref_memory_space_is.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/memref_memory_space_is.mlir 2>&1 | FileCheck %t/memref_memory_space_is.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.memref_memory_space_is' is not in version 17 of stable_mosaic; use version 18 or newer
func.func @kernel(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  %0 = tpu.memref_memory_space_is %m, <vmem> : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

//--- shared_memref_slice.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/shared_memref_slice.mlir 2>&1 | FileCheck %t/shared_memref_slice.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.shared_memref_slice' is not in version 17 of stable_mosaic; use version 18 or newer
func.func @kernel(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
  return
}

//--- tile_size.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/tile_size.mlir 2>&1 | FileCheck %t/tile_size.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.tile_size' is not in version 17 of stable_mosaic; use version 18 or newer
func.func @kernel(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  %0 = tpu.tile_size %m, 0 : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

//--- vector_compress_store.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/vector_compress_store.mlir 2>&1 | FileCheck %t/vector_compress_store.mlir
// CHECK: [[#@LINE+2]]:3: error: 'tpu.vector_compress_store' is not in version 17 of stable_mosaic; use version 18 or newer
func.func @kernel(%m: memref<64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

//--- vector_expand_load.mlir
// RUN: not pallas-translate --to-stable-mosaic=17 %t/vector_expand_load.mlir 2>&1 | FileCheck %t/vector_expand_load.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.vector_expand_load' is not in version 17 of stable_mosaic; use version 18 or newer
func.func @kernel(%m: memref<64xf32, #tpu.memory_space<vmem>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

//--- three_passes.mlir
// RUN: not pallas-translate --to-stable-mosaic=15 %t/three_passes.mlir 2>&1 | FileCheck %t/three_passes.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.matmul' cannot have the precision bf16x3 in version 15 of stable_mosaic; use version 16 or newer
func.func @kernel(%a: vector<8x8xf32>) {
  %0 = tpu.matmul %a, %a, %a {precision = #tpu.contract_precision<bf16x3>, transpose_lhs_hint = false} : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

//--- repeat.mlir
// RUN: not pallas-translate --to-stable-mosaic=18 %t/repeat.mlir 2>&1 | FileCheck %t/repeat.mlir
// CHECK: [[#@LINE+2]]:8: error: 'tpu.repeat' is not in version 18 of stable_mosaic; use tpu.concatenate, or version 17 or older
func.func @kernel(%a: vector<8x8xf32>) {
  %0 = tpu.repeat %a, 0 x 2 : vector<8x8xf32> -> vector<16x8xf32>
  return
}

//--- unclear_all_reduce.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/unclear_all_reduce.mlir 2>&1 | FileCheck %t/unclear_all_reduce.mlir
// CHECK: [[#@LINE+4]]:10: error: 'tpu.all_reduce' of 'vector<8x8xi32>' has kind max, which before version 18 leaves open whether the integers have a sign
"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%a: vector<8x8xi32>):
    %0 = "stable_mosaic.tpu.all_reduce"(%a) {kind = #tpu.reduction_kind<max>, dim = 0 : i64} : (vector<8x8xi32>) -> vector<8x8xi32>
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (vector<8x8xi32>) -> (), sym_name = "kernel"} : () -> ()
}) {stable_mosaic.version = 15 : i64} : () -> ()

//--- scan_of_nothing.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/scan_of_nothing.mlir 2>&1 | FileCheck %t/scan_of_nothing.mlir
// CHECK: error: 'tpu.scan' has no vector as its first operand
"builtin.module"() ({
  %0 = "stable_mosaic.tpu.scan"() {kind = #tpu.reduction_kind<sum>} : () -> vector<8xi32>
}) {stable_mosaic.version = 15 : i64} : () -> ()

//--- future.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/future.mlir 2>&1 | FileCheck %t/future.mlir
// CHECK: error: stable_mosaic version 99 is newer than any that this release knows; 18 is the newest
module attributes {stable_mosaic.version = 99 : i64} {
}

//--- unknown.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/unknown.mlir 2>&1 | FileCheck %t/unknown.mlir
// CHECK: [[#@LINE+2]]:3: error: unknown operation 'tpu.teleport'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.tpu.teleport"() : () -> ()
}

//--- unmangled.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/unmangled.mlir 2>&1 | FileCheck %t/unmangled.mlir
// CHECK: error: operation 'tpu.trace_stop' is in a serialized kernel, where all names begin with 'stable_mosaic.'
module attributes {stable_mosaic.version = 15 : i64} {
  "tpu.trace_stop"() : () -> ()
}

//--- wrong_attribute.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/wrong_attribute.mlir 2>&1 | FileCheck %t/wrong_attribute.mlir
// CHECK: error: Invalid attribute `multiple` in property conversion: "8"
module attributes {stable_mosaic.version = 15 : i64} {
  %0 = "stable_mosaic.arith.constant"() {value = 8 : i32} : () -> i32
  %1 = "stable_mosaic.tpu.assume_multiple"(%0) {multiple = "8"} : (i32) -> i32
}

//--- wrong_segments.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/wrong_segments.mlir 2>&1 | FileCheck %t/wrong_segments.mlir
// CHECK: error: 'tpu.sem_signal' has segments of 3 operands, but has 1
module attributes {stable_mosaic.version = 13 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%s: memref<!tpu.semaphore>):
    "stable_mosaic.tpu.sem_signal"(%s) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (memref<!tpu.semaphore>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (memref<!tpu.semaphore>) -> (), sym_name = "kernel"} : () -> ()
}

//--- negative_segment.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/negative_segment.mlir 2>&1 | FileCheck %t/negative_segment.mlir
// CHECK: error: 'tpu.sem_signal' has a negative segment size -1
module attributes {stable_mosaic.version = 13 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%s: memref<!tpu.semaphore>):
    "stable_mosaic.tpu.sem_signal"(%s) {operandSegmentSizes = array<i32: 1, 1, -1, 0>} : (memref<!tpu.semaphore>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (memref<!tpu.semaphore>) -> (), sym_name = "kernel"} : () -> ()
}

//--- no_dimension.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/no_dimension.mlir 2>&1 | FileCheck %t/no_dimension.mlir
// CHECK: error: 'tpu.iota' has no dimension of type i32
module attributes {stable_mosaic.version = 5 : i64} {
  %0 = "stable_mosaic.tpu.iota"() {dimension = 1 : i64} : () -> vector<8x128xi32>
}

//--- reduced_dimensions.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/reduced_dimensions.mlir 2>&1 | FileCheck %t/reduced_dimensions.mlir
// CHECK: error: 'vector.multi_reduction' has "1" among its reduction_dims
module attributes {stable_mosaic.version = 2 : i64} {
  %0 = "stable_mosaic.arith.constant"() {value = dense<0.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
  %1 = "stable_mosaic.arith.constant"() {value = dense<0.0> : vector<8xf32>} : () -> vector<8xf32>
  %2 = "stable_mosaic.vector.multi_reduction"(%0, %1) {kind = #vector.kind<add>, reduction_dims = ["1"]} : (vector<8x128xf32>, vector<8xf32>) -> vector<8xf32>
}

//--- no_reduced_dimensions.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/no_reduced_dimensions.mlir 2>&1 | FileCheck %t/no_reduced_dimensions.mlir
// CHECK: error: 'vector.multi_reduction' has no array of reduction_dims
module attributes {stable_mosaic.version = 2 : i64} {
  %0 = "stable_mosaic.arith.constant"() {value = dense<0.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
  %1 = "stable_mosaic.arith.constant"() {value = dense<0.0> : vector<8xf32>} : () -> vector<8xf32>
  %2 = "stable_mosaic.vector.multi_reduction"(%0, %1) {kind = #vector.kind<add>} : (vector<8x128xf32>, vector<8xf32>) -> vector<8xf32>
}

//--- no_terminator.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/no_terminator.mlir 2>&1 | FileCheck %t/no_terminator.mlir
// CHECK: error: block with no terminator
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    %0 = "stable_mosaic.arith.constant"() {value = 8 : i32} : () -> i32
  }) {function_type = () -> (), sym_name = "kernel"} : () -> ()
}

//--- unverified.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/unverified.mlir 2>&1 | FileCheck %t/unverified.mlir
// CHECK: error: 'tpu.assume_multiple' op promises a multiple of 0, which is below 1
module attributes {stable_mosaic.version = 15 : i64} {
  %0 = "stable_mosaic.arith.constant"() {value = 8 : i32} : () -> i32
  %1 = "stable_mosaic.tpu.assume_multiple"(%0) {multiple = 0 : i32} : (i32) -> i32
}

//--- resource.mlir
// RUN: not pallas-translate --to-stable-mosaic %t/resource.mlir -o %t/none 2>&1 | FileCheck %t/resource.mlir
// RUN: not test -e %t/none
// CHECK: error: holds a resource, which cannot be serialized; pass the array as an operand
func.func @kernel() {
  %0 = arith.constant dense_resource<blob> : vector<2xf32>
  return
}
{-#
  dialect_resources: {
    builtin: { blob: "0x040000000000803F00000040" }
  }
#-}
