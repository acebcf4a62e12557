// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

!rows = !pallas.ref<16x128xf32, vmem>
!array = !pallas.ref<512x128xf32, hbm>

// Where lanes are combined, vectors are registers: they have one dimension, the
// memory may have more.

// CHECK-LABEL: module @scanned
// CHECK-SAME: needs_layout_passes = false
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
// CHECK: %[[V:.*]] = tpu.vector_load %{{.*}}[%{{.*}}, %{{.*}}] {{.*}} vector<8xf32>
// CHECK-NOT: shape_cast
// CHECK: %[[S:.*]] = tpu.scan <sum>, %[[V]]
// CHECK-NOT: shape_cast
// CHECK: tpu.vector_store %{{.*}}[%{{.*}}, %{{.*}}], %[[S]] {{.*}} vector<8xf32>
func.func @f(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel @scanned on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !rows) {
    %row = pallas.axis_index "subcore"
    %v = pallas.get %b[%row, ds(8, 8)] : !rows
    %s = pallas.cumulative <sum> %v dim 0 : tensor<8xf32>
    pallas.swap %b[%row, ds(8, 8)], %s : !rows, tensor<8xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

!rows = !pallas.ref<16x128xf32, vmem>
!array = !pallas.ref<512x128xf32, hbm>

// Elsewhere the compiler chooses layouts, of vectors of the rank of the memory.

// CHECK-LABEL: module @added
// CHECK-NOT: needs_layout_passes
// CHECK-SAME: sparse_core_tiling = "TILING_COMPACT"
// CHECK: %[[V:.*]] = tpu.vector_load %{{.*}} vector<1x8xf32>
// CHECK: %[[R:.*]] = vector.shape_cast %[[V]] : vector<1x8xf32> to vector<8xf32>
// CHECK: arith.addf %[[R]], %[[R]] : vector<8xf32>
func.func @f(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel @added on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !rows) {
    %row = pallas.axis_index "subcore"
    %v = pallas.get %b[%row, ds(8, 8)] : !rows
    %s = arith.addf %v, %v : tensor<8xf32>
    pallas.swap %b[%row, ds(8, 8)], %s : !rows, tensor<8xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

!rows = !pallas.ref<16x128xf32, vmem>
!array = !pallas.ref<512x128xf32, hbm>

// The author says both, and that the iterations are independent.

// CHECK-LABEL: module @parallel
// CHECK-SAME: disable_semaphore_checks = true
// CHECK-SAME: needs_layout_passes = false
// CHECK-SAME: sparse_core_tiling = "TILING_SPARSE_CORE"
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK: %[[V:.*]] = tpu.vector_load %{{.*}} vector<8xf32>
// CHECK: arith.addf %[[V]], %{{.*}} : vector<8xf32>
// CHECK: } {sc.loop_unroll_factor = 4 : i64, sc.parallel_access}
func.func @f(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      attributes {compilerParams = [#pallas.tpu_params<disableSemaphoreChecks = true, needsLayoutPasses = false, useTCTilingOnSC = false>]}
      kernel @parallel on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !rows) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %sum = scf.for %row = %c0 to %c16 step %c1 iter_args(%t = %zero) -> tensor<8xf32> : i32 {
      %v = pallas.get %b[%row, ds(8, 8)] : !rows
      %s = arith.addf %v, %t : tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    } {pallas.parallel_loop = 4 : i64}
    pallas.swap %b[%c0, ds(8, 8)], %sum : !rows, tensor<8xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

// On a TensorCore a parallel loop is one as any other.

// CHECK-LABEL: func.func @unrolled
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: parallel
// CHECK: return
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @unrolled grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    scf.for %row = %c0 to %c4 step %c1 : i32 {
      %v = pallas.get %xr[%row, :] : !pallas.ref<8x128xf32, vmem>
      %s = arith.addf %v, %v : tensor<128xf32>
      pallas.swap %or[%row, :], %s : !pallas.ref<8x128xf32, vmem>, tensor<128xf32>
    } {pallas.parallel_loop = 4 : i64}
  }
  return %o : tensor<8x128xf32>
}

// -----

!lanes = !pallas.ref<16x128xf32, vmem>
!array = !pallas.ref<512x128xf32, hbm>

// The last of several elements for one place stays.

// CHECK-LABEL: func.func @scattered
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[I:.*]], %{{.*}} : vector<8xi32>
// CHECK: %[[LAST:.*]], %{{.*}} = tpu.scan_count mask(%[[IN]] : vector<8xi1>) value(%[[I]] : vector<8xi32>)
// CHECK: %[[R:.*]] = "tpu.region"() ({
// CHECK: tpu.vector_store %[[B:.*]][%{{.*}}], %{{.*}} : memref<8xf32
// CHECK: tpu.vector_store_idx %[[B]][%[[I]]], %{{.*}} masked %[[LAST]]
// CHECK: %[[ALL:.*]] = tpu.vector_load %[[B]]
// CHECK: tpu.yield %[[ALL]]
// CHECK-NOT: 8x1x
// CHECK: %[[LANE:.*]] = tpu.iota
// CHECK: %[[TURNED:.*]] = arith.subi %{{.*}}, %[[LANE]] : vector<8xi32>
// CHECK: tpu.dynamic_gather %[[R]][%[[TURNED]]] in [0] : vector<8xf32>, vector<8xi32>
func.func @f(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xf32>)
      out(tensor<512x128xf32>)
      kernel @scattered on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !lanes, %k: !pallas.ref<8xi32, vmem>) {
    %row = pallas.axis_index "subcore"
    %v = pallas.get %b[%row, ds(8, 8)] : !lanes
    %w = pallas.get %b[%row, ds(0, 8)] : !lanes
    %i = pallas.get %k[...] : !pallas.ref<8xi32, vmem>
    %at = pallas.broadcast %i dims [0] : tensor<8xi32> -> tensor<8x1xi32>
    %s = pallas.scatter %v at %at, %w window [] inserted [0] batching [] x [] map [0] : tensor<8xf32>, tensor<8x1xi32>, tensor<8xf32>
    %r = pallas.rev %s dims [0] : tensor<8xf32>
    pallas.swap %b[%row, ds(8, 8)], %r : !lanes, tensor<8xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

!rows = !pallas.ref<16x128xbf16, vmem>
!array = !pallas.ref<512x128xbf16, hbm>

// SparseCores choose between elements of bf16 as they are: they can't widen
// them.

// CHECK-LABEL: module @chosen
// CHECK-NOT: extf
// CHECK: arith.select %{{.*}} : vector<{{.*}}xi1>, vector<{{.*}}xbf16>
func.func @f(%x: tensor<512x128xbf16>) -> tensor<512x128xbf16> {
  %o = pallas.mpmd_map
      in(%x : tensor<512x128xbf16>)
      out(tensor<512x128xbf16>)
      kernel @chosen on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !array, %or: !array, %b: !rows) {
    %row = pallas.axis_index "subcore"
    %v = pallas.get %b[%row, ds(16, 16)] : !rows
    %two = arith.constant dense<2.0> : tensor<16xbf16>
    %more = arith.cmpf ogt, %v, %two : tensor<16xbf16>
    %chosen = arith.select %more, %v, %two : tensor<16xi1>, tensor<16xbf16>
    pallas.swap %b[%row, ds(16, 16)], %chosen : !rows, tensor<16xbf16>
  }
  return %o : tensor<512x128xbf16>
}
