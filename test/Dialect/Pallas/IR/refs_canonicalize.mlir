// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: pallas-opt %s --cse --split-input-file | FileCheck %s --check-prefix=CSE

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @constant_index
// CHECK: pallas.get %{{.*}}[ds(4, 2), 7] : !pallas.ref<8x128xf32, vmem>
func.func @constant_index(%r: !r) -> tensor<2xf32> {
  %c4 = arith.constant 4 : i32
  %c7 = arith.constant 7 : index
  %0 = pallas.get %r[ds(%c4, 2), %c7 index] : !r
  return %0 : tensor<2xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// What would be out of bounds stays a matter of run time.
// CHECK-LABEL: func.func @constant_out_of_bounds
// CHECK: pallas.get %{{.*}}[ds(%{{.*}}, 2), :]
func.func @constant_out_of_bounds(%r: !r) -> tensor<2x128xf32> {
  %c7 = arith.constant 7 : i32
  %0 = pallas.get %r[ds(%c7, 2), :] : !r
  return %0 : tensor<2x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @whole
// CHECK: pallas.swap %{{.*}}[...], %{{.*}}
// CHECK: pallas.get %{{.*}}[:, 0]
func.func @whole(%r: !r, %s: !r, %v: tensor<8x128xf32>) -> tensor<8xf32> {
  pallas.swap %r[ds(0, 8), :], %v : !r, tensor<8x128xf32>
  %0 = pallas.get %s[ds(0, 8), 0] : !r
  return %0 : tensor<8xf32>
}

// -----

!r = !pallas.ref<8x16x128xf32, vmem>

// CHECK-LABEL: func.func @slice_of_slice
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x16x128xf32, vmem>, %[[I:.*]]: i32
// CHECK: %[[V:.*]] = pallas.get %[[R]][%[[I]], ds(5, 2, 2), :] : !pallas.ref<8x16x128xf32, vmem>
func.func @slice_of_slice(%r: !r, %i: i32) -> tensor<2x128xf32> {
  %0 = pallas.slice_ref %r[%i, ds(3, 12), :] : !r
  %1 = pallas.slice_ref %0[ds(2, 4), :] : !pallas.ref<12x128xf32, vmem>
  %2 = pallas.get %1[ds(0, 2, 2), :] : !pallas.ref<4x128xf32, vmem>
  return %2 : tensor<2x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @dynamic_slice
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xf32, vmem>
// CHECK: %[[I:.*]] = arith.remui
// CHECK: pallas.get %[[R]][%[[I]], ds(0, 64)]
func.func @dynamic_slice(%r: !r, %n: i32) -> tensor<64xf32> {
  %c5 = arith.constant 5 : i32
  %i = arith.remui %n, %c5 : i32
  %0 = pallas.slice_ref %r[ds(%i, 4), :] : !r
  %1 = pallas.get %0[0, ds(0, 64)] : !pallas.ref<4x128xf32, vmem>
  return %1 : tensor<64xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// A sum of two positions would need an operation.
// CHECK-LABEL: func.func @two_starts
// CHECK: pallas.slice_ref
func.func @two_starts(%r: !r, %i: i32) -> tensor<128xf32> {
  %0 = pallas.slice_ref %r[ds(%i, 4), :] : !r
  %1 = pallas.get %0[%i, :] : !pallas.ref<4x128xf32, vmem>
  return %1 : tensor<128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @dynamic_size
// CHECK: %[[V:.*]] = pallas.slice_ref
// CHECK: pallas.get %[[V]][0, :]
func.func @dynamic_size(%r: !r, %n: i32) -> tensor<128xf32> {
  %0 = pallas.slice_ref %r[ds(2, %n), :] : !r
  %1 = pallas.slice_ref %0[0, :] : !pallas.ref<?x128xf32, vmem>
  %2 = pallas.get %1[...] : !pallas.ref<128xf32, vmem>
  return %2 : tensor<128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @read_of_store
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xf32, vmem>, %[[S:.*]]: !pallas.ref<8x128xf32, vmem>, %[[V:.*]]: tensor<8x128xf32>
// CHECK-NOT: pallas.get %[[R]]
// CHECK: return %[[V]]
func.func @read_of_store(%r: !r, %s: !r, %v: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  pallas.swap %r[...], %v : !r, tensor<8x128xf32>
  %0 = pallas.get %s[...] : !r
  %1 = pallas.get %r[...] : !r
  return %1, %0 : tensor<8x128xf32>, tensor<8x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @store_in_between
// CHECK: %[[V:.*]] = pallas.get
// CHECK: return %[[V]]
func.func @store_in_between(%r: !r, %s: !r, %v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  pallas.swap %r[...], %v : !r, tensor<8x128xf32>
  pallas.addupdate %s[...], %v : !r, tensor<8x128xf32>
  %1 = pallas.get %r[...] : !r
  return %1 : tensor<8x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @true_masks
// CHECK: pallas.swap
// CHECK: pallas.get
func.func @true_masks(%r: !r, %s: !r, %v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = arith.constant dense<true> : tensor<8x128xi1>
  %0 = pallas.masked_swap %r[...], %v mask %m : !r, tensor<8x128xf32>, tensor<8x128xi1>
  %1 = pallas.masked_load %s[...] mask %m other %v : !r, tensor<8x128xi1>, other tensor<8x128xf32>
  return %1 : tensor<8x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @views
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xf32, vmem>
// CHECK-DAG: %[[A:.*]] = pallas.get %[[R]][...]
// CHECK-DAG: %[[B:.*]] = pallas.reshape_ref %[[R]] : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<1024xf32, vmem>
func.func @views(%r: !r) -> (tensor<8x128xf32>, tensor<1024xf32>) {
  %0 = pallas.transpose_ref %r, [1, 0] : !r -> !pallas.ref<128x8xf32, vmem>
  %1 = pallas.transpose_ref %0, [1, 0] : !pallas.ref<128x8xf32, vmem> -> !r
  %2 = pallas.get %1[...] : !r
  %3 = pallas.reshape_ref %r : !r -> !pallas.ref<2x512xf32, vmem>
  %4 = pallas.reshape_ref %3 : !pallas.ref<2x512xf32, vmem> -> !pallas.ref<1024xf32, vmem>
  %5 = pallas.get %4[...] : !pallas.ref<1024xf32, vmem>
  return %2, %5 : tensor<8x128xf32>, tensor<1024xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// Scratch is memory of its own: stores to it change no other ref.
// CHECK-LABEL: func.func @store_to_scratch_in_between
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xf32, vmem>, %[[V:.*]]: tensor<8x128xf32>
// CHECK: pallas.run_scoped (%[[S:.*]]: !pallas.ref<8x128xf32, vmem>)
// CHECK-NOT: pallas.get %[[R]]
// CHECK: %[[W:.*]] = pallas.get %[[S]]
// CHECK: arith.addf %[[V]], %[[W]]
func.func @store_to_scratch_in_between(%r: !r, %v: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.run_scoped (%s: !r) -> tensor<8x128xf32> {
    pallas.swap %s[...], %v : !r, tensor<8x128xf32>
    pallas.swap %r[...], %v : !r, tensor<8x128xf32>
    pallas.addupdate %s[...], %v : !r, tensor<8x128xf32>
    %0 = pallas.get %r[...] : !r
    %1 = pallas.get %s[...] : !r
    %2 = arith.addf %0, %1 : tensor<8x128xf32>
    pallas.yield %2 : tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @cast_of_cast
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xf32, vmem>
// CHECK-DAG: pallas.bitcast_ref %[[R]] : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<32x128xi8, vmem>
// CHECK-DAG: pallas.get %[[R]][...]
func.func @cast_of_cast(%r: !pallas.ref<8x128xf32, vmem>) -> (tensor<32x128xi8>, tensor<8x128xf32>) {
  %0 = pallas.bitcast_ref %r : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<16x128xbf16, vmem>
  %1 = pallas.bitcast_ref %0 : !pallas.ref<16x128xbf16, vmem> -> !pallas.ref<32x128xi8, vmem>
  %2 = pallas.bitcast_ref %0 : !pallas.ref<16x128xbf16, vmem> -> !pallas.ref<8x128xf32, vmem>
  %3 = pallas.get %1[...] : !pallas.ref<32x128xi8, vmem>
  %4 = pallas.get %2[...] : !pallas.ref<8x128xf32, vmem>
  return %3, %4 : tensor<32x128xi8>, tensor<8x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, gmem>

// A store to all devices reaches this one too.
// CHECK-LABEL: func.func @store_to_all_in_between
// CHECK: pallas.multicast_ref
// CHECK: %[[GOT:.*]] = pallas.get
// CHECK: pallas.yield %[[GOT]]
func.func @store_to_all_in_between(%v: tensor<8x128xf32>, %w: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.run_scoped (%r: !r) -> tensor<8x128xf32> {
    %all = pallas.multicast_ref %r axes ["x"] : !r
    pallas.swap %r[...], %v : !r, tensor<8x128xf32>
    pallas.swap %all[...], %w : !r, tensor<8x128xf32>
    %0 = pallas.get %r[...] : !r
    pallas.yield %0 : tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// One name is one memory.
// CSE-LABEL: func.func @globals
// CSE-COUNT-2: pallas.get_global
// CSE-NOT: pallas.get_global
func.func @globals(%v: tensor<8xf32>) {
  %0 = pallas.get_global "a" : !pallas.ref<8xf32, gmem>
  %1 = pallas.get_global "b" : !pallas.ref<8xf32, gmem>
  %2 = pallas.get_global "a" : !pallas.ref<8xf32, gmem>
  pallas.swap %0[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  pallas.swap %1[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  pallas.swap %2[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// Indices count from 0; what a negative one means shows when it is reached.
// CHECK-LABEL: func.func @negative
// CHECK: %[[I:.*]] = arith.constant -1 : i32
// CHECK: pallas.get %{{.*}}[%[[I]], :]
func.func @negative(%r: !r) -> tensor<128xf32> {
  %cm1 = arith.constant -1 : i32
  %0 = pallas.get %r[%cm1, :] : !r
  return %0 : tensor<128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// So would a sum of a position and a constant.
// CHECK-LABEL: func.func @start_and_constant
// CHECK: pallas.slice_ref
func.func @start_and_constant(%r: !r, %i: i32) -> tensor<2x128xf32> {
  %0 = pallas.slice_ref %r[ds(%i, 4), :] : !r
  %1 = pallas.get %0[ds(1, 2), :] : !pallas.ref<4x128xf32, vmem>
  return %1 : tensor<2x128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// A view that may leave its ref moves inside as a whole: its first row is no
// longer row %i then.
// CHECK-LABEL: func.func @view_may_move
// CHECK: %[[V:.*]] = pallas.slice_ref %{{.*}}[ds(%{{.*}}, 4), :]
// CHECK: pallas.get %[[V]][0, :]
// CHECK: %[[W:.*]] = pallas.slice_ref %{{.*}}[ds(%{{.*}}, 4), :]
// CHECK: pallas.masked_swap %[[W]][...]
func.func @view_may_move(%r: !r, %i: i32, %v: tensor<4x128xf32>, %m: tensor<4x128xi1>) -> tensor<128xf32> {
  %0 = pallas.slice_ref %r[ds(%i, 4), :] : !r
  %1 = pallas.get %0[0, :] : !pallas.ref<4x128xf32, vmem>
  %2 = pallas.slice_ref %r[ds(%i, 4), :] : !r
  %3 = pallas.masked_swap %2[...], %v mask %m : !pallas.ref<4x128xf32, vmem>, tensor<4x128xf32>, tensor<4x128xi1>
  return %1 : tensor<128xf32>
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// What lies behind the view lies inside of the ref.
// CHECK-LABEL: func.func @beyond_view
// CHECK: %[[V:.*]] = pallas.slice_ref %{{.*}}[ds(0, 4), :]
// CHECK: pallas.get %[[V]][ds(%{{.*}}, 2), :]
// CHECK: pallas.get %[[V]][gather(%{{.*}} : tensor<3xi32>), :]
func.func @beyond_view(%r: !r, %i: i32, %at: tensor<3xi32>) -> (tensor<2x128xf32>, tensor<3x128xf32>) {
  %0 = pallas.slice_ref %r[ds(0, 4), :] : !r
  %1 = pallas.get %0[ds(%i, 2), :] : !pallas.ref<4x128xf32, vmem>
  %2 = pallas.get %0[gather(%at : tensor<3xi32>), :] : !pallas.ref<4x128xf32, vmem>
  return %1, %2 : tensor<2x128xf32>, tensor<3x128xf32>
}

// -----

!r = !pallas.ref<64xf32, gmem>

// Accesses that stay in place and those that move inside are one where slices
// lie inside for sure: the grid and loops bound their starts.
// CHECK-LABEL: func.func @inside
// CHECK: %[[V:.*]] = pallas.get %[[X:.*]][ds(%{{.*}}, 16)]
// CHECK: pallas.swap %{{.*}}[ds(%{{.*}}, 16)], %[[V]]
// CHECK: scf.for
// CHECK: pallas.get %[[X]][ds(%{{.*}}, 8)]
func.func @inside(%x: tensor<64xf32>) -> tensor<64xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<64xf32>) block<[64], gmem> out(tensor<64xf32>) block<[64], gmem>
      kernel(%xr: !r, %or: !r) {
    %p = pallas.program_id 0
    %c16 = arith.constant 16 : i32
    %start = arith.muli %p, %c16 : i32
    %all = arith.constant dense<true> : tensor<16xi1>
    %v = pallas.masked_load %xr[ds(%start, 16)] : !r
    pallas.masked_swap %or[ds(%start, 16)], %v mask %all : !r, tensor<16xf32>, tensor<16xi1>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    scf.for %j = %c0 to %c7 step %c1 : i32 {
      %c8 = arith.constant 8 : i32
      %at = arith.muli %j, %c8 : i32
      %w = pallas.masked_load %xr[ds(%at, 8)] : !r
      pallas.swap %or[ds(0, 8)], %w : !r, tensor<8xf32>
    }
  }
  return %o : tensor<64xf32>
}

// -----

!r = !pallas.ref<64xf32, gmem>

// CHECK-LABEL: func.func @hangs_over
// CHECK: pallas.masked_load %{{.*}}[ds(%{{.*}}, 16)]
// CHECK: pallas.masked_swap
// CHECK: pallas.masked_load %{{.*}}[ds(56, 16)]
// CHECK: pallas.get %{{.*}}[%{{.*}}]
func.func @hangs_over(%x: tensor<64xf32>) -> tensor<64xf32> {
  %o = pallas.pallas_call grid(5)
      in(%x : tensor<64xf32>) block<[64], gmem> out(tensor<64xf32>) block<[64], gmem>
      kernel(%xr: !r, %or: !r) {
    %p = pallas.program_id 0
    %c16 = arith.constant 16 : i32
    %start = arith.muli %p, %c16 : i32
    %all = arith.constant dense<true> : tensor<16xi1>
    %v = pallas.masked_load %xr[ds(%start, 16)] : !r
    pallas.masked_swap %or[ds(%start, 16)], %v mask %all : !r, tensor<16xf32>, tensor<16xi1>
    %w = pallas.masked_load %xr[ds(56, 16)] : !r
    pallas.swap %or[ds(0, 16)], %w : !r, tensor<16xf32>
    // A single element has nothing beside it that could move.
    %s = pallas.masked_load %xr[%start] : !r
    pallas.swap %or[0], %s : !r, f32
  }
  return %o : tensor<64xf32>
}
