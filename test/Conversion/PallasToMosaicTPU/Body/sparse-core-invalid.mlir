// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e --split-input-file --verify-diagnostics

!array = !pallas.ref<512x128xf32, hbm>

func.func @not_a_register(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !pallas.ref<16xf32, vmem>) {
    // expected-error @below {{accesses 'vector<16xf32>' where vectors are registers, which hold 8 elements of type 'f32' on v6e; access as many at a time, or leave out what combines lanes and ask for layout passes}}
    %v = pallas.get %b[:] : !pallas.ref<16xf32, vmem>
    %s = pallas.cumulative <sum> %v dim 0 : tensor<16xf32>
    // expected-error @below {{accesses 'vector<16xf32>' where vectors are registers}}
    pallas.swap %b[:], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!rows = !pallas.ref<16x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @long_vector_of_indices(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %k: !pallas.ref<16xi32, vmem>, %b: !rows, %sem: !done) {
    %i = pallas.get %k[:] : !pallas.ref<16xi32, vmem>
    %from = pallas.slice_ref %xr[gather(%i : tensor<16xi32>), :] : !array
    // expected-error @below {{selects rows by a vector of 16 indices, but v6e has 8 lanes; leave the indices in vmem, or copy as many rows at a time}}
    pallas.dma_start %from to %b signals %sem : !pallas.ref<16x128xf32, hbm>, !rows, !done
    pallas.dma_wait %from to %b signals %sem : !pallas.ref<16x128xf32, hbm>, !rows, !done
  }
  return %o : tensor<512x128xf32>
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!rows = !pallas.ref<16x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @within_vmem(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %a: !rows, %b: !rows, %sem: !done) {
    // expected-error @below {{copies from vmem to vmem, between which sc_vector_subcore has no way; copy by way of hbm or vmem_shared, or load and store}}
    pallas.dma_start %a to %b signals %sem : !rows, !rows, !done
    pallas.dma_wait %a to %b signals %sem : !rows, !rows, !done
  }
  return %o : tensor<512x128xf32>
}

// -----

!array = !pallas.ref<512x128xf32, hbm>

func.func @scope_in_shared_memory(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array) {
    // expected-error @below {{a kernel on sc_vector_subcore can't allocate vmem_shared for a region; use vmem, smem, or pass an array to the call}}
    pallas.run_scoped (%s: !pallas.ref<512x128xf32, vmem_shared>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      pallas.dma_start %xr to %s signals %sem : !array, !pallas.ref<512x128xf32, vmem_shared>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.yield
    }
  }
  return %o : tensor<512x128xf32>
}

// -----

