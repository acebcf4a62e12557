// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// Choices between values that are both spread along a dimension have 32 bits,
// as their masks then have: the compiler makes no mask of another width fit.

// CHECK-LABEL: func.func @choose(
func.func @f(%c: tensor<8x1xbf16>, %r: tensor<1x128xbf16>, %m: tensor<8x128xbf16>) -> tensor<8x128xbf16> {
  %o = pallas.pallas_call @choose grid()
      in(%c : tensor<8x1xbf16>) block<[8, 1], vmem>
      in(%r : tensor<1x128xbf16>) block<[1, 128], vmem>
      in(%m : tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      kernel(%cr: !pallas.ref<8x1xbf16, vmem>, %rr: !pallas.ref<1x128xbf16, vmem>, %mr: !pallas.ref<8x128xbf16, vmem>, %o: !pallas.ref<8x128xbf16, vmem>) {
    %zero = arith.constant dense<0.0> : tensor<8x128xbf16>
    %three = arith.constant dense<3.0> : tensor<8x128xbf16>
    %column = pallas.get %cr[...] : !pallas.ref<8x1xbf16, vmem>
    %row = pallas.get %rr[...] : !pallas.ref<1x128xbf16, vmem>
    // CHECK: %[[MATRIX:.*]] = vector.load %{{.*}}, vector<8x128xbf16>
    %matrix = pallas.get %mr[...] : !pallas.ref<8x128xbf16, vmem>
    // CHECK: %[[COLUMNS:.*]] = vector.broadcast %{{.*}} : vector<8x1xbf16> to vector<8x128xbf16>
    %columns = pallas.broadcast %column dims [0, 1] : tensor<8x1xbf16> -> tensor<8x128xbf16>
    // CHECK: %[[ROWS:.*]] = vector.broadcast %{{.*}} : vector<1x128xbf16> to vector<8x128xbf16>
    %rows = pallas.broadcast %row dims [0, 1] : tensor<1x128xbf16> -> tensor<8x128xbf16>
    // CHECK: %[[DOUBLE:.*]] = arith.addf %[[COLUMNS]], %[[COLUMNS]]
    %double = arith.addf %columns, %columns : tensor<8x128xbf16>
    %negative = arith.cmpf olt, %matrix, %zero : tensor<8x128xbf16>
    // What is computed of spread values is spread as well.
    // CHECK: %[[WIDE:.*]] = arith.extf %[[MATRIX]]
    // CHECK: %[[MASK:.*]] = arith.cmpf olt, %[[WIDE]], %{{.*}} : vector<8x128xf32>
    // CHECK: %[[TRUE:.*]] = arith.extf %[[DOUBLE]]
    // CHECK: arith.select %[[MASK]], %[[TRUE]], %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
    %first = arith.select %negative, %double, %columns : tensor<8x128xi1>, tensor<8x128xbf16>
    // CHECK: arith.select %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
    %second = arith.select %negative, %rows, %three : tensor<8x128xi1>, tensor<8x128xbf16>
    // Rows and columns have no dimension in common.
    // CHECK: arith.select %{{.*}}, %[[ROWS]], %[[COLUMNS]] : vector<8x128xi1>, vector<8x128xbf16>
    %third = arith.select %negative, %rows, %columns : tensor<8x128xi1>, tensor<8x128xbf16>
    // CHECK: arith.select %{{.*}}, %[[MATRIX]], %[[COLUMNS]] : vector<8x128xi1>, vector<8x128xbf16>
    %fourth = arith.select %negative, %matrix, %columns : tensor<8x128xi1>, tensor<8x128xbf16>
    // Masks and values of 32 bits stay as they are.
    // CHECK: %[[LARGE:.*]] = arith.cmpf ogt
    // CHECK-NEXT: arith.extf
    // CHECK-NEXT: arith.extf
    // CHECK-NEXT: arith.select %[[LARGE]], %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
    %wide = arith.extf %matrix : tensor<8x128xbf16> to tensor<8x128xf32>
    %one = arith.constant dense<1.0> : tensor<8x128xf32>
    %large = arith.cmpf ogt, %wide, %one : tensor<8x128xf32>
    %fifth = arith.select %large, %double, %columns : tensor<8x128xi1>, tensor<8x128xbf16>
    // Wide values get wide masks.
    // CHECK: %[[JOINED:.*]] = arith.andi %{{.*}}, %[[LARGE]]
    // CHECK: arith.select %[[JOINED]], %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
    %wide_columns = arith.extf %columns : tensor<8x128xbf16> to tensor<8x128xf32>
    %both = arith.andi %negative, %large : tensor<8x128xi1>
    %sixth = arith.select %both, %wide_columns, %one : tensor<8x128xi1>, tensor<8x128xf32>
    %narrow_sixth = arith.truncf %sixth : tensor<8x128xf32> to tensor<8x128xbf16>
    %v = arith.addf %fifth, %narrow_sixth : tensor<8x128xbf16>
    %s = arith.addf %first, %second : tensor<8x128xbf16>
    %t = arith.addf %third, %fourth : tensor<8x128xbf16>
    %u = arith.addf %s, %t : tensor<8x128xbf16>
    %all = arith.addf %u, %v : tensor<8x128xbf16>
    pallas.swap %o[...], %all : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
  }
  return %o : tensor<8x128xbf16>
}
