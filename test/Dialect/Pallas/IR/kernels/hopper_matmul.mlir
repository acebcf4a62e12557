// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Matmul by warpgroup products: a pipeline brings blocks to swizzled shared
// memory while products of the blocks before run; the accumulator stays in
// registers. An operand is released one step late, since the product that
// reads it may still be in flight.

!a = !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!b = !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!out = !pallas.ref<64x128xf32, smem>
!acc = !pallas.accumulator<64x128xf32>

// CHECK-LABEL: func.func @hopper_matmul
func.func @hopper_matmul(%a: tensor<128x256xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf32> {
  // CHECK: pallas.mpmd_map
  // CHECK: kernel @matmul on <gpu, [<grid "m" = 2>, <grid "n" = 2>]>
  %o = pallas.mpmd_map
      in(%a : tensor<128x256xf16>)
      in(%b : tensor<256x256xf16>)
      out(tensor<128x256xf32>)
      kernel @matmul on <gpu, [<grid "m" = 2>, <grid "n" = 2>]>
          (%ag: !pallas.ref<128x256xf16, gmem>, %bg: !pallas.ref<256x256xf16, gmem>,
           %og: !pallas.ref<128x256xf32, gmem>) {
    %m = pallas.axis_index "m"
    %n = pallas.axis_index "n"
    // CHECK: pallas.run_scoped (%[[ACC:.*]]: !pallas.accumulator<64x128xf32>, %{{.*}}: !pallas.ref<64x128xf32, smem>)
    pallas.run_scoped (%acc: !acc, %out: !out) {
      // CHECK: pallas.emit_pipeline grid(4)
      pallas.emit_pipeline grid(4)
          in(%ag : !pallas.ref<128x256xf16, gmem>) block<[64, 64], smem, pipeline = <2, delay_release 1>,
              transforms = [#pallas.tile<8, 64>, #pallas.swizzle<128>]> map(%k) {
            pallas.yield %m, %k : i32, i32
          }
          in(%bg : !pallas.ref<256x256xf16, gmem>) block<[64, 128], smem, pipeline = <2, delay_release 1>,
              transforms = [#pallas.tile<8, 64>, #pallas.swizzle<128>]> map(%k) {
            pallas.yield %k, %n : i32, i32
          }
          attributes {maxConcurrentSteps = 2 : i64}
          kernel(%k: i32, %as: !a, %bs: !b) {
        // CHECK: pallas.wgmma_ref %[[ACC]]
        pallas.wgmma_ref %acc, %as, %bs : !acc, !a, !b
        pallas.wgmma_wait 1
      }
      // CHECK: pallas.accumulator_deref %[[ACC]] wait 0
      %v = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x128xf32>
      pallas.swap %out[...], %v : !out, tensor<64x128xf32>
      pallas.commit_smem
      %c64 = arith.constant 64 : i32
      %c128 = arith.constant 128 : i32
      %row = arith.muli %m, %c64 : i32
      %col = arith.muli %n, %c128 : i32
      %window = pallas.slice_ref %og[ds(%row, 64), ds(%col, 128)] : !pallas.ref<128x256xf32, gmem>
      pallas.copy_smem_to_gmem %out to %window : !out, !pallas.ref<64x128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<128x256xf32>
}