func.func @scope_in_hbm(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{a kernel on tc can't allocate hbm for a region; use vmem, smem, or pass an array to the call}}
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, hbm>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      pallas.dma_start %xr to %s signals %sem : !pallas.ref<8x128xf32, vmem>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.yield
    }
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @scratch_in_hbm(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      // expected-error @below {{a kernel on tc can't allocate hbm; use vmem, smem, or pass an array to the call}}
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %s: !pallas.ref<8x128xf32, hbm>) {
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @part_of_selected_rows(%x: tensor<64x1024xf32>, %ids: tensor<8xi32>) -> tensor<8x32xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<64x1024xf32>) in(%ids : tensor<8xi32>)
      out(tensor<8x32xf32>)
      kernel @vector on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !pallas.ref<64x1024xf32, hbm>, %ir: !pallas.ref<8xi32, hbm>, %or: !pallas.ref<8x32xf32, hbm>, %k: !pallas.ref<8xi32, vmem>, %a: !pallas.ref<8x32xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @below {{selects 32 of the 1024 elements of rows that an index array names, but SparseCores copy whole rows, or multiples of 128 elements of them; copy more and take the part from vmem}}
    %from = pallas.slice_ref %xr[gather(%k : !pallas.ref<8xi32, vmem>), ds(0, 32)] : !pallas.ref<64x1024xf32, hbm>
    pallas.dma_start %from to %a signals %sem : !pallas.ref<8x32xf32, hbm>, !pallas.ref<8x32xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %from to %a signals %sem : !pallas.ref<8x32xf32, hbm>, !pallas.ref<8x32xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x32xf32>
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!rows = !pallas.ref<16x128xf32, vmem>

func.func @gathered_parts() {
  pallas.mpmd_map kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%b: !rows, %k: !pallas.ref<8xi32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %i = pallas.get %k[:] : !pallas.ref<8xi32, vmem>
    // expected-error @below {{gathers parts of a ref, but vector subcores gather elements; index every dimension}}
    %v = pallas.get %b[gather(%i : tensor<8xi32>), :] : !rows
    pallas.swap %o[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return
}

// -----

func.func @element_of_vmem() {
  pallas.mpmd_map kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%b: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<8xf32, smem>) {
    // expected-error @below {{accesses one element of vmem, but vector subcores have scalars in smem only; load a vector and take an element of it}}
    %v = pallas.get %b[3] : !pallas.ref<8xf32, vmem>
    pallas.swap %s[0], %v : !pallas.ref<8xf32, smem>, f32
  }
  return
}

// -----

func.func @steps() {
  pallas.mpmd_map kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%b: !pallas.ref<16xf32, vmem>, %o: !pallas.ref<8xf32, vmem>) {
    // expected-error @below {{steps over elements, which vector subcores do by arrays of indices}}
    %v = pallas.get %b[ds(0, 8, 2)] : !pallas.ref<16xf32, vmem>
    pallas.swap %o[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return
}

// -----

func.func @masked_halves() {
  pallas.mpmd_map kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%b: !pallas.ref<16xbf16, vmem>) {
    %v = arith.constant dense<0.0> : tensor<16xbf16>
    %i = pallas.iota 0 : tensor<16xi32>
    %c = arith.constant dense<3> : tensor<16xi32>
    %m = arith.cmpi slt, %i, %c : tensor<16xi32>
    // expected-error @below {{masks other than a row of 32-bit elements, but vector subcores mask single elements of these only; load all, select and store}}
    pallas.masked_swap %b[...], %v mask %m : !pallas.ref<16xbf16, vmem>, tensor<16xbf16>, tensor<16xi1>
  }
  return
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @columns_by_number(%x: tensor<512x128xf32>) {
  pallas.mpmd_map in(%x : tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%a: !array, %k: !pallas.ref<8xi32, vmem>, %b: !pallas.ref<512x8xf32, vmem>, %d: !done) {
    // expected-error @below {{selects with an index array, but copies take one list of indices of the first dimension and slices without strides of the others}}
    %from = pallas.slice_ref %a[:, gather(%k : !pallas.ref<8xi32, vmem>)] : !array
    pallas.dma_start %from to %b signals %d : !pallas.ref<512x8xf32, hbm>, !pallas.ref<512x8xf32, vmem>, !done
    pallas.dma_wait %from to %b signals %d : !pallas.ref<512x8xf32, hbm>, !pallas.ref<512x8xf32, vmem>, !done
  }
  return
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @rows_on_both_sides(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<512x128xf32>) out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
      (%a: !array, %b: !array, %k: !pallas.ref<8xi32, vmem>, %d: !done) {
    %from = pallas.slice_ref %a[gather(%k : !pallas.ref<8xi32, vmem>), :] : !array
    %to = pallas.slice_ref %b[gather(%k : !pallas.ref<8xi32, vmem>), :] : !array
    // expected-error @below {{selects rows on both sides; copy to vmem, and from there}}
    pallas.dma_start %from to %to signals %d : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, hbm>, !done
    pallas.dma_wait %from to %to signals %d : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, hbm>, !done
  }
  return %o : tensor<512x128xf32>
}

// -----

!array = !pallas.ref<512x128xf32, hbm>
!rows = !pallas.ref<8x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @rows_of_another_core(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %k: !pallas.ref<8xi32, vmem>, %b: !rows, %s: !done, %t: !done) {
    %c1 = arith.constant 1 : i32
    %from = pallas.slice_ref %xr[gather(%k : !pallas.ref<8xi32, vmem>), :] : !array
    // expected-error @below {{selects rows of another core or device; copies that do stay on their own}}
    pallas.dma_start %from to %b signals %t source_signals %s device logical(%c1) : !pallas.ref<8x128xf32, hbm>, !rows, !done, !done
  }
  return %o : tensor<512x128xf32>
}
