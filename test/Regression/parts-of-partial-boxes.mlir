// A box that extends past the array, of which a copy takes a part that lies inside: the larger box was moved inside, and the
// part with it. The halves of copies of two blocks are such parts.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=main --check | FileCheck %s

// CHECK: part: [0 1 2 3 8 9 10 11]
// CHECK: stored: [0 1 2 3 4 5 6 7 8 9 10 11]
// CHECK: halves: [0 1 2 3 4 5 6 7 8 9 10 11 0 0 0 0]
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
func.func @main() {
  %x = pallas.iota 0 : tensor<12xi32>
  // Elements 0 to 11, and 8 to 19.
  %part = pallas.mpmd_map in(%x : tensor<12xi32>) out(tensor<2x4xi32>)
      kernel @part on <gpu, [<grid "i" = 2>]> (%xr: !pallas.ref<12xi32, gmem>, %or: !pallas.ref<2x4xi32, gmem>) {
    %i = pallas.axis_index "i"
    %c8 = arith.constant 8 : i32
    %at = arith.muli %i, %c8 : i32
    pallas.run_scoped (%s: !pallas.ref<4xi32, smem>, %b: !bar) {
      %box = pallas.slice_ref %xr[ds(%at, 12)] : !pallas.ref<12xi32, gmem>
      %first = pallas.slice_ref %box[ds(0, 4)] : !pallas.ref<12xi32, gmem>
      pallas.copy_gmem_to_smem %first to %s signals %b : !pallas.ref<4xi32, gmem>, !pallas.ref<4xi32, smem>, !bar
      pallas.barrier_wait %b : !bar
      %v = pallas.get %s[...] : !pallas.ref<4xi32, smem>
      pallas.swap %or[%i, :], %v : !pallas.ref<2x4xi32, gmem>, tensor<4xi32>
    }
  }
  %rows = pallas.reshape %part : tensor<2x4xi32> -> tensor<8xi32>
  pallas.debug_print "part: {}" %rows : tensor<8xi32>
  %stored = pallas.mpmd_map in(%x : tensor<12xi32>) out(tensor<12xi32>)
      kernel @stored on <gpu, [<grid "i" = 3>]> (%xr: !pallas.ref<12xi32, gmem>, %or: !pallas.ref<12xi32, gmem>) {
    %i = pallas.axis_index "i"
    %c4 = arith.constant 4 : i32
    %at = arith.muli %i, %c4 : i32
    pallas.run_scoped (%s: !pallas.ref<4xi32, smem>) {
      %v = pallas.get %xr[ds(%at, 4)] : !pallas.ref<12xi32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<4xi32, smem>, tensor<4xi32>
      pallas.commit_smem
      %box = pallas.slice_ref %or[ds(%at, 12)] : !pallas.ref<12xi32, gmem>
      %first = pallas.slice_ref %box[ds(0, 4)] : !pallas.ref<12xi32, gmem>
      pallas.copy_smem_to_gmem %s to %first : !pallas.ref<4xi32, smem>, !pallas.ref<4xi32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  pallas.debug_print "stored: {}" %stored : tensor<12xi32>
  // Each block of a pair gets half of the elements 0 to 7, and then of 8 to 15.
  %halves = pallas.mpmd_map in(%x : tensor<12xi32>) out(tensor<4x4xi32>)
      kernel @halves on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> (%xr: !pallas.ref<12xi32, gmem>, %or: !pallas.ref<4x4xi32, gmem>) {
    %i = pallas.axis_index "i"
    %c = pallas.axis_index "c"
    %c8 = arith.constant 8 : i32
    %at = arith.muli %i, %c8 : i32
    %c2 = arith.constant 2 : i32
    %pair = arith.muli %i, %c2 : i32
    %row = arith.addi %pair, %c : i32
    pallas.run_scoped (%s: !pallas.ref<4xi32, smem>, %b: !bar, %m: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>) {
      %box = pallas.slice_ref %xr[ds(%at, 8)] : !pallas.ref<12xi32, gmem>
      pallas.copy_gmem_to_smem %box to %s signals %b collective ["c"] leader_tracked partitioned 0 : !pallas.ref<8xi32, gmem>, !pallas.ref<4xi32, smem>, !bar
      %c0 = arith.constant 0 : i32
      %leads = arith.cmpi eq, %c, %c0 : i32
      scf.if %leads {
        pallas.barrier_wait %b : !bar
      }
      pallas.barrier_arrive %m : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
      pallas.barrier_wait %m : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
      %v = pallas.get %s[...] : !pallas.ref<4xi32, smem>
      pallas.swap %or[%row, :], %v : !pallas.ref<4x4xi32, gmem>, tensor<4xi32>
    }
  }
  %all = pallas.reshape %halves : tensor<4x4xi32> -> tensor<16xi32>
  pallas.debug_print "halves: {}" %all : tensor<16xi32>
  return
}
