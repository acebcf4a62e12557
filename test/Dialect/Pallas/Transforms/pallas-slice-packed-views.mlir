// RUN: pallas-opt --pallas-slice-packed-views %s | FileCheck %s
// RUN: pallas-opt --pallas-slice-packed-views=checked=true %s | FileCheck %s --check-prefix=CHECKED

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

// A start at run time may be at any of them: 4 rows of halves are in 3 of words. Rows with a step are
// cut with what is between them.
// CHECKED-LABEL: func @rows_around(
// CHECKED: %[[HALVES:.*]] = pallas.bitcast_ref %arg0
// CHECKED: pallas.get %[[HALVES]][ds(%arg1, 4), :]
// CHECK-LABEL: func @rows_around(
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8x128xi32, vmem>, %[[I:.*]]: i32, %[[Q:.*]]: !pallas.ref<32x128xi8, vmem>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[INDEX]], %c0
// CHECK: %[[FROM_END:.*]] = arith.addi %[[INDEX]], %c16
// CHECK: %[[EITHER:.*]] = arith.select %[[NEGATIVE]], %[[FROM_END]], %[[INDEX]]
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[EITHER]], %c0
// CHECK: %[[WORD:.*]] = arith.divui %[[INSIDE]], %c2
// CHECK: %[[FIRST:.*]] = arith.minsi %[[WORD]], %c5
// CHECK: %[[BEGIN:.*]] = arith.muli %[[FIRST]], %c2
// CHECK: %[[REST:.*]] = arith.subi %[[INSIDE]], %[[BEGIN]]
// CHECK: %[[PART:.*]] = pallas.slice_ref %[[R]][ds(%[[FIRST]] index, 3), :] : !pallas.ref<8x128xi32, vmem>
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<3x128xi32, vmem> -> !pallas.ref<6x128xi16, vmem>
// CHECK: pallas.get %[[HALVES]][ds(%[[REST]] index, 4), :]
// CHECK: %[[PART:.*]] = pallas.slice_ref %[[Q]][ds(0, 28), :] : !pallas.ref<32x128xi8, vmem>
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<28x128xi8, vmem> -> !pallas.ref<7x128xi32, vmem>
// CHECK: pallas.get %[[WORDS]][ds(0, 4, 2), :]
func.func @rows_around(%r: !pallas.ref<8x128xi32, vmem>, %i: i32, %q: !pallas.ref<32x128xi8, vmem>) -> (tensor<4x128xi16>, tensor<4x128xi32>) {
  %halves = pallas.bitcast_ref %r : !pallas.ref<8x128xi32, vmem> -> !pallas.ref<16x128xi16, vmem>
  %v = pallas.get %halves[ds(%i, 4), :] : !pallas.ref<16x128xi16, vmem>
  %words = pallas.bitcast_ref %q : !pallas.ref<32x128xi8, vmem> -> !pallas.ref<8x128xi32, vmem>
  %w = pallas.get %words[ds(0, 4, 2), :] : !pallas.ref<8x128xi32, vmem>
  return %v, %w : tensor<4x128xi16>, tensor<4x128xi32>
}

// Rows whose start is known to be that of a word are those of whole words, also in checked code.
// CHECK-LABEL: func @whole_words(
// CHECK: %[[START:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[FIRST:.*]] = arith.divsi %[[START]], %c2
// CHECK: %[[PART:.*]] = pallas.slice_ref %arg0[ds(%[[FIRST]] index, 2), :] : !pallas.ref<8x128xi32, vmem>
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<2x128xi32, vmem> -> !pallas.ref<4x128xi16, vmem>
// CHECK: pallas.get %[[HALVES]][ds(0, 4), :]
// CHECKED-LABEL: func @whole_words(
// CHECKED: pallas.slice_ref %arg0[ds(%{{.*}} index, 2), :]
func.func @whole_words(%r: !pallas.ref<8x128xi32, vmem>, %i: i32) -> tensor<4x128xi16> {
  %c4 = arith.constant 4 : i32
  %product = arith.muli %i, %c4 : i32
  %start = pallas.multiple_of %product, [4] : i32
  %halves = pallas.bitcast_ref %r : !pallas.ref<8x128xi32, vmem> -> !pallas.ref<16x128xi16, vmem>
  %v = pallas.get %halves[ds(%start, 4), :] : !pallas.ref<16x128xi16, vmem>
  return %v : tensor<4x128xi16>
}

