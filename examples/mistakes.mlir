// Kernels that work by chance. `pallas-run --check` says what is wrong.

// The last block hangs over the array, and what lies outside is summed.
func.func @sum(%x: tensor<100x128xf32>) -> tensor<128xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<100x128xf32>) block<[32, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<128xf32>) block<[128], vmem>
      kernel(%xr: !pallas.ref<32x128xf32, vmem>, %or: !pallas.ref<128xf32, vmem>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<128xf32>
      pallas.swap %or[...], %zero : !pallas.ref<128xf32, vmem>, tensor<128xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<32x128xf32, vmem>
    %s = pallas.reduce <add> %v dims [0] : tensor<32x128xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<128xf32, vmem>, tensor<128xf32>
  }
  return %o : tensor<128xf32>
}

// The copy is waited for after its target has been read.
func.func @copy(%x: tensor<100x128xf32>) -> tensor<100x128xf32> {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<100x128xf32>) block<[100, 128], any>
      out(tensor<100x128xf32>) block<[100, 128], vmem>
      kernel(%xr: !pallas.ref<100x128xf32, any>, %or: !pallas.ref<100x128xf32, vmem>,
             %buffer: !pallas.ref<100x128xf32, vmem>,
             %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %xr to %buffer signals %done
        : !pallas.ref<100x128xf32, any>, !pallas.ref<100x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %v = pallas.get %buffer[...] : !pallas.ref<100x128xf32, vmem>
    pallas.dma_wait %xr to %buffer signals %done
        : !pallas.ref<100x128xf32, any>, !pallas.ref<100x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.swap %or[...], %v : !pallas.ref<100x128xf32, vmem>, tensor<100x128xf32>
  }
  return %o : tensor<100x128xf32>
}
