// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Matmul on fifth-generation tensor cores: the accumulator lies in tensor
// memory, a barrier says when the products that read a slot are done.

!a = !pallas.ref<128x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!b = !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!acc = !pallas.ref<128x128xf32, tmem>
!out = !pallas.ref<128x128xf16, smem>
!ready = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
!done = !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>

// CHECK-LABEL: func.func @blackwell_matmul
func.func @blackwell_matmul(%a: tensor<256x192xf16>, %b: tensor<192x256xf16>) -> tensor<256x256xf16> {
  %o = pallas.mpmd_map
      in(%a : tensor<256x192xf16>)
      in(%b : tensor<192x256xf16>)
      out(tensor<256x256xf16>)
      kernel @matmul on <gpu, [<grid "m" = 2>, <grid "n" = 2>]>
          (%ag: !pallas.ref<256x192xf16, gmem>, %bg: !pallas.ref<192x256xf16, gmem>,
           %og: !pallas.ref<256x256xf16, gmem>) {
    %m = pallas.axis_index "m"
    %n = pallas.axis_index "n"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %row = arith.muli %m, %c128 : i32
    %col = arith.muli %n, %c128 : i32
    pallas.run_scoped (%acc: !acc, %as: !a, %bs: !b, %out: !out, %ready: !ready, %done: !done) {
      scf.for %k = %c0 to %c3 step %c1 : i32 {
        %at = arith.muli %k, %c64 : i32
        %a_part = pallas.slice_ref %ag[ds(%row, 128), ds(%at, 64)] : !pallas.ref<256x192xf16, gmem>
        %b_part = pallas.slice_ref %bg[ds(%at, 64), ds(%col, 128)] : !pallas.ref<192x256xf16, gmem>
        pallas.copy_gmem_to_smem %a_part to %as signals %ready : !pallas.ref<128x64xf16, gmem>, !a, !ready
        pallas.copy_gmem_to_smem %b_part to %bs signals %ready : !pallas.ref<64x128xf16, gmem>, !b, !ready
        pallas.barrier_wait %ready : !ready
        %onto = arith.cmpi ne, %k, %c0 : i32
        // CHECK: pallas.tcgen05_mma %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} signals
        pallas.tcgen05_mma %acc, %as, %bs accumulate %onto signals %done : !acc, !a, !b, !done
        pallas.barrier_wait %done : !done
      }
      // CHECK: pallas.async_load_tmem
      %v = pallas.async_load_tmem %acc : !acc -> tensor<128x128xf32>
      pallas.wait_load_tmem
      %v16 = arith.truncf %v : tensor<128x128xf32> to tensor<128x128xf16>
      pallas.swap %out[...], %v16 : !out, tensor<128x128xf16>
      pallas.commit_smem
      %window = pallas.slice_ref %og[ds(%row, 128), ds(%col, 128)] : !pallas.ref<256x256xf16, gmem>
      pallas.copy_smem_to_gmem %out to %window : !out, !pallas.ref<128x128xf16, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %o : tensor<256x256xf16>
}
