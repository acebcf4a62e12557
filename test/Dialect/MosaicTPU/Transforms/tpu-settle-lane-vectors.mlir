// RUN: pallas-opt %s --tpu-settle-lane-vectors | FileCheck %s
// RUN: pallas-opt %s --tpu-settle-lane-vectors --tpu-strip-target | FileCheck %s --check-prefix=STRIP

// A kernel that combines lanes takes vectors as registers of one dimension.
// CHECK: module @scans attributes
// CHECK-SAME: needs_layout_passes = false
// CHECK: %[[R:.*]] = tpu.vector_load %{{.*}} : memref<4x16xf32{{.*}}, vector<16xf32>
// CHECK-NOT: vector.shape_cast
// CHECK: tpu.scan <sum>, %[[R]]
// STRIP-NOT: tpu.target
module @scans attributes {tpu.target = "tpu7x", tpu.custom_call = {name = "scans"}} {
  func.func @scans(%m: memref<4x16xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %zero = arith.constant 0 : index
    %v = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x16xf32, #tpu.memory_space<vmem>>, vector<1x16xf32>, 
    %r = vector.shape_cast %v : vector<1x16xf32> to vector<16xf32>
    %s = tpu.scan <sum>, %r {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
    return
  }
}

// Others keep the shape of their memory.
// CHECK: module @copies
// CHECK-NOT: needs_layout_passes
// CHECK: vector<1x16xf32>
module @copies attributes {tpu.target = "tpu7x", tpu.custom_call = {name = "copies"}} {
  func.func @copies(%m: memref<4x16xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %zero = arith.constant 0 : index
    %v = tpu.vector_load %m[%zero, %zero] {strides = array<i32>} : memref<4x16xf32, #tpu.memory_space<vmem>>, vector<1x16xf32>, 
    return
  }
}
