// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @memory(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{tensor memory has a static shape and the memory space #mosaic_gpu.tmem}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xf32>
  return
}

// -----

func.func @packing(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{packs 4 elements of type 'bf16' into 32 bits; pack 1, or as many as fit}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 4 : i32} -> memref<128x128xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @packed_columns(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{packs 129 columns by 2, which does not divide them}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x129xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @columns(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{allocates 1024 columns; there are 512}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x1024xf32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @pointer(%p: memref<i32>) {
  // expected-error @below {{as shared memory; its memory space is #gpu.address_space<workgroup>}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @slice(%t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{starts at column 6; give a multiple of 4}}
  %0 = "mosaic_gpu.slice_tmem"(%t) <{offset = 6 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @dealloc(%t: memref<128x128xf32>) {
  // expected-error @below {{takes 'memref<128x128xf32>'}}
  mosaic_gpu.tmem_dealloc tmem_ref(%t : memref<128x128xf32>)
  return
}

// -----

func.func @store(%v: vector<128x64xf32>, %t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{shape and element type have to match}}
  "mosaic_gpu.async_store_tmem"(%v, %t) : (vector<128x64xf32>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @load(%t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{inferred type(s) 'vector<128x128xf32>', 'vector<128xf32>' are incompatible with return type(s) of operation 'vector<128x128xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 0 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> vector<128x128xf32>
  return
}

// -----

func.func @copy_shape(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{the source has shape (128, 128)}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @copy_element(%s: memref<128x128xi32, #gpu.address_space<workgroup>>, %t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{copies elements of type 'i32' to 'f32'}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) : (memref<128x128xi32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @copy_memory(%s: memref<128x128xf32>, %t: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error @below {{as shared memory}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) : (memref<128x128xf32>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @metadata(%s: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %t: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{the source has shape (1, 2, 128, 64)}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %t) : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales(%s: memref<1x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %t: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error @below {{the source has shape (1, 1, 32, 16) or (1, 1, 64, 16)}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) : (memref<1x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scale_rows(%s: memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %t: memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error @below {{rows are a multiple of 128 and columns of 4}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}
