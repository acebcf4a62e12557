// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: scales of blocks, powers of two in eight bits, were no elements of TPUs at all. Units read,
// move and widen them; none rounds to them.

// CHECK-LABEL: func.func @widen(
// CHECK: %[[SCALES:.+]] = vector.load {{.*}} vector<32x128xf8E8M0FNU>
// CHECK: arith.extf %[[SCALES]] : vector<32x128xf8E8M0FNU> to vector<32x128xf32>
func.func @scale(%x: tensor<32x128xf8E8M0FNU>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @widen grid()
      in(%x : tensor<32x128xf8E8M0FNU>) block<[32, 128], vmem>
      out(tensor<32x128xf32>) block<[32, 128], vmem>
      kernel(%xr: !pallas.ref<32x128xf8E8M0FNU, vmem>, %or: !pallas.ref<32x128xf32, vmem>) {
    %s = pallas.get %xr[...] : !pallas.ref<32x128xf8E8M0FNU, vmem>
    %v = arith.extf %s : tensor<32x128xf8E8M0FNU> to tensor<32x128xf32>
    pallas.swap %or[...], %v : !pallas.ref<32x128xf32, vmem>, tensor<32x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

func.func @round(%x: tensor<32x128xf32>) -> tensor<32x128xf8E8M0FNU> {
  %o = pallas.pallas_call @round grid()
      in(%x : tensor<32x128xf32>) block<[32, 128], vmem>
      out(tensor<32x128xf8E8M0FNU>) block<[32, 128], vmem>
      kernel(%xr: !pallas.ref<32x128xf32, vmem>, %or: !pallas.ref<32x128xf8E8M0FNU, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x128xf32, vmem>
    // expected-error @below {{on elements of type 'f8E8M0FNU' has no equivalent on TPUs}}
    %s = arith.truncf %v : tensor<32x128xf32> to tensor<32x128xf8E8M0FNU>
    pallas.swap %or[...], %s : !pallas.ref<32x128xf8E8M0FNU, vmem>, tensor<32x128xf8E8M0FNU>
  }
  return %o : tensor<32x128xf8E8M0FNU>
}

// -----

func.func @convert(%x: tensor<32x128xi32>) -> tensor<32x128xf8E8M0FNU> {
  %o = pallas.pallas_call @convert grid()
      in(%x : tensor<32x128xi32>) block<[32, 128], vmem>
      out(tensor<32x128xf8E8M0FNU>) block<[32, 128], vmem>
      kernel(%xr: !pallas.ref<32x128xi32, vmem>, %or: !pallas.ref<32x128xf8E8M0FNU, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x128xi32, vmem>
    // expected-error @below {{f8E8M0FNU}}
    %s = arith.sitofp %v : tensor<32x128xi32> to tensor<32x128xf8E8M0FNU>
    pallas.swap %or[...], %s : !pallas.ref<32x128xf8E8M0FNU, vmem>, tensor<32x128xf8E8M0FNU>
  }
  return %o : tensor<32x128xf8E8M0FNU>
}
