// RUN: split-file %s %t

// What cannot be read or written is an error, and no file appears.

//--- module.mlir
// RUN: not pallas-translate --to-stable-mosaic=16 %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=NEWER
// RUN: not pallas-translate --to-stable-mosaic=0 %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=OLDER
// RUN: not pallas-translate --to-stable-mosaic=x %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=NUMBER
// RUN: not pallas-translate --from-stable-mosaic %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=PLAIN
// RUN: not pallas-translate --to-stable-mosaic %root/examples/softmax.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=LOWER
// RUN: not pallas-translate %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=FORMAT
// RUN: not pallas-translate --to-stable-mosaic --from-stable-mosaic %t/module.mlir -o %t/none 2>&1 | FileCheck %t/module.mlir --check-prefix=FORMATS
// RUN: not test -e %t/none

// NEWER: error: stable_mosaic version 16 is not known; 1 to 15 are
// OLDER: error: stable_mosaic version 0 is not known; 1 to 15 are
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
// CHECK: error: 'tpu.reinterpret_cast' cannot be written at this version of stable_mosaic: it has dynamic sizes; use version 15
func.func @kernel(%m: memref<8x128xf32>, %n: i32) {
  %0 = tpu.reinterpret_cast %m <%n> : memref<8x128xf32> -> memref<?x128xf32>
  return
}

//--- future.mlir
// RUN: not pallas-translate --from-stable-mosaic %t/future.mlir 2>&1 | FileCheck %t/future.mlir
// CHECK: error: stable_mosaic version 99 is not known; 1 to 15 are
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
// CHECK: error: operation 'tpu.trace_stop' stands in a serialized kernel, where all names begin with 'stable_mosaic.'
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
