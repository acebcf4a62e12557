// RUN: pallas-opt %s --mosaic-gpu-expand-math | FileCheck %s

// CHECK-LABEL: func.func @floor
// CHECK: %[[R:.*]] = math.roundeven %[[X:.*]] : vector<128xf32>
// CHECK: %[[BEYOND:.*]] = arith.cmpf ogt, %[[R]], %[[X]]
// CHECK: %[[LESS:.*]] = arith.addf %[[R]], %{{.*}}
// CHECK: %[[Y:.*]] = arith.select %[[BEYOND]], %[[LESS]], %[[R]]
// CHECK: math.copysign %[[Y]], %[[X]]
func.func @floor(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.floor %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// CHECK-LABEL: func.func @ceil
// CHECK: arith.cmpf olt
// CHECK: math.copysign
func.func @ceil(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.ceil %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// CHECK-LABEL: func.func @neg
// CHECK: %[[ONE:.*]] = arith.constant dense<-1.000000e+00>
// CHECK: arith.mulf %{{.*}}, %[[ONE]] : vector<128xbf16>
func.func @neg(%x: vector<128xbf16>) -> vector<128xbf16> {
  %0 = arith.negf %x : vector<128xbf16>
  return %0 : vector<128xbf16>
}

// In front of a power it doesn't matter which zero a negation yields.
// CHECK-LABEL: func.func @power_of_neg
// CHECK-SAME: %[[X:.*]]: vector<128xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[NEG:.*]] = arith.subf %[[ZERO]], %[[X]] : vector<128xf32>
// CHECK: math.exp %[[NEG]]
func.func @power_of_neg(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = arith.negf %x : vector<128xf32>
  %1 = math.exp %0 : vector<128xf32>
  return %1 : vector<128xf32>
}

// Sums and differences take the operand itself.
// CHECK-LABEL: func.func @sums_of_neg
// CHECK-SAME: %[[X:.*]]: vector<128xf32>, %[[Y:.*]]: vector<128xf32>)
// CHECK-NOT: mulf
// CHECK: %[[A:.*]] = arith.subf %[[Y]], %[[X]]
// CHECK: %[[B:.*]] = arith.subf %[[Y]], %[[X]]
// CHECK: %[[C:.*]] = arith.addf %[[Y]], %[[X]]
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @sums_of_neg(%x: vector<128xf32>, %y: vector<128xf32>) -> (vector<128xf32>, vector<128xf32>, vector<128xf32>) {
  %0 = arith.negf %x : vector<128xf32>
  %1 = arith.addf %0, %y : vector<128xf32>
  %2 = arith.addf %y, %0 : vector<128xf32>
  %3 = arith.subf %y, %0 : vector<128xf32>
  return %1, %2, %3 : vector<128xf32>, vector<128xf32>, vector<128xf32>
}

// A difference from a negation, and the sum of one and itself, keep it.
// CHECK-LABEL: func.func @other_neg
// CHECK-SAME: %[[X:.*]]: vector<128xf32>, %[[Y:.*]]: vector<128xf32>)
// CHECK: %[[NEG:.*]] = arith.mulf %[[X]]
// CHECK: %[[A:.*]] = arith.subf %[[NEG]], %[[Y]]
// CHECK: %[[B:.*]] = arith.subf %[[NEG]], %[[X]]
// CHECK: return %[[A]], %[[B]]
func.func @other_neg(%x: vector<128xf32>, %y: vector<128xf32>) -> (vector<128xf32>, vector<128xf32>) {
  %0 = arith.negf %x : vector<128xf32>
  %1 = arith.subf %0, %y : vector<128xf32>
  %2 = arith.addf %0, %0 : vector<128xf32>
  return %1, %2 : vector<128xf32>, vector<128xf32>
}

// Predicates of jaxlib stay, and others become these.
// CHECK-LABEL: func.func @comparisons
// CHECK-SAME: %[[X:.*]]: vector<128xf32>, %[[Y:.*]]: vector<128xf32>)
// CHECK: arith.cmpf olt, %[[X]], %[[Y]]
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[Y]]
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK: arith.ori %[[LESS]], %[[MORE]]
// CHECK: %[[NO_X:.*]] = arith.cmpf une, %[[X]], %[[X]]
// CHECK: %[[NO_Y:.*]] = arith.cmpf une, %[[Y]], %[[Y]]
// CHECK: arith.ori %[[NO_X]], %[[NO_Y]]
// CHECK: %[[NOT_MORE:.*]] = arith.cmpf ole, %[[X]], %[[Y]]
// CHECK: arith.xori %[[NOT_MORE]], %{{.*}} : vector<128xi1>
func.func @comparisons(%x: vector<128xf32>, %y: vector<128xf32>) -> (vector<128xi1>, vector<128xi1>, vector<128xi1>, vector<128xi1>) {
  %0 = arith.cmpf olt, %x, %y : vector<128xf32>
  %1 = arith.cmpf one, %x, %y : vector<128xf32>
  %2 = arith.cmpf uno, %x, %y : vector<128xf32>
  %3 = arith.cmpf ugt, %x, %y : vector<128xf32>
  return %0, %1, %2, %3 : vector<128xi1>, vector<128xi1>, vector<128xi1>, vector<128xi1>
}

// CHECK-LABEL: func.func @sqrt
// CHECK: math.rsqrt
// CHECK: arith.divf
// CHECK: arith.select
// CHECK: arith.select
func.func @sqrt(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.sqrt %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// CHECK-LABEL: func.func @ctpop
// CHECK-NOT: math.ctpop
// CHECK-COUNT-5: arith.addi
func.func @ctpop(%x: vector<128xi32>) -> vector<128xi32> {
  %0 = math.ctpop %x : vector<128xi32>
  return %0 : vector<128xi32>
}

// Polynomials, without fused products.
// CHECK-LABEL: func.func @erf
// CHECK-NOT: math.erf
// CHECK-NOT: math.fma
// CHECK: arith.mulf
func.func @erf(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.erf %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// Numbers of 4 bits are extended in registers of 32.
// CHECK-LABEL: func.func @nibbles
// CHECK: %[[W:.*]] = arith.extui %{{.*}} : vector<128xi8> to vector<128xi32>
// CHECK: %[[H:.*]] = arith.shli %[[W]], %[[C:.*]] : vector<128xi32>
// CHECK: %[[S:.*]] = arith.shrsi %[[H]], %[[C]] : vector<128xi32>
// CHECK: arith.sitofp %[[S]] : vector<128xi32> to vector<128xf32>
// CHECK: arith.shrui
// CHECK: arith.trunci %{{.*}} : vector<128xi32> to vector<128xi16>
func.func @nibbles(%x: vector<128xi8>) -> (vector<128xf32>, vector<128xi16>) {
  %0 = arith.trunci %x : vector<128xi8> to vector<128xi4>
  %1 = arith.sitofp %0 : vector<128xi4> to vector<128xf32>
  %2 = arith.extui %0 : vector<128xi4> to vector<128xi16>
  return %1, %2 : vector<128xf32>, vector<128xi16>
}

// The layout is that of the bytes.
// CHECK-LABEL: func.func @layout
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<128xi8>)
// CHECK: arith.extui %[[L]] : vector<128xi8> to vector<128xi32>
// CHECK-NOT: i4>
func.func @layout(%x: vector<128xi8>) -> vector<128xf32> {
  %0 = arith.trunci %x : vector<128xi8> to vector<128xi4>
  %1 = mosaic_gpu.layout_cast x(%0 : vector<128xi4>) {new_layout = #mosaic_gpu.TiledLayout<[[64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
  %2 = arith.uitofp %1 : vector<128xi4> to vector<128xf32>
  return %2 : vector<128xf32>
}

// Those that lie packed in memory are extended by the compiler, but not to f8E5M2.
// CHECK-LABEL: func.func @packed
// CHECK-SAME: (%[[X:.*]]: vector<128xi4>)
// CHECK-DAG: arith.extsi %[[X]] : vector<128xi4> to vector<128xi32>
// CHECK-DAG: arith.uitofp %[[X]] : vector<128xi4> to vector<128xf8E4M3FN>
// CHECK-DAG: %[[F:.*]] = arith.sitofp %[[X]] : vector<128xi4> to vector<128xf32>
// CHECK-DAG: %[[K:.*]] = "mosaic_gpu.optimization_barrier"(%[[F]])
// CHECK-DAG: arith.truncf %[[K]] : vector<128xf32> to vector<128xf8E5M2>
func.func @packed(%x: vector<128xi4>) -> (vector<128xi32>, vector<128xf8E4M3FN>, vector<128xf8E5M2>) {
  %0 = arith.extsi %x : vector<128xi4> to vector<128xi32>
  %1 = arith.uitofp %x : vector<128xi4> to vector<128xf8E4M3FN>
  %2 = arith.sitofp %x : vector<128xi4> to vector<128xf8E5M2>
  return %0, %1, %2 : vector<128xi32>, vector<128xf8E4M3FN>, vector<128xf8E5M2>
}

// Scalars stay: every lane computes them.
// CHECK-LABEL: func.func @scalar
// CHECK: math.floor
func.func @scalar(%x: f32) -> f32 {
  %0 = math.floor %x : f32
  return %0 : f32
}

// Floats of 8 bits come from integers, and become integers, by f32.

// CHECK-LABEL: func.func @narrow_floats
// CHECK: %[[S:.*]] = arith.sitofp %{{.*}} : vector<128xi32> to vector<128xf32>
// CHECK: %[[KEPT:.*]] = "mosaic_gpu.optimization_barrier"(%[[S]])
// CHECK: arith.truncf %[[KEPT]] : vector<128xf32> to vector<128xf8E4M3FN>
// CHECK: %[[U:.*]] = arith.uitofp %{{.*}} : vector<128xi8> to vector<128xf32>
// CHECK: %[[V:.*]] = "mosaic_gpu.optimization_barrier"(%[[U]])
// CHECK: %[[W:.*]] = arith.truncf %[[V]] : vector<128xf32> to vector<128xf8E5M2>
// CHECK: %[[F:.*]] = arith.extf %[[W]] : vector<128xf8E5M2> to vector<128xf32>
// CHECK: arith.fptosi %[[F]] : vector<128xf32> to vector<128xi32>
// CHECK: arith.fptoui %{{.*}} : vector<128xf32> to vector<128xi8>
func.func @narrow_floats(%x: vector<128xi32>, %y: vector<128xi8>) -> (vector<128xf8E4M3FN>, vector<128xi32>, vector<128xi8>) {
  %0 = arith.sitofp %x : vector<128xi32> to vector<128xf8E4M3FN>
  %1 = arith.uitofp %y : vector<128xi8> to vector<128xf8E5M2>
  %2 = arith.fptosi %1 : vector<128xf8E5M2> to vector<128xi32>
  %3 = arith.fptoui %1 : vector<128xf8E5M2> to vector<128xi8>
  return %0, %2, %3 : vector<128xf8E4M3FN>, vector<128xi32>, vector<128xi8>
}

// Arithmetic on bytes is that of words, with the signs that it reads. A shift to the right may not draw in others.

// CHECK-LABEL: func.func @bytes
// CHECK-SAME: %[[X:.*]]: vector<128xi8>, %[[Y:.*]]: vector<128xi8>)
// CHECK: %[[A:.*]] = arith.extui %[[X]] : vector<128xi8> to vector<128xi32>
// CHECK: %[[B:.*]] = arith.extui %[[Y]] : vector<128xi8> to vector<128xi32>
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : vector<128xi32>
// CHECK: arith.trunci %[[SUM]] : vector<128xi32> to vector<128xi8>
// CHECK: %[[C:.*]] = arith.extsi %[[X]] : vector<128xi8> to vector<128xi32>
// CHECK: %[[D:.*]] = arith.extsi %[[Y]] : vector<128xi8> to vector<128xi32>
// CHECK: arith.cmpi slt, %[[C]], %[[D]] : vector<128xi32>
// CHECK: %[[E:.*]] = arith.extsi %[[X]]
// CHECK: arith.shrsi %[[E]]
// CHECK: arith.andi %[[X]], %[[Y]] : vector<128xi8>
// CHECK: arith.cmpi eq, %[[X]], %[[Y]] : vector<128xi8>
// CHECK: math.ctlz %[[X]] : vector<128xi8>
func.func @bytes(%x: vector<128xi8>, %y: vector<128xi8>) -> (vector<128xi8>, vector<128xi1>, vector<128xi8>, vector<128xi8>, vector<128xi1>, vector<128xi8>) {
  %0 = arith.addi %x, %y : vector<128xi8>
  %1 = arith.cmpi slt, %x, %y : vector<128xi8>
  %2 = arith.shrsi %x, %y : vector<128xi8>
  %3 = arith.andi %x, %y : vector<128xi8>
  %4 = arith.cmpi eq, %x, %y : vector<128xi8>
  %5 = math.ctlz %x : vector<128xi8>
  return %0, %1, %2, %3, %4, %5 : vector<128xi8>, vector<128xi1>, vector<128xi8>, vector<128xi8>, vector<128xi1>, vector<128xi8>
}

// With a splat first the compiler has no form of this one either.
// CHECK-LABEL: func.func @masked
// CHECK: arith.andi %{{.*}}, %{{.*}} : vector<128xi32>
func.func @masked(%s: i8, %x: vector<128xi8>) -> vector<128xi8> {
  %0 = vector.broadcast %s : i8 to vector<128xi8>
  %1 = arith.andi %0, %x : vector<128xi8>
  return %1 : vector<128xi8>
}

// What is too large for the type is NaN, not the largest number that the hardware takes.
// CHECK-LABEL: func.func @finite
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant dense<4.640000e+02> : vector<128xf32>
// CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : vector<128xf32>
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<128xf32>
// CHECK: %[[SIZE:.*]] = math.absf %[[SUM]]
// CHECK: %[[BEYOND:.*]] = arith.cmpf ogt, %[[SIZE]], %[[LIMIT]]
// CHECK: %[[KEPT:.*]] = arith.select %[[BEYOND]], %[[NAN]], %[[SUM]]
// CHECK: arith.truncf %[[KEPT]] : vector<128xf32> to vector<128xf8E4M3FN>
func.func @finite(%x: vector<128xf8E4M3FN>, %y: vector<128xf8E4M3FN>) -> vector<128xf8E4M3FN> {
  %0 = arith.addf %x, %y : vector<128xf8E4M3FN>
  return %0 : vector<128xf8E4M3FN>
}

// Or infinity, 124 and 252 in bits.
// CHECK-LABEL: func.func @infinite
// CHECK-DAG: %[[MOST:.*]] = arith.constant dense<6.144000e+04> : vector<128xf32>
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<-6.144000e+04> : vector<128xf32>
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant dense<124> : vector<128xi32>
// CHECK-DAG: %[[NEGATIVE:.*]] = arith.constant dense<252> : vector<128xi32>
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<128xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[PRODUCT]] : vector<128xf32> to vector<128xf8E5M2>
// CHECK: %[[BYTES:.*]] = arith.bitcast %[[ROUNDED]]
// CHECK: %[[BITS:.*]] = arith.extui %[[BYTES]]
// CHECK: %[[ABOVE:.*]] = arith.cmpf oge, %[[PRODUCT]], %[[MOST]]
// CHECK: %[[UP:.*]] = arith.select %[[ABOVE]], %[[INFINITY]], %[[BITS]]
// CHECK: %[[BELOW:.*]] = arith.cmpf ole, %[[PRODUCT]], %[[LEAST]]
// CHECK: %[[DOWN:.*]] = arith.select %[[BELOW]], %[[NEGATIVE]], %[[UP]]
// CHECK: arith.trunci %[[DOWN]] : vector<128xi32> to vector<128xi8>
func.func @infinite(%x: vector<128xf8E5M2>, %y: vector<128xf8E5M2>) -> vector<128xf8E5M2> {
  %0 = arith.mulf %x, %y : vector<128xf8E5M2>
  return %0 : vector<128xf8E5M2>
}

// A choice is one of bits.
// CHECK-LABEL: func.func @choice
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<128xi1>, vector<128xi32>
// CHECK: arith.bitcast %{{.*}} : vector<128xi8> to vector<128xf8E5M2>
func.func @choice(%c: vector<128xi1>, %x: vector<128xf8E5M2>, %y: vector<128xf8E5M2>) -> vector<128xf8E5M2> {
  %0 = arith.select %c, %x, %y : vector<128xi1>, vector<128xf8E5M2>
  return %0 : vector<128xf8E5M2>
}

// So is one of whole vectors.
// CHECK-LABEL: func.func @whole
// CHECK: %[[M:.*]] = vector.broadcast %{{.*}} : i1 to vector<128xi1>
// CHECK: arith.select %[[M]], %{{.*}}, %{{.*}} : vector<128xi1>, vector<128xf32>
func.func @whole(%c: i1, %x: vector<128xf32>, %y: vector<128xf32>) -> vector<128xf32> {
  %0 = arith.select %c, %x, %y : vector<128xf32>
  return %0 : vector<128xf32>
}

// Hardware converts bf16 to floats of 8 bits in two steps.
// CHECK-LABEL: func.func @halves
// CHECK: %[[F:.*]] = arith.extf %{{.*}} : vector<128xbf16> to vector<128xf32>
// CHECK: %[[K:.*]] = "mosaic_gpu.optimization_barrier"(%[[F]])
// CHECK: %[[N:.*]] = arith.truncf %[[K]] : vector<128xf32> to vector<128xf8E4M3FN>
// CHECK: %[[W:.*]] = arith.extf %[[N]] : vector<128xf8E4M3FN> to vector<128xf32>
// CHECK: arith.truncf %[[W]] : vector<128xf32> to vector<128xbf16>
func.func @halves(%x: vector<128xbf16>) -> vector<128xbf16> {
  %0 = arith.truncf %x : vector<128xbf16> to vector<128xf8E4M3FN>
  %1 = arith.extf %0 : vector<128xf8E4M3FN> to vector<128xbf16>
  return %1 : vector<128xbf16>
}

// CHECK-LABEL: func.func @reductions
// CHECK: %[[V:.*]] = arith.extsi %{{.*}} : vector<8x64xi8> to vector<8x64xi32>
// CHECK: %[[A:.*]] = arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK: %[[M:.*]] = vector.multi_reduction <maxsi>, %[[V]], %[[A]] [1] : vector<8x64xi32> to vector<8xi32>
// CHECK: arith.trunci %[[M]] : vector<8xi32> to vector<8xi8>
// CHECK: %[[S:.*]] = vector.reduction <add>, %{{.*}} : vector<128xi32> into i32
// CHECK: arith.trunci %[[S]] : i32 to i8
func.func @reductions(%x: vector<8x64xi8>, %a: vector<8xi8>, %y: vector<128xi8>) -> (vector<8xi8>, i8) {
  %0 = vector.multi_reduction <maxsi>, %x, %a [1] : vector<8x64xi8> to vector<8xi8>
  %1 = vector.reduction <add>, %y : vector<128xi8> into i8
  return %0, %1 : vector<8xi8>, i8
}

// Sums of four bits that become other numbers need no registers of four bits.
// CHECK-LABEL: func.func @sum_of_nibbles
// CHECK-SAME: (%[[X:.*]]: vector<128xi4>)
// CHECK: %[[A:.*]] = arith.extui %[[X]] : vector<128xi4> to vector<128xi32>
// CHECK: %[[S:.*]] = arith.addi %[[A]], %{{.*}} : vector<128xi32>
// CHECK: %[[H:.*]] = arith.shli %[[S]], %{{.*}} : vector<128xi32>
// CHECK: %[[N:.*]] = arith.shrsi %[[H]], %{{.*}} : vector<128xi32>
// CHECK: arith.sitofp %[[N]] : vector<128xi32> to vector<128xf32>
func.func @sum_of_nibbles(%x: vector<128xi4>) -> vector<128xf32> {
  %0 = arith.addi %x, %x : vector<128xi4>
  %1 = arith.sitofp %0 : vector<128xi4> to vector<128xf32>
  return %1 : vector<128xf32>
}

// Registers hold no single i4, which a constant would be.

// CHECK-LABEL: func.func @constant_nibbles
// CHECK-DAG: %[[FIVE:.*]] = arith.constant dense<5> : vector<256xi32>
// CHECK-DAG: %[[LAST:.*]] = arith.constant dense<31> : vector<256xi32>
// CHECK: %[[I:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<256xi32>
// CHECK: %[[ZEROS:.*]] = arith.shrui %[[I]], %[[LAST]] : vector<256xi32>
// CHECK: %[[W:.*]] = arith.addi %[[ZEROS]], %[[FIVE]] : vector<256xi32>
// CHECK: %[[N:.*]] = arith.trunci %[[W]] : vector<256xi32> to vector<256xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[N]],
func.func @constant_nibbles(%m: memref<256xi4>) {
  %0 = arith.constant dense<5> : vector<256xi4>
  "mosaic_gpu.vector_store"(%0, %m) <{multimem = false}> : (vector<256xi4>, memref<256xi4>) -> ()
  return
}
