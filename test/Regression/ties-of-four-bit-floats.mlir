// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-cpu-expand-narrow-floats | FileCheck %s --check-prefix=CODE

// The bug: a float in the middle of two f4E2M1 was rounded away from zero, so that 1.25, 2.5 and 5
// became 1.5, 3 and 6. Ties go to even codes.

// CHECK: [0 0 1 1 1 2 2 4 4 6 -1 -2 -4]
// CHECK-NEXT: [0 0.5 1 1 1 2 2 4]
func.func @main() {
  %x = arith.constant dense<[0.125, 0.25, 0.75, 1.0, 1.25, 1.75, 2.5, 3.5, 5.0, 7.0, -1.25, -2.5, -5.0]> : tensor<13xf32>
  %r = pallas.new_ref %x : tensor<13xf32> -> !pallas.ref<13xf32, vmem>
  %a = pallas.get %r[...] : !pallas.ref<13xf32, vmem>
  %b = arith.truncf %a : tensor<13xf32> to tensor<13xf4E2M1FN>
  %c = arith.extf %b : tensor<13xf4E2M1FN> to tensor<13xf32>
  pallas.debug_print "{}" %c : tensor<13xf32>
  %y = arith.constant dense<[0.25, 0.5, 0.75, 1.0, 1.25, 1.75, 2.5, 3.5]> : tensor<8xf8E5M2>
  %s = pallas.new_ref %y : tensor<8xf8E5M2> -> !pallas.ref<8xf8E5M2, vmem>
  %d = pallas.get %s[...] : !pallas.ref<8xf8E5M2, vmem>
  %e = arith.truncf %d : tensor<8xf8E5M2> to tensor<8xf4E2M1FN>
  %f = arith.extf %e : tensor<8xf4E2M1FN> to tensor<8xf32>
  pallas.debug_print "{}" %f : tensor<8xf32>
  return
}

// Half of the last place that stays is added, less one where the code is even.
// CODE-LABEL: func.func @code
func.func @code(%a: f32) -> f4E2M1FN {
  // CODE: %[[HALF:.*]] = arith.constant 2097151 : i32
  // CODE: arith.addi %{{.*}}, %[[HALF]] : i32
  // CODE-NOT: arith.truncf
  %0 = arith.truncf %a : f32 to f4E2M1FN
  return %0 : f4E2M1FN
}
