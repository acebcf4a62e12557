// RUN: split-file %s %t

// Each version of the format changed some operations; one that all compilers read
// is the default.

//--- newest.mlir
// RUN: pallas-translate --to-stable-mosaic %t/newest.mlir -o %t/newest.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/newest.bc | FileCheck %t/newest.mlir
// RUN: pallas-translate --from-stable-mosaic %t/newest.bc | FileCheck %t/newest.mlir --check-prefix=BACK

// Names are mangled, inherent and discardable attributes are one dictionary,
// and attributes that have their default are there.

// CHECK: module attributes {stable_mosaic.version = 15 : i64}
// CHECK: "stable_mosaic.func.func"() ({
// CHECK: "stable_mosaic.arith.addf"(%{{.*}}, %{{.*}}) {fastmath = #arith.fastmath<none>}
// CHECK: "stable_mosaic.tpu.vector_store"(%{{.*}}) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>}
// CHECK: "stable_mosaic.tpu.region"() ({
// CHECK: "stable_mosaic.tpu.yield"() : () -> ()
// CHECK: {function_type = {{.*}}, scalar_prefetch = 0 : i64, sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>}

// BACK: module {
// BACK: func.func @kernel({{.*}}) attributes {scalar_prefetch = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
// BACK: arith.addf
// BACK: tpu.vector_store %{{.*}} {strides = array<i32>}
// BACK: "tpu.region"() ({
func.func @kernel(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %v: vector<8x128xf32>, %i: index) attributes {scalar_prefetch = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
  %0 = arith.addf %v, %v : vector<8x128xf32>
  tpu.vector_store %m[%i, %i], %0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
  "tpu.region"() ({
    tpu.yield
  }) : () -> ()
  return
}

//--- scan.mlir
// RUN: pallas-translate --to-stable-mosaic=18 %t/scan.mlir -o %t/scan18.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/scan18.bc | FileCheck %t/scan.mlir --check-prefix=V18
// RUN: pallas-translate --from-stable-mosaic %t/scan18.bc | FileCheck %t/scan.mlir --check-prefix=BACK
// RUN: pallas-translate --to-stable-mosaic=17 %t/scan.mlir -o %t/scan17.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/scan17.bc | FileCheck %t/scan.mlir --check-prefix=V17
// RUN: pallas-translate --from-stable-mosaic %t/scan17.bc | FileCheck %t/scan.mlir --check-prefix=BACK
// RUN: pallas-translate --to-stable-mosaic=16 %t/scan.mlir -o %t/scan16.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/scan16.bc | FileCheck %t/scan.mlir --check-prefix=V16
// RUN: pallas-translate --from-stable-mosaic %t/scan16.bc | FileCheck %t/scan.mlir --check-prefix=BACK
// RUN: pallas-translate --to-stable-mosaic=15 %t/scan.mlir -o %t/scan15.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/scan15.bc | FileCheck %t/scan.mlir --check-prefixes=V16,V15
// RUN: pallas-translate --from-stable-mosaic %t/scan15.bc | FileCheck %t/scan.mlir --check-prefix=BACK

// Before 18 the kind does not say whether integers have a sign, which they had
// not; before 17 a scan runs along the last dimension.

// V18: "stable_mosaic.tpu.scan"(%{{.*}}) {dimension = 1 : i64, kind = #tpu.reduction_kind<maxf>}
// V18: "stable_mosaic.tpu.scan"(%{{.*}}) {dimension = 0 : i64, kind = #tpu.reduction_kind<minui>}
// V18: "stable_mosaic.tpu.all_reduce"(%{{.*}}) {dim = 0 : i64, kind = #tpu.reduction_kind<minf>}
// V17: "stable_mosaic.tpu.scan"(%{{.*}}) {dimension = 1 : i64, kind = #tpu.reduction_kind<max>}
// V17: "stable_mosaic.tpu.scan"(%{{.*}}) {dimension = 0 : i64, kind = #tpu.reduction_kind<min>}
// V17: "stable_mosaic.tpu.all_reduce"(%{{.*}}) {dim = 0 : i64, kind = #tpu.reduction_kind<min>}
// V16: "stable_mosaic.tpu.scan"(%{{.*}}) {kind = #tpu.reduction_kind<max>}
// V16: "stable_mosaic.tpu.scan"(%{{.*}}) {kind = #tpu.reduction_kind<min>}
// BACK: tpu.scan <maxf>, %{{.*}} {dimension = 1 : i64}
// BACK: tpu.scan <minui>, %{{.*}} masked %{{.*}} {dimension = 0 : i64}
// BACK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<minf>}
// BACK: tpu.reinterpret_cast %{{[^<\[]*}}<%{{.*}}> : memref
func.func @kernel(%v: vector<4x16xf32>, %w: vector<16xi32>, %k: vector<16xi1>, %m: memref<8x128xf32>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %0 = tpu.scan <maxf>, %v {dimension = 1 : i64} : vector<4x16xf32>,  -> vector<4x16xf32>
  %1 = tpu.scan <minui>, %w masked %k {dimension = 0 : i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>
  %2 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<minf>} : vector<4x16xf32> -> vector<4x16xf32>
  // V16: "stable_mosaic.tpu.reinterpret_cast"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 0, 1
  // V15-SAME: >} :
  %3 = tpu.reinterpret_cast %m <%n> : memref<8x128xf32> -> memref<?x128xf32>
  return
}

