// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=words | FileCheck %s --check-prefix=OUT
// printed.py runs what it becomes.

// One array holds all semaphores: 2x4 that have a name, one that all blocks
// share, then 3 of each of 6 blocks, in the order of blocks.

// CHECK-LABEL: module @words
// CHECK: mosaic_gpu.arrays = [memref<27xi32>, memref<27xi32>]
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: %[[I:.*]] = arith.index_cast %[[Y]] : index to i32
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c3_i32
// CHECK: %[[BLOCK:.*]] = arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: %[[OWN:.*]] = arith.muli %[[BLOCK]], %c3_i32
// CHECK: %[[START:.*]] = arith.muli %[[I]], %c4_i32
// CHECK: %[[NAMED:.*]] = arith.addi %[[START]], %c3_i32
// CHECK: %[[ONE:.*]] = llvm.getelementptr %[[ARRAY:.*]][%[[NAMED]]] : (!llvm.ptr, i32) -> !llvm.ptr, i32
// Lanes have done what the signal tells of.
// CHECK: bar.sync $0, 128
// CHECK: "@$2 red.release.gpu.global.add.u32 [$0], $1;", "l,r,b" %[[ONE]], %c2_i32
// CHECK: %[[THIRD:.*]] = arith.addi %[[OWN]], %c11_i32
// CHECK: %[[LAST:.*]] = llvm.getelementptr %[[ARRAY]][%[[THIRD]]]
// CHECK: "@$2 red.release.gpu.global.add.u32 [$0], $1;", "l,r,b" %[[LAST]], %c1_i32
// A wait that takes nothing looks on.
// CHECK: scf.while
// CHECK: %[[SEEN:.*]] = llvm.inline_asm {{.*}}"ld.relaxed.gpu.global.b32 $0, [$1];", "=r,l" %[[LAST]]
// CHECK: %[[LESS:.*]] = arith.cmpi ult, %[[SEEN]], %c1_i32
// CHECK: scf.condition(%[[LESS]])
// CHECK: fence.acquire.gpu
// CHECK: bar.sync $0, 128
// CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r" %[[LAST]]
// CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r" %[[ONE]]
// CHECK: %[[ALL:.*]] = llvm.getelementptr %[[ARRAY]][8] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: "ld.acquire.gpu.u32 $0, [$1];", "=r,l" %[[ALL]]
// OUT-COUNT-12: nothing is left: 0
// OUT-NOT: nothing
func.func @words() {
  pallas.mpmd_map
      kernel @words on <gpu, [<grid "i" = 2>, <grid "j" = 3>, <thread "wg" = 2>]> () {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %g = pallas.get_global "ready" : !pallas.ref<2x4x!pallas.semaphore, gmem>
    %i = pallas.axis_index "i"
    pallas.run_scoped (%s: !pallas.ref<3x!pallas.semaphore, gmem>) collective ["wg"] {
      %one = pallas.slice_ref %g[%i, 3] : !pallas.ref<2x4x!pallas.semaphore, gmem>
      pallas.semaphore_signal %one, %c2 : !pallas.ref<!pallas.semaphore, gmem>
      %last = pallas.slice_ref %s[2] : !pallas.ref<3x!pallas.semaphore, gmem>
      pallas.semaphore_signal %last, %c1 : !pallas.ref<!pallas.semaphore, gmem>
      pallas.semaphore_wait %last, %c1 {decrement = false} : !pallas.ref<!pallas.semaphore, gmem>
      pallas.semaphore_wait %last, %c1 : !pallas.ref<!pallas.semaphore, gmem>
      pallas.semaphore_wait %one, %c2 : !pallas.ref<!pallas.semaphore, gmem>
      pallas.run_scoped (%all: !pallas.ref<!pallas.semaphore, gmem>) collective ["i", "j", "wg"] {
        %n = pallas.semaphore_read %all : !pallas.ref<!pallas.semaphore, gmem>
        pallas.debug_print "nothing is left: {}" %n : i32
      }
    }
  }
  return
}
