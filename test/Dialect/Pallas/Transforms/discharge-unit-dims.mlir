// RUN: pallas-opt %s --pallas-discharge-state | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state --canonicalize | FileCheck %s --check-prefix=CANON

// Upstream's canonicalizers drop the first dimensions of size 1 that they find,
// whichever a slice drops. So slices with others keep all of them.

// CHECK-LABEL: func.func @read_last
// CANON-LABEL: func.func @read_last
func.func @read_last(%x: !pallas.ref<4x7x3xf32, vmem>) -> tensor<1x7xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[1, 0, 2] [1, 7, 1] [1, 1, 1] : tensor<4x7x3xf32> to tensor<1x7x1xf32>
  // CHECK: tensor.collapse_shape %[[S]] {{\[\[}}0], [1, 2]] : tensor<1x7x1xf32> into tensor<1x7xf32>
  // CANON: tensor.extract_slice %{{.*}} to tensor<1x7x1xf32>
  %v = pallas.get %x[ds(1, 1), :, 2] : !pallas.ref<4x7x3xf32, vmem>
  return %v : tensor<1x7xf32>
}

// CHECK-LABEL: func.func @write_last
// CANON-LABEL: func.func @write_last
func.func @write_last(%x: !pallas.ref<4x7x3xf32, vmem>, %v: tensor<1x7xf32>) {
  // CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [1, 7, 1] : tensor<1x7xf32> into tensor<1x7x1xf32>
  // CHECK: tensor.insert_slice %[[E]] into %{{.*}}[1, 0, 2] [1, 7, 1] [1, 1, 1]
  // CANON: tensor.insert_slice %{{.*}} : tensor<1x7x1xf32> into tensor<4x7x3xf32>
  pallas.swap %x[ds(1, 1), :, 2], %v : !pallas.ref<4x7x3xf32, vmem>, tensor<1x7xf32>
  return
}

// Where only the dropped ones have size 1, nothing can be mistaken.
// CHECK-LABEL: func.func @read_all
func.func @read_all(%x: !pallas.ref<4x7x3xf32, vmem>) -> tensor<7xf32> {
  // CHECK: tensor.extract_slice %{{.*}} : tensor<4x7x3xf32> to tensor<7xf32>
  %v = pallas.get %x[1, :, 2] : !pallas.ref<4x7x3xf32, vmem>
  return %v : tensor<7xf32>
}

// CHECK-LABEL: func.func @window
// CANON-LABEL: func.func @window
func.func @window(%x: tensor<2x7x3xf32>) -> tensor<2x7x3xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<1x7x1xf32> into tensor<1x7xf32>
  // CHECK: tensor.expand_shape %{{.*}} : tensor<1x7xf32> into tensor<1x7x1xf32>
  // CANON-NOT: tensor<1x1x7xf32>
  %o = pallas.pallas_call grid(2, 3)
      in(%x : tensor<2x7x3xf32>) block<[1, 7, squeezed], vmem> map(%i, %j) -> (%i, 0, %j)
      out(tensor<2x7x3xf32>) block<[1, 7, squeezed], vmem> map(%i, %j) -> (%i, 0, %j)
      kernel(%xr: !pallas.ref<1x7xf32, vmem>, %or: !pallas.ref<1x7xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<1x7xf32, vmem>
    %d = arith.addf %v, %v : tensor<1x7xf32>
    pallas.swap %or[...], %d : !pallas.ref<1x7xf32, vmem>, tensor<1x7xf32>
  }
  return %o : tensor<2x7x3xf32>
}

// A ref to one element holds it without a tensor around.
// CHECK-LABEL: func.func @one_element
// CHECK-SAME: (%[[N:.*]]: tensor<i32>, %[[X:.*]]: tensor<i32>)
func.func @one_element(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  // CHECK-DAG: tensor.extract %[[N]][] : tensor<i32>
  // CHECK-DAG: tensor.extract %[[X]][] : tensor<i32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  %o = pallas.pallas_call grid()
      prefetch(%n : tensor<i32>)
      in(%x : tensor<i32>) block<[], smem>
      out(tensor<i32>) block<[], smem>
      kernel(%nr: !pallas.ref<i32, smem>, %xr: !pallas.ref<i32, smem>, %or: !pallas.ref<i32, smem>) {
    %a = pallas.get %nr[...] : !pallas.ref<i32, smem>
    %b = pallas.get %xr[...] : !pallas.ref<i32, smem>
    %c = arith.addi %a, %b : i32
    pallas.swap %or[...], %c : !pallas.ref<i32, smem>, i32
  }
  return %o : tensor<i32>
}
