// RUN: pallas-opt %s --split-input-file --pallas-grids-to-loops --convert-pallas-to-cpu --verify-diagnostics | FileCheck %s

// A function of the process finds its arrays behind a list of addresses, and
// its declaration is gone.
// CHECK-NOT: @sort
// CHECK-LABEL: func.func @called
// CHECK: %[[SCALAR:.*]] = memref.alloc() {{.*}} : memref<f32>
// CHECK: memref.store %{{.*}}, %[[SCALAR]][] : memref<f32>
// CHECK: %[[RESULT:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK: %[[LIST:.*]] = memref.alloc() {{.*}} : memref<3xi64>
// CHECK-COUNT-3: memref.store %{{.*}}, %[[LIST]]
// CHECK: llvm.call @pallas_rt_call_host(%{{.*}}) : (i64, !llvm.ptr, i64, !llvm.ptr) -> ()
// CHECK: bufferization.to_tensor %[[RESULT]] restrict writable
func.func private @sort(tensor<8xf32>, f32) -> tensor<8xf32> attributes {pallas.host_call = 42 : i64}

func.func @called(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %one = arith.constant 1.0 : f32
    %s = func.call @sort(%v, %one) : (tensor<8xf32>, f32) -> tensor<8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// Others are called as they stand.
// CHECK: func.func private @other(f32)
// CHECK: call @other
func.func private @other(f32)

func.func @calls(%x: f32) {
  call @other(%x) : (f32) -> ()
  return
}

// -----

// expected-error @+1 {{has the attribute pallas.host_call = "sort"; give it the number of a function of the process, an i64}}
func.func private @named(f32) attributes {pallas.host_call = "sort"}

func.func @calls_it(%x: f32) {
  call @named(%x) : (f32) -> ()
  return
}
