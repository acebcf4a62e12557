// RUN: pallas-run %s --no-cache --check --entry empty 2>&1 | FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: not pallas-run %s --no-cache --check --entry one_row 2>&1 | FileCheck %s

// The bug: a slice whose size is 0 at run time accesses nothing, and may start
// where its ref ends, but checked code reported an access of the index there.

// SILENT-NOT: error

func.func @empty() -> tensor<6x8xf32> {
  %t = arith.constant dense<[6, 0]> : tensor<2xi32>
  %o = call @copy(%t) : (tensor<2xi32>) -> tensor<6x8xf32>
  return %o : tensor<6x8xf32>
}

func.func @one_row() -> tensor<6x8xf32> {
  %t = arith.constant dense<[6, 1]> : tensor<2xi32>
  %o = call @copy(%t) : (tensor<2xi32>) -> tensor<6x8xf32>
  return %o : tensor<6x8xf32>
}

func.func private @copy(%t: tensor<2xi32>) -> tensor<6x8xf32> {
  %x = arith.constant dense<1.0> : tensor<6x8xf32>
  %o = pallas.pallas_call grid()
      in(%t : tensor<2xi32>) block<[2], smem>
      in(%x : tensor<6x8xf32>) block<[6, 8], any>
      out(tensor<6x8xf32>) block<[6, 8], any>
      kernel(%tr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<6x8xf32, any>, %or: !pallas.ref<6x8xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %start = pallas.get %tr[0] : !pallas.ref<2xi32, smem>
    %count = pallas.get %tr[1] : !pallas.ref<2xi32, smem>
    pallas.dma_start %xr to %or signals %done : !pallas.ref<6x8xf32, any>, !pallas.ref<6x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %done : !pallas.ref<6x8xf32, any>, !pallas.ref<6x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    // CHECK: empty-slices-at-the-end.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.slice_ref' accesses index 6 in dimension 0 of input 1, which has size 6
    %a = pallas.slice_ref %xr[ds(%start, %count), :] : !pallas.ref<6x8xf32, any>
    %b = pallas.slice_ref %or[ds(%start, %count), :] : !pallas.ref<6x8xf32, any>
    pallas.dma_start %a to %b signals %done : !pallas.ref<?x8xf32, any>, !pallas.ref<?x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %b signals %done : !pallas.ref<?x8xf32, any>, !pallas.ref<?x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<6x8xf32>
}
