// RUN: pallas-opt %s --pallas-to-llvm --remarks-filter=pallas-cpu-bufferize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: pallas-opt %s --pallas-to-llvm -o /dev/null 2>&1 | count 0

// Both values that the loop carries become the sum, which has one place only.
// CHECK: bufferize-remarks.mlir:[[@LINE+2]]:{{.*}} remark: [Missed] in-place | Category:pallas-cpu-bufferize | Remark="a value computed in its destination leaves no place for other accesses to it; ", Remark="values get private buffers"
// CHECK-NOT: remark
func.func @f(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<4x16xf32>) block<[4, 16], vmem>
      out(tensor<4x16xf32>) block<[4, 16], vmem>
      kernel(%xr: !pallas.ref<4x16xf32, vmem>, %or: !pallas.ref<4x16xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x16xf32, vmem>
    %top = pallas.reduce <max> %v dims [0] : tensor<4x16xf32>
    %all = pallas.broadcast %top dims [1] : tensor<16xf32> -> tensor<4x16xf32>
    %end = arith.constant 100.0 : f32
    %sum, %last = scf.while (%a = %all, %b = %v) : (tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
      %n = pallas.reduce <max> %a dims [0, 1] : tensor<4x16xf32>
      %go = arith.cmpf olt, %n, %end : f32
      scf.condition(%go) %a, %b : tensor<4x16xf32>, tensor<4x16xf32>
    } do {
    ^bb0(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>):
      %t = arith.addf %a, %b : tensor<4x16xf32>
      scf.yield %t, %t : tensor<4x16xf32>, tensor<4x16xf32>
    }
    pallas.swap %or[...], %sum : !pallas.ref<4x16xf32, vmem>, tensor<4x16xf32>
  }
  return %o : tensor<4x16xf32>
}
