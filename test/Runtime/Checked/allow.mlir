// What is allowed is passed over, and changes no result.

// By kind, everywhere or at a place.
// RUN: not pallas-run %s --no-cache --check --entry short_grid 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: pallas-run %s --no-cache --check --entry short_grid --allow=output-not-written
// RUN: pallas-run %s --no-cache --check --entry short_grid --allow='data-race, output-not-written@allow.mlir'
// RUN: pallas-run %s --no-cache --check --entry short_grid --allow=output-not-written@Checked/allow.mlir:44
// RUN: pallas-run %s --no-cache --check --entry short_grid --allow=output-not-written@%s:44
// RUN: not pallas-run %s --no-cache --check --entry short_grid --allow=output-not-written@allow.mlir:45 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not pallas-run %s --no-cache --check --entry short_grid --allow=output-not-written@low.mlir 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not pallas-run %s --no-cache --check --entry short_grid --allow=output-revisited 2>&1 | FileCheck %s --check-prefix=SHORT

// By a comment.
// RUN: pallas-run %s --no-cache --check --entry comment_at_line
// RUN: pallas-run %s --no-cache --check --entry comment_above
// RUN: not pallas-run %s --no-cache --check --entry comment_too_far 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not pallas-run %s --no-cache --check --entry comment_on_other_kind 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not pallas-run %s --no-cache --check --entry comment_on_no_kind 2>&1 | FileCheck %s --check-prefix=COMMENT

// Other mistakes of the kernel are still found.
// RUN: not pallas-run %s --no-cache --check --entry two_mistakes --allow=output-not-written 2>&1 | FileCheck %s --check-prefix=READ --implicit-check-not=output
// RUN: not pallas-run %s --no-cache --check --entry two_mistakes --allow=uninitialised-read 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not=uninitialised
// RUN: pallas-run %s --no-cache --check --entry two_mistakes --allow=uninitialised-read,output-not-written

// Results are those of plain code: of a sum that meets padding, and of indices
// that count from the end or lie outside.
// RUN: rm -rf %t && mkdir %t
// RUN: pallas-run %s --no-cache --entry padding --out %t/plain.npy
// RUN: pallas-run %s --no-cache --entry padding --check --allow=padding-in-a-result --out %t/checked.npy
// RUN: cmp %t/plain.npy %t/checked.npy
// RUN: pallas-run %s --no-cache --entry from_the_end --out %t/plain.npy
// RUN: not pallas-run %s --no-cache --entry from_the_end --check 2>&1 | FileCheck %s --check-prefix=END
// RUN: pallas-run %s --no-cache --entry from_the_end --check --allow=access-out-of-bounds --out %t/checked.npy
// RUN: cmp %t/plain.npy %t/checked.npy

// RUN: not pallas-run %s --check --allow=output-not-writen 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not pallas-run %s --check --allow=data-race@ 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not pallas-run %s --check --allow=data-race@allow.mlir:x 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not pallas-run %s --allow=data-race 2>&1 | FileCheck %s --check-prefix=CHECK

!block = !pallas.ref<8x4xf32, vmem>

func.func @short_grid() -> tensor<20x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}
// SHORT: allow.mlir:44:8: error: output not written
// SHORT: allow.mlir:44:8: note: to allow it here, write '// pallas: allow(output-not-written)'

