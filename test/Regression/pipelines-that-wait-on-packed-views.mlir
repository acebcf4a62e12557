// Two cores write to the blocks of one array, which they view as other elements, and wait for each
// other in between. A copy of the whole view took back to the array what the other core had not
// written yet.

// RUN: pallas-run %s --no-cache --entry=words | FileCheck %s --check-prefix=WORDS
// RUN: pallas-run %s --no-cache --entry=words --check | FileCheck %s --check-prefix=WORDS
// RUN: pallas-run %s --no-cache --entry=words --diff-passes
// WORDS: words: {{\[}}[0 0] [1 1] [2 2] [3 3] [4 4] [5 5] [6 6] [7 7]]
// RUN: pallas-run %s --no-cache --entry=partial | FileCheck %s --check-prefix=PARTIAL
// RUN: pallas-run %s --no-cache --entry=partial --diff-passes
// PARTIAL: partial: {{\[}}[0 0] [1 1] [2 2] [3 3] [4 4] [5 5] [6 6] [7 7] [8 8] [9 9] [10 10] [11 11] [12 12] [13 13]]
// RUN: pallas-run %s --no-cache --entry=halves | FileCheck %s --check-prefix=HALVES
// RUN: pallas-run %s --no-cache --entry=halves --diff-passes
// HALVES: halves: {{\[}}[0 0] [1 1] [2 2] [3 3]]
!sem = !pallas.ref<!pallas.semaphore, semaphore>

// Each row of the view is two rows, and the block has no dimension of rows.
!bytes = !pallas.ref<8x2xi16, hbm>
!words = !pallas.ref<4x2xi32, hbm>
!word = !pallas.ref<2xi32, vmem>
func.func @words() {
  %x = pallas.iota 0 : tensor<8x2xi16>
  %o = pallas.pallas_call grid() in(%x : tensor<8x2xi16>) block<[8, 2], hbm> out(tensor<8x2xi16>) block<[8, 2], hbm>
      kernel(%xb: !bytes, %ob: !bytes) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %other = arith.subi %c1, %core : i32
      %first = arith.muli %core, %c2 : i32
      %xr = pallas.bitcast_ref %xb : !bytes -> !words
      %or = pallas.bitcast_ref %ob : !bytes -> !words
      pallas.run_scoped (%s: !sem) {
        pallas.emit_pipeline grid(2)
            in(%xr : !words) block<[squeezed, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at, %c0 : i32, i32
            }
            out(%or : !words) block<[squeezed, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at, %c0 : i32, i32
            }
            kernel(%i: i32, %a: !word, %b: !word) {
          %v = pallas.get %a[...] : !word
          pallas.swap %b[...], %v : !word, tensor<2xi32>
          pallas.semaphore_signal %s, %c1 core %other : !sem
          pallas.semaphore_wait %s, %c1 : !sem
        }
      }
    }
  }
  pallas.debug_print "words: {}" %o : tensor<8x2xi16>
  return
}

// Seven rows of the view, in blocks of two. The input starts at any element.
!many_bytes = !pallas.ref<14x2xi16, hbm>
!many_words = !pallas.ref<7x2xi32, hbm>
!two_words = !pallas.ref<2x2xi32, vmem>
func.func @partial() {
  %x = pallas.iota 0 : tensor<14x2xi16>
  %o = pallas.pallas_call grid() in(%x : tensor<14x2xi16>) block<[14, 2], hbm> out(tensor<14x2xi16>) block<[14, 2], hbm>
      kernel(%xb: !many_bytes, %ob: !many_bytes) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %other = arith.subi %c1, %core : i32
      %first = arith.muli %core, %c2 : i32
      %xr = pallas.bitcast_ref %xb : !many_bytes -> !many_words
      %or = pallas.bitcast_ref %ob : !many_bytes -> !many_words
      pallas.run_scoped (%s: !sem) {
        pallas.emit_pipeline grid(2)
            in(%xr : !many_words) block<[element<2, 0, 1>, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              %row = arith.muli %at, %c2 : i32
              pallas.yield %row, %c0 : i32, i32
            }
            out(%or : !many_words) block<[2, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at, %c0 : i32, i32
            }
            kernel(%i: i32, %a: !two_words, %b: !two_words) {
          %v = pallas.get %a[...] : !two_words
          pallas.swap %b[...], %v : !two_words, tensor<2x2xi32>
          pallas.semaphore_signal %s, %c1 core %other : !sem
          pallas.semaphore_wait %s, %c1 : !sem
        }
      }
    }
  }
  pallas.debug_print "partial: {}" %o : tensor<14x2xi16>
  return
}

// Blocks of half a row: no block of the ref is one.
!rows = !pallas.ref<4x2xi32, hbm>
!half_rows = !pallas.ref<8x2xi16, hbm>
!half_row = !pallas.ref<1x2xi16, vmem>
func.func @halves() {
  %x = pallas.iota 0 : tensor<4x2xi32>
  %o = pallas.pallas_call grid() in(%x : tensor<4x2xi32>) block<[4, 2], hbm> out(tensor<4x2xi32>) block<[4, 2], hbm>
      kernel(%xb: !rows, %ob: !rows) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %core = pallas.axis_index "core"
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %other = arith.subi %c1, %core : i32
      %first = arith.muli %core, %c4 : i32
      %xr = pallas.bitcast_ref %xb : !rows -> !half_rows
      %or = pallas.bitcast_ref %ob : !rows -> !half_rows
      pallas.run_scoped (%s: !sem) {
        pallas.emit_pipeline grid(4)
            in(%xr : !half_rows) block<[1, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at, %c0 : i32, i32
            }
            out(%or : !half_rows) block<[1, 2], vmem> map(%i) {
              %at = arith.addi %i, %first : i32
              pallas.yield %at, %c0 : i32, i32
            }
            kernel(%i: i32, %a: !half_row, %b: !half_row) {
          %v = pallas.get %a[...] : !half_row
          pallas.swap %b[...], %v : !half_row, tensor<1x2xi16>
          pallas.semaphore_signal %s, %c1 core %other : !sem
          pallas.semaphore_wait %s, %c1 : !sem
        }
      }
    }
  }
  pallas.debug_print "halves: {}" %o : tensor<4x2xi32>
  return
}