//--- signed.mlir
// RUN: pallas-translate --to-stable-mosaic=18 %t/signed.mlir -o %t/signed.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/signed.bc | FileCheck %t/signed.mlir
// RUN: pallas-translate --from-stable-mosaic %t/signed.bc | FileCheck %t/signed.mlir --check-prefix=BACK

// CHECK: "stable_mosaic.tpu.reinterpret_cast"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
// CHECK: "stable_mosaic.tpu.reduce"(%{{.*}}) {dimensions = array<i64: 0>, kind = #tpu.reduction_kind<maxsi>}
// BACK: tpu.reinterpret_cast %{{.*}} %{{.*}} [%{{.*}}] : memref<8x128xf32> -> memref<8x128xf32, #tpu.tiled<(8,128),[?,1]>>
// BACK: tpu.reduce <maxsi>, %{{.*}} [0] : vector<4x16xi32> -> vector<1x16xi32>
func.func @kernel(%v: vector<4x16xi32>, %m: memref<8x128xf32>, %n: i32) {
  %0 = tpu.reinterpret_cast %m %n [%n] : memref<8x128xf32> -> memref<8x128xf32, #tpu.tiled<(8,128),[?,1]>>
  %1 = tpu.reduce <maxsi>, %v [0] : vector<4x16xi32> -> vector<1x16xi32>
  return
}

//--- older_kinds.mlir
// RUN: pallas-translate --from-stable-mosaic %t/older_kinds.mlir | FileCheck %t/older_kinds.mlir

// Writers of later releases put younger operations into versions before them.

// CHECK: tpu.reduce <maxui>, %{{.*}} [0] : vector<8x8xi32> -> vector<1x8xi32>
// CHECK: tpu.reduce <minf>, %{{.*}} [1] : vector<8x8xf32> -> vector<8x1xf32>
// CHECK: tpu.logistic
"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%a: vector<8x8xi32>, %b: vector<8x8xf32>):
    %0 = "stable_mosaic.tpu.reduce"(%a) {kind = #tpu.reduction_kind<max>, dimensions = array<i64: 0>} : (vector<8x8xi32>) -> vector<1x8xi32>
    %1 = "stable_mosaic.tpu.reduce"(%b) {kind = #tpu.reduction_kind<min>, dimensions = array<i64: 1>} : (vector<8x8xf32>) -> vector<8x1xf32>
    %2 = "stable_mosaic.tpu.logistic"(%b) : (vector<8x8xf32>) -> vector<8x8xf32>
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (vector<8x8xi32>, vector<8x8xf32>) -> (), sym_name = "kernel"} : () -> ()
}) {stable_mosaic.version = 15 : i64} : () -> ()

//--- subcore.mlir
// RUN: pallas-translate --to-stable-mosaic=14 %t/subcore.mlir | pallas-opt --allow-unregistered-dialect - | FileCheck %t/subcore.mlir --check-prefix=V14
// RUN: pallas-translate --to-stable-mosaic=13 %t/subcore.mlir -o %t/subcore.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/subcore.bc | FileCheck %t/subcore.mlir --check-prefix=V13
// RUN: pallas-translate --from-stable-mosaic %t/subcore.bc | FileCheck %t/subcore.mlir --check-prefix=BACK

// Before 14 a vector subcore is named by one number.

