// RUN: pallas-opt %S/../Inputs/narrow_extremes.mlir --pallas-to-mosaic-tpu=chip=v5e | FileCheck %s

// Extremes of widened operands come back as narrow ones, which later compilers
// refuse; those of differences stay.

// CHECK: %[[A:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[B:.*]] = arith.extsi %{{.*}} : vector<32x128xi8> to vector<32x128xi32>
// CHECK: %[[D:.*]] = arith.subi %[[B]], %[[A]]
// CHECK: %[[STEP:.*]] = arith.maxsi %[[D]], %{{.*}} : vector<32x128xi32>
// CHECK: arith.addi %[[A]], %[[STEP]]

// Numbers without a sign are extended by zeros, so that the step has one.
// CHECK: %[[A:.*]] = arith.extui
// CHECK: %[[B:.*]] = arith.extui
// CHECK: %[[D:.*]] = arith.subi %[[B]], %[[A]]
// CHECK: arith.minsi %[[D]]

// A select that chooses between what it compares is such an extreme.
// CHECK: %[[D:.*]] = arith.subi
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[D]], %{{.*}} : vector<32x128xi32>
// CHECK: arith.select %[[LESS]]
