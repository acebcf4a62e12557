// RUN: pallas-opt %s --pallas-to-llvm --mlir-print-ir-after=pallas-cse -o /dev/null 2>&1 | FileCheck %s
// RUN: pallas-opt %s --pallas-to-llvm=checked --mlir-print-ir-before=pallas-insert-checks -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHECKED

// Array code that repeats itself is computed once, as it is before windows and
// loops are made of it. Checked code reads as often as it is written.

// CHECK-LABEL: IR Dump After PallasCSE
// CHECK: pallas.get
// CHECK-NEXT: pallas.rev
// CHECK-NEXT: arith.addf
// CHECK-NEXT: pallas.swap
// CHECK-NEXT: }

// CHECKED-LABEL: IR Dump Before PallasInsertChecks
// CHECKED-COUNT-2: pallas.get
func.func @repeated(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @kernel grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
      out(tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
      kernel(%r: !pallas.ref<8x128xf32, vmem>, %w: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %r[...] : !pallas.ref<8x128xf32, vmem>
    %b = pallas.rev %a dims [0] : tensor<8x128xf32>
    %c = pallas.get %r[...] : !pallas.ref<8x128xf32, vmem>
    %d = pallas.rev %c dims [0] : tensor<8x128xf32>
    %s = arith.addf %b, %d : tensor<8x128xf32>
    pallas.swap %w[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
