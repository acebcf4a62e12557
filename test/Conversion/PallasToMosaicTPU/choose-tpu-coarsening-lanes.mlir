// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v5e --split-input-file --verify-diagnostics -o /dev/null

// What the choice counts for lanes, before the kernel is lowered. A sum along lanes is in
// all of them: to broadcast it takes no cross-lane unit, though a column that was loaded
// does.

func.func @sums(%x: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  // expected-remark @below {{joins steps by d0=64: about 3026 cycles on v5e instead of 88686}}
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    out(tensor<1024x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %s = pallas.reduce <add> %v dims [1] : tensor<8x128xf32>
    %c = pallas.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x1xf32>
    %b = pallas.broadcast %c dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
    %w = arith.subf %v, %b : tensor<8x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<1024x128xf32>
}

// -----

// Integers are compared by words, which takes a third turn of the unit.
func.func @extremes(%x: tensor<1024x128xi32>) -> tensor<1024x128xi32> {
  // expected-remark @below {{joins steps by d0=64: about 3171 cycles on v5e instead of 93515}}
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x128xi32>) block<[8, 128], default> map(%i) -> (%i, 0)
    out(tensor<1024x128xi32>) block<[8, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x128xi32, default>, %or: !pallas.ref<8x128xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xi32, default>
    %s = pallas.reduce <max> %v dims [1] : tensor<8x128xi32>
    %c = pallas.broadcast %s dims [0] : tensor<8xi32> -> tensor<8x1xi32>
    %b = pallas.broadcast %c dims [0, 1] : tensor<8x1xi32> -> tensor<8x128xi32>
    %w = arith.subi %v, %b : tensor<8x128xi32>
    pallas.swap %or[...], %w : !pallas.ref<8x128xi32, default>, tensor<8x128xi32>
  }
  return %o : tensor<1024x128xi32>
}

// -----

func.func @columns(%x: tensor<1024x128xf32>, %y: tensor<1024x1xf32>) -> tensor<1024x128xf32> {
  // expected-remark @below {{joins steps by d0=64: about 3368 cycles on v5e instead of 86455}}
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    in(%y : tensor<1024x1xf32>) block<[8, 1], default> map(%i) -> (%i, 0)
    out(tensor<1024x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x128xf32, default>, %yr: !pallas.ref<8x1xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %c = pallas.get %yr[...] : !pallas.ref<8x1xf32, default>
    %b = pallas.broadcast %c dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
    %w = arith.subf %v, %b : tensor<8x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<1024x128xf32>
}