// The rows around these may be all that there are.
// CHECK-LABEL: func @all_rows(
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %arg0
// CHECK: pallas.get %[[HALVES]][ds(%arg1, 4), :]
func.func @all_rows(%r: !pallas.ref<3x128xi32, vmem>, %i: i32) -> tensor<4x128xi16> {
  %halves = pallas.bitcast_ref %r : !pallas.ref<3x128xi32, vmem> -> !pallas.ref<6x128xi16, vmem>
  %v = pallas.get %halves[ds(%i, 4), :] : !pallas.ref<6x128xi16, vmem>
  return %v : tensor<4x128xi16>
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

// What goes to a view is bits for the ref.
// CHECK-LABEL: func @copy_to_view(
// CHECK: %[[PART:.*]] = pallas.slice_ref %arg0[ds(8, 8), :]
// CHECK: %[[BYTES:.*]] = pallas.bitcast_ref %arg1 : !pallas.ref<2x128xi32, vmem> -> !pallas.ref<8x128xi8, vmem>
// CHECK: pallas.dma_start %[[BYTES]] to %[[PART]] signals %arg2 core %arg3
func.func @copy_to_view(%r: !pallas.ref<32x128xi8, hbm>, %x: !pallas.ref<2x128xi32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %core: i32) {
  %words = pallas.bitcast_ref %r : !pallas.ref<32x128xi8, hbm> -> !pallas.ref<8x128xi32, hbm>
  %part = pallas.slice_ref %words[ds(2, 2), :] : !pallas.ref<8x128xi32, hbm>
  pallas.dma_start %x to %part signals %s core %core : !pallas.ref<2x128xi32, vmem>, !pallas.ref<2x128xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// Pipelines run over the ref: blocks have its rows, and keep dimensions that the program does not see.
// CHECK-LABEL: func @pipeline(
// CHECK: pallas.emit_pipeline grid(4)
// CHECK-NEXT: in(%arg0 : !pallas.ref<32x128xi8, hbm>) block<[8, 128], vmem>
// CHECK-NEXT: out(%arg1 : !pallas.ref<16x128xi16, hbm>) block<[element<2, 0, 2>, 128], vmem> map(%[[I:.*]]) {
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c2
// CHECK: pallas.yield %[[ROW]], %c0
// CHECK: kernel(%{{.*}}: i32, %[[X:.*]]: !pallas.ref<8x128xi8, vmem>, %[[O:.*]]: !pallas.ref<2x128xi16, vmem>)
// CHECK-NEXT: %[[OUT:.*]] = pallas.bitcast_ref %[[O]] : !pallas.ref<2x128xi16, vmem> -> !pallas.ref<1x128xi32, vmem>
// CHECK-NEXT: %[[PART:.*]] = pallas.slice_ref %[[X]][ds(0, 4), :]
// CHECK-NEXT: %[[IN:.*]] = pallas.bitcast_ref %[[PART]] : !pallas.ref<4x128xi8, vmem> -> !pallas.ref<1x128xi32, vmem>
// CHECK-NEXT: %[[V:.*]] = pallas.get %[[IN]]
// CHECK-NEXT: pallas.swap %[[OUT]][...], %[[V]]
func.func @pipeline(%r: !pallas.ref<32x128xi8, hbm>, %q: !pallas.ref<16x128xi16, hbm>) {
  %words = pallas.bitcast_ref %r : !pallas.ref<32x128xi8, hbm> -> !pallas.ref<8x128xi32, hbm>
  %others = pallas.bitcast_ref %q : !pallas.ref<16x128xi16, hbm> -> !pallas.ref<8x128xi32, hbm>
  %c0 = arith.constant 0 : i32
  pallas.emit_pipeline grid(4)
      in(%words : !pallas.ref<8x128xi32, hbm>) block<[2, 128], vmem> map(%i) {
        pallas.yield %i, %c0 : i32, i32
      }
      out(%others : !pallas.ref<8x128xi32, hbm>) block<[element<1, 0, 1>, 128], vmem> map(%i) {
        pallas.yield %i, %c0 : i32, i32
      }
      kernel(%i: i32, %x: !pallas.ref<2x128xi32, vmem>, %o: !pallas.ref<1x128xi32, vmem>) {
    %v = pallas.get %x[ds(0, 1), :] : !pallas.ref<2x128xi32, vmem>
    pallas.swap %o[...], %v : !pallas.ref<1x128xi32, vmem>, tensor<1x128xi32>
  }
  return
}

// Half a row of the ref is no block of it.
// CHECK-LABEL: func @pipeline_of_parts_of_rows(
// CHECK: %[[HALVES:.*]] = pallas.bitcast_ref %arg0
// CHECK: pallas.emit_pipeline grid(8)
// CHECK-NEXT: in(%[[HALVES]]
func.func @pipeline_of_parts_of_rows(%r: !pallas.ref<4x128xi32, hbm>) {
  %halves = pallas.bitcast_ref %r : !pallas.ref<4x128xi32, hbm> -> !pallas.ref<8x128xi16, hbm>
  %c0 = arith.constant 0 : i32
  pallas.emit_pipeline grid(8)
      in(%halves : !pallas.ref<8x128xi16, hbm>) block<[squeezed, 128], vmem> map(%i) {
        pallas.yield %i, %c0 : i32, i32
      }
      kernel(%i: i32, %x: !pallas.ref<128xi16, vmem>) {
    %v = pallas.get %x[...] : !pallas.ref<128xi16, vmem>
  }
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

// A slice that repeats one lane is no view of the whole part.
// CHECK-LABEL: func.func @repeated_lane
// CHECK: %[[PART:.*]] = pallas.slice_ref %arg0[ds(8, 8), :]
// CHECK: %[[WORDS:.*]] = pallas.bitcast_ref %[[PART]]
// CHECK: pallas.slice_ref %[[WORDS]][ds(0, 2), ds(3, 128, 0)]
func.func @repeated_lane(%r: !pallas.ref<32x128xi8, vmem>) -> tensor<2x128xi32> {
  %words = pallas.bitcast_ref %r : !pallas.ref<32x128xi8, vmem> -> !pallas.ref<8x128xi32, vmem>
  %s = pallas.slice_ref %words[ds(2, 2), ds(3, 128, 0)] : !pallas.ref<8x128xi32, vmem>
  %v = pallas.get %s[:, :] : !pallas.ref<2x128xi32, vmem>
  return %v : tensor<2x128xi32>
}
