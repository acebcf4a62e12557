// RUN: pallas-opt %s --tpu-settle-lane-vectors | FileCheck %s
// RUN: pallas-opt %s --tpu-settle-lane-vectors --tpu-strip-target | FileCheck %s --check-prefix=STRIP

// A kernel that combines lanes takes vectors as registers of one dimension.
// CHECK: module @scans attributes
// CHECK-SAME: needs_layout_passes = false
// CHECK: %[[R:.*]] = tpu.vector_load %{{.*}} : memref<4x16xf32{{.*}}, vector<16xf32>
// CHECK-NOT: vector.shape_cast
// CHECK: tpu.scan <sum>, %[[R]]
// STRIP-NOT: tpu.target
module @scans attributes {tpu.target = "tpu7x", tpu.custom_call = {name = "scans"}} {
  func.func @scans(%m: memref<4x16xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %zero = arith.constant 0 : index
    %v = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x16xf32, #tpu.memory_space<vmem>>, vector<1x16xf32>, 
    %r = vector.shape_cast %v : vector<1x16xf32> to vector<16xf32>
    %s = tpu.scan <sum>, %r {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
    return
  }
}

// Others keep the shape of their memory.
// CHECK: module @copies
// CHECK-NOT: needs_layout_passes
// CHECK: vector<1x16xf32>
module @copies attributes {tpu.target = "tpu7x", tpu.custom_call = {name = "copies"}} {
  func.func @copies(%m: memref<4x16xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %zero = arith.constant 0 : index
    %v = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x16xf32, #tpu.memory_space<vmem>>, vector<1x16xf32>, 
    return
  }
}

// Copies of whole tiles keep the tiles of TensorCores, and so do copies of rows
// of one tile, of rows of a subcore's own memory, and of lists of words.
// CHECK: module @tiles
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @tiles attributes {tpu.target = "v6e", tpu.custom_call = {name = "tiles", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @tiles(%m: memref<16x1024xf32, #tpu.memory_space<hbm>>, %other: memref<8x128xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%c8, %c0] : memref<16x1024xf32, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%other : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @row
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @row attributes {tpu.target = "v6e", tpu.custom_call = {name = "row", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @row(%m: memref<16x128xf32, #tpu.memory_space<hbm>>, %other: memref<1x128xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%i, %c0] : memref<16x128xf32, #tpu.memory_space<hbm>> -> memref<1x128xf32, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<1x128xf32, #tpu.memory_space<hbm>>) target(%other : memref<1x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// Rows of two tiles are gathered and scattered in the tiles of a TensorCore between hbm and whole tiles of rows only.
// CHECK: module @selected_rows
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @selected_rows attributes {tpu.target = "v6e", tpu.custom_call = {name = "selected_rows", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @selected_rows(%m: memref<64x256xf32, #tpu.memory_space<hbm>>, %own: memref<16x256xf32, #tpu.memory_space<vmem>>, %list: memref<8xi32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %own[%c8, %c0] : memref<16x256xf32, #tpu.memory_space<vmem>> -> memref<8x256xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_indirect_dma source(%m : memref<64x256xf32, #tpu.memory_space<hbm>>) target(%part : memref<8x256xf32, #tpu.memory_space<vmem>>) offsets(%list : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @selected_part_of_tile
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @selected_part_of_tile attributes {tpu.target = "v6e", tpu.custom_call = {name = "selected_part_of_tile", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @selected_part_of_tile(%m: memref<64x256xf32, #tpu.memory_space<hbm>>, %own: memref<16x256xf32, #tpu.memory_space<vmem>>, %list: memref<4xi32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %part = tpu.memref_slice %own[%c0, %c0] : memref<16x256xf32, #tpu.memory_space<vmem>> -> memref<4x256xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_indirect_dma source(%m : memref<64x256xf32, #tpu.memory_space<hbm>>) target(%part : memref<4x256xf32, #tpu.memory_space<vmem>>) offsets(%list : memref<4xi32, #tpu.memory_space<vmem>>) semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @shared_rows_of_two_tiles
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @shared_rows_of_two_tiles attributes {tpu.target = "v6e", tpu.custom_call = {name = "shared_rows_of_two_tiles", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @shared_rows_of_two_tiles(%m: memref<64x256xf32, #tpu.memory_space<vmem_shared>>, %own: memref<8x256xf32, #tpu.memory_space<vmem>>, %list: memref<8xi32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    tpu.enqueue_indirect_dma source(%own : memref<8x256xf32, #tpu.memory_space<vmem>>) target(%m : memref<64x256xf32, #tpu.memory_space<vmem_shared>>) offsets(%list : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
    return
  }
}

// CHECK: module @own_rows
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @own_rows attributes {tpu.target = "v6e", tpu.custom_call = {name = "own_rows", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @own_rows(%m: memref<32x128xf32, #tpu.memory_space<vmem>>, %other: memref<5x128xf32, #tpu.memory_space<hbm>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%i, %c0] : memref<32x128xf32, #tpu.memory_space<vmem>> -> memref<5x128xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_dma source(%part : memref<5x128xf32, #tpu.memory_space<vmem>>) target(%other : memref<5x128xf32, #tpu.memory_space<hbm>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @words
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @words attributes {tpu.target = "v6e", tpu.custom_call = {name = "words", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @words(%m: memref<1024xi32, #tpu.memory_space<hbm>>, %other: memref<24xi32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%c8] : memref<1024xi32, #tpu.memory_space<hbm>> -> memref<24xi32, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<24xi32, #tpu.memory_space<hbm>>) target(%other : memref<24xi32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// Copies of other parts need the tiles of SparseCores: of columns, of rows of
// two tiles, of rows that share words with others, of lists of narrow elements.
// CHECK: module @columns
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @columns attributes {tpu.target = "v6e", tpu.custom_call = {name = "columns", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @columns(%m: memref<16x1024xf32, #tpu.memory_space<hbm>>, %other: memref<8x32xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%c0, %c0] : memref<16x1024xf32, #tpu.memory_space<hbm>> -> memref<8x32xf32, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<8x32xf32, #tpu.memory_space<hbm>>) target(%other : memref<8x32xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @rows_of_two_tiles
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @rows_of_two_tiles attributes {tpu.target = "v6e", tpu.custom_call = {name = "rows_of_two_tiles", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @rows_of_two_tiles(%m: memref<16x128xf32, #tpu.memory_space<hbm>>, %other: memref<2x128xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%i, %c0] : memref<16x128xf32, #tpu.memory_space<hbm>> -> memref<2x128xf32, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<2x128xf32, #tpu.memory_space<hbm>>) target(%other : memref<2x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @shared_words
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @shared_words attributes {tpu.target = "v6e", tpu.custom_call = {name = "shared_words", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @shared_words(%m: memref<16x128xbf16, #tpu.memory_space<hbm>>, %other: memref<1x128xbf16, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%i, %c0] : memref<16x128xbf16, #tpu.memory_space<hbm>> -> memref<1x128xbf16, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<1x128xbf16, #tpu.memory_space<hbm>>) target(%other : memref<1x128xbf16, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @own_columns
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @own_columns attributes {tpu.target = "v6e", tpu.custom_call = {name = "own_columns", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @own_columns(%m: memref<32x256xf32, #tpu.memory_space<vmem>>, %other: memref<8x128xf32, #tpu.memory_space<hbm>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%c0, %c8] : memref<32x256xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_dma source(%part : memref<8x128xf32, #tpu.memory_space<vmem>>) target(%other : memref<8x128xf32, #tpu.memory_space<hbm>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @list
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @list attributes {tpu.target = "v6e", tpu.custom_call = {name = "list", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @list(%m: memref<1024xbf16, #tpu.memory_space<hbm>>, %other: memref<128xbf16, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %part = tpu.memref_slice %m[%c0] : memref<1024xbf16, #tpu.memory_space<hbm>> -> memref<128xbf16, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%part : memref<128xbf16, #tpu.memory_space<hbm>>) target(%other : memref<128xbf16, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// A number of rows known at run time has to be a multiple of the tile: of the
// sizes that are operands, it is the last one here.
// CHECK: module @known_multiple_of_rows
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
module @known_multiple_of_rows attributes {tpu.target = "v6e", tpu.custom_call = {name = "known_multiple_of_rows", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @known_multiple_of_rows(%m: memref<3x512x128xf32, #tpu.memory_space<hbm>>, %other: memref<3x64x128xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32, %j: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %planes = tpu.assume_multiple %i, 2 : i32
    %rows = tpu.assume_multiple %j, 8 : i32
    %part = tpu.memref_slice %m[%c0, %c0, %c0] <%planes, %rows> : memref<3x512x128xf32, #tpu.memory_space<hbm>> -> memref<?x?x128xf32, #tpu.memory_space<hbm>>
    %own = tpu.memref_slice %other[%c0, %c0, %c0] <%planes, %rows> : memref<3x64x128xf32, #tpu.memory_space<vmem>> -> memref<?x?x128xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_dma source(%part : memref<?x?x128xf32, #tpu.memory_space<hbm>>) target(%own : memref<?x?x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}

// CHECK: module @any_number_of_rows
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
module @any_number_of_rows attributes {tpu.target = "v6e", tpu.custom_call = {name = "any_number_of_rows", sparse_core_tiling = "TILING_COMPACT"}} {
  func.func @any_number_of_rows(%m: memref<3x512x128xf32, #tpu.memory_space<hbm>>, %other: memref<3x64x128xf32, #tpu.memory_space<vmem>>, %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %i: i32, %j: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : i32
    %planes = tpu.assume_multiple %i, 2 : i32
    %rows = tpu.assume_multiple %j, 4 : i32
    %part = tpu.memref_slice %m[%c0, %c0, %c0] <%planes, %rows> : memref<3x512x128xf32, #tpu.memory_space<hbm>> -> memref<?x?x128xf32, #tpu.memory_space<hbm>>
    %own = tpu.memref_slice %other[%c0, %c0, %c0] <%planes, %rows> : memref<3x64x128xf32, #tpu.memory_space<vmem>> -> memref<?x?x128xf32, #tpu.memory_space<vmem>>
    tpu.enqueue_dma source(%part : memref<?x?x128xf32, #tpu.memory_space<hbm>>) target(%own : memref<?x?x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
}
