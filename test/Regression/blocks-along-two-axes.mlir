// RUN: pallas-run %s --no-cache --check --entry=main | FileCheck %s

// The bug: a ref of a block that differs along two axes of its cluster was that of a block that
// differs along the second one alone.

!meet = !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["y", "x"]], numArrivals = 1>, smem>

func.func @diagonal(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<2x2xi32>)
      out(tensor<2x2xi32>)
      kernel @kernel on <gpu, [<cluster "y" = 2>, <cluster "x" = 2>]> (%g: !pallas.ref<2x2xi32, gmem>, %o: !pallas.ref<2x2xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<i32, smem>, %meet: !meet) {
      %c1 = arith.constant 1 : i32
      %i = pallas.axis_index "y"
      %j = pallas.axis_index "x"
      %otherI = arith.subi %c1, %i : i32
      %otherJ = arith.subi %c1, %j : i32
      %v = pallas.get %g[%i, %j] : !pallas.ref<2x2xi32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<i32, smem>, i32
      pallas.barrier_arrive %meet : !meet
      pallas.barrier_wait %meet : !meet
      %column = pallas.cluster_ref %s, "x" = %otherJ : !pallas.ref<i32, smem>
      %there = pallas.cluster_ref %column, "y" = %otherI : !pallas.ref<i32, smem>
      %w = pallas.get %there[...] : !pallas.ref<i32, smem>
      pallas.swap %o[%i, %j], %w : !pallas.ref<2x2xi32, gmem>, i32
      pallas.barrier_arrive %meet : !meet
      pallas.barrier_wait %meet : !meet
    }
  }
  return %0 : tensor<2x2xi32>
}

// CHECK: 3 2 1 0
func.func @main() {
  %x = arith.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %o = func.call @diagonal(%x) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %o[%c0, %c0] : tensor<2x2xi32>
  %1 = tensor.extract %o[%c0, %c1] : tensor<2x2xi32>
  %2 = tensor.extract %o[%c1, %c0] : tensor<2x2xi32>
  %3 = tensor.extract %o[%c1, %c1] : tensor<2x2xi32>
  pallas.debug_print "{} {} {} {}" %0, %1, %2, %3 : i32, i32, i32, i32
  return
}
