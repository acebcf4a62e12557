// RUN: pallas-run %s | FileCheck %s

// The bug: a selection of rows by a ref of several dimensions crashed where its dimensions were
// counted.

// CHECK: {{\[\[\[\[}}21 22] [1 2]] {{\[\[}}11 12] [11 12]] {{\[\[}}1 2] [21 22]]] {{\[\[\[}}121 122] [101 102]]
// CHECK: {{\[\[\[}}120 121 122 123] [100 101 102 103]] {{\[\[}}110 111 112 113] [110 111 112 113]]
func.func @main() {
  %x = arith.constant dense<[[[0,1,2,3],[10,11,12,13],[20,21,22,23]],[[100,101,102,103],[110,111,112,113],[120,121,122,123]]]> : tensor<2x3x4xi32>
  %i = arith.constant dense<[[2, 0], [1, 1], [0, 2]]> : tensor<3x2xi32>
  %c1 = arith.constant 1 : i32
  pallas.run_scoped (%xr: !pallas.ref<2x3x4xi32, vmem>, %ir: !pallas.ref<3x2xi32, vmem>, %o: !pallas.ref<2x3x2x2xi32, vmem>, %q: !pallas.ref<3x2x4xi32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.swap %xr[...], %x : !pallas.ref<2x3x4xi32, vmem>, tensor<2x3x4xi32>
    pallas.swap %ir[...], %i : !pallas.ref<3x2xi32, vmem>, tensor<3x2xi32>
    %f = pallas.slice_ref %xr[:, gather(%ir : !pallas.ref<3x2xi32, vmem>), ds(1, 2)] : !pallas.ref<2x3x4xi32, vmem>
    pallas.dma_start %f to %o signals %d : !pallas.ref<2x3x2x2xi32, vmem>, !pallas.ref<2x3x2x2xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %f to %o signals %d : !pallas.ref<2x3x2x2xi32, vmem>, !pallas.ref<2x3x2x2xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %v = pallas.get %o[...] : !pallas.ref<2x3x2x2xi32, vmem>
    pallas.debug_print "{}" %v : tensor<2x3x2x2xi32>
    %x1 = pallas.slice_ref %xr[%c1, :, :] : !pallas.ref<2x3x4xi32, vmem>
    %g = pallas.slice_ref %x1[gather(%ir : !pallas.ref<3x2xi32, vmem>), :] : !pallas.ref<3x4xi32, vmem>
    pallas.dma_start %g to %q signals %d : !pallas.ref<3x2x4xi32, vmem>, !pallas.ref<3x2x4xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %g to %q signals %d : !pallas.ref<3x2x4xi32, vmem>, !pallas.ref<3x2x4xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %w = pallas.get %q[...] : !pallas.ref<3x2x4xi32, vmem>
    pallas.debug_print "{}" %w : tensor<3x2x4xi32>
  }
  return
}
