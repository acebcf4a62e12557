// RUN: pallas-opt --pallas-slice-packed-views %s | FileCheck %s

// Words over quarters: rows of the ref are four times as many, also where the
// start is known at run time only. An index in front of the rows goes first.
// CHECK-LABEL: func @words_of_bytes(
// CHECK-SAME: %[[R:.*]]: !pallas.ref<3x32x128xi8, hbm>, %[[P:.*]]: i32, %[[I:.*]]: i32
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[FIRST:.*]] = arith.muli %[[INDEX]], %c4
// CHECK: %[[PART:.*]] = pallas.slice_ref %[[R]][%[[P]], ds(%[[FIRST]] index, 8), ds(64, 32)] : !pallas.ref<3x32x128xi8, hbm>
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<8x32xi8, hbm> -> !pallas.ref<2x32xi32, hbm>
// CHECK: pallas.get %[[WORDS]][ds(0, 2), ds(0, 32)]
func.func @words_of_bytes(%r: !pallas.ref<3x32x128xi8, hbm>, %p: i32, %i: i32) -> tensor<2x32xi32> {
  %words = pallas.bitcast_ref %r : !pallas.ref<3x32x128xi8, hbm> -> !pallas.ref<3x8x128xi32, hbm>
  %v = pallas.get %words[%p, ds(%i, 2), ds(64, 32)] : !pallas.ref<3x8x128xi32, hbm>
  return %v : tensor<2x32xi32>
}

// A row is four rows of which the view has one.
// CHECK-LABEL: func @row(
// CHECK: %[[PART:.*]] = pallas.slice_ref %{{.*}}[ds(12, 4), ds(7, 1)] : !pallas.ref<32x128xi8, vmem>
// CHECK: %[[WORD:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<4x1xi8, vmem> -> !pallas.ref<1x1xi32, vmem>
// CHECK: pallas.swap %[[WORD]][0, 0]
func.func @row(%r: !pallas.ref<32x128xi8, vmem>, %v: i32) {
  %words = pallas.bitcast_ref %r : !pallas.ref<32x128xi8, vmem> -> !pallas.ref<8x128xi32, vmem>
  pallas.swap %words[3, 7], %v : !pallas.ref<8x128xi32, vmem>, i32
  return
}

// Rows that are parts of rows: the first of them may be inside of one.
// CHECK-LABEL: func @halves_of_words(
// CHECK: %[[PART:.*]] = pallas.slice_ref %{{.*}}[ds(1, 3), :] : !pallas.ref<8x128xi32, vmem>
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<3x128xi32, vmem> -> !pallas.ref<6x128xi16, vmem>
// CHECK: pallas.get %[[HALVES]][ds(1, 4), :]
func.func @halves_of_words(%r: !pallas.ref<8x128xi32, vmem>) -> tensor<4x128xi16> {
  %halves = pallas.bitcast_ref %r : !pallas.ref<8x128xi32, vmem> -> !pallas.ref<16x128xi16, vmem>
  %v = pallas.get %halves[ds(3, 4), :] : !pallas.ref<16x128xi16, vmem>
  return %v : tensor<4x128xi16>
}

// A start at run time may be at any of them, and so may rows with a step.
// CHECK-LABEL: func @all_rows(
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %arg0
// CHECK: pallas.get %[[HALVES]][ds(%arg1, 4), :]
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %arg2
// CHECK: pallas.get %[[WORDS]][ds(0, 4, 2), :]
func.func @all_rows(%r: !pallas.ref<8x128xi32, vmem>, %i: i32, %q: !pallas.ref<32x128xi8, vmem>) -> (tensor<4x128xi16>, tensor<4x128xi32>) {
  %halves = pallas.bitcast_ref %r : !pallas.ref<8x128xi32, vmem> -> !pallas.ref<16x128xi16, vmem>
  %v = pallas.get %halves[ds(%i, 4), :] : !pallas.ref<16x128xi16, vmem>
  %words = pallas.bitcast_ref %q : !pallas.ref<32x128xi8, vmem> -> !pallas.ref<8x128xi32, vmem>
  %w = pallas.get %words[ds(0, 4, 2), :] : !pallas.ref<8x128xi32, vmem>
  return %v, %w : tensor<4x128xi16>, tensor<4x128xi32>
}

// What a slice leaves of the view is sliced again.
// CHECK-LABEL: func @slices_of_slices(
// CHECK: pallas.slice_ref %{{.*}}[1, :, :] : !pallas.ref<3x32x128xi8, hbm>
// CHECK: %[[PART:.*]] = pallas.slice_ref %{{.*}}[ds(8, 4), :] : !pallas.ref<32x128xi8, hbm>
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<4x128xi8, hbm> -> !pallas.ref<1x128xi32, hbm>
// CHECK: pallas.dma_start %[[WORDS]] to %arg1
func.func @slices_of_slices(%r: !pallas.ref<3x32x128xi8, hbm>, %t: !pallas.ref<1x128xi32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  %words = pallas.bitcast_ref %r : !pallas.ref<3x32x128xi8, hbm> -> !pallas.ref<3x8x128xi32, hbm>
  %page = pallas.slice_ref %words[1, :, :] : !pallas.ref<3x8x128xi32, hbm>
  %row = pallas.slice_ref %page[ds(2, 1), :] : !pallas.ref<8x128xi32, hbm>
  pallas.dma_start %row to %t signals %s : !pallas.ref<1x128xi32, hbm>, !pallas.ref<1x128xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// Rows that an array names are copied one by one.
// CHECK-LABEL: func @gathered_rows(
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c16{{.*}} step
// CHECK: %[[ROW:.*]] = tensor.extract %arg1[%[[K]]]
// CHECK: %[[FIRST:.*]] = arith.muli
// CHECK: %[[PART:.*]] = pallas.slice_ref %arg0[ds(%[[FIRST]] index, 4), :]
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<4x128xi8, hbm> -> !pallas.ref<1x128xi32, hbm>
// CHECK: %[[TO:.*]] = pallas.slice_ref %arg2[ds(%[[K]] index, 1), :]
// CHECK: pallas.dma_start %[[WORDS]] to %[[TO]] signals %arg3
func.func @gathered_rows(%r: !pallas.ref<256x128xi8, hbm>, %i: tensor<16xi32>, %t: !pallas.ref<16x128xi32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  %words = pallas.bitcast_ref %r : !pallas.ref<256x128xi8, hbm> -> !pallas.ref<64x128xi32, hbm>
  %rows = pallas.slice_ref %words[gather(%i : tensor<16xi32>), :] : !pallas.ref<64x128xi32, hbm>
  pallas.dma_start %rows to %t signals %s : !pallas.ref<16x128xi32, hbm>, !pallas.ref<16x128xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// Elements of one width are the same memory.
// CHECK-LABEL: func @same_width(
// CHECK: %[[BITS:.*]] = pallas.bitcast_ref %arg0
// CHECK: pallas.get %[[BITS]][3, :]
func.func @same_width(%r: !pallas.ref<8x128xf32, vmem>) -> tensor<128xi32> {
  %bits = pallas.bitcast_ref %r : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<8x128xi32, vmem>
  %v = pallas.get %bits[3, :] : !pallas.ref<8x128xi32, vmem>
  return %v : tensor<128xi32>
}
