// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file --verify-diagnostics

// The bug: vectors have at least one element, but values without any became vectors of size 0, in a module that nothing can
// read again. A constant without elements crashed the compiler.

func.func @slice(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = pallas.pallas_call grid()
    in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
    out(tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{'pallas.get' op has a result without elements, which has no form on TPUs; leave out what is computed with it}}
    %rows = pallas.get %a[ds(0, 0), :] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %o[ds(0, 0), :], %rows : !pallas.ref<8x128xf32, vmem>, tensor<0x128xf32>
  }
  return %0 : tensor<8x128xf32>
}

// -----

func.func @constant(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = pallas.pallas_call grid()
    in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
    out(tensor<8x128xf32>) block<[8, 128], vmem> map() -> (0, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{'arith.constant' op has a result without elements, which has no form on TPUs; leave out what is computed with it}}
    %rows = arith.constant dense<> : tensor<0x128xf32>
    pallas.swap %o[ds(0, 0), :], %rows : !pallas.ref<8x128xf32, vmem>, tensor<0x128xf32>
  }
  return %0 : tensor<8x128xf32>
}
