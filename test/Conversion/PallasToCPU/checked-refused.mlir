// RUN: pallas-opt %s --split-input-file --verify-diagnostics --convert-pallas-to-cpu=checked=true
// RUN: not pallas-opt --pallas-insert-checks --convert-pallas-to-cpu %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not pallas-opt --pallas-insert-checks --convert-pallas-to-cpu=checked=true %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not pallas-opt --pallas-insert-checks --pallas-insert-checks %s 2>&1 | FileCheck %s --check-prefix=TWICE

// Checked code without checks of its accesses or memory would find nothing.

// PLAIN: error: 'builtin.module' op has checks of its accesses, which only checked code calls; give the option checked=true
// MEMORY: error: 'builtin.module' op has no checks of its memory, which checked code needs; run pallas-insert-memory-checks before
// TWICE: error: 'builtin.module' op has checks of its accesses already; run pallas-insert-checks once

// expected-error @below {{has no checks of its accesses, which checked code needs; run pallas-insert-checks before}}
module {
func.func @unchecked(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
  return %v : tensor<8xf32>
}
}
