// RUN: split-file %s %t

//--- none.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// CHECK: error: the module has no dictionary 'tpu.custom_call', so it is not known how it is called
module {
}

//--- unknown.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/unknown.mlir 2>&1 | FileCheck %t/unknown.mlir
// CHECK: error: 'tpu.custom_call' has the unknown entry "operand"
module attributes {tpu.custom_call = {operand = [tensor<8x128xf32>]}} {
}

//--- kind.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/kind.mlir 2>&1 | FileCheck %t/kind.mlir
// CHECK: error: 'tpu.custom_call' has operands = [f32], which is not an array of tensor types
module attributes {tpu.custom_call = {operands = [f32]}} {
}

//--- effects.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/effects.mlir 2>&1 | FileCheck %t/effects.mlir
// CHECK: error: 'tpu.custom_call' has side_effects = "none", which is not "pure", "dataflow_side_effecting" or "side_effecting"
module attributes {tpu.custom_call = {side_effects = "none"}} {
}

//--- kernel.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/kernel.mlir 2>&1 | FileCheck %t/kernel.mlir
// CHECK: error: call of 'kernel': the module has no function with 'tpu.core_type'
module attributes {tpu.custom_call = {}} {
}

//--- count.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/count.mlir 2>&1 | FileCheck %t/count.mlir
// CHECK: error: call of 'kernel': has 1 operands, 0 of them grid bounds, and 0 results, but the kernel takes 2 arrays
// CHECK: [[#@LINE+2]]:3: note: the kernel
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>]}} {
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<any>>) attributes {tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

//--- element.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/element.mlir 2>&1 | FileCheck %t/element.mlir
// CHECK: error: call of 'kernel': operand 0 is 'tensor<8x128xi32>', but the kernel takes 'memref<8x128xf32, #tpu.memory_space<any>>' as the whole of it
// CHECK: [[#@LINE+2]]:21: note: the argument of the kernel
module attributes {tpu.custom_call = {operands = [tensor<8x128xi32>]}} {
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<any>>) attributes {tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

//--- alias.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/alias.mlir 2>&1 | FileCheck %t/alias.mlir
// CHECK: error: call of 'kernel': aliases operand 0 of type 'tensor<8x128xf32>' with result 0 of type 'tensor<8x64xf32>'; both are equal
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x64xf32>], aliases = [array<i64: 0, 0>]}} {
}

//--- alias_range.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/alias_range.mlir 2>&1 | FileCheck %t/alias_range.mlir
// CHECK: error: call of 'kernel': aliases operand 0 with result 1, but there are 1 operands and 1 results
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x128xf32>], aliases = [array<i64: 0, 1>]}} {
}

//--- alias_space.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/alias_space.mlir 2>&1 | FileCheck %t/alias_space.mlir
// CHECK: error: call of 'kernel': aliases operand 0 in hbm with result 0 in vmem; both share one memory
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x128xf32>], aliases = [array<i64: 0, 0>],
    operand_spaces = [#tpu.memory_space<hbm>], result_spaces = [#tpu.memory_space<vmem>]}} {
}

//--- barrier.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/barrier.mlir 2>&1 | FileCheck %t/barrier.mlir
// CHECK: error: the kernel uses the barrier semaphore of a collective, but the call has no collective_id; give one
module attributes {tpu.custom_call = {}} {
  func.func @kernel() attributes {tpu.core_type = #tpu.core_type<tc>} {
    %0 = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

//--- cores.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/cores.mlir 2>&1 | FileCheck %t/cores.mlir
// CHECK: error: 'func.func' op is the second function for tc in this module; a module has at most one function per core
// CHECK: note: the first one is here
module attributes {tpu.custom_call = {}} {
  func.func @a() attributes {tpu.core_type = #tpu.core_type<tc>} {
    return
  }
  func.func @b() attributes {tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}
