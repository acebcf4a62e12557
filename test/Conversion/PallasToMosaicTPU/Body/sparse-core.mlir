// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu | pallas-opt --convert-mosaic-tpu-to-pallas | FileCheck %s --check-prefix=RAISED

// Vector subcores have loads, stores, scans, sorts and copies of their own.

!rows = !pallas.ref<64x16xf32, hbm>
!lanes = !pallas.ref<16xf32, vmem>
!ints = !pallas.ref<16xi32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

// Nothing chooses layouts for what works across lanes.
// CHECK: module @lanes{{.*}} attributes {tpu.custom_call = {{.*}}needs_layout_passes = false
// CHECK: func.func @lanes(%[[CORE:.*]]: i32, %[[SUB:.*]]: i32, %[[X:[a-z0-9]+]]: memref<64x16xf32, #tpu.memory_space<hbm>>
// CHECK-SAME: dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>]
// CHECK-SAME: tpu.core_type = #tpu.core_type<sc_vector_subcore>
// RAISED: kernel @lanes on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
func.func @lanes(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<64x16xf32>)
      out(tensor<64x16xf32>)
      kernel @lanes on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %a: !lanes, %k: !ints, %part: !pallas.ref<16x16xf32, vmem>, %shared: !pallas.ref<64x16xf32, vmem_shared>, %sem: !done) {
    // CHECK: %[[V:.*]] = tpu.vector_load %{{.*}}[%{{.*}}] {strides = array<i32>} : memref<16xf32, {{.*}}>, vector<16xf32>,
    %v = pallas.get %a[:] : !lanes
    // CHECK: %[[K:.*]] = tpu.vector_load
    %i = pallas.get %k[:] : !ints
    // CHECK: %[[S:.*]] = tpu.scan <sum>, %[[V]] masked
    // RAISED: pallas.cumulative <sum>
    %s = pallas.cumulative <sum> %v dim 0 : tensor<16xf32>
    // Signed integers are compared as unsigned ones.
    // CHECK: %[[FLIPPED:.*]] = arith.xori %[[K]]
    // CHECK: %[[MAX:.*]] = tpu.scan <maxui>, %[[FLIPPED]]
    // CHECK: %[[UNFLIPPED:.*]] = arith.xori %[[MAX]]
    // CHECK: %[[TOP:.*]] = vector.extract %[[UNFLIPPED]][15]
    %top = pallas.reduce <max> %i dims [0] : tensor<16xi32>
    // CHECK: %[[PICKED:.*]] = tpu.vector_load_idx %{{.*}}[%[[K]]]
    %picked = pallas.get %a[gather(%i : tensor<16xi32>)] : !lanes
    // CHECK: tpu.vector_store_idx %{{.*}}[%[[K]]], %[[PICKED]] {add = true}
    pallas.addupdate %a[gather(%i : tensor<16xi32>)], %picked : !lanes, tensor<16xf32>
    // CHECK: %[[SPLAT:.*]] = vector.broadcast %[[TOP]]
    // CHECK: %[[M:.*]] = arith.cmpi eq, %[[K]]
    %all = pallas.broadcast %top dims [] : i32 -> tensor<16xi32>
    %m = arith.cmpi eq, %i, %all : tensor<16xi32>
    // Masks of plain accesses would pack the elements.
    // CHECK: %[[LANE:.*]] = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
    // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[LANE]]
    // CHECK: %[[L:.*]] = tpu.vector_load_idx %{{.*}}[%[[AT]]] masked %[[M]]
    // CHECK: arith.select %[[M]], %[[L]], %[[S]]
    %some = pallas.masked_load %a[:] mask %m other %s : !lanes, tensor<16xi1>, other tensor<16xf32>
    // CHECK: tpu.vector_store_idx %{{.*}} masked %[[M]]
    %old = pallas.masked_swap %a[:], %some mask %m : !lanes, tensor<16xf32>, tensor<16xi1>
    // CHECK: tpu.scan_count mask(%[[M]] : vector<16xi1>) value(%[[K]] : vector<16xi32>)
    // RAISED: pallas.scan_count
    %count, %last = pallas.scan_count %i mask %m : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
    // CHECK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>}
    // RAISED: pallas.mask_reduce <first>
    %first = pallas.mask_reduce <first> %last : tensor<16xi1>
    // CHECK: tpu.sort
    // RAISED: pallas.sort
    %keys, %values = pallas.sort %count, %s dim 0 : tensor<16xi32>, tensor<16xf32> -> tensor<16xi32>, tensor<16xf32>
    %firsts = pallas.broadcast %first dims [] : i32 -> tensor<16xi32>
    %sum = arith.addi %keys, %firsts : tensor<16xi32>
    pallas.swap %k[:], %sum : !ints, tensor<16xi32>
    pallas.swap %a[:], %values : !lanes, tensor<16xf32>
    // CHECK: tpu.enqueue_indirect_dma source(%[[X]] : {{.*}}) target(%[[PART:.*]] : {{.*}}) offsets(%[[OFFSETS:.*]] : memref<16xi32, {{.*}}>)
    // CHECK: tpu.wait_indirect_dma semaphore(%{{.*}}) src(%[[X]] : {{.*}}) dst(%[[PART]]
    // RAISED: pallas.slice_ref %{{.*}}[gather(
    %from = pallas.slice_ref %xr[gather(%k : !ints), :] : !rows
    pallas.dma_start %from to %part signals %sem : !pallas.ref<16x16xf32, hbm>, !pallas.ref<16x16xf32, vmem>, !done
    pallas.dma_wait %from to %part signals %sem : !pallas.ref<16x16xf32, hbm>, !pallas.ref<16x16xf32, vmem>, !done
    // CHECK: tpu.enqueue_indirect_dma source(%[[PART]] : {{.*}}) target(%{{.*}}) offsets(%[[OFFSETS]]
    // CHECK-SAME: {add = true}
    %to = pallas.slice_ref %shared[gather(%k : !ints), :] : !pallas.ref<64x16xf32, vmem_shared>
    pallas.dma_start %part to %to signals %sem {add} : !pallas.ref<16x16xf32, vmem>, !pallas.ref<16x16xf32, vmem_shared>, !done
    pallas.dma_wait %part to %to signals %sem : !pallas.ref<16x16xf32, vmem>, !pallas.ref<16x16xf32, vmem_shared>, !done
    // CHECK: tpu.barrier barrier_id
    pallas.core_barrier "subcore"
  }
  return %o : tensor<64x16xf32>
}

