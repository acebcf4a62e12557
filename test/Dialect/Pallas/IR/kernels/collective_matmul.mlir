// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Each of 4 devices holds 64 rows of lhs; all of them get all rows times their
// own rhs. While a device multiplies the rows that it has, it sends them on to
// its neighbour, and a semaphore there says that they have come.

!a = !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!b = !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!acc = !pallas.accumulator<64x128xf32>
!rows = !pallas.ref<64x64xf16, gmem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
!sem = !pallas.ref<!pallas.semaphore, gmem>

// CHECK-LABEL: func.func @collective_matmul
func.func @collective_matmul(%lhs: tensor<64x64xf16>, %rhs: tensor<64x128xf16>)
    -> (tensor<256x128xf32>, tensor<4x64x64xf16>) {
  %o:2 = pallas.mpmd_map
      in(%lhs : tensor<64x64xf16>)
      in(%rhs : tensor<64x128xf16>)
      out(tensor<256x128xf32>)
      out(tensor<4x64x64xf16>)
      kernel @collective_matmul on <gpu, [<grid "block" = 1>]>
          (%ag: !rows, %bg: !pallas.ref<64x128xf16, gmem>, %og: !pallas.ref<256x128xf32, gmem>,
           %buf: !pallas.ref<4x64x64xf16, gmem>, %come: !sem) {
    %me = pallas.axis_index "x"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %after = arith.addi %me, %c1 : i32
    %right = arith.remsi %after, %c4 : i32
    pallas.run_scoped (%as: !a, %bs: !b, %b_ready: !bar, %a_ready: !bar) {
      pallas.copy_gmem_to_smem %bg to %bs signals %b_ready : !pallas.ref<64x128xf16, gmem>, !b, !bar
      pallas.barrier_wait %b_ready : !bar
      scf.for %step = %c0 to %c4 step %c1 : i32 {
        %ahead = arith.addi %me, %c4 : i32
        %from = arith.subi %ahead, %step : i32
        %owner = arith.remsi %from, %c4 : i32
        %slot = pallas.slice_ref %buf[%owner, :, :] : !pallas.ref<4x64x64xf16, gmem>
        %own = arith.cmpi eq, %step, %c0 : i32
        scf.if %own {
          pallas.copy_gmem_to_smem %ag to %as signals %a_ready : !rows, !a, !bar
        } else {
          pallas.semaphore_wait %come, %c1 : !sem
          pallas.copy_gmem_to_smem %slot to %as signals %a_ready : !rows, !a, !bar
        }
        pallas.barrier_wait %a_ready : !bar
        %more = arith.cmpi slt, %step, %c3 : i32
        scf.if %more {
          // CHECK: pallas.remote_ref %{{.*}} device mesh(%{{.*}}) axes ["x"]
          %there = pallas.remote_ref %slot device mesh(%right) axes ["x"] : !rows
          pallas.copy_smem_to_gmem %as to %there : !a, !rows
        }
        %v = pallas.run_scoped (%acc: !acc) -> tensor<64x128xf32> {
          pallas.wgmma_ref %acc, %as, %bs : !acc, !a, !b
          %x = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x128xf32>
          pallas.yield %x : tensor<64x128xf32>
        }
        %row = arith.muli %owner, %c64 : i32
        pallas.swap %og[ds(%row, 64), :], %v : !pallas.ref<256x128xf32, gmem>, tensor<64x128xf32>
        pallas.wait_smem_to_gmem 0
        scf.if %more {
          pallas.semaphore_signal %come, %c1 device mesh(%right) axes ["x"] : !sem
        }
      }
    }
  }
  return %o#0, %o#1 : tensor<256x128xf32>, tensor<4x64x64xf16>
}
