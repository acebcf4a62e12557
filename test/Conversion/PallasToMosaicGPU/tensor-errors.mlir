// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file --verify-diagnostics
// RUN: not pallas-opt %S/tensor-products.mlir --convert-pallas-to-mosaic-gpu=arch=sm_90a --split-input-file 2>&1 | FileCheck %s --check-prefix=HOPPER

// HOPPER: makes a ref in tensor memory, which sm_90a lacks; use accumulators and shared memory

!t = !pallas.ref<128x300xf32, tmem>
func.func @columns(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // expected-error @below {{takes 600 columns of tensor memory, which are allocated as 1024; a block of sm_100a has 512, so use smaller blocks, pack elements, or use memory again}}
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @columns on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    // expected-note @below {{scoped 0: 300 columns of tmem}}
    // expected-note @below {{scoped 1: 300 columns of tmem}}
    pallas.run_scoped (%t: !t, %u: !t) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!t = !pallas.ref<96x64xf32, tmem>
func.func @rows(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @rows on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    // expected-error @below {{makes a ref of type '!pallas.ref<96x64xf32, tmem>' in tensor memory; it has 64 or 128 rows}}
    pallas.run_scoped (%t: !t) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!t = !pallas.ref<128x64xf32, tmem, [#pallas.tensor_memory<packing = 2>]>
func.func @packing(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @packing on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    // expected-error @below {{columns pack as many elements as 32 bits have, and rows a multiple of that, or one}}
    pallas.run_scoped (%t: !t) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!t = !pallas.ref<64x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>
func.func @scales(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @scales on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    // expected-error @below {{scales have 8 bits, a multiple of 128 rows and of 4 columns}}
    pallas.run_scoped (%t: !t) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!t = !pallas.ref<128x64xf32, tmem>
!u = !pallas.ref<128x64xf32, tmem, [#pallas.tensor_memory<collective = true>]>
func.func @mixed(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @mixed on <gpu, [<cluster "c" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    // expected-error @below {{makes refs in tensor memory of one block and of two; a kernel allocates all of it for itself or all with another block, so make all of them collective or none}}
    pallas.run_scoped (%t: !t, %u: !u) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!u = !pallas.ref<128x64xf32, tmem, [#pallas.tensor_memory<collective = true>]>
func.func @alone(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // expected-error @below {{allocates tensor memory for two blocks, but its clusters have 1; use clusters with an even number of blocks}}
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @alone on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%u: !u) {
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x20xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x20xf16, smem>
func.func @odd_columns(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @odd_columns on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{multiplies by 20 columns; for these operands they are a multiple of 8, near it 16, 24 and 512}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x24xi32, tmem>
!a = !pallas.ref<128x64xi8, smem>
!b = !pallas.ref<64x24xi8, smem>
func.func @integer_columns(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @integer_columns on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{multiplies by 24 columns; for these operands they are a multiple of 16, near it 16, 32 and 512}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x384xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x384xf16, smem>
func.func @many_columns(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @many_columns on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{multiplies by 384 columns}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x64xf16, tmem>
!a = !pallas.ref<128x64xbf16, smem>
!b = !pallas.ref<64x64xbf16, smem>
func.func @types(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @types on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{multiplies 'bf16' by 'bf16' into 'f16'; tensor cores multiply equal floats of 32 bits or less, or i8, and add in f32 or i32}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!a = !pallas.ref<128x64xf4E2M1FN, smem>
!b = !pallas.ref<64x64xf4E2M1FN, smem>
func.func @no_scales(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @no_scales on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{floats of 4 bits take scales}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x64xf16, smem>
!s = !pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>
func.func @scaled_f16(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @scaled_f16 on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc, %s: !s) {
      %false = arith.constant false
      // expected-error @below {{multiplies 'f16' by 'f16' with scales of 'f8E8M0FNU' and 'f8E8M0FNU' into 'f32'; scaled are floats of 8 or 4 bits, by equal f8E8M0FNU or f8E4M3FN, and added in f32}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false scales(%s : !s, %s : !s) : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<64x64xf32, tmem>
!a = !pallas.ref<64x64xf16, tmem, [#pallas.tensor_memory<packing = 2>]>
!b = !pallas.ref<64x64xf16, smem>
func.func @half_rows(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @half_rows on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{multiplies 64 rows with a sparse operand, scales, or lhs in tensor memory; such products have 128 rows}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!acc = !pallas.ref<128x128xf32, tmem, [#pallas.tensor_memory<collective = true>]>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x64xf16, smem>
func.func @pair_axis(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @pair_axis on <gpu, [<cluster "c" = 2>, <cluster "d" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %acc: !acc) {
      %false = arith.constant false
      // expected-error @below {{pairs blocks along "c", but hardware pairs them along the last axis of the cluster, "d"; swap the axes}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false collective "c" : !acc, !a, !b
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!s = !pallas.ref<64x128xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @four_blocks(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @four_blocks on <gpu, [<cluster "c" = 2>, <cluster "d" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%s: !s, %b: !bar) {
      // expected-error @below {{lets the first block track copies in clusters of 4 blocks; use clusters of two}}
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["d"] leader_tracked partitioned 0 : !pallas.ref<128x128xf32, gmem>, !s, !bar
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!s = !pallas.ref<16x512xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @parts(%x: tensor<16x512xf32>) -> tensor<16x512xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<16x512xf32>)
    out(tensor<16x512xf32>)
    kernel @parts on <gpu, [<cluster "c" = 2>]>(%xr: !pallas.ref<16x512xf32, gmem>, %or: !pallas.ref<16x512xf32, gmem>) {
    pallas.run_scoped (%s: !s, %b: !bar) {
      // expected-error @below {{copies [16, 512] by boxes of [1, 256], which the first block does not track one by one; copy at most 256 elements of a dimension at once}}
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] leader_tracked : !pallas.ref<16x512xf32, gmem>, !s, !bar
    }
  }
  return %0 : tensor<16x512xf32>
}
