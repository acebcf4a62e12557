// RUN: pallas-opt %s --convert-pallas-to-linalg --pallas-cpu-bound-exponents | FileCheck %s

// The distance from the largest element of the own row.

// CHECK-LABEL: func.func @softmax
// CHECK: math.exp {{.*}} {pallas_cpu.at_most_zero}
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
  %all = pallas.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x128xf32>
  %d = arith.subf %x, %all : tensor<8x128xf32>
  %e = math.exp %d : tensor<8x128xf32>
  return %e : tensor<8x128xf32>
}

// Rows of one element in between, and a wider type.

// CHECK-LABEL: func.func @keeps_dimension
// CHECK: math.exp2 {{.*}} {pallas_cpu.at_most_zero}
func.func @keeps_dimension(%x: tensor<8x128xbf16>) -> tensor<8x128xf32> {
  %m = pallas.reduce <max> %x dims [1] : tensor<8x128xbf16>
  %row = pallas.reshape %m : tensor<8xbf16> -> tensor<8x1xbf16>
  %wide = arith.extf %row : tensor<8x1xbf16> to tensor<8x1xf32>
  %all = pallas.broadcast %wide dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
  %y = arith.extf %x : tensor<8x128xbf16> to tensor<8x128xf32>
  %d = arith.subf %y, %all : tensor<8x128xf32>
  %c = arith.constant dense<1.5> : tensor<8x128xf32>
  %scaled = arith.mulf %d, %c : tensor<8x128xf32>
  %e = math.exp2 %scaled : tensor<8x128xf32>
  return %e : tensor<8x128xf32>
}

// A step of attention: the larger of two maxima bounds what both were taken of.

// CHECK-LABEL: func.func @attention
// CHECK-COUNT-2: math.exp {{.*}} {pallas_cpu.at_most_zero}
func.func @attention(%x: tensor<8x128xf32>, %before: tensor<8xf32>) -> (tensor<8x128xf32>, tensor<8xf32>) {
  %m = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
  %new = arith.maximumf %before, %m : tensor<8xf32>
  %all = pallas.broadcast %new dims [0] : tensor<8xf32> -> tensor<8x128xf32>
  %d = arith.subf %x, %all : tensor<8x128xf32>
  %e = math.exp %d : tensor<8x128xf32>
  %step = arith.subf %before, %new : tensor<8xf32>
  %scale = math.exp %step : tensor<8xf32>
  return %e, %scale : tensor<8x128xf32>, tensor<8xf32>
}

// The largest of the columns says nothing of the rows, the least element nothing
// of the others, and a negative factor turns the sign.

// CHECK-LABEL: func.func @unbounded
// CHECK-NOT: at_most_zero
func.func @unbounded(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %columns = pallas.reduce <max> %x dims [0] : tensor<8x8xf32>
  %0 = pallas.broadcast %columns dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %1 = arith.subf %x, %0 : tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  %least = pallas.reduce <min> %x dims [1] : tensor<8x8xf32>
  %3 = pallas.broadcast %least dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %4 = arith.subf %x, %3 : tensor<8x8xf32>
  %5 = math.exp %4 : tensor<8x8xf32>
  %rows = pallas.reduce <max> %x dims [1] : tensor<8x8xf32>
  %6 = pallas.broadcast %rows dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %7 = arith.subf %x, %6 : tensor<8x8xf32>
  %c = arith.constant dense<-1.0> : tensor<8x8xf32>
  %8 = arith.mulf %7, %c : tensor<8x8xf32>
  %9 = math.exp %8 : tensor<8x8xf32>
  %10 = arith.subf %6, %x : tensor<8x8xf32>
  %11 = math.exp %10 : tensor<8x8xf32>
  return %2, %5, %9, %11 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
