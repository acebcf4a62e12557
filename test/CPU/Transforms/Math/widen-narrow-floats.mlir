// RUN: pallas-opt %s --pallas-cpu-widen-narrow-floats | FileCheck %s

// Each operation rounds.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[X:.*]]: vector<8xbf16>, %[[Y:.*]]: vector<8xbf16>
// CHECK-DAG: %[[A:.*]] = arith.extf %[[X]] {{.*}}: vector<8xbf16> to vector<8xf32>
// CHECK-DAG: %[[B:.*]] = arith.extf %[[Y]] {{.*}}: vector<8xbf16> to vector<8xf32>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]] : vector<8xf32>
// CHECK: arith.truncf %[[S]] {{.*}}: vector<8xf32> to vector<8xbf16>
// CHECK: arith.mulf %{{.*}} : vector<8xf32>
// CHECK: arith.truncf
func.func @sums(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16> {
  %s = arith.addf %x, %y : vector<8xbf16>
  %p = arith.mulf %s, %y : vector<8xbf16>
  return %p : vector<8xbf16>
}

// CHECK-LABEL: func.func @bytes
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f8E4M3FN
func.func @bytes(%x: f8E4M3FN, %y: f8E4M3FN) -> f8E4M3FN {
  %c = arith.cmpf olt, %x, %y : f8E4M3FN
  %r = arith.select %c, %x, %y : f8E4M3FN
  return %r : f8E4M3FN
}

// CHECK-LABEL: func.func @wide
// CHECK-NEXT: arith.addf %{{.*}} : f32
// CHECK-NEXT: arith.addf %{{.*}} : f64
// CHECK-NEXT: return
func.func @wide(%x: f32, %y: f64) -> (f32, f64) {
  %s = arith.addf %x, %x : f32
  %t = arith.addf %y, %y : f64
  return %s, %t : f32, f64
}
