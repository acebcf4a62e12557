// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=main | FileCheck %s

// The bug: the compiler crashed on blocks of `index` in checked code, and on copies of them, as it asked for the
// width of an integer or a float.

!block = !pallas.ref<4xindex, vmem>

// CHECK: [10 11 12 13 14 15 16 17]
func.func @main() {
  %x = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xindex>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xindex>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<8xindex>) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !block, %or: !block) {
    pallas.run_scoped (%copy: !block, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      pallas.dma_start %xr to %copy signals %done : !block, !block, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %xr to %copy signals %done : !block, !block, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %ten = arith.constant dense<10> : tensor<4xindex>
      %v = pallas.get %copy[...] : !block
      %s = arith.addi %v, %ten : tensor<4xindex>
      pallas.swap %or[...], %s : !block, tensor<4xindex>
    }
  }
  pallas.debug_print "{}" %o : tensor<8xindex>
  return
}
