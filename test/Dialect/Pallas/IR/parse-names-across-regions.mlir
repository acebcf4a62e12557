// RUN: not pallas-opt %s 2>&1 | FileCheck %s

// An index map names a value of another one, and the operation then turns out
// to be malformed: the regions must go away together.

// CHECK: [[@LINE+11]]:5: error: {{.*}} expected 'kernel'
func.func @f(%x: tensor<8xf32>) {
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<8xf32>) block<[8], vmem> map(%i) {
      pallas.yield %d : i32
    }
    out(tensor<8xf32>) block<[8], vmem> map(%i) {
      %d = arith.constant 0 : i32
      pallas.yield %d : i32
    }

    bogus
}
