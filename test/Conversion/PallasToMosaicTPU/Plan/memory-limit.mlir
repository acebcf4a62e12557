// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v5e --split-input-file | FileCheck %s

// Bytes are computed on in 32 bits: what spills of them is four times as large.

// CHECK: module @bytes
// CHECK-SAME: vmem_limit_bytes = 134217728
func.func @f(%x: tensor<127x256x19xi8>) -> tensor<127x256x19xi8> {
  %o = pallas.pallas_call @bytes grid(2)
      in(%x : tensor<127x256x19xi8>) block<[127, 128, 19], vmem> map(%i) -> (0, %i, 0)
      out(tensor<127x256x19xi8>) block<[127, 128, 19], vmem> map(%i) -> (0, %i, 0)
      kernel(%xr: !pallas.ref<127x128x19xi8, vmem>, %or: !pallas.ref<127x128x19xi8, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<127x128x19xi8, vmem>
    %w = arith.addi %v, %v : tensor<127x128x19xi8>
    pallas.swap %or[...], %w : !pallas.ref<127x128x19xi8, vmem>, tensor<127x128x19xi8>
  }
  return %o : tensor<127x256x19xi8>
}

// -----

// What the branch finds and leaves doesn't fit registers: with two buffers each
// the windows would leave no memory for it.

// CHECK: module @branches
// CHECK-SAME: vmem_limit_bytes = 134217728
// CHECK: window_params = [{pipeline_mode = #tpu.pipeline_mode<synchronous>{{.*}}#tpu.pipeline_mode<double_buffered>{{.*}}#tpu.pipeline_mode<synchronous>
func.func @f(%x: tensor<8192x1280xf32>, %y: tensor<8192x1024xf32>) -> tensor<8192x1280xf32> {
  %o = pallas.pallas_call @branches grid(2)
      in(%x : tensor<8192x1280xf32>) block<[4096, 1280], vmem> map(%i) -> (%i, 0)
      in(%y : tensor<8192x1024xf32>) block<[4096, 1024], vmem, pipeline = <2>> map(%i) -> (%i, 0)
      out(tensor<8192x1280xf32>) block<[4096, 1280], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<4096x1280xf32, vmem>, %yr: !pallas.ref<4096x1024xf32, vmem>, %or: !pallas.ref<4096x1280xf32, vmem>) {
    %zero = arith.constant 0 : i32
    %i = pallas.program_id 0
    %isFirst = arith.cmpi eq, %i, %zero : i32
    %v = pallas.get %xr[...] : !pallas.ref<4096x1280xf32, vmem>
    %w = scf.if %isFirst -> tensor<4096x1280xf32> {
      %twice = arith.addf %v, %v : tensor<4096x1280xf32>
      scf.yield %twice : tensor<4096x1280xf32>
    } else {
      scf.yield %v : tensor<4096x1280xf32>
    }
    pallas.swap %or[...], %w : !pallas.ref<4096x1280xf32, vmem>, tensor<4096x1280xf32>
  }
  return %o : tensor<8192x1280xf32>
}
