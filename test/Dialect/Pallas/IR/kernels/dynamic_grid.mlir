// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// The number of programs is an operand; blocks behind it are not written, so
// they keep what the aliased input holds.

// CHECK-LABEL: func.func @first_blocks
func.func @first_blocks(%count: tensor<1xi32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %count[%c0] : tensor<1xi32>
  // CHECK: pallas.pallas_call @first_blocks grid(%{{.*}}, 2)
  %o = pallas.pallas_call @first_blocks grid(%n, 2)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %j = pallas.program_id 1
    %zero = arith.constant 0 : i32
    %first = arith.cmpi eq, %j, %zero : i32
    scf.if %first {
      %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
      pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
    // CHECK: pallas.num_programs 0
    %programs = pallas.num_programs 0
    %float = arith.sitofp %programs : i32 to f32
    %floats = pallas.broadcast %float : f32 -> tensor<8x128xf32>
    %old = pallas.get %or[...] : !pallas.ref<8x128xf32, vmem>
    %new = arith.addf %old, %floats : tensor<8x128xf32>
    pallas.swap %or[...], %new : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}
