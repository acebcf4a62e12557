// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu | FileCheck %s

// The warp waits for its own lanes: the barrier of the warpgroup would hang in a branch that one warp takes.
// CHECK-LABEL: module @commits
// CHECK: mosaic_gpu.warp_map
// CHECK: scf.index_switch
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.bar.warp.sync
func.func @commits() {
  pallas.mpmd_map
      kernel @commits on <gpu, [<grid "i" = 1>]> () {
    pallas.core_map <warp, [<warp "w" = 4>]> () {
      %w = pallas.axis_index "w"
      %c1 = arith.constant 1 : i32
      %second = arith.cmpi eq, %w, %c1 : i32
      scf.if %second {
        pallas.commit_smem
      }
    }
  }
  return
}
