// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=values | FileCheck %s --check-prefix=OUT
// RUN: pallas-run %s --no-cache --entry=updates | FileCheck %s --check-prefix=UPDATES
// RUN: pallas-run %s --no-cache --entry=sums | FileCheck %s --check-prefix=SUMS
// printed.py runs what they become.

// CHECK-LABEL: module @values
// CHECK: %[[X:.*]] = arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[Y:.*]] = arith.divf %{{.*}}, %[[X]] : vector<8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[Y]], %[[Y]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : vector<8xf32> to vector<8xi32>
// CHECK: arith.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: "mosaic_gpu.debug_print"
// The sign goes.
// OUT: y = [2 1 0.6666667 0.5 0.4 0.33333334 0.2857143 0.25]
// OUT: scalar = 1065353216
func.func @values() {
  pallas.mpmd_map
      kernel @values on <gpu, [<grid "i" = 1>]> () {
    %one = arith.constant dense<1> : tensor<8xi32>
    %n = pallas.iota 0 : tensor<8xi32>
    %m = arith.addi %n, %one : tensor<8xi32>
    %x = arith.sitofp %m : tensor<8xi32> to tensor<8xf32>
    %y = pallas.reciprocal %x : tensor<8xf32>
    %sum = arith.addf %y, %y : tensor<8xf32>
    %bits = pallas.bitcast %sum : tensor<8xf32> -> tensor<8xi32>
    %mask = arith.constant dense<0x7FFFFFFF> : tensor<8xi32>
    %positive = arith.andi %bits, %mask : tensor<8xi32>
    %back = pallas.bitcast %positive : tensor<8xi32> -> tensor<8xf32>
    pallas.debug_print "y = {}" %back : tensor<8xf32>
    %f = arith.constant 1.0 : f32
    %i = pallas.bitcast %f : f32 -> i32
    pallas.debug_print "scalar = {}" %i : i32
  }
  return
}

// An update reads, adds and writes; an accumulator is the sum itself.

// CHECK-LABEL: module @updates
// CHECK: %[[V:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<4xi32>
// CHECK: %[[OLD:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[NEW:.*]] = arith.addi %[[OLD]], %[[V]]
// CHECK: "mosaic_gpu.vector_store"(%[[NEW]], %{{.*}})
// CHECK: %[[ONE:.*]] = memref.load
// CHECK: arith.addi %[[ONE]], %c4_i32
// CHECK: memref.store
// A sum of booleans is true where one of them is.
// CHECK: %[[BITS:.*]] = arith.cmpi ne, %{{.*}} : vector<8xi8>
// CHECK: arith.ori %[[BITS]], %{{.*}} : vector<8xi1>
// UPDATES: s = {{\[\[}}1 2 3 8] [1 3 5 7]]
// UPDATES: b = [1 1 1 1 0 0 0 0]
func.func @updates() {
  pallas.mpmd_map
      kernel @updates on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<2x4xi32, smem>) {
      %c4 = arith.constant 4 : i32
      %one = arith.constant dense<1> : tensor<2x4xi32>
      %columns = pallas.iota 1 : tensor<2x4xi32>
      %start = arith.addi %columns, %one : tensor<2x4xi32>
      pallas.swap %s[...], %start : !pallas.ref<2x4xi32, smem>, tensor<2x4xi32>
      %v = pallas.iota 0 : tensor<4xi32>
      pallas.addupdate %s[1, :], %v : !pallas.ref<2x4xi32, smem>, tensor<4xi32>
      pallas.addupdate %s[0, 3], %c4 : !pallas.ref<2x4xi32, smem>, i32
      %sum = pallas.get %s[...] : !pallas.ref<2x4xi32, smem>
      pallas.debug_print "s = {}" %sum : tensor<2x4xi32>
    }
    pallas.run_scoped (%b: !pallas.ref<8xi1, smem>) {
      %n = pallas.iota 0 : tensor<8xi32>
      %two = arith.constant dense<2> : tensor<8xi32>
      %four = arith.constant dense<4> : tensor<8xi32>
      %first = arith.cmpi slt, %n, %two : tensor<8xi32>
      %more = arith.cmpi slt, %n, %four : tensor<8xi32>
      pallas.swap %b[...], %first : !pallas.ref<8xi1, smem>, tensor<8xi1>
      pallas.addupdate %b[...], %more : !pallas.ref<8xi1, smem>, tensor<8xi1>
      %any = pallas.get %b[...] : !pallas.ref<8xi1, smem>
      %bits = arith.extui %any : tensor<8xi1> to tensor<8xi32>
      pallas.debug_print "b = {}" %bits : tensor<8xi32>
    }
  }
  return
}

// Fewer digits are as many as the target likes.

// CHECK-LABEL: module @near
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : vector<8xf32>
func.func @near() {
  pallas.mpmd_map
      kernel @near on <gpu, [<grid "i" = 1>]> () {
    %four = arith.constant dense<4.0> : tensor<8xf32>
    %y = pallas.reciprocal %four approx : tensor<8xf32>
    pallas.debug_print "y = {}" %y : tensor<8xf32>
  }
  return
}

// A loop carries what it adds to.

// CHECK-LABEL: module @sums
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<8xi32>)
// CHECK: %[[NEW:.*]] = arith.addi %[[OLD]], %{{.*}} : vector<8xi32>
// CHECK: scf.yield %[[NEW]]
// CHECK: "mosaic_gpu.debug_print"(%[[LOOP]])
// SUMS: sum = [0 4 8 12 16 20 24 28]
func.func @sums() {
  pallas.mpmd_map
      kernel @sums on <gpu, [<grid "i" = 1>]> () {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %v = pallas.iota 0 : tensor<8xi32>
    %sum = pallas.run_state (%acc: !pallas.ref<8xi32, default> = %v : tensor<8xi32>) {
      scf.for %i = %c0 to %c3 step %c1 : i32 {
        pallas.addupdate %acc[...], %v : !pallas.ref<8xi32, default>, tensor<8xi32>
      }
    }
    pallas.debug_print "sum = {}" %sum : tensor<8xi32>
  }
  return
}