// V14: "stable_mosaic.tpu.sem_signal"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>}
// V13: %[[N:.*]] = "stable_mosaic.arith.constant"() {value = 16 : i32}
// V13: %[[C:.*]] = "stable_mosaic.arith.muli"(%[[CORE:.*]], %[[N]])
// V13: %[[L:.*]] = "stable_mosaic.arith.addi"(%[[C]], %[[SUB:.*]])
// V13: "stable_mosaic.tpu.sem_signal"(%{{.*}}, %{{.*}}, %[[L]]) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
// BACK: %[[L:.*]] = arith.addi
// BACK: %[[C:.*]] = arith.divui %[[L]], %{{.*}} : i32
// BACK: %[[S:.*]] = arith.remui %[[L]], %{{.*}} : i32
// BACK: tpu.sem_signal %{{.*}}, %{{.*}} core_id %[[C]] subcore_id %[[S]]
func.func @kernel(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %core: i32, %sub: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.sem_signal %s, %sub core_id %core subcore_id %sub : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

//--- old.mlir
// RUN: pallas-translate --to-stable-mosaic=12 %t/old.mlir | pallas-opt --allow-unregistered-dialect - | FileCheck %t/old.mlir --check-prefix=V12
// RUN: pallas-translate --to-stable-mosaic=3 %t/old.mlir -o %t/old.bc
// RUN: pallas-opt --allow-unregistered-dialect %t/old.bc | FileCheck %t/old.mlir --check-prefix=V3
// RUN: pallas-translate --from-stable-mosaic %t/old.bc | FileCheck %t/old.mlir --check-prefix=BACK

// V12: "stable_mosaic.tpu.matmul"(%{{.*}}) {transpose_lhs = false, transpose_rhs = false}
// V12: "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>}
// V12: "stable_mosaic.tpu.dynamic_gather"(%{{.*}}) {dimensions = array<i32: 0>}
// V12: "stable_mosaic.tpu.enqueue_dma"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>, priority = 0 : i32, strict_ordering = false}
// V12: "stable_mosaic.tpu.wait_dma2"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, strict_ordering = false}
// V12: "stable_mosaic.tpu.reinterpret_cast"(%{{.*}}) :
// V3: "stable_mosaic.tpu.iota"() {dimension = 1 : i32}
// V3: "stable_mosaic.tpu.dynamic_gather"(%{{.*}}) {dimension = 0 : i32}
// V3: "stable_mosaic.tpu.enqueue_dma"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>}
// V3: "stable_mosaic.tpu.wait_dma2"(%{{.*}}) {strict_ordering = false}
// BACK: tpu.matmul {{.*}} {transpose_lhs_hint = false}
// BACK: tpu.iota {dimensions = array<i32: 1>}
// BACK: tpu.dynamic_gather {{.*}} in [0]
// BACK: tpu.enqueue_dma source(%{{.*}}) target(%{{.*}}) target_semaphore(%{{[^)]*}})
// BACK: tpu.wait_dma2 semaphore(%{{.*}}) src(%{{.*}}) dst(%{{.*}})
// BACK: tpu.reinterpret_cast %{{.*}} : memref
func.func @kernel(%a: vector<8x8xf32>, %x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  %0 = tpu.matmul %a, %a, %a {transpose_lhs_hint = false} : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  %1 = tpu.iota {dimensions = array<i32: 1>} : vector<8x8xi32>
  %2 = tpu.dynamic_gather %a[%1] in [0] : vector<8x8xf32>, vector<8x8xi32> -> vector<8x8xf32>
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>)
  %3 = tpu.reinterpret_cast %x : memref<8x128xf32, #tpu.memory_space<hbm>> -> memref<16x64xf32, #tpu.memory_space<hbm>>
  return
}

//--- oldest.mlir
// RUN: pallas-translate --from-stable-mosaic %t/oldest.mlir | FileCheck %t/oldest.mlir

// The first version had no segment sizes; text of the format is read as well.

// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<8x8xf32> to vector<8xf32>
// CHECK: tpu.sem_signal %{{.*}}, %{{.*}} device_id %{{.*}} :
// CHECK: tpu.enqueue_dma source(%{{.*}}) target(%{{.*}}) source_semaphore(%{{.*}}) target_semaphore(%{{.*}}) device_id(%{{.*}})
"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%a: vector<8x8xf32>, %c: vector<8xf32>, %m: memref<8x128xf32, #tpu.memory_space<hbm>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32):
    %0 = "stable_mosaic.vector.multi_reduction"(%a, %c) {kind = #vector.kind<add>, reduction_dims = [1]} : (vector<8x8xf32>, vector<8xf32>) -> vector<8xf32>
    "stable_mosaic.tpu.sem_signal"(%s, %n, %n) : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32, i32) -> ()
    "stable_mosaic.tpu.enqueue_dma"(%m, %s, %m, %s, %n) : (memref<8x128xf32, #tpu.memory_space<hbm>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<hbm>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (vector<8x8xf32>, vector<8xf32>, memref<8x128xf32, #tpu.memory_space<hbm>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32) -> (), sym_name = "kernel"} : () -> ()
}) {stable_mosaic.version = 1 : i64} : () -> ()
