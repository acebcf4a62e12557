// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// One query per sequence against keys and values that lie in pages. The kernel
// copies pages itself, two buffers in turns: page k + 1 is on its way while
// page k is used.

!pages = !pallas.ref<12x16x128xf32, any>
!buf = !pallas.ref<2x16x128xf32, vmem>
!sems = !pallas.ref<2x!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
!page = !pallas.ref<16x128xf32, any>
!slot = !pallas.ref<16x128xf32, vmem>

// CHECK-LABEL: func.func @paged_attention
func.func @paged_attention(%lengths: tensor<3xi32>, %table: tensor<3x4xi32>, %q: tensor<3x8x128xf32>,
    %k_pages: tensor<12x16x128xf32>, %v_pages: tensor<12x16x128xf32>) -> tensor<3x8x128xf32> {
  // CHECK: in(%{{.*}} : tensor<12x16x128xf32>) block<[12, 16, 128], any>
  %o = pallas.pallas_call @paged_attention grid(3)
      prefetch(%lengths, %table : tensor<3xi32>, tensor<3x4xi32>)
      in(%q : tensor<3x8x128xf32>) block<[squeezed, 8, 128], vmem> map(%b) -> (%b, 0, 0)
      in(%k_pages : tensor<12x16x128xf32>) block<[12, 16, 128], any>
      in(%v_pages : tensor<12x16x128xf32>) block<[12, 16, 128], any>
      out(tensor<3x8x128xf32>) block<[squeezed, 8, 128], vmem> map(%b) -> (%b, 0, 0)
      semantics [arbitrary]
      kernel(%len_ref: !pallas.ref<3xi32, smem>, %table_ref: !pallas.ref<3x4xi32, smem>,
             %qr: !pallas.ref<8x128xf32, vmem>, %kp: !pages, %vp: !pages, %or: !pallas.ref<8x128xf32, vmem>,
             %kb: !buf, %vb: !buf, %ks: !sems, %vs: !sems) {
    %b = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %length = pallas.get %len_ref[%b] : !pallas.ref<3xi32, smem>
    %rounded = arith.addi %length, %c15 : i32
    %num_pages = arith.divsi %rounded, %c16 : i32
    %any = arith.cmpi sgt, %num_pages, %c0 : i32
    scf.if %any {
      %p0 = pallas.get %table_ref[%b, 0] : !pallas.ref<3x4xi32, smem>
      %k_src = pallas.slice_ref %kp[%p0, :, :] : !pages
      %k_dst = pallas.slice_ref %kb[0, :, :] : !buf
      %k_sem = pallas.slice_ref %ks[0] : !sems
      // CHECK: pallas.dma_start %{{.*}} to %{{.*}} signals
      pallas.dma_start %k_src to %k_dst signals %k_sem : !page, !slot, !sem
      %v_src = pallas.slice_ref %vp[%p0, :, :] : !pages
      %v_dst = pallas.slice_ref %vb[0, :, :] : !buf
      %v_sem = pallas.slice_ref %vs[0] : !sems
      pallas.dma_start %v_src to %v_dst signals %v_sem : !page, !slot, !sem
    }
    %qv = pallas.get %qr[...] : !pallas.ref<8x128xf32, vmem>
    %least = arith.constant dense<-1.0e30> : tensor<8x1xf32>
    %zero = arith.constant dense<0.0> : tensor<8x1xf32>
    %zeros = arith.constant dense<0.0> : tensor<8x128xf32>
    %r:3 = scf.for %k = %c0 to %num_pages step %c1
        iter_args(%m_old = %least, %l_old = %zero, %a_old = %zeros)
        -> (tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x128xf32>) : i32 {
      %slot = arith.remsi %k, %c2 : i32
      %next = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %next, %num_pages : i32
      scf.if %more {
        %next_slot = arith.remsi %next, %c2 : i32
        %p = pallas.get %table_ref[%b, %next] : !pallas.ref<3x4xi32, smem>
        %k_src = pallas.slice_ref %kp[%p, :, :] : !pages
        %k_dst = pallas.slice_ref %kb[%next_slot, :, :] : !buf
        %k_sem = pallas.slice_ref %ks[%next_slot] : !sems
        pallas.dma_start %k_src to %k_dst signals %k_sem : !page, !slot, !sem
        %v_src = pallas.slice_ref %vp[%p, :, :] : !pages
        %v_dst = pallas.slice_ref %vb[%next_slot, :, :] : !buf
        %v_sem = pallas.slice_ref %vs[%next_slot] : !sems
        pallas.dma_start %v_src to %v_dst signals %v_sem : !page, !slot, !sem
      }
      %here = pallas.get %table_ref[%b, %k] : !pallas.ref<3x4xi32, smem>
      %k_src = pallas.slice_ref %kp[%here, :, :] : !pages
      %k_dst = pallas.slice_ref %kb[%slot, :, :] : !buf
      %k_sem = pallas.slice_ref %ks[%slot] : !sems
      // CHECK: pallas.dma_wait %{{.*}} to %{{.*}} signals
      pallas.dma_wait %k_src to %k_dst signals %k_sem : !page, !slot, !sem
      %kv = pallas.get %kb[%slot, :, :] : !buf
      %s0 = pallas.dot_general %qv, %kv contract [1] x [1]
          : tensor<8x128xf32>, tensor<16x128xf32> -> tensor<8x16xf32>
      %start = arith.muli %k, %c16 : i32
      %starts = pallas.broadcast %start : i32 -> tensor<8x16xi32>
      %lane = pallas.iota 1 : tensor<8x16xi32>
      %at = arith.addi %starts, %lane : tensor<8x16xi32>
      %ends = pallas.broadcast %length : i32 -> tensor<8x16xi32>
      %seen = arith.cmpi slt, %at, %ends : tensor<8x16xi32>
      %hidden = arith.constant dense<-1.0e30> : tensor<8x16xf32>
      %s = arith.select %seen, %s0, %hidden : tensor<8x16xi1>, tensor<8x16xf32>
      %top = pallas.reduce <max> %s dims [1] : tensor<8x16xf32>
      %top1 = pallas.reshape %top : tensor<8xf32> -> tensor<8x1xf32>
      %m_new = arith.maximumf %m_old, %top1 : tensor<8x1xf32>
      %ms = pallas.broadcast %m_new dims [0, 1] : tensor<8x1xf32> -> tensor<8x16xf32>
      %d = arith.subf %s, %ms : tensor<8x16xf32>
      %w = math.exp %d : tensor<8x16xf32>
      %dm = arith.subf %m_old, %m_new : tensor<8x1xf32>
      %alpha = math.exp %dm : tensor<8x1xf32>
      %sum = pallas.reduce <add> %w dims [1] : tensor<8x16xf32>
      %sum1 = pallas.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
      %l_scaled = arith.mulf %l_old, %alpha : tensor<8x1xf32>
      %l_new = arith.addf %l_scaled, %sum1 : tensor<8x1xf32>
      %v_src = pallas.slice_ref %vp[%here, :, :] : !pages
      %v_dst = pallas.slice_ref %vb[%slot, :, :] : !buf
      %v_sem = pallas.slice_ref %vs[%slot] : !sems
      pallas.dma_wait %v_src to %v_dst signals %v_sem : !page, !slot, !sem
      %vv = pallas.get %vb[%slot, :, :] : !buf
      %alphas = pallas.broadcast %alpha dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
      %a_scaled = arith.mulf %a_old, %alphas : tensor<8x128xf32>
      %a_new = pallas.dot_general %w, %vv acc %a_scaled contract [1] x [0]
          : tensor<8x16xf32>, tensor<16x128xf32>, tensor<8x128xf32> -> tensor<8x128xf32>
      scf.yield %m_new, %l_new, %a_new : tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x128xf32>
    }
    scf.if %any {
      %ls = pallas.broadcast %r#1 dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
      %v = arith.divf %r#2, %ls : tensor<8x128xf32>
      pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    } else {
      pallas.swap %or[...], %zeros : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<3x8x128xf32>
}
