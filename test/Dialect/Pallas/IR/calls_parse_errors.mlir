// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_grid() {
  // expected-error @+1 {{expected 'grid'}}
  pallas.pallas_call kernel() {}
  return
}

// -----

func.func @implied_block(%x: tensor<?xf32>) {
  // C5
  // expected-error @+1 {{an array of type 'tensor<?xf32>' needs a block clause: only a static shape without zeros implies one}}
  pallas.pallas_call grid() in(%x : tensor<?xf32>) kernel(%r: !pallas.ref<?xf32, default>) {}
  return
}

// -----

func.func @map_names(%x: tensor<8xf32>) {
  // expected-error @+1 {{this index map has 2 arguments (2 program ids), but 1 are named}}
  pallas.pallas_call grid(2, 2) in(%x : tensor<8xf32>) block<[4], vmem> map(%i) -> (%i) kernel(%r: !pallas.ref<4xf32, vmem>) {}
  return
}

// -----

func.func @map_value(%x: tensor<8xf32>, %n: i32) {
  // expected-error @+1 {{'%n' is not an argument of this index map; to compute, write map(...) { ... pallas.yield ... }}}
  pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[4], vmem> map(%i) -> (%n) kernel(%r: !pallas.ref<4xf32, vmem>) {}
  return
}

// -----

func.func @prefetch_count(%t: tensor<4xi32>) {
  // expected-error @+1 {{prefetch clause has 2 operands, but 1 types}}
  pallas.pallas_call grid() prefetch(%t, %t : tensor<4xi32>) kernel(%r: !pallas.ref<4xi32, smem>) {}
  return
}

// -----

func.func @prefetch_type(%t: i32) {
  // expected-error @+1 {{a prefetched operand must be a ranked tensor, but has type 'i32'}}
  pallas.pallas_call grid() prefetch(%t : i32) kernel() {}
  return
}

// -----

func.func @prefetch_element(%t: tensor<4xui8>) {
  // expected-error @+1 {{ref element must be a signless integer, a float, a semaphore or a barrier, but is 'ui8'}}
  pallas.pallas_call grid() prefetch(%t : tensor<4xui8>) kernel() {}
  return
}

// -----

func.func @semantics() {
  // expected-error @+1 {{expected one of [arbitrary, parallel, core_parallel, subcore_parallel, sequential] for order of a grid dimension, got: quick}}
  pallas.pallas_call grid(2) semantics [quick] kernel() {}
  return
}

// -----

func.func @alias(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected '->'}}
  %0 = pallas.pallas_call grid() in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0] kernel() {}
  return
}

// -----

func.func @mesh() {
  // expected-error @+1 {{expected 'on'}}
  pallas.mpmd_map kernel @k () {}
  return
}

// -----

func.func @state(%v: f32) {
  // expected-error @+1 {{expected '='}}
  %0 = pallas.run_state (%a: !pallas.ref<f32, smem>) {}
  return
}

// -----

func.func @unknown_clause(%x: tensor<64x128xf32>) {
  pallas.pallas_call grid(8)
    in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    // expected-error @+1 {{expected 'kernel' or a clause before it; they are grid, captures, prefetch, in, out, aliases, semantics, names, vmapped and attributes, in this order}}
    dimension_semantics [parallel]
    kernel(%a: !pallas.ref<8x128xf32, vmem>) {}
  return
}

// -----

func.func @arithmetic_in_map(%x: tensor<64x128xf32>) {
  pallas.pallas_call grid(8)
    // expected-error @+1 {{a short index map returns program ids and integers; to compute, write map(...) { ... pallas.yield ... }}}
    in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i + 1, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>) {}
  return
}

// -----

func.func @refs_in_short_map(%x: tensor<64x128xf32>, %t: tensor<8xi32>) {
  pallas.pallas_call grid(8) prefetch(%t : tensor<8xi32>)
    // expected-error @+1 {{this index map has 1 arguments (1 program ids), but 2 are named; to read index refs, write map(...) { ... pallas.yield ... }}}
    in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %table) -> (%i, 0)
    kernel(%table: !pallas.ref<8xi32, smem>, %a: !pallas.ref<8x128xf32, vmem>) {}
  return
}
