// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu --canonicalize --split-input-file | FileCheck %s

// Where an index map may point outside, the start of the window is moved inside; negative ones
// count from the end first. That of a program id is known to be inside.

// CHECK-LABEL: func.func @window_outside(
// CHECK: %[[AT:.*]] = memref.load %{{.*}} : memref<i32
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[AT]] : i32 to index
// CHECK: %[[START:.*]] = arith.muli %[[INDEX]], %{{.*}} : index
// CHECK: %[[WRAPPED:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK: %[[POSITIVE:.*]] = arith.select %{{.*}}, %[[WRAPPED]], %[[START]] : index
// CHECK: %[[LOW:.*]] = arith.minsi %[[POSITIVE]], %{{.*}} : index
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[LOW]], %{{.*}} : index
// CHECK: memref.subview %{{.*}}[%[[INSIDE]]] [4] [1]
// CHECK-NOT: arith.minsi
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: bufferization.to_tensor
func.func @window_outside(%x: tensor<16xf32>, %t: tensor<4xi32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4) prefetch(%t : tensor<4xi32>)
      in(%x : tensor<16xf32>) block<[4], vmem> map(%i, %tr) {
        %at = pallas.get %tr[%i] : !pallas.ref<4xi32, smem>
        pallas.yield %at : i32
      }
      out(tensor<16xf32>) block<[4], vmem> map(%i, %tr) {
        pallas.yield %i : i32
      }
      kernel(%tr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<16xf32>
}

// -----

// A squeezed dimension is dropped from the window; an element dimension starts where the map says,
// not at a multiple of the block.

// CHECK-LABEL: func.func @squeezed_window(
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NOT: arith.muli
// CHECK: memref.subview %{{.*}}[%[[I]], %[[I]]] [1, 4] [1, 1] : memref<3x8xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: memref.subview %{{.*}}[%[[I]], 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<8xf32, strided<[1], offset: ?>>
func.func @squeezed_window(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<3x8xf32>) block<[squeezed, element<4>], vmem> map(%i) -> (%i, %i)
      out(tensor<3x8xf32>) block<[squeezed, 8], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[ds(0, 4)], %v : !pallas.ref<8xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<3x8xf32>
}

// -----

// Padding of element dimensions lies in front, too, so the array is copied to a larger one.

