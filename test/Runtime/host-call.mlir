// RUN: not pallas-run %s --entry called 2>&1 | FileCheck %s

// Only the process that made a kernel has its functions.
// CHECK: host-call.mlir":10:3): function 42 belongs to the process that made this kernel; run the kernel there
func.func private @beep() attributes {pallas.host_call = 42 : i64}

func.func @called() -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // The line that the message names.
  call @beep() : () -> ()
  return %zero : tensor<8xf32>
}
