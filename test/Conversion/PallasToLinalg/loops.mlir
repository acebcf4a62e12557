// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

// Long rows are read element by element, so that operations behind them fuse.

// CHECK: #[[PER_ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @gather_rows
// CHECK-SAME: %[[A:.*]]: tensor<64x128xf32>, %[[I:.*]]: tensor<4x1xi32>
func.func @gather_rows(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>) -> tensor<4x128xf32> {
  // CHECK: %[[STARTS:.*]] = tensor.extract_slice %[[I]][0, 0] [4, 1] [1, 1] : tensor<4x1xi32> to tensor<4xi32>
  // CHECK: linalg.generic {indexing_maps = [#[[PER_ROW]], #{{.*}}], {{.*}}} ins(%[[STARTS]] : tensor<4xi32>)
  // CHECK: arith.minsi
  // CHECK: %[[ROW:.*]] = arith.maxsi
  // CHECK: %[[J:.*]] = linalg.index 1 : index
  // CHECK: tensor.extract %[[A]][%[[ROW]], %[[J]]]
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128]
    : tensor<64x128xf32>, tensor<4x1xi32> -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// Windows have a start along each dimension, and rows of them theirs.

// CHECK-LABEL: func.func @gather_windows
func.func @gather_windows(%a: tensor<64x128xf32>, %i: tensor<4x2xi32>) -> tensor<4x8x32xf32> {
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[0, 1] [4, 1] [1, 1]
  // CHECK: linalg.generic
  // CHECK: arith.constant 56 : index
  // CHECK: %[[TOP:.*]] = arith.maxsi
  // CHECK: arith.constant 96 : index
  // CHECK: %[[LEFT:.*]] = arith.maxsi
  // CHECK: %[[R:.*]] = linalg.index 1 : index
  // CHECK: %[[ROW:.*]] = arith.addi %[[TOP]], %[[R]]
  // CHECK: %[[C:.*]] = linalg.index 2 : index
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[LEFT]], %[[C]]
  // CHECK: tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]]
  %0 = pallas.gather %a at %i offset [1, 2] collapsed [] batching [] x [] map [0, 1] sizes [8, 32]
    : tensor<64x128xf32>, tensor<4x2xi32> -> tensor<4x8x32xf32>
  return %0 : tensor<4x8x32xf32>
}

// -----

// A batch dimension is its own index, and rows are read from their start on.

// CHECK: #[[PER_BATCH:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @gather_rows_of_batch
func.func @gather_rows_of_batch(%a: tensor<4x64xf32>, %i: tensor<4x3x1xi32>) -> tensor<4x3x16xf32> {
  // CHECK: %[[STARTS:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [4, 3, 1] [1, 1, 1] : tensor<4x3x1xi32> to tensor<4x3xi32>
  // CHECK: linalg.generic {indexing_maps = [#[[PER_BATCH]], #{{.*}}], {{.*}}} ins(%[[STARTS]] : tensor<4x3xi32>)
  // CHECK: %[[B:.*]] = linalg.index 0 : index
  // CHECK: arith.constant 48 : index
  // CHECK: %[[START:.*]] = arith.maxsi
  // CHECK: %[[J:.*]] = linalg.index 2 : index
  // CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[J]]
  // CHECK: tensor.extract %{{.*}}[%[[B]], %[[AT]]]
  %0 = pallas.gather %a at %i offset [2] collapsed [] batching [0] x [0] map [1] sizes [1, 16]
    : tensor<4x64xf32>, tensor<4x3x1xi32> -> tensor<4x3x16xf32>
  return %0 : tensor<4x3x16xf32>
}

// -----

// Short rows are copied, and so are those that are no rows of the result.

// CHECK-LABEL: func.func @gather_short_rows
func.func @gather_short_rows(%a: tensor<64x8xf32>, %i: tensor<4x1xi32>) -> tensor<4x8xf32> {
  // CHECK: scf.for
  // CHECK: arith.minsi
  // CHECK: arith.maxsi
  // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<8xf32>
  // CHECK: tensor.insert_slice
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8]
    : tensor<64x8xf32>, tensor<4x1xi32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @gather_columns
func.func @gather_columns(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>) -> tensor<64x4xf32> {
  // CHECK: scf.for
  // CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}] [64, 1] [1, 1] : tensor<64x128xf32> to tensor<64xf32>
  // CHECK: tensor.insert_slice
  %0 = pallas.gather %a at %i offset [0] collapsed [1] batching [] x [] map [1] sizes [64, 1]
    : tensor<64x128xf32>, tensor<4x1xi32> -> tensor<64x4xf32>
  return %0 : tensor<64x4xf32>
}

// -----

