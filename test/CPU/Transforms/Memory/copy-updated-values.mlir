// RUN: pallas-opt %s --pallas-cpu-copy-updated-values | FileCheck %s

// CHECK-LABEL: func.func @updated
// CHECK: %[[X:.*]] = bufferization.to_tensor %{{.*}} restrict
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x16xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[COPY]][2, 0] [1, 16] [1, 1]
func.func @updated(%memory: memref<8x16xf32>, %row: tensor<1x16xf32>) -> tensor<8x16xf32> {
  %x = bufferization.to_tensor %memory restrict : memref<8x16xf32> to tensor<8x16xf32>
  %0 = tensor.insert_slice %row into %x[2, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Memory that belongs to the value is changed in place.
// CHECK-LABEL: func.func @writable
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @writable(%memory: memref<8x16xf32>, %row: tensor<1x16xf32>) -> tensor<8x16xf32> {
  %x = bufferization.to_tensor %memory restrict writable : memref<8x16xf32> to tensor<8x16xf32>
  %0 = tensor.insert_slice %row into %x[2, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
