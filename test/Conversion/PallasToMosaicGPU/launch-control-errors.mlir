// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file --verify-diagnostics

// Only warpgroups take over work, along axes of the grid, and each block has a barrier of its own for the answer.

!answer = !pallas.ref<16xi8, smem>

func.func @answer_to_all_blocks() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%answer: !answer, %b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>) {
      // expected-error @below {{signals '!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>'; the answer comes to a barrier of each block, so give it one of its own}}
      pallas.try_cluster_cancel %answer signals %b : !answer, !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
    }
  }
  return
}

// -----

!answer = !pallas.ref<16xi8, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @question_of_a_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%answer: !answer, %b: !bar) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        // expected-error @below {{takes over work of other blocks in the code of one warp; warpgroups do so, so move it outside of the core_map}}
        pallas.try_cluster_cancel %answer signals %b : !answer, !bar
      }
    }
  }
  return
}

// -----

!answer = !pallas.ref<16xi8, smem>

func.func @work_along_the_cluster() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%answer: !answer) {
      // expected-error @below {{asks for work along 'c', an axis of role cluster; name axes of the grid}}
      %c, %found = pallas.query_cluster_cancel %answer along ["c"] : !answer
    }
  }
  return
}
