// RUN: pallas-opt %s --pallas-resolve-device-mesh --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// What GPUs cannot do with the memory of other devices is an error where it stands.

func.func @no_mesh(%g: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    // expected-error @below {{'pallas.device_id' op asks for devices, which the function around the kernel does not describe; give it the attribute pallas.device_mesh, for example [["x", 4]]}}
    %d = pallas.device_id
  }
  return
}

// -----

func.func @other_axis(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %c1 = arith.constant 1 : i32
    // expected-error @below {{names a device by coordinates along axes that the attribute pallas.device_mesh of the function around the kernel lacks}}
    %q = pallas.remote_ref %x device mesh(%c1) axes ["z"] : !pallas.ref<64x128xf32, gmem>
  }
  return
}

// -----

func.func @shared_memory(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %c1 = arith.constant 1 : i32
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{names memory of type '!pallas.ref<64x128xf32, smem>' on other devices; operands and results of a kernel, and its semaphores, have an address there, which is named once}}
      %q = pallas.remote_ref %s device logical(%c1) : !pallas.ref<64x128xf32, smem>
    }
  }
  return
}

// -----

func.func @twice(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %c1 = arith.constant 1 : i32
    %q = pallas.remote_ref %x device logical(%c1) : !pallas.ref<64x128xf32, gmem>
    // expected-error @below {{have an address there, which is named once}}
    %r = pallas.remote_ref %q device logical(%c1) : !pallas.ref<64x128xf32, gmem>
  }
  return
}

// -----

func.func @atomic(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<1.0> : tensor<64x128xf32>
    %q = pallas.remote_ref %x device logical(%c1) : !pallas.ref<64x128xf32, gmem>
    // expected-error @below {{'pallas.atomic_rmw' op updates memory of another device atomically; kernels load from there, store and copy to it, and signal semaphores}}
    pallas.atomic_rmw <add> %q[...], %v : !pallas.ref<64x128xf32, gmem>, tensor<64x128xf32>
  }
  return
}

// -----

func.func @copy_from(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %c1 = arith.constant 1 : i32
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %q = pallas.remote_ref %x device logical(%c1) : !pallas.ref<64x128xf32, gmem>
      // expected-error @below {{'pallas.copy_gmem_to_smem' op copies from another device; load by pallas.get from there, or let the other device copy here}}
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @copy_to_device_of_run_time(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %d = pallas.axis_index "i"
      %q = pallas.remote_ref %x device logical(%d) : !pallas.ref<64x128xf32, gmem>
      // expected-error @below {{copies to a device that depends on more than the number of this one; copies are described before the kernel starts, so compute the device from constants and the index along an axis of devices, or store by pallas.swap}}
      pallas.copy_smem_to_gmem %s to %q : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x128xf32, gmem>
    }
  }
  return
}

// -----

func.func @some_axes(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    // expected-error @below {{reaches the devices along ["x"] but not those along "y"; on GPUs it reaches all devices, so name all axes of pallas.device_mesh, or loop over remote_ref}}
    %q = pallas.multicast_ref %x axes ["x"] : !pallas.ref<64x128xf32, gmem>
  }
  return
}

// -----

func.func @store_of_a_scalar(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %f = arith.constant 1.0 : f32
    %q = pallas.multicast_ref %x axes ["y", "x"] : !pallas.ref<64x128xf32, gmem>
    // expected-error @below {{stores single elements on all devices; store a vector, to elements that lie side by side}}
    pallas.swap %q[0, 0], %f : !pallas.ref<64x128xf32, gmem>, f32
  }
  return
}

// -----

func.func @load_of_all(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %q = pallas.multicast_ref %x axes ["x", "y"] : !pallas.ref<64x128xf32, gmem>
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{'pallas.get' op takes memory of several devices; kernels store to it by swap without the old value}}
      %v = pallas.get %q[...] : !pallas.ref<64x128xf32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return
}

// -----

func.func @maximum_of_f32(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{combines elements of type 'f32' by max; f32 can only be added}}
      %v = pallas.multimem_load_reduce <max> %x axes ["x", "y"] : !pallas.ref<64x128xf32, gmem> -> tensor<64x128xf32>
      pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return
}

// -----

func.func @product(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{combines elements of type 'f32' by mul; loads of all devices add, combine bits, and take the min or max}}
      %v = pallas.multimem_load_reduce <mul> %x axes ["x", "y"] : !pallas.ref<64x128xf32, gmem> -> tensor<64x128xf32>
      pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return
}

// -----

func.func @sum_of_shared_memory(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{loads '!pallas.ref<64x128xf32, smem>' of all devices; give an operand or result of the kernel on this device, or a view of one}}
      %v = pallas.multimem_load_reduce <add> %s axes ["x", "y"] : !pallas.ref<64x128xf32, smem> -> tensor<64x128xf32>
      pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
    }
  }
  return
}

// -----

func.func @sum_of_one_element(%g: tensor<1xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<1xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<1xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<1xf32, smem>) {
      // expected-error @below {{loads a single element of all devices; load a vector}}
      %v = pallas.multimem_load_reduce <add> %x axes ["x", "y"] : !pallas.ref<1xf32, gmem> -> tensor<1xf32>
      pallas.swap %s[...], %v : !pallas.ref<1xf32, smem>, tensor<1xf32>
    }
  }
  return
}

// -----

func.func @signal_along_another_axis(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %s = pallas.get_global "s" : !pallas.ref<!pallas.semaphore, gmem>
    %c1 = arith.constant 1 : i32
    // expected-error @below {{signals a semaphore of a device that is not named by one number; describe devices by the attribute pallas.device_mesh of the function, and name the device once}}
    pallas.semaphore_signal %s, %c1 device mesh(%c1) axes ["z"] : !pallas.ref<!pallas.semaphore, gmem>
  }
  return
}

// -----

func.func @signal_of_a_core(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %s = pallas.get_global "s" : !pallas.ref<!pallas.semaphore, gmem>
    %c1 = arith.constant 1 : i32
    // expected-error @below {{signals a semaphore of a core; devices of GPU kernels have none}}
    pallas.semaphore_signal %s, %c1 core %c1 : !pallas.ref<!pallas.semaphore, gmem>
  }
  return
}

// -----

func.func @wait_elsewhere(%g: tensor<64x128xf32>) attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  pallas.mpmd_map
      in(%g : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%x: !pallas.ref<64x128xf32, gmem>) {
    %s = pallas.get_global "s" : !pallas.ref<!pallas.semaphore, gmem>
    %c1 = arith.constant 1 : i32
    %there = pallas.remote_ref %s device logical(%c1) : !pallas.ref<!pallas.semaphore, gmem>
    // expected-error @below {{waits for a semaphore of another device; kernels signal there, and wait for those of their own}}
    pallas.semaphore_wait %there, %c1 : !pallas.ref<!pallas.semaphore, gmem>
  }
  return
}
