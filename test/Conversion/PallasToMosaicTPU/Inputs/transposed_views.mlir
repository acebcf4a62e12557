// Reads, writes, slices and masks through views with permuted dimensions.
func.func @transposed_views(%x: tensor<32x16xf32>, %y: tensor<2x16x128xf32>) -> (tensor<16x32xf32>, tensor<128x2x16xf32>, tensor<16x2x128xf32>) {
  %o:3 = pallas.pallas_call @transposed_views grid()
      in(%x : tensor<32x16xf32>)
      in(%y : tensor<2x16x128xf32>)
      out(tensor<16x32xf32>)
      out(tensor<128x2x16xf32>)
      out(tensor<16x2x128xf32>)
      kernel(%xr: !pallas.ref<32x16xf32, default>, %yr: !pallas.ref<2x16x128xf32, default>,
             %or: !pallas.ref<16x32xf32, default>, %pr: !pallas.ref<128x2x16xf32, default>,
             %cr: !pallas.ref<16x2x128xf32, default>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // A copy of a view.
    %yc = pallas.transpose_ref %yr, [1, 0, 2] : !pallas.ref<2x16x128xf32, default> -> !pallas.ref<16x2x128xf32, default>
    pallas.dma_start %yc to %cr signals %done : !pallas.ref<16x2x128xf32, default>, !pallas.ref<16x2x128xf32, default>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %yc to %cr signals %done : !pallas.ref<16x2x128xf32, default>, !pallas.ref<16x2x128xf32, default>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %xt = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<32x16xf32, default> -> !pallas.ref<16x32xf32, default>
    %v = pallas.get %xt[...] : !pallas.ref<16x32xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
    // A slice of the view, written through a view of the output.
    %half = pallas.slice_ref %xt[ds(8, 8), :] : !pallas.ref<16x32xf32, default>
    %back = pallas.transpose_ref %half, [1, 0] : !pallas.ref<8x32xf32, default> -> !pallas.ref<32x8xf32, default>
    %part = pallas.get %back[ds(0, 16), :] : !pallas.ref<32x8xf32, default>
    %ot = pallas.transpose_ref %or, [1, 0] : !pallas.ref<16x32xf32, default> -> !pallas.ref<32x16xf32, default>
    pallas.addupdate %ot[ds(16, 16), ds(0, 8)], %part : !pallas.ref<32x16xf32, default>, tensor<16x8xf32>
    %yt = pallas.transpose_ref %yr, [2, 0, 1] : !pallas.ref<2x16x128xf32, default> -> !pallas.ref<128x2x16xf32, default>
    %w = pallas.get %yt[...] : !pallas.ref<128x2x16xf32, default>
    pallas.swap %pr[...], %w : !pallas.ref<128x2x16xf32, default>, tensor<128x2x16xf32>
    %row = pallas.get %yt[5, :, ds(0, 16)] : !pallas.ref<128x2x16xf32, default>
    %mask = arith.constant dense<true> : tensor<2x16xi1>
    %old = pallas.masked_swap %pr[3, :, :], %row mask %mask : !pallas.ref<128x2x16xf32, default>, tensor<2x16xf32>, tensor<2x16xi1>
    %pt = pallas.transpose_ref %pr, [2, 1, 0] : !pallas.ref<128x2x16xf32, default> -> !pallas.ref<16x2x128xf32, default>
    %column = pallas.transpose %row, [1, 0] : tensor<2x16xf32>
    %zero = arith.constant dense<0.0> : tensor<16x2xf32>
    %isHigh = arith.cmpf ogt, %column, %zero : tensor<16x2xf32>
    %other = pallas.masked_swap %pt[:, :, 4], %column mask %isHigh : !pallas.ref<16x2x128xf32, default>, tensor<16x2xf32>, tensor<16x2xi1>
  }
  return %o#0, %o#1, %o#2 : tensor<16x32xf32>, tensor<128x2x16xf32>, tensor<16x2x128xf32>
}
