// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v6e --split-input-file --verify-diagnostics -o /dev/null

// A part of 127 rows begins in the middle of a tile, so that a loop over parts
// would read all 381 rows for each and rotate them. Rows that are left out cost
// gathers of all tiles. libtpu estimates 12,344 cycles as written, and 12,927
// with joined steps.
func.func @rotated(%x: tensor<381x1024xi32>) -> tensor<127x1024xi32> {
  %o = pallas.pallas_call grid(2, 3)
      in(%x : tensor<381x1024xi32>) block<[127, 512], default> map(%j, %k) -> (%k, %j)
      out(tensor<127x1024xi32>) block<[127, 512], default> map(%j, %k) -> (0, %j)
      kernel(%xr: !pallas.ref<127x512xi32, default>, %or: !pallas.ref<127x512xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<127x512xi32, default>
    %m = pallas.reduce <umax> %v dims [1] : tensor<127x512xi32>
    %c = pallas.broadcast %m dims [0] : tensor<127xi32> -> tensor<127x1xi32>
    %b = pallas.broadcast %c dims [0, 1] : tensor<127x1xi32> -> tensor<127x512xi32>
    pallas.swap %or[...], %b : !pallas.ref<127x512xi32, default>, tensor<127x512xi32>
    %even = tensor.extract_slice %b[0, 0] [63, 512] [2, 1] : tensor<127x512xi32> to tensor<63x512xi32>
    pallas.swap %or[ds(0, 63, 2), :], %even : !pallas.ref<127x512xi32, default>, tensor<63x512xi32>
  }
  return %o : tensor<127x1024xi32>
}