// CHECK-LABEL: func.func @padded_element(
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[PADDED:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12xf32>
// CHECK: linalg.fill ins(%[[NAN]] : f32) outs(%[[PADDED]] : memref<12xf32>)
// CHECK: %[[ARRAY:.*]] = memref.subview %[[PADDED]][1] [8] [1]
// CHECK: memref.copy %{{.*}}, %[[ARRAY]]
// CHECK: scf.for
// CHECK: memref.subview %[[PADDED]][%{{.*}}] [4] [1]
func.func @padded_element(%x: tensor<8xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<8xf32>) block<[element<4, 1, 1>], vmem> map(%i) -> (%i)
      out(tensor<16xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<16xf32>
}

// -----

// A block that is larger than its array is a copy, for the only program there is.

// CHECK-LABEL: func.func @large_block(
// CHECK: %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3xf32>
// CHECK: %[[IN:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[IN]] : memref<8xf32>)
// CHECK: %[[PART:.*]] = memref.subview %[[IN]][0] [3] [1]
// CHECK: memref.copy %{{.*}}, %[[PART]]
// CHECK: %[[WINDOW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NOT: linalg.fill
// CHECK: %[[WRITTEN:.*]] = memref.subview %[[WINDOW]][0] [3] [1]
// CHECK: memref.copy %[[WRITTEN]], %[[OUT]]
func.func @large_block(%x: tensor<3xf32>) -> tensor<3xf32> {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<3xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<3xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<3xf32>
}

// -----

// An output that shares the memory of an operand starts as a copy of it, since values never change.

// CHECK-LABEL: func.func @aliased(
// CHECK: %[[IN:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK: %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[IN]], %[[OUT]]
// CHECK: scf.for
// CHECK: memref.subview %[[OUT]]
func.func @aliased(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<2xf32, vmem>, %or: !pallas.ref<2xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xf32, vmem>
    pallas.addupdate %or[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// What a kernel writes to an input is seen by later programs, and not by the caller.

// CHECK-LABEL: func.func @written_input(
// CHECK: %[[IN:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: memref.copy %[[IN]], %[[COPY]]
// CHECK: scf.for
// CHECK-NOT: %[[IN]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[COPY]]
// CHECK-NOT: %[[IN]]
// CHECK: return
func.func @written_input(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.addupdate %xr[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %w = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// The bound of the loop is the operand; nothing is known about the last program, so its window is
// moved inside.

// CHECK-LABEL: func.func @dynamic_grid(
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %[[N:.*]]: i32)
// CHECK: %[[BOUND:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BOUND]] step
// CHECK: %[[INSIDE:.*]] = arith.maxsi
// CHECK: memref.subview %{{.*}}[%[[INSIDE]]] [2] [1]
func.func @dynamic_grid(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(%n)
      in(%x : tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<2xf32, vmem>, %or: !pallas.ref<2xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// A pipeline is a loop over windows of refs, as a grid is one over windows of arrays.

// CHECK-LABEL: func.func @pipeline(
// CHECK: %[[IN:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK: %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.subview %[[IN]][%{{.*}}] [2] [1]
// CHECK: %[[B:.*]] = memref.subview %[[OUT]][%{{.*}}] [2] [1]
// CHECK: %[[V:.*]] = bufferization.to_tensor %[[A]]
// CHECK: bufferization.materialize_in_destination %[[V]] in restrict writable %[[B]]
func.func @pipeline(%x: tensor<6xf32>) -> tensor<6xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<6xf32>) block<[6], any>
      out(tensor<6xf32>) block<[6], any>
      kernel(%xr: !pallas.ref<6xf32, any>, %or: !pallas.ref<6xf32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>, %b: !pallas.ref<2xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<2xf32, vmem>
      pallas.swap %b[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
    }
  }
  return %o : tensor<6xf32>
}

// -----

// Grids that are loops already. The block that a counter numbers lies inside of the array; other
// blocks are moved inside. Padding is around a copy, which goes back behind the loops.

// CHECK-LABEL: func.func @windows_of_loops(
// CHECK: %[[X:.*]] = memref.alloc() {alignment = 64 : i64} : memref<10x8xf32>
// CHECK: %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12x8xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[P]] : memref<12x8xf32>)
// CHECK: %[[INSIDE:.*]] = memref.subview %[[P]][1, 0] [10, 8] [1, 1]
// CHECK: memref.copy %[[X]], %[[INSIDE]]
// CHECK: scf.for %[[I:.*]] =
// CHECK-NOT: arith.minsi
// CHECK: %[[START:.*]] = arith.muli %[[I]], %c4 : index
// CHECK-NEXT: %[[ROWS:.*]] = memref.subview %[[P]][%[[START]], 0] [4, 8] [1, 1]
// CHECK: arith.minsi
// CHECK: %[[COLUMN:.*]] = memref.subview %[[P]][%{{.*}}, %{{.*}}] [4, 1] [1, 1] : memref<12x8xf32> to memref<4xf32, strided<[8], offset: ?>>
// CHECK: bufferization.to_tensor %[[COLUMN]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[ROWS]]
// CHECK: }
// CHECK: %[[BACK:.*]] = memref.subview %[[P]][1, 0] [10, 8] [1, 1]
// CHECK: memref.copy %[[BACK]], %[[X]]
func.func @windows_of_loops(%k: i32, %v: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = pallas.empty_ref : !pallas.ref<10x8xf32, any>
  %p = pallas.pad_ref %x low [1, 0] : !pallas.ref<10x8xf32, any> -> !pallas.ref<12x8xf32, any>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = pallas.window %p[%i, %c0 : index, index] block<[4, 8], vmem> : !pallas.ref<12x8xf32, any>
    %b = pallas.window %p[%i, %k : index, i32] block<[4, squeezed], vmem> : !pallas.ref<12x8xf32, any>
    %column = pallas.get %b[...] : !pallas.ref<4xf32, vmem>
    pallas.debug_print "{}" %column : tensor<4xf32>
    pallas.swap %a[...], %v : !pallas.ref<4x8xf32, vmem>, tensor<4x8xf32>
  }
  pallas.unpad_ref %p low [1, 0] to %x : !pallas.ref<12x8xf32, any>, !pallas.ref<10x8xf32, any>
  return
}
