// RUN: pallas-opt %s --pallas-clamp-masked-slices --verify-diagnostics

func.func @f(%r: !pallas.ref<8x128xf32, vmem>, %start: i32) -> tensor<4x128xf32> {
  // expected-error @below {{may reach over the edge of dimension 0 of '!pallas.ref<8x128xf32, vmem>' with a slice of 4 elements and stride 2}}
  %v = pallas.masked_load %r[ds(%start, 4, 2), :] : !pallas.ref<8x128xf32, vmem>
  return %v : tensor<4x128xf32>
}
