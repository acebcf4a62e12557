// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu | FileCheck %s

// The bug: bodies leave their calls before they are lowered, so no barrier
// semaphore found the collective of its call, and all calls met at the one of
// collective 0. A device that is a call ahead then lets another one pass.

// CHECK-LABEL: func.func @two
// CHECK: %[[FIRST:.*]] = arith.constant 1 : i32
// CHECK: llvm.call @pallas_rt_barrier_semaphore(%[[FIRST]])
// CHECK: %[[SECOND:.*]] = arith.constant 2 : i32
// CHECK: llvm.call @pallas_rt_barrier_semaphore(%[[SECOND]])
func.func @two() -> (tensor<1xi32>, tensor<1xi32>) {
  %a = pallas.pallas_call @first grid()
      out(tensor<1xi32>) block<[1], smem>
      attributes {compilerParams = [#pallas.tpu_params<collectiveId = 1>]}
      kernel(%o: !pallas.ref<1xi32, smem>) {
    %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    %n = pallas.semaphore_read %s : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    pallas.swap %o[0], %n : !pallas.ref<1xi32, smem>, i32
  }
  %b = pallas.pallas_call @second grid()
      out(tensor<1xi32>) block<[1], smem>
      attributes {compilerParams = [#pallas.tpu_params<collectiveId = 2>]}
      kernel(%o: !pallas.ref<1xi32, smem>) {
    %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    %n = pallas.semaphore_read %s : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    pallas.swap %o[0], %n : !pallas.ref<1xi32, smem>, i32
  }
  return %a, %b : tensor<1xi32>, tensor<1xi32>
}
