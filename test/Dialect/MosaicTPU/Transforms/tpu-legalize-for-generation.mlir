// RUN: pallas-opt %s --tpu-legalize-for-generation=chip=v4 | FileCheck %s --check-prefix=V4
// RUN: pallas-opt %s --tpu-legalize-for-generation=chip=v5e | FileCheck %s --check-prefix=V5E

// Gathers along sublanes select one row after the other where the chip has none.
// V4-LABEL: func.func @rows
// V4-NOT: tpu.dynamic_gather
// V4-COUNT-7: arith.select
// V5E-LABEL: func.func @rows
// V5E: tpu.dynamic_gather
func.func @rows(%v: vector<8x128xf32>, %i: vector<8x128xi32>) -> vector<8x128xf32> {
  %g = tpu.dynamic_gather %v[%i] in [0] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
  return %g : vector<8x128xf32>
}

// What lies in columns is laid along lanes through the diagonal of a square.
// V4-LABEL: func.func @sums
// V4: vector.multi_reduction <add>
// V4: tpu.iota
// V4: arith.select
// V4: vector.multi_reduction <add>
// V5E-LABEL: func.func @sums
// V5E-NOT: tpu.iota
// V5E: return
func.func @sums(%v: vector<8x128xf32>, %z: vector<8xf32>) -> vector<8xf32> {
  %s = vector.multi_reduction <add>, %v, %z [1] : vector<8x128xf32> to vector<8xf32>
  return %s : vector<8xf32>
}

// Masks of packed elements come first on every chip.
// V5E-LABEL: func.func @masks
// V5E: %[[P:.*]] = arith.cmpf ogt
// V5E: arith.andi %[[P]], %{{.*}}
func.func @masks(%v: vector<16x128xbf16>, %m: vector<16x128xi1>) -> vector<16x128xi1> {
  %p = arith.cmpf ogt, %v, %v : vector<16x128xbf16>
  %both = arith.andi %m, %p : vector<16x128xi1>
  return %both : vector<16x128xi1>
}

// What is spread along a dimension is selected in 32 bits on every chip, as far as it is known only
// since loops are unrolled.
// V5E-LABEL: func.func @spread
// V5E: %[[ROWS:.*]] = vector.broadcast
// V5E: arith.extf %[[ROWS]]
// V5E: %[[R:.*]] = arith.select %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
// V5E: arith.truncf %[[R]]
func.func @spread(%row: vector<1x128xbf16>, %m: vector<16x128xi1>) -> vector<16x128xbf16> {
  %rows = vector.broadcast %row : vector<1x128xbf16> to vector<16x128xbf16>
  %zero = arith.constant dense<0.0> : vector<16x128xbf16>
  %r = arith.select %m, %rows, %zero : vector<16x128xi1>, vector<16x128xbf16>
  return %r : vector<16x128xbf16>
}

// A loop carries rows in the layout that it starts with.
// V5E-LABEL: func.func @carried
// V5E: scf.for
// V5E: arith.select %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
func.func @carried(%row: vector<1x128xbf16>, %m: vector<16x128xi1>, %n: i32) -> vector<16x128xbf16> {
  %rows = vector.broadcast %row : vector<1x128xbf16> to vector<16x128xbf16>
  %zero = arith.constant dense<0.0> : vector<16x128xbf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (vector<16x128xbf16>) : i32 {
    %next = arith.select %m, %rows, %a : vector<16x128xi1>, vector<16x128xbf16>
    scf.yield %next : vector<16x128xbf16>
  }
  return %r : vector<16x128xbf16>
}

// Rows and columns have no dimension in common, but a mask of rows has one with the columns.
// V5E-LABEL: func.func @mixed
// V5E: arith.select %{{.*}} : vector<16x128xi1>, vector<16x128xbf16>
// V5E: arith.select %{{.*}} : vector<16x128xi1>, vector<16x128xf32>
func.func @mixed(%row: vector<1x128xbf16>, %column: vector<16x1xbf16>, %m: vector<16x128xi1>) -> (vector<16x128xbf16>, vector<16x128xbf16>) {
  %rows = vector.broadcast %row : vector<1x128xbf16> to vector<16x128xbf16>
  %columns = vector.broadcast %column : vector<16x1xbf16> to vector<16x128xbf16>
  %one = arith.constant dense<1> : vector<16x128xi32>
  %i = tpu.iota {dimensions = array<i32: 0>} : vector<16x128xi32>
  %here = arith.cmpi eq, %i, %one : vector<16x128xi32>
  %r = arith.select %m, %rows, %columns : vector<16x128xi1>, vector<16x128xbf16>
  %s = arith.select %here, %rows, %columns : vector<16x128xi1>, vector<16x128xbf16>
  return %r, %s : vector<16x128xbf16>, vector<16x128xbf16>
}

