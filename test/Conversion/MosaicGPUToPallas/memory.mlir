// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=subviews | FileCheck %s --check-prefix=SUBVIEWS
// RUN: pallas-run %s --no-cache --entry=reshapes | FileCheck %s --check-prefix=RESHAPES
// RUN: pallas-run %s --no-cache --entry=atomics | FileCheck %s --check-prefix=ATOMICS
// RUN: pallas-run %s --no-cache --entry=again | FileCheck %s --check-prefix=AGAIN
// RUN: pallas-run %s --no-cache --entry=loops | FileCheck %s --check-prefix=LOOPS

// Views of shared memory become views of refs, and show what lies in memory.

!s = memref<4x8xi32, #gpu.address_space<workgroup>>
!row = memref<8xi32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
!odd = memref<2x4xi32, strided<[8, 2], offset: 9>, #gpu.address_space<workgroup>>
!t = memref<8x4xi32, strided<[1, 8]>, #gpu.address_space<workgroup>>
!flat = memref<32xi32, #gpu.address_space<workgroup>>
!three = memref<2x2x8xi32, #gpu.address_space<workgroup>>
!any = memref<4x8xi32, strided<[?, ?], offset: ?>, #gpu.address_space<workgroup>>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // A dropped dimension is a scalar of the indexer, other ones are slices.
  // CHECK-LABEL: func.func @subviews(
  // CHECK: kernel @subviews on <gpu, [<grid "x" = 1>]>(%[[S:.*]]: !pallas.ref<4x8xi32, smem>)
  // CHECK: pallas.swap %[[S]][...]
  // CHECK: %[[ROW:.*]] = pallas.slice_ref %[[S]][2, :]
  // CHECK: %[[V:.*]] = pallas.get %[[ROW]][...] : !pallas.ref<8xi32, smem>
  // CHECK: %[[TWICE:.*]] = arith.addi %[[V]], %[[V]] : tensor<8xi32>
  // CHECK: pallas.swap %[[ROW]][...], %[[TWICE]]
  // CHECK: %[[ODD:.*]] = pallas.slice_ref %[[S]][ds(1, 2), ds(1, 4, 2)]
  // CHECK: pallas.get %[[ODD]][...] : !pallas.ref<2x4xi32, smem>
  // SUBVIEWS: odd columns = {{\[\[}}1 3 5 7] [2 6 10 14]]
  func.func @subviews_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<4x8xi32>
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<4x8xi32>, !s) -> ()
      %at = arith.addi %bx, %c2 : index
      %row = memref.subview %s[%at, 0] [1, 8] [1, 1] : !s to !row
      %r = "mosaic_gpu.vector_load"(%row) : (!row) -> vector<8xi32>
      %twice = arith.addi %r, %r : vector<8xi32>
      "mosaic_gpu.vector_store"(%twice, %row) <{multimem = false}> : (vector<8xi32>, !row) -> ()
      %odd = memref.subview %s[1, 1] [2, 4] [1, 2] : !s to !odd
      %columns = "mosaic_gpu.vector_load"(%odd) : (!odd) -> vector<2x4xi32>
      "mosaic_gpu.debug_print"(%columns) <{format = "odd columns = {}"}> : (vector<2x4xi32>) -> ()
      gpu.terminator
    }
    return
  }

  // A cast that only forgets strides is no view at all.
  // CHECK-LABEL: func.func @reshapes(
  // CHECK: kernel @reshapes on <gpu, [<grid "x" = 1>]>(%[[S:.*]]: !pallas.ref<4x8xi32, smem>)
  // CHECK: %[[FLAT:.*]] = pallas.reshape_ref %[[S]] : !pallas.ref<4x8xi32, smem> -> !pallas.ref<32xi32, smem>
  // CHECK: pallas.swap %[[FLAT]][...]
  // CHECK: %[[T:.*]] = pallas.transpose_ref %[[S]], [1, 0]
  // CHECK: pallas.get %[[T]][...] : !pallas.ref<8x4xi32, smem>
  // CHECK: %[[THREE:.*]] = pallas.reshape_ref %[[S]] : !pallas.ref<4x8xi32, smem> -> !pallas.ref<2x2x8xi32, smem>
  // CHECK: pallas.get %[[THREE]][...]
  // CHECK: %[[WIDE:.*]] = pallas.reshape_ref %[[S]] : !pallas.ref<4x8xi32, smem> -> !pallas.ref<2x16xi32, smem>
  // CHECK: pallas.get %[[WIDE]][...]
  // CHECK: pallas.get %[[S]][...] : !pallas.ref<4x8xi32, smem>
  // RESHAPES: t = {{\[\[}}0 8 16 24] [1 9 17 25] [2 10 18 26]
  // RESHAPES: three = {{\[\[\[}}0 1 2 3 4 5 6 7] [8 9 10 11 12 13 14 15]] {{\[\[}}16 17
  // RESHAPES: wide = {{\[\[}}0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] [16
  // RESHAPES: cast = {{\[\[}}0 1 2 3 4 5 6 7] [8 9 10 11
  func.func @reshapes_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %flat = memref.collapse_shape %s [[0, 1]] : !s into !flat
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<32xi32>
      "mosaic_gpu.vector_store"(%v, %flat) <{multimem = false}> : (vector<32xi32>, !flat) -> ()
      %t = memref.transpose %s (i, j) -> (j, i) : !s to !t
      %u = "mosaic_gpu.vector_load"(%t) : (!t) -> vector<8x4xi32>
      "mosaic_gpu.debug_print"(%u) <{format = "t = {}"}> : (vector<8x4xi32>) -> ()
      %three = memref.expand_shape %s [[0, 1], [2]] output_shape [2, 2, 8] : !s into !three
      %w = "mosaic_gpu.vector_load"(%three) : (!three) -> vector<2x2x8xi32>
      "mosaic_gpu.debug_print"(%w) <{format = "three = {}"}> : (vector<2x2x8xi32>) -> ()
      %wide = "mosaic_gpu.reinterpret_cast"(%s) : (!s) -> memref<2x16xi32, #gpu.address_space<workgroup>>
      %y = "mosaic_gpu.vector_load"(%wide) : (memref<2x16xi32, #gpu.address_space<workgroup>>) -> vector<2x16xi32>
      "mosaic_gpu.debug_print"(%y) <{format = "wide = {}"}> : (vector<2x16xi32>) -> ()
      %any = memref.cast %s : !s to !any
      %x = "mosaic_gpu.vector_load"(%any) : (!any) -> vector<4x8xi32>
      "mosaic_gpu.debug_print"(%x) <{format = "cast = {}"}> : (vector<4x8xi32>) -> ()
      gpu.terminator
    }
    return
  }

  // Each warpgroup adds what it has; elements are combined one by one.
  // CHECK-LABEL: func.func @atomics(
  // CHECK: kernel @atomics on <gpu, [<grid "x" = 1>]>(%[[S:.*]]: !pallas.ref<4x8xi32, smem>)
  // CHECK: %[[THREE:.*]] = arith.constant dense<3>
  // CHECK: pallas.atomic_rmw <add> %[[S]][...], %[[THREE]]
  // CHECK: pallas.atomic_rmw <max> %[[S]][...], %{{.*}}
  // ATOMICS: both = {{\[\[}}5 5 5 6 7 8 9 10] [5 5 5 6 7 8 9 10]
  func.func @atomics_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %three = arith.constant dense<3> : vector<4x8xi32>
      %five = arith.constant dense<5> : vector<4x8xi32>
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<4x8xi32>
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<4x8xi32>, !s) -> ()
      "mosaic_gpu.vector_store"(%three, %s) <{atomic_type = 0 : i32, multimem = false}> : (vector<4x8xi32>, !s) -> ()
      "mosaic_gpu.vector_store"(%five, %s) <{atomic_type = 2 : i32, multimem = false}> : (vector<4x8xi32>, !s) -> ()
      %u = "mosaic_gpu.vector_load"(%s) : (!s) -> vector<4x8xi32>
      "mosaic_gpu.debug_print"(%u) <{format = "both = {}"}> : (vector<4x8xi32>) -> ()
      gpu.terminator
    }
    return
  }

  // Slices of the same bytes and elements are one ref; bytes that hold
  // something else when the first is done with are another one.
  // CHECK-LABEL: func.func @again(
  // CHECK: kernel @again on <gpu, [<grid "x" = 1>]>(%[[A:.*]]: !pallas.ref<32xi32, smem>, %[[B:.*]]: !pallas.ref<8xf32, smem>)
  // CHECK: pallas.swap %[[A]][...]
  // CHECK: pallas.get %[[A]][...]
  // CHECK: pallas.swap %[[B]][...]
  // CHECK: pallas.get %[[B]][...]
  // AGAIN: first = [0 1 2 3
  // AGAIN: second = [2.5 2.5
  func.func @again_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %half = arith.constant dense<2.5> : vector<8xf32>
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !flat
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<32xi32>
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<32xi32>, !flat) -> ()
      %same = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !flat
      %u = "mosaic_gpu.vector_load"(%same) : (!flat) -> vector<32xi32>
      "mosaic_gpu.debug_print"(%u) <{format = "first = {}"}> : (vector<32xi32>) -> ()
      %other = "mosaic_gpu.slice_smem"() <{offset = 64 : i32}> : () -> memref<8xf32, #gpu.address_space<workgroup>>
      "mosaic_gpu.vector_store"(%half, %other) <{multimem = false}> : (vector<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>) -> ()
      %w = "mosaic_gpu.vector_load"(%other) : (memref<8xf32, #gpu.address_space<workgroup>>) -> vector<8xf32>
      "mosaic_gpu.debug_print"(%w) <{format = "second = {}"}> : (vector<8xf32>) -> ()
      gpu.terminator
    }
    return
  }

  // Loops and branches name the same bytes again. In each of them the other part comes behind.
  // CHECK-LABEL: func.func @loops(
  // CHECK: kernel @loops on <gpu, [<grid "x" = 1>]>(%{{.*}}: !pallas.ref<32xi32, smem>, %{{.*}}: !pallas.ref<8xf32, smem>)
  // LOOPS: first = [0 1 2 3
  // LOOPS: second = [2.5 2.5
  // LOOPS: third = [0 1 2 3
  // LOOPS: fourth = [2.5 2.5
  func.func @loops_mosaic_gpu() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 128 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %half = arith.constant dense<2.5> : vector<8xf32>
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<32xi32>
      scf.for %i = %c0 to %c1 step %c1 {
        %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !flat
        "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<32xi32>, !flat) -> ()
        %u = "mosaic_gpu.vector_load"(%s) : (!flat) -> vector<32xi32>
        "mosaic_gpu.debug_print"(%u) <{format = "first = {}"}> : (vector<32xi32>) -> ()
        %other = "mosaic_gpu.slice_smem"() <{offset = 64 : i32}> : () -> memref<8xf32, #gpu.address_space<workgroup>>
        "mosaic_gpu.vector_store"(%half, %other) <{multimem = false}> : (vector<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>) -> ()
        %w = "mosaic_gpu.vector_load"(%other) : (memref<8xf32, #gpu.address_space<workgroup>>) -> vector<8xf32>
        "mosaic_gpu.debug_print"(%w) <{format = "second = {}"}> : (vector<8xf32>) -> ()
      }
      %always = arith.cmpi eq, %bx, %c0 : index
      scf.if %always {
        %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !flat
        "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<32xi32>, !flat) -> ()
        %u = "mosaic_gpu.vector_load"(%s) : (!flat) -> vector<32xi32>
        "mosaic_gpu.debug_print"(%u) <{format = "third = {}"}> : (vector<32xi32>) -> ()
        %other = "mosaic_gpu.slice_smem"() <{offset = 64 : i32}> : () -> memref<8xf32, #gpu.address_space<workgroup>>
        "mosaic_gpu.vector_store"(%half, %other) <{multimem = false}> : (vector<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>) -> ()
        %w = "mosaic_gpu.vector_load"(%other) : (memref<8xf32, #gpu.address_space<workgroup>>) -> vector<8xf32>
        "mosaic_gpu.debug_print"(%w) <{format = "fourth = {}"}> : (vector<8xf32>) -> ()
      }
      gpu.terminator
    }
    return
  }
}
