// RUN: pallas-opt %s --pallas-cpu-bound-alias-sets | FileCheck %s

// An insertion counts as four values, so a set ends with the sixteenth.
// CHECK-LABEL: func.func @insertions
// CHECK-COUNT-16: tensor.insert_slice
// CHECK: %[[C1:.*]] = bufferization.alloc_tensor() copy(%inserted_slice_14)
// CHECK-NEXT: tensor.insert_slice %{{.*}} into %[[C1]][16]
// CHECK-COUNT-15: tensor.insert_slice
// CHECK: %[[C2:.*]] = bufferization.alloc_tensor() copy(
// CHECK-NEXT: %[[LAST:.*]] = tensor.insert_slice %{{.*}} into %[[C2]][32]
// CHECK-NEXT: return %[[LAST]]
func.func @insertions(%0: tensor<64xf32>, %part: tensor<1xf32>) -> tensor<64xf32> {
  %1 = tensor.insert_slice %part into %0[0] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %2 = tensor.insert_slice %part into %1[1] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %3 = tensor.insert_slice %part into %2[2] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %4 = tensor.insert_slice %part into %3[3] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %5 = tensor.insert_slice %part into %4[4] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %6 = tensor.insert_slice %part into %5[5] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %7 = tensor.insert_slice %part into %6[6] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %8 = tensor.insert_slice %part into %7[7] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %9 = tensor.insert_slice %part into %8[8] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %10 = tensor.insert_slice %part into %9[9] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %11 = tensor.insert_slice %part into %10[10] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %12 = tensor.insert_slice %part into %11[11] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %13 = tensor.insert_slice %part into %12[12] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %14 = tensor.insert_slice %part into %13[13] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %15 = tensor.insert_slice %part into %14[14] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %16 = tensor.insert_slice %part into %15[15] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %17 = tensor.insert_slice %part into %16[16] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %18 = tensor.insert_slice %part into %17[17] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %19 = tensor.insert_slice %part into %18[18] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %20 = tensor.insert_slice %part into %19[19] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %21 = tensor.insert_slice %part into %20[20] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %22 = tensor.insert_slice %part into %21[21] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %23 = tensor.insert_slice %part into %22[22] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %24 = tensor.insert_slice %part into %23[23] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %25 = tensor.insert_slice %part into %24[24] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %26 = tensor.insert_slice %part into %25[25] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %27 = tensor.insert_slice %part into %26[26] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %28 = tensor.insert_slice %part into %27[27] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %29 = tensor.insert_slice %part into %28[28] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %30 = tensor.insert_slice %part into %29[29] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %31 = tensor.insert_slice %part into %30[30] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %32 = tensor.insert_slice %part into %31[31] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %33 = tensor.insert_slice %part into %32[32] [1] [1] : tensor<1xf32> into tensor<64xf32>
  return %33 : tensor<64xf32>
}

// A short function stays as it is.
// CHECK-LABEL: func.func @short
// CHECK-NOT: bufferization.alloc_tensor
func.func @short(%0: tensor<64xf32>, %part: tensor<1xf32>) -> tensor<64xf32> {
  %1 = tensor.insert_slice %part into %0[0] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %2 = tensor.insert_slice %part into %1[1] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %3 = tensor.insert_slice %part into %2[2] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %4 = tensor.insert_slice %part into %3[3] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %5 = tensor.insert_slice %part into %4[4] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %6 = tensor.insert_slice %part into %5[5] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %7 = tensor.insert_slice %part into %6[6] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %8 = tensor.insert_slice %part into %7[7] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %9 = tensor.insert_slice %part into %8[8] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %10 = tensor.insert_slice %part into %9[9] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %11 = tensor.insert_slice %part into %10[10] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %12 = tensor.insert_slice %part into %11[11] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %13 = tensor.insert_slice %part into %12[12] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %14 = tensor.insert_slice %part into %13[13] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %15 = tensor.insert_slice %part into %14[14] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %16 = tensor.insert_slice %part into %15[15] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %17 = tensor.insert_slice %part into %16[16] [1] [1] : tensor<1xf32> into tensor<64xf32>
  return %17 : tensor<64xf32>
}