// CHECK-LABEL: func.func @take_along
func.func @take_along(%a: tensor<64x128xf32>, %i: tensor<4x128xi32>) -> tensor<4x128xf32> {
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic
  // CHECK: tensor.extract
  %0 = pallas.take_along %a at %i dim 0 : tensor<64x128xf32>, tensor<4x128xi32>
    -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_add
func.func @scatter_add(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>, %u: tensor<4x128xf32>) -> tensor<64x128xf32> {
  // A window outside is dropped.
  // CHECK: scf.for
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule
  // CHECK: scf.if %[[INSIDE]]
  // CHECK: arith.addf
  %0 = pallas.scatter combining <add> %a at %i, %u window [1] inserted [0] batching [] x [] map [0]
    : tensor<64x128xf32>, tensor<4x1xi32>, tensor<4x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// The size of the code does not depend on the length.
// CHECK-LABEL: func.func @sort
func.func @sort(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
  // CHECK: arith.constant 20 : index
  // CHECK-COUNT-4: scf.for
  // CHECK-NOT: scf.for
  %0 = pallas.sort %a dim 0 : tensor<1000000xf32> -> tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}

// -----

// CHECK-LABEL: func.func @cumsum
func.func @cumsum(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // Along a dimension that isn't the last, whole rows run.
  // CHECK: scf.for {{.*}} -> (tensor<1x64x128xf32>)
  // CHECK: scf.for {{.*}} -> (tensor<128xf32>, tensor<1x64x128xf32>)
  // CHECK: linalg.generic
  %0 = pallas.cumulative <sum> %a dim 0 : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// CHECK-LABEL: func.func @mask_reduce
func.func @mask_reduce(%m: tensor<16xi1>) -> (i32, i32) {
  // CHECK: %[[SIZE:.*]] = arith.constant 16 : i32
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SIZE]])
  // CHECK: arith.minsi
  // CHECK: arith.select
  %0 = pallas.mask_reduce <first> %m : tensor<16xi1>
  // CHECK: scf.for
  // CHECK: arith.extui
  // CHECK: arith.addi
  %1 = pallas.mask_reduce <count> %m : tensor<16xi1>
  return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: func.func @scan_count
func.func @scan_count(%x: tensor<16xf32>, %m: tensor<16xi1>) -> (tensor<16xi32>, tensor<16xi1>) {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpi ugt
  // CHECK: tensor.insert %{{.*}} : tensor<16xi32>
  // CHECK: tensor.insert %{{.*}} : tensor<16xi1>
  %0:2 = pallas.scan_count %x mask %m : tensor<16xf32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
  return %0#0, %0#1 : tensor<16xi32>, tensor<16xi1>
}

// -----

// Single elements are read in place; an index outside is clamped.

// CHECK-LABEL: func.func @gather_element
func.func @gather_element(%a: tensor<64xf32>, %i: tensor<1xi32>) -> f32 {
  // CHECK: %[[R:.*]] = linalg.generic {{.*}}iterator_types = []
  // CHECK: %[[LAST:.*]] = arith.constant 63 : index
  // CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
  // CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<64xf32>
  // CHECK: tensor.extract %[[R]][] : tensor<f32>
  %0 = pallas.gather %a at %i offset [] collapsed [0] batching [] x [] map [0] sizes [1]
    : tensor<64xf32>, tensor<1xi32> -> f32
  return %0 : f32
}

// -----

// A batch dimension is its own index, and the last start of a slice of 8 is 56.

// CHECK-LABEL: func.func @gather_batch
func.func @gather_batch(%a: tensor<4x64xf32>, %i: tensor<4x3x1xi32>) -> tensor<4x3x8xf32> {
  // CHECK: scf.for %[[B:[a-z0-9]+]] = {{.*}} -> (tensor<4x3x8xf32>)
  // CHECK: scf.for %[[N:[a-z0-9]+]] = {{.*}} -> (tensor<4x3x8xf32>)
  // CHECK: tensor.extract %{{.*}}[%[[B]], %[[N]], %{{.*}}] : tensor<4x3x1xi32>
  // CHECK: arith.constant 56 : index
  // CHECK: %[[START:.*]] = arith.maxsi
  // CHECK: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[START]]] [1, 8] [1, 1] : tensor<4x64xf32> to tensor<8xf32>
  // CHECK: tensor.insert_slice %[[SLICE]] into %{{.*}}[%[[B]], %[[N]], 0] [1, 1, 8]
  %0 = pallas.gather %a at %i offset [2] collapsed [] batching [0] x [0] map [1] sizes [1, 8]
    : tensor<4x64xf32>, tensor<4x3x1xi32> -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// -----

// With mode fill, a slice that is not wholly inside is NaN.

// CHECK-LABEL: func.func @gather_fill
func.func @gather_fill(%a: tensor<64x8xf32>, %i: tensor<4x1xi32>) -> tensor<4x8xf32> {
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule
  // CHECK: scf.if %[[INSIDE]] -> (tensor<8xf32>)
  // CHECK: tensor.extract_slice
  // CHECK: else
  // CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK: linalg.fill ins(%[[NAN]] : f32)
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8] mode fill
    : tensor<64x8xf32>, tensor<4x1xi32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @gather_fill_rows
func.func @gather_fill_rows(%a: tensor<64x128xf32>, %i: tensor<4x1xi32>) -> tensor<4x128xf32> {
  // CHECK: %[[ELEMENT:.*]] = tensor.extract %
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule
  // CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK: arith.select %[[INSIDE]], %[[ELEMENT]], %[[NAN]]
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128] mode fill
    : tensor<64x128xf32>, tensor<4x1xi32> -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func.func @take_along_fill
func.func @take_along_fill(%a: tensor<8xi1>, %i: tensor<2xi32>) -> tensor<2xi1> {
  // The index is compared before it is clamped.
  // CHECK: %[[I:.*]] = arith.index_cast
  // CHECK: %[[X:.*]] = tensor.extract
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[I]]
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: arith.select %[[INSIDE]], %[[X]], %[[TRUE]] : i1
  %0 = pallas.take_along %a at %i dim 0 mode fill : tensor<8xi1>, tensor<2xi32> -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// All elements are outside, so nothing is read.

// CHECK-LABEL: func.func @take_along_of_nothing
func.func @take_along_of_nothing(%a: tensor<0x4xi32>, %i: tensor<2x4xi32>) -> tensor<2x4xi32> {
  // CHECK-NOT: tensor.extract
  // CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK: linalg.fill ins(%[[LEAST]] : i32) outs(%{{.*}} : tensor<2x4xi32>)
  %0 = pallas.take_along %a at %i dim 0 mode fill : tensor<0x4xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

// Without a kind the update replaces the window, and nothing is read.

// CHECK-LABEL: func.func @scatter
func.func @scatter(%a: tensor<4x64xf32>, %i: tensor<4x1xi32>, %u: tensor<4x8xf32>) -> tensor<4x64xf32> {
  // CHECK: scf.for %[[B:[a-z0-9]+]] = {{.*}} iter_args(%[[INTO:[a-z0-9]+]] = %{{.*}})
  // CHECK: %[[START:.*]] = arith.index_cast
  // CHECK: scf.if
  // CHECK: %[[U:.*]] = tensor.extract_slice %{{.*}}[%[[B]], 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  // CHECK-NEXT: tensor.insert_slice %[[U]] into %[[INTO]][%[[B]], %[[START]]] [1, 8]
  // CHECK: else
  // CHECK-NEXT: scf.yield %[[INTO]]
  %0 = pallas.scatter %a at %i, %u window [1] inserted [] batching [0] x [0] map [1]
    : tensor<4x64xf32>, tensor<4x1xi32>, tensor<4x8xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_element
// CHECK-SAME: %[[A:.*]]: tensor<64xf32>, %{{.*}}: tensor<1xi32>, %{{.*}}: f32)
func.func @scatter_element(%a: tensor<64xf32>, %i: tensor<1xi32>, %u: f32) -> tensor<64xf32> {
  // CHECK-NOT: scf.for
  // CHECK: scf.if
  // CHECK: %[[OLD:.*]] = tensor.extract %[[A]]
  // CHECK: %[[NEW:.*]] = arith.mulf %[[OLD]]
  // CHECK: tensor.insert %[[NEW]] into %[[A]]
  %0 = pallas.scatter combining <mul> %a at %i, %u window [] inserted [0] batching [] x [] map [0]
    : tensor<64xf32>, tensor<1xi32>, f32
  return %0 : tensor<64xf32>
}

// -----

// A window that is larger than the operand is outside wherever it starts.

// CHECK-LABEL: func.func @scatter_larger_window
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>,
func.func @scatter_larger_window(%a: tensor<2xf32>, %i: tensor<1xi32>, %u: tensor<3xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: return %[[A]]
  %0 = pallas.scatter %a at %i, %u window [0] inserted [] batching [] x [] map [0]
    : tensor<2xf32>, tensor<1xi32>, tensor<3xf32>
  return %0 : tensor<2xf32>
}

// -----

// The second key decides where elements of the first are equivalent.

// CHECK-LABEL: func.func @sort_by_two_keys
func.func @sort_by_two_keys(%a: tensor<8x4xf32>, %b: tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>) {
  // CHECK-DAG: %[[A:.*]] = tensor.expand_shape {{.*}} into tensor<1x8x4xf32>
  // CHECK-DAG: %[[B:.*]] = tensor.expand_shape {{.*}} into tensor<1x8x4xi32>
  // CHECK: tensor.extract %[[B]]
  // CHECK: %[[LATER:.*]] = arith.cmpi slt
  // CHECK: tensor.extract %[[A]]
  // CHECK: %[[EQUAL:.*]] = arith.cmpf oeq
  // CHECK: %[[SAME:.*]] = arith.ori %[[EQUAL]]
  // CHECK: arith.andi %[[SAME]], %[[LATER]] : i1
  %0:2 = pallas.sort %a, %b dim 0 keys 2 : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8x4xf32>, tensor<8x4xi32>
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xi32>
}

// -----

// A descending order compares the other way round, so equal elements keep theirs.

// CHECK-LABEL: func.func @sort_descending
func.func @sort_descending(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[ROW:.*]] = tensor.expand_shape {{.*}} into tensor<1x8x1xi32>
  // CHECK: %[[FIRST:.*]] = tensor.extract %[[ROW]]
  // CHECK: %[[SECOND:.*]] = tensor.extract %[[ROW]]
  // CHECK: arith.cmpi ult, %[[SECOND]], %[[FIRST]] : i32
  %0 = pallas.sort %a dim 0 unsigned descending : tensor<8xi32> -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// One element has no order.

// CHECK-LABEL: func.func @sort_of_one
func.func @sort_of_one(%a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK-COUNT-3: scf.for
  // CHECK-NOT: scf.for
  // CHECK-NOT: arith.cmpf
  %0 = pallas.sort %a dim 0 : tensor<1x4xf32> -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// Along the last dimension the running value is an element; reversed loops count down.

// CHECK-LABEL: func.func @cummax_reversed
func.func @cummax_reversed(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args(%[[RUNNING:[a-z0-9]+]] = %[[LEAST]], %{{.*}}) -> (i32, tensor<1x8x1xi32>)
  // CHECK: %[[LAST:.*]] = arith.constant 7 : index
  // CHECK: %[[AT:.*]] = arith.subi %[[LAST]], %[[I]] : index
  // CHECK: %[[X:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[AT]], %{{.*}}]
  // CHECK: arith.maxsi %[[RUNNING]], %[[X]] : i32
  %0 = pallas.cumulative <max> %a dim 0 reverse : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// The running value of narrow floats stays wide; what is stored is rounded. Equal
// infinities have no difference, so their sum is taken instead.

// CHECK-LABEL: func.func @cumlogsumexp
func.func @cumlogsumexp(%a: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<1x8x4xbf16>)
  // CHECK: %[[ROWS:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xbf16>)
  // CHECK: %[[DELTA:.*]] = arith.subf
  // CHECK: %[[LOG:.*]] = math.log1p
  // CHECK: %[[FINITE:.*]] = arith.addf %{{.*}}, %[[LOG]] : f32
  // CHECK: %[[PLAIN:.*]] = arith.addf
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[DELTA]], %[[DELTA]] : f32
  // CHECK: %[[SUM:.*]] = arith.select %[[NAN]], %[[PLAIN]], %[[FINITE]] : f32
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
  // CHECK: linalg.yield %[[SUM]], %[[ROUNDED]]
  // CHECK: tensor.insert_slice %[[ROWS]]#1
  // CHECK: scf.yield %[[ROWS]]#0
  %0 = pallas.cumulative <logsumexp> %a dim 0 : tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}

// -----

// CHECK-LABEL: func.func @cumsum_of_booleans
func.func @cumsum_of_booleans(%a: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: arith.constant false
  // CHECK: arith.ori %{{.*}}, %{{.*}} : i1
  %0 = pallas.cumulative <sum> %a dim 0 : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// The elements of a mask of two dimensions count in row-major order.

// CHECK-LABEL: func.func @mask_reduce_rows
func.func @mask_reduce_rows(%m: tensor<4x8xi1>) -> i32 {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x8xi1> into tensor<32xi1>
  // CHECK: arith.constant 32 : i32
  %0 = pallas.mask_reduce <first> %m : tensor<4x8xi1>
  return %0 : i32
}

// -----

// CHECK-LABEL: func.func @scan_count_of_integers
func.func @scan_count_of_integers(%x: tensor<16xi32>, %m: tensor<16xi1>) -> tensor<16xi32> {
  // CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  %0:2 = pallas.scan_count %x mask %m : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
  return %0#0 : tensor<16xi32>
}
