// RUN: pallas-opt %s -o %t.mlir
// RUN: pallas-translate --to-stable-mosaic %s -o %t.bc
// RUN: pallas-translate --from-stable-mosaic %t.bc | diff %t.mlir -
// RUN: pallas-opt --allow-unregistered-dialect --mlir-print-debuginfo --mlir-print-local-scope %t.bc | FileCheck %s

// Everything that bytes hold, read back by MLIR's reader: numbers of all
// lengths, attributes with and without an encoding of their dialect, blocks with
// arguments, successors, regions that see values around them, and locations.

// CHECK: "stable_mosaic.arith.constant"() {value = 7 : i32} : () -> i32 loc("here.py":70000:3)
// CHECK: "stable_mosaic.arith.constant"() {value = dense<1.500000e+00> : vector<8x128xf32>} {{.*}} loc("named"("here.py":2:1))
// CHECK: "stable_mosaic.func.return"() : () -> () loc(callsite("inner" at fused<"why">["a", "b"]))
module {
  func.func @kernel(%m: memref<8x128xf32, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>, %c: i1, %n: index) attributes {
    big = 1234567890123456789 : i64, negative = -5 : i8, least = -9223372036854775808 : i64,
    wide = -170141183460469231731687303715884105728 : i128, bit = true, half = 1.5 : f16, double = -2.5e-300 : f64,
    many = dense<[1, -2, 300]> : tensor<3xi32>, bits = dense<[true, false, true]> : vector<3xi1>, splat = dense<7> : tensor<2x2xi64>,
    map = affine_map<(d0, d1) -> (d1, d0 + 1)>, text = "with \22quotes\22", array = array<i64: 1, -1, 100000>,
    nested = {inner = [@kernel, unit, f32], other = #tpu.memory_space<vmem>}, names = #tpu.pipeline_mode<synchronous>} {
    %0 = arith.constant 7 : i32 loc("here.py":70000:3)
    %1 = arith.constant dense<1.5> : vector<8x128xf32> loc("named"("here.py":2:1))
    cf.cond_br %c, ^even(%0 : i32), ^odd
  ^even(%k: i32):
    %2 = scf.if %c -> (i32) {
      %3 = arith.addi %k, %0 : i32
      %4 = scf.if %c -> (i32) {
        %5 = arith.muli %3, %k : i32
        scf.yield %5 : i32
      } else {
        scf.yield %3 : i32
      }
      scf.yield %4 : i32
    } else {
      %6 = arith.subi %k, %0 : i32
      scf.yield %6 : i32
    }
    cf.br ^even(%2 : i32)
  ^odd:
    tpu.vector_store %m[%n, %n], %1 {strides = array<i32>} : memref<8x128xf32, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return loc(callsite("inner" at fused<"why">["a", "b"]))
  }
  module @inside {
    func.func private @other(i32) -> f32
  }
}