// A value that 130 operations read has a name for each 64 of them, in the order of the operations.
// CHECK-LABEL: func.func @many_readers
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK-NEXT: %[[MEMORY:.*]] = bufferization.to_buffer %[[COPY]] read_only
// CHECK-NEXT: %[[N1:.*]] = bufferization.to_tensor %[[MEMORY]] restrict
// CHECK-NEXT: %[[N2:.*]] = bufferization.to_tensor %[[MEMORY]] restrict
// CHECK-NEXT: %[[N3:.*]] = bufferization.to_tensor %[[MEMORY]] restrict
// CHECK-COUNT-64: tensor.extract %[[N1]]
// CHECK-COUNT-64: tensor.extract %[[N2]]
// CHECK-COUNT-2: tensor.extract %[[N3]]
// CHECK-NEXT: return
func.func @many_readers(%x: tensor<8xf32>, %i: index) {
  %0 = tensor.extract %x[%i] : tensor<8xf32>
  %1 = tensor.extract %x[%i] : tensor<8xf32>
  %2 = tensor.extract %x[%i] : tensor<8xf32>
  %3 = tensor.extract %x[%i] : tensor<8xf32>
  %4 = tensor.extract %x[%i] : tensor<8xf32>
  %5 = tensor.extract %x[%i] : tensor<8xf32>
  %6 = tensor.extract %x[%i] : tensor<8xf32>
  %7 = tensor.extract %x[%i] : tensor<8xf32>
  %8 = tensor.extract %x[%i] : tensor<8xf32>
  %9 = tensor.extract %x[%i] : tensor<8xf32>
  %10 = tensor.extract %x[%i] : tensor<8xf32>
  %11 = tensor.extract %x[%i] : tensor<8xf32>
  %12 = tensor.extract %x[%i] : tensor<8xf32>
  %13 = tensor.extract %x[%i] : tensor<8xf32>
  %14 = tensor.extract %x[%i] : tensor<8xf32>
  %15 = tensor.extract %x[%i] : tensor<8xf32>
  %16 = tensor.extract %x[%i] : tensor<8xf32>
  %17 = tensor.extract %x[%i] : tensor<8xf32>
  %18 = tensor.extract %x[%i] : tensor<8xf32>
  %19 = tensor.extract %x[%i] : tensor<8xf32>
  %20 = tensor.extract %x[%i] : tensor<8xf32>
  %21 = tensor.extract %x[%i] : tensor<8xf32>
  %22 = tensor.extract %x[%i] : tensor<8xf32>
  %23 = tensor.extract %x[%i] : tensor<8xf32>
  %24 = tensor.extract %x[%i] : tensor<8xf32>
  %25 = tensor.extract %x[%i] : tensor<8xf32>
  %26 = tensor.extract %x[%i] : tensor<8xf32>
  %27 = tensor.extract %x[%i] : tensor<8xf32>
  %28 = tensor.extract %x[%i] : tensor<8xf32>
  %29 = tensor.extract %x[%i] : tensor<8xf32>
  %30 = tensor.extract %x[%i] : tensor<8xf32>
  %31 = tensor.extract %x[%i] : tensor<8xf32>
  %32 = tensor.extract %x[%i] : tensor<8xf32>
  %33 = tensor.extract %x[%i] : tensor<8xf32>
  %34 = tensor.extract %x[%i] : tensor<8xf32>
  %35 = tensor.extract %x[%i] : tensor<8xf32>
  %36 = tensor.extract %x[%i] : tensor<8xf32>
  %37 = tensor.extract %x[%i] : tensor<8xf32>
  %38 = tensor.extract %x[%i] : tensor<8xf32>
  %39 = tensor.extract %x[%i] : tensor<8xf32>
  %40 = tensor.extract %x[%i] : tensor<8xf32>
  %41 = tensor.extract %x[%i] : tensor<8xf32>
  %42 = tensor.extract %x[%i] : tensor<8xf32>
  %43 = tensor.extract %x[%i] : tensor<8xf32>
  %44 = tensor.extract %x[%i] : tensor<8xf32>
  %45 = tensor.extract %x[%i] : tensor<8xf32>
  %46 = tensor.extract %x[%i] : tensor<8xf32>
  %47 = tensor.extract %x[%i] : tensor<8xf32>
  %48 = tensor.extract %x[%i] : tensor<8xf32>
  %49 = tensor.extract %x[%i] : tensor<8xf32>
  %50 = tensor.extract %x[%i] : tensor<8xf32>
  %51 = tensor.extract %x[%i] : tensor<8xf32>
  %52 = tensor.extract %x[%i] : tensor<8xf32>
  %53 = tensor.extract %x[%i] : tensor<8xf32>
  %54 = tensor.extract %x[%i] : tensor<8xf32>
  %55 = tensor.extract %x[%i] : tensor<8xf32>
  %56 = tensor.extract %x[%i] : tensor<8xf32>
  %57 = tensor.extract %x[%i] : tensor<8xf32>
  %58 = tensor.extract %x[%i] : tensor<8xf32>
  %59 = tensor.extract %x[%i] : tensor<8xf32>
  %60 = tensor.extract %x[%i] : tensor<8xf32>
  %61 = tensor.extract %x[%i] : tensor<8xf32>
  %62 = tensor.extract %x[%i] : tensor<8xf32>
  %63 = tensor.extract %x[%i] : tensor<8xf32>
  %64 = tensor.extract %x[%i] : tensor<8xf32>
  %65 = tensor.extract %x[%i] : tensor<8xf32>
  %66 = tensor.extract %x[%i] : tensor<8xf32>
  %67 = tensor.extract %x[%i] : tensor<8xf32>
  %68 = tensor.extract %x[%i] : tensor<8xf32>
  %69 = tensor.extract %x[%i] : tensor<8xf32>
  %70 = tensor.extract %x[%i] : tensor<8xf32>
  %71 = tensor.extract %x[%i] : tensor<8xf32>
  %72 = tensor.extract %x[%i] : tensor<8xf32>
  %73 = tensor.extract %x[%i] : tensor<8xf32>
  %74 = tensor.extract %x[%i] : tensor<8xf32>
  %75 = tensor.extract %x[%i] : tensor<8xf32>
  %76 = tensor.extract %x[%i] : tensor<8xf32>
  %77 = tensor.extract %x[%i] : tensor<8xf32>
  %78 = tensor.extract %x[%i] : tensor<8xf32>
  %79 = tensor.extract %x[%i] : tensor<8xf32>
  %80 = tensor.extract %x[%i] : tensor<8xf32>
  %81 = tensor.extract %x[%i] : tensor<8xf32>
  %82 = tensor.extract %x[%i] : tensor<8xf32>
  %83 = tensor.extract %x[%i] : tensor<8xf32>
  %84 = tensor.extract %x[%i] : tensor<8xf32>
  %85 = tensor.extract %x[%i] : tensor<8xf32>
  %86 = tensor.extract %x[%i] : tensor<8xf32>
  %87 = tensor.extract %x[%i] : tensor<8xf32>
  %88 = tensor.extract %x[%i] : tensor<8xf32>
  %89 = tensor.extract %x[%i] : tensor<8xf32>
  %90 = tensor.extract %x[%i] : tensor<8xf32>
  %91 = tensor.extract %x[%i] : tensor<8xf32>
  %92 = tensor.extract %x[%i] : tensor<8xf32>
  %93 = tensor.extract %x[%i] : tensor<8xf32>
  %94 = tensor.extract %x[%i] : tensor<8xf32>
  %95 = tensor.extract %x[%i] : tensor<8xf32>
  %96 = tensor.extract %x[%i] : tensor<8xf32>
  %97 = tensor.extract %x[%i] : tensor<8xf32>
  %98 = tensor.extract %x[%i] : tensor<8xf32>
  %99 = tensor.extract %x[%i] : tensor<8xf32>
  %100 = tensor.extract %x[%i] : tensor<8xf32>
  %101 = tensor.extract %x[%i] : tensor<8xf32>
  %102 = tensor.extract %x[%i] : tensor<8xf32>
  %103 = tensor.extract %x[%i] : tensor<8xf32>
  %104 = tensor.extract %x[%i] : tensor<8xf32>
  %105 = tensor.extract %x[%i] : tensor<8xf32>
  %106 = tensor.extract %x[%i] : tensor<8xf32>
  %107 = tensor.extract %x[%i] : tensor<8xf32>
  %108 = tensor.extract %x[%i] : tensor<8xf32>
  %109 = tensor.extract %x[%i] : tensor<8xf32>
  %110 = tensor.extract %x[%i] : tensor<8xf32>
  %111 = tensor.extract %x[%i] : tensor<8xf32>
  %112 = tensor.extract %x[%i] : tensor<8xf32>
  %113 = tensor.extract %x[%i] : tensor<8xf32>
  %114 = tensor.extract %x[%i] : tensor<8xf32>
  %115 = tensor.extract %x[%i] : tensor<8xf32>
  %116 = tensor.extract %x[%i] : tensor<8xf32>
  %117 = tensor.extract %x[%i] : tensor<8xf32>
  %118 = tensor.extract %x[%i] : tensor<8xf32>
  %119 = tensor.extract %x[%i] : tensor<8xf32>
  %120 = tensor.extract %x[%i] : tensor<8xf32>
  %121 = tensor.extract %x[%i] : tensor<8xf32>
  %122 = tensor.extract %x[%i] : tensor<8xf32>
  %123 = tensor.extract %x[%i] : tensor<8xf32>
  %124 = tensor.extract %x[%i] : tensor<8xf32>
  %125 = tensor.extract %x[%i] : tensor<8xf32>
  %126 = tensor.extract %x[%i] : tensor<8xf32>
  %127 = tensor.extract %x[%i] : tensor<8xf32>
  %128 = tensor.extract %x[%i] : tensor<8xf32>
  %129 = tensor.extract %x[%i] : tensor<8xf32>
  return
}