// Branches of operations that name, repeat or exchange registers only are empty at last, and what
// is empty is selected as whole vectors.
// V5E-LABEL: func.func @flip
// V5E: %[[FLIPPED:.*]] = tpu.concatenate
// V5E: scf.if
// V5E-NEXT: scf.yield %[[FLIPPED]]
// V5E-NEXT: } else {
// V5E-NEXT: scf.yield %{{.*}} : vector<2x8x128xf32>
func.func @flip(%v: vector<2x8x128xf32>, %c: i1) -> vector<2x8x128xf32> {
  %r = scf.if %c -> vector<2x8x128xf32> {
    %a = vector.extract_strided_slice %v {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
    %b = vector.extract_strided_slice %v {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
    %flipped = tpu.concatenate %a, %b in 0 : vector<1x8x128xf32>, vector<1x8x128xf32> -> vector<2x8x128xf32>
    scf.yield %flipped : vector<2x8x128xf32>
  } else {
    scf.yield %v : vector<2x8x128xf32>
  }
  return %r : vector<2x8x128xf32>
}

// Computation stays where it may be left out.
// V5E-LABEL: func.func @double
// V5E: scf.if
// V5E-NEXT: arith.addf
func.func @double(%v: vector<2x8x128xf32>, %c: i1) -> vector<2x8x128xf32> {
  %r = scf.if %c -> vector<2x8x128xf32> {
    %d = arith.addf %v, %v : vector<2x8x128xf32>
    scf.yield %d : vector<2x8x128xf32>
  } else {
    scf.yield %v : vector<2x8x128xf32>
  }
  return %r : vector<2x8x128xf32>
}

// So do results that vanish beside others that are computed, and beside stores.
// V5E-LABEL: func.func @flip_beside
// V5E: %[[FLIPPED:.*]] = tpu.concatenate
// V5E: scf.if
// V5E-NEXT: %[[D:.*]] = arith.addf
// V5E-NEXT: scf.yield %[[FLIPPED]], %[[D]]
// V5E-NEXT: } else {
// V5E-NEXT: tpu.vector_store
// V5E-NEXT: scf.yield
func.func @flip_beside(%v: vector<2x8x128xf32>, %c: i1, %ref: memref<2x8x128xf32>) -> (vector<2x8x128xf32>, vector<2x8x128xf32>) {
  %c0 = arith.constant 0 : index
  %r:2 = scf.if %c -> (vector<2x8x128xf32>, vector<2x8x128xf32>) {
    %a = vector.extract_strided_slice %v {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
    %b = vector.extract_strided_slice %v {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
    %flipped = tpu.concatenate %a, %b in 0 : vector<1x8x128xf32>, vector<1x8x128xf32> -> vector<2x8x128xf32>
    %d = arith.addf %v, %v : vector<2x8x128xf32>
    scf.yield %flipped, %d : vector<2x8x128xf32>, vector<2x8x128xf32>
  } else {
    tpu.vector_store %ref[%c0, %c0, %c0], %v {strides = array<i32>} : memref<2x8x128xf32>, vector<2x8x128xf32>,
    scf.yield %v, %v : vector<2x8x128xf32>, vector<2x8x128xf32>
  }
  return %r#0, %r#1 : vector<2x8x128xf32>, vector<2x8x128xf32>
}

// What was computed before a branch is not computed in it.
// V5E-LABEL: func.func @again
// V5E: %[[D:.*]] = arith.addf
// V5E: scf.if
// V5E-NEXT: scf.yield %[[D]]
func.func @again(%v: vector<8x128xf32>, %c: i1) -> (vector<8x128xf32>, vector<8x128xf32>) {
  %d = arith.addf %v, %v : vector<8x128xf32>
  %r = scf.if %c -> vector<8x128xf32> {
    %again = arith.addf %v, %v : vector<8x128xf32>
    scf.yield %again : vector<8x128xf32>
  } else {
    scf.yield %v : vector<8x128xf32>
  }
  return %d, %r : vector<8x128xf32>, vector<8x128xf32>
}

// What is put together and taken out again is the same value, and what both branches yield is used
// instead of the result.
// V5E-LABEL: func.func @same
// V5E-SAME: %[[V:[^:]*]]: vector<8x128xf32>
// V5E-NOT: vector.extract_strided_slice
// V5E: return %[[V]]
func.func @same(%v: vector<8x128xf32>, %c: i1) -> vector<8x128xf32> {
  %r = scf.if %c -> vector<8x128xf32> {
    %0 = vector.shape_cast %v : vector<8x128xf32> to vector<1x8x128xf32>
    %1 = tpu.concatenate %0, %0 in 0 : vector<1x8x128xf32>, vector<1x8x128xf32> -> vector<2x8x128xf32>
    %2 = vector.extract_strided_slice %1 {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
    %3 = vector.shape_cast %2 : vector<1x8x128xf32> to vector<8x128xf32>
    scf.yield %3 : vector<8x128xf32>
  } else {
    scf.yield %v : vector<8x128xf32>
  }
  return %r : vector<8x128xf32>
}

// A value that was chosen by a condition is one of the two where the condition is known, also as a
// number, and the same choice is not made again.
// V5E-LABEL: func.func @chosen_before
// V5E-SAME: %[[C:[^ ]*]]: i1,
// V5E: %[[FIRST:.*]] = scf.if %[[C]]
// V5E: scf.if %{{.*}} -> (vector<8x128xf32>) {
// V5E-NOT: scf.if
// V5E: scf.yield %[[FIRST]]
func.func @chosen_before(%v: vector<8x128xf32>, %w: vector<8x128xf32>, %c: i1, %d: i1, %ref: memref<8x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %first = scf.if %c -> vector<8x128xf32> {
    tpu.vector_store %ref[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32>, vector<8x128xf32>,
    scf.yield %v : vector<8x128xf32>
  } else {
    scf.yield %w : vector<8x128xf32>
  }
  %r = scf.if %d -> vector<8x128xf32> {
    %number = arith.extui %c : i1 to i32
    %again = arith.cmpi ne, %number, %zero : i32
    %second = scf.if %again -> vector<8x128xf32> {
      scf.yield %first : vector<8x128xf32>
    } else {
      scf.yield %w : vector<8x128xf32>
    }
    scf.yield %second : vector<8x128xf32>
  } else {
    scf.yield %v : vector<8x128xf32>
  }
  return %r : vector<8x128xf32>
}

// Two results that are the same are one.
// V5E-LABEL: func.func @chosen_twice
// V5E: %[[R:.*]]:2 = scf.if
// V5E: return %[[R]]#0, %[[R]]#0
func.func @chosen_twice(%v: vector<8x128xf32>, %w: vector<8x128xf32>, %c: i1) -> (vector<8x128xf32>, vector<8x128xf32>) {
  %r:2 = scf.if %c -> (vector<8x128xf32>, vector<8x128xf32>) {
    scf.yield %v, %v : vector<8x128xf32>, vector<8x128xf32>
  } else {
    scf.yield %w, %w : vector<8x128xf32>, vector<8x128xf32>
  }
  return %r#0, %r#1 : vector<8x128xf32>, vector<8x128xf32>
}

// The result of a choice around another one is no value in it.
// V5E-LABEL: func.func @chosen_around
// V5E: scf.if
// V5E: %[[INNER:.*]] = scf.if
// V5E: tpu.vector_store %{{.*}}, %[[INNER]]
func.func @chosen_around(%v: vector<8x128xf32>, %w: vector<8x128xf32>, %c: i1, %ref: memref<8x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> vector<8x128xf32> {
    %inner = scf.if %c -> vector<8x128xf32> {
      scf.yield %v : vector<8x128xf32>
    } else {
      scf.yield %w : vector<8x128xf32>
    }
    tpu.vector_store %ref[%c0, %c0], %inner {strides = array<i32>} : memref<8x128xf32>, vector<8x128xf32>,
    scf.yield %v : vector<8x128xf32>
  } else {
    scf.yield %w : vector<8x128xf32>
  }
  return %r : vector<8x128xf32>
}

// Constants make values equal to one from before: a number, and the places that it stands for.
// V5E-LABEL: func.func @constants_in_branches
// V5E: %[[ROLLED:.*]] = tpu.dynamic_rotate
// V5E: %[[CUT:.*]] = arith.select %{{.*}}, %[[ROLLED]], %arg1
// V5E: scf.if
// V5E-NOT: tpu.dynamic_rotate
// V5E: scf.yield %[[CUT]]
func.func @constants_in_branches(%v: vector<8x128xf32>, %w: vector<8x128xf32>, %places: vector<8x128xi32>, %c: i1, %ref: memref<8x128xf32>) -> vector<8x128xf32> {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %i4 = arith.constant 4 : i32
  %threes = arith.constant dense<3> : vector<8x128xi32>
  %rolled = tpu.dynamic_rotate %v by %i3 dim 0 : vector<8x128xf32>, i32 -> vector<8x128xf32>
  %from = arith.cmpi sge, %places, %threes : vector<8x128xi32>
  %cut = arith.select %from, %rolled, %w : vector<8x128xi1>, vector<8x128xf32>
  tpu.vector_store %ref[%c0, %c0], %cut {strides = array<i32>} : memref<8x128xf32>, vector<8x128xf32>,
  %r = scf.if %c -> vector<8x128xf32> {
    scf.yield %w : vector<8x128xf32>
  } else {
    %place = arith.index_cast %i3 : i32 to index
    %number = arith.index_cast %place : index to i32
    %low = arith.maxsi %number, %i0 : i32
    %start = arith.minsi %low, %i4 : i32
    %again = tpu.dynamic_rotate %v by %start dim 0 : vector<8x128xf32>, i32 -> vector<8x128xf32>
    %all = vector.broadcast %start : i32 to vector<8x128xi32>
    %here = arith.cmpi sge, %places, %all : vector<8x128xi32>
    %same = arith.select %here, %again, %w : vector<8x128xi1>, vector<8x128xf32>
    scf.yield %same : vector<8x128xf32>
  }
  return %r : vector<8x128xf32>
}

// Equality of extended bytes stays wide where the compiler could not compare the bytes.
// V4-LABEL: func.func @equal
// V4: %[[A:.*]] = arith.extsi %arg0
// V4: %[[B:.*]] = arith.extsi %arg1
// V4: %[[BITS:.*]] = tpu.bitcast %[[A]] : vector<32x128xi32> -> vector<32x128xf32>
// V4: %[[WIDE:.*]] = tpu.bitcast %[[BITS]] : vector<32x128xf32> -> vector<32x128xi32>
// V4: arith.cmpi eq, %[[WIDE]], %[[B]] : vector<32x128xi32>
// V5E-LABEL: func.func @equal
// V5E-NOT: tpu.bitcast
// V5E: return
func.func @equal(%a: vector<32x128xi8>, %b: vector<32x128xi8>) -> vector<32x128xi1> {
  %0 = arith.extsi %a : vector<32x128xi8> to vector<32x128xi32>
  %1 = arith.extsi %b : vector<32x128xi8> to vector<32x128xi32>
  %r = arith.cmpi eq, %0, %1 : vector<32x128xi32>
  return %r : vector<32x128xi1>
}

// Vectors of bytes in one dimension are joined in 32 bits, too, unless they fill registers.
// V4-LABEL: func.func @rotated
// V4: arith.trunci %{{.*}} : vector<33xi32> to vector<33xi8>
// V4: tpu.concatenate %{{.*}} : vector<512xi8>, vector<512xi8> -> vector<1024xi8>
// V5E-LABEL: func.func @rotated
// V5E: tpu.concatenate %{{.*}} : vector<1xi8>, vector<32xi8> -> vector<33xi8>
func.func @rotated(%a: vector<1xi8>, %b: vector<32xi8>, %c: vector<512xi8>) -> (vector<33xi8>, vector<1024xi8>) {
  %r = tpu.concatenate %a, %b in 0 : vector<1xi8>, vector<32xi8> -> vector<33xi8>
  %s = tpu.concatenate %c, %c in 0 : vector<512xi8>, vector<512xi8> -> vector<1024xi8>
  return %r, %s : vector<33xi8>, vector<1024xi8>
}
