// RUN: pallas-opt %s --pallas-resolve-device-mesh --verify-diagnostics

func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 4]]} {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %one = arith.constant 1 : i32
    // expected-error @below {{names a device by 3 coordinates, but the mesh of devices has 2 axes; give one for each}}
    pallas.semaphore_signal %s, %one device mesh(%one, %one, %one) : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}
