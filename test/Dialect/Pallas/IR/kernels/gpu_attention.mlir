// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Attention by warpgroups with roles: two compute, each for 64 rows of queries;
// the third copies blocks of keys and values to two slots in turns. Barriers
// say when a slot is full and when both readers are done with it.

!tile = !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!tiles = !pallas.ref<2x64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!acc = !pallas.accumulator<64x64xf32>
!full = !pallas.barrier<numArrivals = 2>
!one = !pallas.barrier<numArrivals = 1>
!g = !pallas.ref<2x256x64xf16, gmem>

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>)
    -> tensor<2x256x64xf16> {
  %o = pallas.mpmd_map
      in(%q : tensor<2x256x64xf16>)
      in(%k : tensor<2x256x64xf16>)
      in(%v : tensor<2x256x64xf16>)
      out(tensor<2x256x64xf16>)
      kernel @attention on <gpu, [<grid "head" = 2>, <grid "rows" = 2>, <thread "wg" = 3>]>
          (%qg: !g, %kg: !g, %vg: !g, %og: !g) {
    %head = pallas.axis_index "head"
    %block = pallas.axis_index "rows"
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    // CHECK: collective ["wg"]
    pallas.run_scoped (%qs: !tiles, %ks: !tiles, %vs: !tiles,
                       %q_full: !pallas.ref<2x!one, smem>, %kv_full: !pallas.ref<2x!full, smem>,
                       %kv_free: !pallas.ref<2x!full, smem>) collective ["wg"] {
      %is_memory = arith.cmpi eq, %wg, %c2 : i32
      scf.if %is_memory {
        // CHECK: pallas.set_max_registers 40
        pallas.set_max_registers 40
        scf.for %j = %c0 to %c4 step %c1 : i32 {
          %slot = arith.remsi %j, %c2 : i32
          %reused = arith.cmpi sge, %j, %c2 : i32
          scf.if %reused {
            %free = pallas.slice_ref %kv_free[%slot] : !pallas.ref<2x!full, smem>
            pallas.barrier_wait %free : !pallas.ref<!full, smem>
          }
          %start = arith.muli %j, %c64 : i32
          %full = pallas.slice_ref %kv_full[%slot] : !pallas.ref<2x!full, smem>
          %k_from = pallas.slice_ref %kg[%head, ds(%start, 64), :] : !g
          %k_to = pallas.slice_ref %ks[%slot, :, :] : !tiles
          pallas.copy_gmem_to_smem %k_from to %k_to signals %full
              : !pallas.ref<64x64xf16, gmem>, !tile, !pallas.ref<!full, smem>
          %v_from = pallas.slice_ref %vg[%head, ds(%start, 64), :] : !g
          %v_to = pallas.slice_ref %vs[%slot, :, :] : !tiles
          pallas.copy_gmem_to_smem %v_from to %v_to signals %full
              : !pallas.ref<64x64xf16, gmem>, !tile, !pallas.ref<!full, smem>
        }
      } else {
        // CHECK: pallas.set_max_registers 232 increase
        pallas.set_max_registers 232 increase
        %pair = arith.muli %block, %c2 : i32
        %strip = arith.addi %pair, %wg : i32
        %row = arith.muli %strip, %c64 : i32
        %q_from = pallas.slice_ref %qg[%head, ds(%row, 64), :] : !g
        %q_tile = pallas.slice_ref %qs[%wg, :, :] : !tiles
        %q_bar = pallas.slice_ref %q_full[%wg] : !pallas.ref<2x!one, smem>
        pallas.copy_gmem_to_smem %q_from to %q_tile signals %q_bar
            : !pallas.ref<64x64xf16, gmem>, !tile, !pallas.ref<!one, smem>
        pallas.barrier_wait %q_bar : !pallas.ref<!one, smem>
        %least = arith.constant dense<-1.0e30> : tensor<64xf32>
        %zero = arith.constant dense<0.0> : tensor<64xf32>
        %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
        %r:3 = scf.for %j = %c0 to %c4 step %c1
            iter_args(%m_old = %least, %l_old = %zero, %a_old = %zeros)
            -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) : i32 {
          %slot = arith.remsi %j, %c2 : i32
          %full = pallas.slice_ref %kv_full[%slot] : !pallas.ref<2x!full, smem>
          pallas.barrier_wait %full : !pallas.ref<!full, smem>
          %k_tile = pallas.slice_ref %ks[%slot, :, :] : !tiles
          %kt = pallas.transpose_ref %k_tile, [1, 0] : !tile -> !tile
          %s0 = pallas.run_scoped (%acc: !acc) -> tensor<64x64xf32> {
            pallas.wgmma_ref %acc, %q_tile, %kt : !acc, !tile, !tile
            %x = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
            pallas.yield %x : tensor<64x64xf32>
          }
          %scale = arith.constant dense<0.125> : tensor<64x64xf32>
          %s = arith.mulf %s0, %scale : tensor<64x64xf32>
          %top = pallas.reduce <max> %s dims [1] : tensor<64x64xf32>
          %m_new = arith.maximumf %m_old, %top : tensor<64xf32>
          %ms = pallas.broadcast %m_new dims [0] : tensor<64xf32> -> tensor<64x64xf32>
          %d = arith.subf %s, %ms : tensor<64x64xf32>
          %p = math.exp %d : tensor<64x64xf32>
          %dm = arith.subf %m_old, %m_new : tensor<64xf32>
          %alpha = math.exp %dm : tensor<64xf32>
          %sum = pallas.reduce <add> %p dims [1] : tensor<64x64xf32>
          %l_scaled = arith.mulf %l_old, %alpha : tensor<64xf32>
          %l_new = arith.addf %l_scaled, %sum : tensor<64xf32>
          %alphas = pallas.broadcast %alpha dims [0] : tensor<64xf32> -> tensor<64x64xf32>
          %a_scaled = arith.mulf %a_old, %alphas : tensor<64x64xf32>
          %p16 = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
          %v_tile = pallas.slice_ref %vs[%slot, :, :] : !tiles
          // CHECK: pallas.run_state (%[[ACC:.*]]: !pallas.accumulator<64x64xf32> = %{{.*}} : tensor<64x64xf32>)
          %a_new = pallas.run_state (%acc: !acc = %a_scaled : tensor<64x64xf32>) {
            pallas.wgmma_ref %acc, %p16, %v_tile : !acc, tensor<64x64xf16>, !tile
            pallas.wgmma_wait 0
          }
          %free = pallas.slice_ref %kv_free[%slot] : !pallas.ref<2x!full, smem>
          // CHECK: pallas.barrier_arrive
          pallas.barrier_arrive %free : !pallas.ref<!full, smem>
          scf.yield %m_new, %l_new, %a_new : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
        }
        %ls = pallas.broadcast %r#1 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
        %out = arith.divf %r#2, %ls : tensor<64x64xf32>
        %out16 = arith.truncf %out : tensor<64x64xf32> to tensor<64x64xf16>
        pallas.swap %q_tile[...], %out16 : !tile, tensor<64x64xf16>
        pallas.commit_smem
        %to = pallas.slice_ref %og[%head, ds(%row, 64), :] : !g
        pallas.copy_smem_to_gmem %q_tile to %to : !tile, !pallas.ref<64x64xf16, gmem>
        pallas.wait_smem_to_gmem 0
      }
    }
  }
  return %o : tensor<2x256x64xf16>
}