// As many rows as a part of a buffer of indices names.

// CHECK-LABEL: func.func @some_rows
// CHECK: %[[FROM:.*]] = tpu.memref_slice %{{.*}} <%[[N:.*]]> : memref<128xi32, #tpu.memory_space<vmem>> -> memref<?xi32, #tpu.memory_space<vmem>>
// CHECK: %[[AT:.*]] = tpu.memref_slice %{{.*}} <%[[N]]>
// CHECK: tpu.enqueue_indirect_dma source(%[[FROM]] : {{.*}}) target(%{{.*}} : memref<128xi32, #tpu.memory_space<hbm>>) offsets(%[[AT]] : memref<?xi32, #tpu.memory_space<vmem>>)
// CHECK: tpu.wait_indirect_dma
func.func @scattered(%x: tensor<128xi32>) -> tensor<128xi32> {
  %o = pallas.mpmd_map in(%x : tensor<128xi32>) out(tensor<128xi32>)
      kernel @some_rows on <sc_vector, [<core "c" = 1>, <subcore "s" = 16>]>(%xr: !pallas.ref<128xi32, hbm>, %or: !pallas.ref<128xi32, hbm>,
          %rows: !pallas.ref<128xi32, vmem>, %at: !pallas.ref<128xi32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %n = pallas.axis_index "s"
    %from = pallas.slice_ref %rows[ds(0, %n)] : !pallas.ref<128xi32, vmem>
    %named = pallas.slice_ref %at[ds(0, %n)] : !pallas.ref<128xi32, vmem>
    %to = pallas.slice_ref %or[gather(%named : !pallas.ref<?xi32, vmem>)] : !pallas.ref<128xi32, hbm>
    pallas.dma_start %from to %to signals %sem : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %from to %to signals %sem : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<128xi32>
}
