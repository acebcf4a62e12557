// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=prints | FileCheck %s --check-prefix=OUT
// RUN: not pallas-run %s --no-cache --entry=checks 2>&1 | FileCheck %s --check-prefix=FAILS
// printed.py runs what they become.

// Scalars are printed by one thread, a vector by the compiler. A percent sign
// of the text is none of printf, and a doubled brace none of a place.

// CHECK-LABEL: module @prints
// CHECK: %[[I:.*]] = arith.constant -3 : i32
// CHECK: nvvm.elect.sync
// CHECK: scf.if
// CHECK: %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[BITS:.*]] = arith.extui %{{.*}} : i8 to i64
// CHECK: %[[FLOAT:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: gpu.printf "100%%: %lld, %llu and %f\0A", %[[WIDE]], %[[BITS]], %[[FLOAT]] : i64, i64, f32
// CHECK: "mosaic_gpu.debug_print"(%{{.*}}) <{format = "v = {}"}> : (vector<8xi32>) -> ()
// CHECK: gpu.printf "{i} = {%lld} {}\0A"
// CHECK: "mosaic_gpu.debug_print"(%{{.*}}) <{format = "{{[{][{]x[}][}] [{][{][}][}]}} of {} and {{[{][{]}}"}> : (vector<8xi32>) -> ()
// CHECK: gpu.printf "done\0A"
// OUT: 100%: -3, 250 and 1.5
// OUT: v = [0 1 2 3 4 5 6 7]
// OUT: {i} = {-3} {}
// OUT: {x} {} of [0 1 2 3 4 5 6 7] and {
// OUT: done
func.func @prints() {
  pallas.mpmd_map
      kernel @prints on <gpu, [<grid "i" = 1>]> () {
    %i = arith.constant -3 : i32
    %u = arith.constant -6 : i8
    %f = arith.constant 1.5 : bf16
    %v = pallas.iota 0 : tensor<8xi32>
    pallas.debug_print "100%: {}, {} and {}" %i, %u, %f : i32, i8, bf16 {unsignedValues = array<i1: false, true, false>}
    pallas.debug_print "v = {}" %v : tensor<8xi32>
    pallas.debug_print "{i} = {{{}}} {{}}" %i : i32
    pallas.debug_print "{x} {{}} of {} and {" %v : tensor<8xi32>
    pallas.debug_print "done"
  }
  return
}

// Spans of profiles are no code.

// CHECK-LABEL: module @checks
// CHECK: %[[IS:.*]] = arith.cmpi slt
// CHECK-NEXT: cf.assert %[[IS]], "the second block fails"
// CHECK-NOT: trace
// FAILS: the second block fails
func.func @checks() {
  pallas.mpmd_map
      kernel @checks on <gpu, [<grid "i" = 2>]> () {
    %c1 = arith.constant 1 : i32
    %i = pallas.axis_index "i"
    pallas.trace_start "span"
    pallas.trace_value "i", %i : i32
    %is = arith.cmpi slt, %i, %c1 : i32
    pallas.check %is, "the second block fails"
    pallas.trace_stop
  }
  return
}
