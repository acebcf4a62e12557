// RUN: pallas-opt %s --pallas-cpu-to-llvm | FileCheck %s
// RUN: pallas-opt %s --pallas-cpu-to-llvm | not grep -E ' (arith|memref|scf|cf|func|vector|math|ub)[.]'

// Branches, vectors, memory and functions of the C library: nothing but the LLVM
// dialect is left over.

// CHECK: llvm.func @cbrtf(f32) -> f32
// CHECK-LABEL: llvm.func @sum
// CHECK: llvm.cond_br
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.call @cbrtf
// CHECK: llvm.return
func.func @sum(%memory: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  cf.br ^head(%c0, %zero : index, f32)
^head(%i: index, %sum: f32):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %v = vector.load %memory[%i] : memref<?xf32>, vector<4xf32>
  %part = vector.reduction <add>, %v : vector<4xf32> into f32
  %next_sum = arith.addf %sum, %part : f32
  %next = arith.addi %i, %c4 : index
  cf.br ^head(%next, %next_sum : index, f32)
^end:
  %root = math.cbrt %sum : f32
  return %root : f32
}
