// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: a reduction over one element lost its loop and was fused into the
// loops of its user, which accumulated onto the neutral element once for each
// of their own iterations: the rows had 4, 8, 12 and 1, 2, 3.

!one = tensor<1x1xf32>
!matrix = tensor<3x2xf32>

// CHECK: sum_of_squares: {{\[}}[4 4] [4 4] [4 4]]
func.func @sum_of_squares(%x: !one, %y: !matrix) {
  %square = arith.mulf %x, %x : !one
  %sum = pallas.reduce <add> %square dims [0] : !one
  %kept = pallas.broadcast %sum dims [1] : tensor<1xf32> -> !one
  %all = pallas.broadcast %kept dims [0, 1] : !one -> !matrix
  %r = arith.maximumf %y, %all : !matrix
  pallas.debug_print "sum_of_squares: {}" %r : !matrix
  return
}

// CHECK: count: {{\[}}[1 1] [1 1] [1 1]]
func.func @count(%x: !one, %y: !matrix) {
  %zero = arith.constant dense<0.0> : !one
  %is = arith.cmpf une, %x, %zero : !one
  %number = arith.uitofp %is : tensor<1x1xi1> to !one
  %sum = pallas.reduce <add> %number dims [0, 1] : !one
  %all = pallas.broadcast %sum : f32 -> !matrix
  %r = arith.addf %y, %all : !matrix
  pallas.debug_print "count: {}" %r : !matrix
  return
}

func.func @main() {
  %x = arith.constant dense<2.0> : !one
  %y = arith.constant dense<0.0> : !matrix
  func.call @sum_of_squares(%x, %y) : (!one, !matrix) -> ()
  func.call @count(%x, %y) : (!one, !matrix) -> ()
  return
}
