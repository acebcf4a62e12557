module {
  func.func @body(%arg0: tensor<32x128xi8>) -> (tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>) {
    %0:10 = pallas.pallas_call grid()
      in(%arg0 : tensor<32x128xi8>) block<[32, 128], default, origin = "args[0]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[0]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[1]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[2]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[3]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[4]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[5]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[6]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[7]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[8]">
      out(tensor<16x128xf32>) block<[16, 128], default, origin = "outputs[9]">
      kernel(%arg1: !pallas.ref<32x128xi8, default>, %arg2: !pallas.ref<16x128xf32, default>, %arg3: !pallas.ref<16x128xf32, default>, %arg4: !pallas.ref<16x128xf32, default>, %arg5: !pallas.ref<16x128xf32, default>, %arg6: !pallas.ref<16x128xf32, default>, %arg7: !pallas.ref<16x128xf32, default>, %arg8: !pallas.ref<16x128xf32, default>, %arg9: !pallas.ref<16x128xf32, default>, %arg10: !pallas.ref<16x128xf32, default>, %arg11: !pallas.ref<16x128xf32, default>) {
      %1 = pallas.get %arg1[...] : !pallas.ref<32x128xi8, default>
      %extracted_slice = tensor.extract_slice %1[3, 5] [1, 1] [1, 1] : tensor<32x128xi8> to tensor<1x1xi8>
      %2 = pallas.reshape %extracted_slice : tensor<1x1xi8> -> i8
      %extracted_slice_0 = tensor.extract_slice %1[0, 2] [1, 1] [1, 1] : tensor<32x128xi8> to tensor<1x1xi8>
      %3 = pallas.reshape %extracted_slice_0 : tensor<1x1xi8> -> i8
      %4 = arith.cmpi slt, %2, %3 : i8
      %5 = arith.select %4, %2, %3 : i8
      %6 = arith.cmpi eq, %2, %3 : i8
      %c0_i8 = arith.constant 0 : i8
      %c1_i8 = arith.constant 1 : i8
      %7 = arith.cmpi sgt, %2, %c0_i8 : i8
      %8 = arith.select %7, %c1_i8, %c0_i8 : i8
      %9 = arith.cmpi slt, %2, %c0_i8 : i8
      %c-1_i8 = arith.constant -1 : i8
      %10 = arith.select %9, %c-1_i8, %8 : i8
      %11 = arith.sitofp %2 : i8 to f32
      %12 = arith.sitofp %3 : i8 to f32
      %13 = arith.cmpf ogt, %11, %12 : f32
      %14 = arith.andi %2, %3 : i8
      %15 = arith.ori %2, %3 : i8
      %16 = arith.xori %2, %3 : i8
      %17 = math.ctpop %2 : i8
      %18 = arith.extsi %2 : i8 to i32
      %19 = arith.extsi %3 : i8 to i32
      %20 = arith.cmpi eq, %18, %19 : i32
      %21 = arith.extsi %2 : i8 to i32
      %22 = arith.extsi %3 : i8 to i32
      %23 = arith.muli %21, %22 : i32
      %24 = arith.sitofp %5 : i8 to f32
      %25 = pallas.broadcast %24 : f32 -> tensor<16x128xf32>
      %26 = arith.uitofp %6 : i1 to f32
      %27 = pallas.broadcast %26 : f32 -> tensor<16x128xf32>
      %28 = arith.sitofp %10 : i8 to f32
      %29 = pallas.broadcast %28 : f32 -> tensor<16x128xf32>
      %30 = arith.uitofp %13 : i1 to f32
      %31 = pallas.broadcast %30 : f32 -> tensor<16x128xf32>
      %32 = arith.sitofp %14 : i8 to f32
      %33 = pallas.broadcast %32 : f32 -> tensor<16x128xf32>
      %34 = arith.sitofp %15 : i8 to f32
      %35 = pallas.broadcast %34 : f32 -> tensor<16x128xf32>
      %36 = arith.sitofp %16 : i8 to f32
      %37 = pallas.broadcast %36 : f32 -> tensor<16x128xf32>
      %38 = arith.sitofp %17 : i8 to f32
      %39 = pallas.broadcast %38 : f32 -> tensor<16x128xf32>
      %40 = arith.uitofp %20 : i1 to f32
      %41 = pallas.broadcast %40 : f32 -> tensor<16x128xf32>
      %42 = arith.sitofp %23 : i32 to f32
      %43 = pallas.broadcast %42 : f32 -> tensor<16x128xf32>
      %44 = pallas.swap %arg2[...], %25 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %45 = pallas.swap %arg3[...], %27 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %46 = pallas.swap %arg4[...], %29 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %47 = pallas.swap %arg5[...], %31 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %48 = pallas.swap %arg6[...], %33 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %49 = pallas.swap %arg7[...], %35 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %50 = pallas.swap %arg8[...], %37 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %51 = pallas.swap %arg9[...], %39 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %52 = pallas.swap %arg10[...], %41 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
      %53 = pallas.swap %arg11[...], %43 : !pallas.ref<16x128xf32, default>, tensor<16x128xf32>
    }
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9 : tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>, tensor<16x128xf32>
  }
}
