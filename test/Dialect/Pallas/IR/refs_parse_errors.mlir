// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @ellipsis(%r: !pallas.ref<8x8xf32, vmem>) {
  // N2: an ellipsis stands alone, so there cannot be two.
  // expected-error @+1 {{expected ']'}}
  %0 = pallas.get %r[..., 0] : !pallas.ref<8x8xf32, vmem>
  return
}

// -----

func.func @size(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected ','}}
  %0 = pallas.get %r[ds(0)] : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @array(%r: !pallas.ref<8xf32, vmem>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected ':'}}
  %0 = pallas.get %r[gather(%i)] : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @kind(%r: !pallas.ref<8xf32, vmem>, %v: f32) {
  // expected-error @+2 {{expected ::mlir::pallas::AtomicKind to be one of: xchg, add, max, min, umax, umin, and, or, xor}}
  // expected-error @+1 {{failed to parse Pallas_AtomicKindAttr parameter 'value'}}
  %0 = pallas.atomic_rmw <nand> %r[0], %v : !pallas.ref<8xf32, vmem>, f32
  return
}

// -----

func.func @not_a_ref(%r: memref<8xf32>) {
  // expected-error @+1 {{indexes a value of type 'memref<8xf32>', but only a !pallas.ref can be indexed}}
  %0 = pallas.get %r[0] : memref<8xf32>
  return
}

// -----

func.func @python_slice(%r: !pallas.ref<8x128xf32, vmem>) {
  // expected-error @+1 {{a slice is written ds(start, size) or ds(start, size, stride)}}
  %0 = pallas.get %r[0:4, :] : !pallas.ref<8x128xf32, vmem>
  return
}
