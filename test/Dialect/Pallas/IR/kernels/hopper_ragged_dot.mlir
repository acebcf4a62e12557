// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Rows of lhs belong to groups, each with a matrix of its own. Program p looks
// for the p-th pair of a group and a block of 64 rows that overlap, multiplies,
// and writes the rows of that group only.

!a = !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!b = !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!acc = !pallas.accumulator<64x128xf32>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @ragged_dot
func.func @ragged_dot(%sizes: tensor<3xi32>, %lhs: tensor<192x128xf16>, %rhs: tensor<3x128x128xf16>)
    -> tensor<192x128xf32> {
  %o = pallas.mpmd_map
      in(%sizes : tensor<3xi32>)
      in(%lhs : tensor<192x128xf16>)
      in(%rhs : tensor<3x128x128xf16>)
      out(tensor<192x128xf32>)
      kernel @ragged_dot on <gpu, [<grid "p" = 5>]>
          (%sg: !pallas.ref<3xi32, gmem>, %ag: !pallas.ref<192x128xf16, gmem>,
           %bg: !pallas.ref<3x128x128xf16, gmem>, %og: !pallas.ref<192x128xf32, gmem>) {
    %p = pallas.axis_index "p"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %none = arith.constant -1 : i32
    // Row and pair at which a group starts; then the group, block and rows found.
    %f:6 = scf.for %g = %c0 to %c3 step %c1
        iter_args(%start = %c0, %pairs = %c0, %group = %none, %tile = %c0, %lo = %c0, %hi = %c0)
        -> (i32, i32, i32, i32, i32, i32) : i32 {
      %size = pallas.get %sg[%g] : !pallas.ref<3xi32, gmem>
      %end = arith.addi %start, %size : i32
      %first = arith.divsi %start, %c64 : i32
      %up = arith.addi %end, %c63 : i32
      %behind = arith.divsi %up, %c64 : i32
      %span = arith.subi %behind, %first : i32
      %some = arith.cmpi sgt, %size, %c0 : i32
      %count = arith.select %some, %span, %c0 : i32
      %next_pairs = arith.addi %pairs, %count : i32
      %from = arith.cmpi sge, %p, %pairs : i32
      %to = arith.cmpi slt, %p, %next_pairs : i32
      %here = arith.andi %from, %to : i1
      %offset = arith.subi %p, %pairs : i32
      %at = arith.addi %first, %offset : i32
      %group2 = arith.select %here, %g, %group : i32
      %tile2 = arith.select %here, %at, %tile : i32
      %lo2 = arith.select %here, %start, %lo : i32
      %hi2 = arith.select %here, %end, %hi : i32
      scf.yield %end, %next_pairs, %group2, %tile2, %lo2, %hi2 : i32, i32, i32, i32, i32, i32
    }
    %found = arith.cmpi sge, %f#2, %c0 : i32
    scf.if %found {
      %row = arith.muli %f#3, %c64 : i32
      %v = pallas.run_scoped (%acc: !acc, %as: !a, %bs: !b, %ready: !bar) -> tensor<64x128xf32> {
        scf.for %k = %c0 to %c2 step %c1 : i32 {
          %col = arith.muli %k, %c64 : i32
          %a_part = pallas.slice_ref %ag[ds(%row, 64), ds(%col, 64)] : !pallas.ref<192x128xf16, gmem>
          %b_part = pallas.slice_ref %bg[%f#2, ds(%col, 64), :] : !pallas.ref<3x128x128xf16, gmem>
          // CHECK: pallas.copy_gmem_to_smem %{{.*}} to %{{.*}} signals
          pallas.copy_gmem_to_smem %a_part to %as signals %ready : !pallas.ref<64x64xf16, gmem>, !a, !bar
          pallas.copy_gmem_to_smem %b_part to %bs signals %ready : !pallas.ref<64x128xf16, gmem>, !b, !bar
          pallas.barrier_wait %ready : !bar
          pallas.wgmma_ref %acc, %as, %bs : !acc, !a, !b
          pallas.wgmma_wait 0
        }
        %sum = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x128xf32>
        pallas.yield %sum : tensor<64x128xf32>
      }
      %rows = pallas.iota 0 : tensor<64x128xi32>
      %bases = pallas.broadcast %row : i32 -> tensor<64x128xi32>
      %at = arith.addi %bases, %rows : tensor<64x128xi32>
      %los = pallas.broadcast %f#4 : i32 -> tensor<64x128xi32>
      %his = pallas.broadcast %f#5 : i32 -> tensor<64x128xi32>
      %above = arith.cmpi sge, %at, %los : tensor<64x128xi32>
      %below = arith.cmpi slt, %at, %his : tensor<64x128xi32>
      %mine = arith.andi %above, %below : tensor<64x128xi1>
      // CHECK: pallas.masked_swap
      %old = pallas.masked_swap %og[ds(%row, 64), :], %v mask %mine
          : !pallas.ref<192x128xf32, gmem>, tensor<64x128xf32>, tensor<64x128xi1>
    }
  }
  return %o : tensor<192x128xf32>
}
