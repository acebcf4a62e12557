// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// A SparseCore program of two kernels: the scalar subcore of each core doubles
// a table and then tells the vector subcores; these fetch eight of the rows
// that the table names each, double them, and write them out.

!table = !pallas.ref<256xi32, hbm>
!rows = !pallas.ref<64x16xf32, hbm>
!out = !pallas.ref<256x16xf32, hbm>
!go = !pallas.ref<!pallas.semaphore, semaphore@sc_vector>
!small = !pallas.ref<256xi32, smem@sc_scalar>

// CHECK-LABEL: func.func @double_and_fetch
func.func @double_and_fetch(%ids: tensor<256xi32>, %x: tensor<64x16xf32>) -> (tensor<256x16xf32>, tensor<256xi32>) {
  // CHECK: pallas.mpmd_map
  %o:2 = pallas.mpmd_map
      in(%ids : tensor<256xi32>)
      in(%x : tensor<64x16xf32>)
      out(tensor<256x16xf32>)
      out(tensor<256xi32>)
      // CHECK: kernel @scalar on <sc_scalar, [<core "core" = 2>]>
      kernel @scalar on <sc_scalar, [<core "core" = 2>]>
          (%ids_ref: !table, %xr: !rows, %or: !out, %doubled: !table, %go: !go, %tmp: !small) {
    %core = pallas.axis_index "core"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    %start = arith.muli %core, %c128 : i32
    pallas.run_scoped (%done: !pallas.ref<!pallas.dma_semaphore, semaphore@sc_scalar>) {
      %from = pallas.slice_ref %ids_ref[ds(%start, 128)] : !table
      %to = pallas.slice_ref %tmp[ds(0, 128)] : !small
      pallas.dma_start %from to %to signals %done : !pallas.ref<128xi32, hbm>,
          !pallas.ref<128xi32, smem@sc_scalar>, !pallas.ref<!pallas.dma_semaphore, semaphore@sc_scalar>
      pallas.dma_wait %from to %to signals %done : !pallas.ref<128xi32, hbm>,
          !pallas.ref<128xi32, smem@sc_scalar>, !pallas.ref<!pallas.dma_semaphore, semaphore@sc_scalar>
      scf.for %k = %c0 to %c128 step %c1 : i32 {
        %v = pallas.get %tmp[%k] : !small
        %d = arith.addi %v, %v : i32
        pallas.swap %tmp[%k], %d : !small, i32
      }
      %back = pallas.slice_ref %doubled[ds(%start, 128)] : !table
      pallas.dma_start %to to %back signals %done : !pallas.ref<128xi32, smem@sc_scalar>,
          !pallas.ref<128xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore@sc_scalar>
      pallas.dma_wait %to to %back signals %done : !pallas.ref<128xi32, smem@sc_scalar>,
          !pallas.ref<128xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore@sc_scalar>
    }
    scf.for %s = %c0 to %c16 step %c1 : i32 {
      // CHECK: pallas.semaphore_signal %{{.*}}, %{{.*}} core %{{.*}}
      pallas.semaphore_signal %go, %c1 core %s : !go
    }
  }
      // CHECK: kernel @vector on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      kernel @vector on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%ids_ref: !table, %xr: !rows, %or: !out, %doubled: !table, %go: !go, %tmp: !small) {
    %core = pallas.axis_index "core"
    %sub = pallas.axis_index "subcore"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    pallas.semaphore_wait %go, %c1 : !go
    %base = arith.muli %core, %c16 : i32
    %number = arith.addi %base, %sub : i32
    %row = arith.muli %number, %c8 : i32
    pallas.run_scoped (%idx: !pallas.ref<8xi32, vmem>, %buf: !pallas.ref<8x16xf32, vmem>,
                       %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %id = pallas.slice_ref %doubled[ds(%row, 8)] : !table
      pallas.dma_start %id to %idx signals %done : !pallas.ref<8xi32, hbm>,
          !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %id to %idx signals %done : !pallas.ref<8xi32, hbm>,
          !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      // CHECK: pallas.slice_ref %{{.*}}[gather(%{{.*}} : !pallas.ref<8xi32, vmem>), :]
      %picked = pallas.slice_ref %xr[gather(%idx : !pallas.ref<8xi32, vmem>), :] : !rows
      pallas.dma_start %picked to %buf signals %done : !pallas.ref<8x16xf32, hbm>,
          !pallas.ref<8x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %picked to %buf signals %done : !pallas.ref<8x16xf32, hbm>,
          !pallas.ref<8x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      scf.for %k = %c0 to %c8 step %c1 : i32 {
        %v = pallas.get %buf[%k, :] : !pallas.ref<8x16xf32, vmem>
        %twice = arith.addf %v, %v : tensor<16xf32>
        pallas.swap %buf[%k, :], %twice : !pallas.ref<8x16xf32, vmem>, tensor<16xf32>
      }
      %to = pallas.slice_ref %or[ds(%row, 8), :] : !out
      pallas.dma_start %buf to %to signals %done : !pallas.ref<8x16xf32, vmem>,
          !pallas.ref<8x16xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %buf to %to signals %done : !pallas.ref<8x16xf32, vmem>,
          !pallas.ref<8x16xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
  }
  return %o#0, %o#1 : tensor<256x16xf32>, tensor<256xi32>
}