func.func @comment_at_line() -> tensor<20x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0) // pallas: allow(output-not-written)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @comment_above() -> tensor<20x4xf32> {
  // The caller reads the first rows only.
  // pallas: allow(data-race, output-not-written)
  // Others stay as they are.
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @comment_too_far() -> tensor<20x4xf32> {
  // pallas: allow(output-not-written)

  // FAR: allow.mlir:[[@LINE+1]]:8: error: output not written
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @comment_on_other_kind() -> tensor<20x4xf32> {
  // OTHER: allow.mlir:[[@LINE+1]]:8: error: output not written
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0) // pallas: allow(output-revisited)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @comment_on_no_kind() -> tensor<20x4xf32> {
  // COMMENT: pallas-run: {{.*}}allow.mlir:[[@LINE+1]]: 'rows' is no kind of mistake; the kinds are uninitialised-read,
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0) // pallas: allow(rows)
      kernel(%or: !block) {
    %v = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @two_mistakes() -> tensor<20x4xf32> {
  // ROWS: allow.mlir:[[@LINE+1]]:8: error: output not written: {{.*}}result 0 depends on it at [16, 0]
  %o = pallas.pallas_call grid(2) out(tensor<20x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%or: !block, %t: !block) {
    // READ: allow.mlir:[[@LINE+1]]:10: error: uninitialised read: {{.*}}result 0 depends on it at [0, 0]
    %v = pallas.get %t[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<20x4xf32>
}

func.func @padding() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<10x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<10x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      out(tensor<4xf32>) block<[4], vmem>
      kernel(%xr: !block, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !block
    %s = pallas.reduce <add> %v dims [0] : tensor<8x4xf32>
    pallas.swap %or[...], %s : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// A gather, a scatter, a slice and an atomic update.
func.func @from_the_end() -> (tensor<4xi32>, tensor<8xi32>) {
  %x = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %z = arith.constant dense<0> : tensor<8xi32>
  %o:2 = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], vmem> in(%z : tensor<8xi32>) block<[8], vmem>
      out(tensor<4xi32>) block<[4], vmem> out(tensor<8xi32>) block<[8], vmem> aliases [1 -> 1]
      kernel(%xr: !pallas.ref<8xi32, vmem>, %zr: !pallas.ref<8xi32, vmem>,
             %or: !pallas.ref<4xi32, vmem>, %pr: !pallas.ref<8xi32, vmem>) {
    %zeros = pallas.get %zr[...] : !pallas.ref<8xi32, vmem>
    pallas.swap %pr[...], %zeros : !pallas.ref<8xi32, vmem>, tensor<8xi32>
    %ids = arith.constant dense<[-1, 2, 9, -12]> : tensor<4xi32>
    // END: allow.mlir:[[@LINE+1]]:10: error: access out of bounds: 'pallas.get' accesses index -1 in dimension 0 of input 0, which has size 8 (3 times)
    %v = pallas.get %xr[gather(%ids : tensor<4xi32>)] : !pallas.ref<8xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xi32, vmem>, tensor<4xi32>
    // END: allow.mlir:[[@LINE+1]]:5: error: access out of bounds: 'pallas.swap' accesses index -1 in dimension 0 of output 1, which has size 8 (3 times)
    pallas.swap %pr[gather(%ids : tensor<4xi32>)], %v : !pallas.ref<8xi32, vmem>, tensor<4xi32>
    %last = pallas.get %xr[1] : !pallas.ref<8xi32, vmem>
    %c4 = arith.constant 4 : i32
    %at = arith.subi %last, %c4 : i32
    // END: allow.mlir:[[@LINE+1]]:12: error: access out of bounds: 'pallas.atomic_rmw'
    %old = pallas.atomic_rmw <add> %pr[%at], %c4 : !pallas.ref<8xi32, vmem>, i32
  }
  return %o#0, %o#1 : tensor<4xi32>, tensor<8xi32>
}

// KIND: pallas-run: bad --allow: 'output-not-writen' is no kind of mistake; the kinds are uninitialised-read, padding-in-a-result, window-out-of-bounds, access-out-of-bounds, output-not-written, output-revisited, aliased-input-overwritten, data-race, store-not-committed, copy-never-waited-for, semaphore-not-zero, phase-never-waited-for
// NOFILE: pallas-run: bad --allow: 'data-race@' names no file behind '@'; write KIND, KIND@FILE or KIND@FILE:LINE
// PLACE: pallas-run: bad --allow: 'allow.mlir:x' names no place in 'data-race@allow.mlir:x'; write KIND, KIND@FILE or KIND@FILE:LINE
// CHECK: pallas-run: --allow names findings that --check ignores; give --check, too
