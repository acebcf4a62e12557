// RUN: pallas-opt %s --split-input-file --pallas-insert-checks --pallas-grids-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s
// RUN: pallas-opt %s --split-input-file --pallas-grids-to-loops --convert-pallas-to-cpu --canonicalize --cse | FileCheck %s --check-prefix=PLAIN

// Checked code tells when a core has memory: windows and scratch around a grid, scoped refs around
// their scope. Arrays in main memory and semaphores are none of a core.

// PLAIN-NOT: pallas_check

// CHECK-DAG: llvm.mlir.global internal constant @[[VMEM:.*]]("vmem\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[SMEM:.*]]("smem\00")
// CHECK-LABEL: func.func @grid(
// CHECK-DAG: %[[SIXTEEN:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[V:.*]] = llvm.mlir.addressof @[[VMEM]] : !llvm.ptr
// CHECK-DAG: %[[S:.*]] = llvm.mlir.addressof @[[SMEM]] : !llvm.ptr
// CHECK: llvm.call @pallas_check_buffer(%[[S]], %[[TWO]]) : (!llvm.ptr, i64) -> ()
// CHECK: llvm.call @pallas_check_buffer(%[[V]], %[[SIXTEEN]]) : (!llvm.ptr, i64) -> ()
// CHECK: llvm.call @pallas_check_buffer(%[[V]], %[[SIXTEEN]]) : (!llvm.ptr, i64) -> ()
// CHECK: llvm.call @pallas_check_grid_begin
// CHECK: llvm.call @pallas_check_program
// CHECK: llvm.call @pallas_check_buffer(%[[V]], %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK: llvm.call @pallas_check_buffers_end(%[[ONE]]) : (i64) -> ()
// CHECK: llvm.call @pallas_check_grid_end
// CHECK: llvm.call @pallas_check_buffers_end(%[[TWO]]) : (i64) -> ()
// CHECK: llvm.call @pallas_check_buffers_end(%[[ONE]]) : (i64) -> ()
func.func @grid(%x: tensor<16xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<16xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>, %flag: !pallas.ref<4xi4, smem>,
             %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.run_scoped (%r: !pallas.ref<4xf32, vmem>, %h: !pallas.ref<64xf32, hbm>) {
      pallas.swap %r[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    }
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<16xf32>
}
