// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-coarsen-grid=reassociate=true --canonicalize --mlir-print-debuginfo=false 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
// RUN: pallas-opt %s --pallas-coarsen-grid 2>&1 >/dev/null | FileCheck %s --check-prefix=EXACT
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.save('%t/x.npy', r.standard_normal((16, 64)).astype(np.float32)); np.save('%t/y.npy', r.standard_normal((64, 24)).astype(np.float32)); np.save('%t/i.npy', r.integers(-2**31, 2**31, (64, 16)).astype(np.int32)); np.save('%t/j.npy', r.integers(-2**31, 2**31, (24, 64)).astype(np.int32))"
// RUN: pallas-run %s --entry=matmul --in %t/x.npy --in %t/y.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=1e-4 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=scaled --in %t/x.npy --in %t/y.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=1e-4 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=integers --in %t/i.npy --in %t/j.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=sums --in %t/x.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=1e-4 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=seen --in %t/x.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=late_start --in %t/x.npy --diff-passes='pallas-coarsen-grid{reassociate=true}' --tolerance=0 | FileCheck %s --check-prefix=SAME
// SAME: no pass changes the answer

// Two steps of the sum become one contraction of twice the length. The sum is
// stored by the last part, and asks for its number.

// CHECK-LABEL: func.func @matmul
// CHECK: grid(2)
// CHECK: block<[16, 32], vmem>
// CHECK: block<[32, 24], vmem>
// CHECK-DAG: %[[STEP:.*]] = pallas.program_id 0
// CHECK-DAG: %[[FIRST:.*]] = arith.muli %[[STEP]], %c2_i32
// CHECK: %[[STARTS:.*]] = arith.cmpi eq, %[[FIRST]], %c0_i32
// CHECK: scf.if %[[STARTS]]
// CHECK-NOT: scf.for
// CHECK: pallas.dot_general {{.*}} acc {{.*}} contract [1] x [0] : tensor<16x32xf32>, tensor<32x24xf32>, tensor<16x24xf32> -> tensor<16x24xf32>
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c1_i32
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %[[LAST]], %c3_i32
// CHECK: scf.if %[[ENDS]]
// EXACT: [[@LINE+2]]:{{.*}}remark: the parts of steps of grid dimension 0 would become one longer sum if it may be added up in another order; 'reassociate=true' allows that
func.func @matmul(%x: tensor<16x64xf32>, %y: tensor<64x24xf32>) -> tensor<16x24xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      in(%y : tensor<64x24xf32>) block<[16, 24], vmem> map(%k) -> (%k, 0)
      out(tensor<16x24xf32>) block<[16, 24], vmem> map(%k) -> (0, 0)
      attributes {pallas.coarsen = array<i64: 2>}
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %yr: !pallas.ref<16x24xf32, vmem>, %or: !pallas.ref<16x24xf32, vmem>,
             %acc: !pallas.ref<16x24xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x24xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<16x24xf32, vmem>
    %old = pallas.get %acc[...] : !pallas.ref<16x24xf32, vmem>
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
      : tensor<16x16xf32>, tensor<16x24xf32>, tensor<16x24xf32> -> tensor<16x24xf32>
    pallas.swap %acc[...], %new : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    %last = arith.cmpi eq, %k, %c3 : i32
    scf.if %last {
      %v = pallas.get %acc[...] : !pallas.ref<16x24xf32, vmem>
      pallas.swap %or[...], %v : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    }
  }
  return %o : tensor<16x24xf32>
}

// Elements that count grow with their operand: rows of `%y` beyond 50 are left
// out, and what is added is scaled alike in all parts. The last part uses the
// sum before it is stored.

// CHECK-LABEL: func.func @scaled
// CHECK: grid(1)
// CHECK: pallas.iota 0 : tensor<64x24xi32>
// CHECK: arith.select {{.*}} : tensor<64x24xi1>, tensor<64x24xf32>
// CHECK: %[[DOT:.*]] = pallas.dot_general {{.*}} : tensor<16x64xbf16>, tensor<64x24xbf16> -> tensor<16x24xf32>
// CHECK: arith.mulf %[[DOT]]
// CHECK-NOT: scf.for
// EXACT: [[@LINE+2]]:{{.*}}would become one longer sum
func.func @scaled(%x: tensor<16x64xf32>, %y: tensor<64x24xf32>) -> tensor<16x24xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      in(%y : tensor<64x24xf32>) block<[16, 24], vmem> map(%k) -> (%k, 0)
      out(tensor<16x24xf32>) block<[16, 24], vmem> map(%k) -> (0, 0)
      attributes {pallas.coarsen = array<i64: 4>}
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %yr: !pallas.ref<16x24xf32, vmem>, %or: !pallas.ref<16x24xf32, vmem>,
             %acc: !pallas.ref<16x24xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %c16 = arith.constant 16 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x24xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<16x24xf32, vmem>
    %start = arith.muli %k, %c16 : i32
    %starts = pallas.broadcast %start dims [] : i32 -> tensor<16x24xi32>
    %rows = pallas.iota 0 : tensor<16x24xi32>
    %row = arith.addi %starts, %rows : tensor<16x24xi32>
    %limit = arith.constant dense<50> : tensor<16x24xi32>
    %none = arith.constant dense<0.0> : tensor<16x24xf32>
    %inside = arith.cmpi slt, %row, %limit : tensor<16x24xi32>
    %c = arith.select %inside, %b, %none : tensor<16x24xi1>, tensor<16x24xf32>
    %an = arith.truncf %a : tensor<16x16xf32> to tensor<16x16xbf16>
    %cn = arith.truncf %c : tensor<16x24xf32> to tensor<16x24xbf16>
    %dot = pallas.dot_general %an, %cn contract [1] x [0]
      : tensor<16x16xbf16>, tensor<16x24xbf16> -> tensor<16x24xf32>
    %half = arith.constant dense<0.5> : tensor<16x24xf32>
    %part = arith.mulf %dot, %half : tensor<16x24xf32>
    %old = pallas.get %acc[...] : !pallas.ref<16x24xf32, vmem>
    %new = arith.addf %old, %part : tensor<16x24xf32>
    pallas.swap %acc[...], %new : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    %last = arith.cmpi eq, %k, %c3 : i32
    scf.if %last {
      pallas.swap %or[...], %new : !pallas.ref<16x24xf32, vmem>, tensor<16x24xf32>
    }
  }
  return %o : tensor<16x24xf32>
}

// Both operands the other way round, added to the result itself.

// CHECK-LABEL: func.func @integers
// CHECK: pallas.dot_general {{.*}} contract [0] x [1] : tensor<64x16xi32>, tensor<24x64xi32> -> tensor<16x24xi32>
// CHECK: pallas.addupdate
// CHECK-NOT: scf.for
// EXACT: [[@LINE+2]]:{{.*}}would become one longer sum
func.func @integers(%x: tensor<64x16xi32>, %y: tensor<24x64xi32>) -> tensor<16x24xi32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<64x16xi32>) block<[16, 16], vmem> map(%k) -> (%k, 0)
      in(%y : tensor<24x64xi32>) block<[24, 16], vmem> map(%k) -> (0, %k)
      out(tensor<16x24xi32>) block<[16, 24], vmem> map(%k) -> (0, 0)
      attributes {pallas.coarsen = array<i64: 4>}
      kernel(%xr: !pallas.ref<16x16xi32, vmem>, %yr: !pallas.ref<24x16xi32, vmem>, %or: !pallas.ref<16x24xi32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0> : tensor<16x24xi32>
      pallas.swap %or[...], %zero : !pallas.ref<16x24xi32, vmem>, tensor<16x24xi32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x16xi32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<24x16xi32, vmem>
    %dot = pallas.dot_general %a, %b contract [0] x [1] : tensor<16x16xi32>, tensor<24x16xi32> -> tensor<16x24xi32>
    pallas.addupdate %or[...], %dot : !pallas.ref<16x24xi32, vmem>, tensor<16x24xi32>
  }
  return %o : tensor<16x24xi32>
}

// CHECK-LABEL: func.func @sums
// CHECK: pallas.reduce <add> {{.*}} dims [1] : tensor<16x64xf32>
// CHECK-NOT: scf.for
// EXACT: [[@LINE+2]]:{{.*}}would become one longer sum
func.func @sums(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      out(tensor<16xf32>) block<[16], vmem> map(%k) -> (0)
      attributes {pallas.coarsen = array<i64: 4>}
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %or: !pallas.ref<16xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      pallas.swap %or[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf32, vmem>
    %e = math.exp %a : tensor<16x16xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<16x16xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
  }
  return %o : tensor<16xf32>
}

// A kernel that looks at the sum in each part keeps a loop.

// CHECK-LABEL: func.func @seen
// CHECK: scf.for
// EXACT-NOT: would become one longer sum
func.func @seen(%x: tensor<16x64xf32>) -> (tensor<16xf32>, tensor<16x64xf32>) {
  %o:2 = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      out(tensor<16xf32>) block<[16], vmem> map(%k) -> (0)
      out(tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      attributes {pallas.coarsen = array<i64: 4>}
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %or: !pallas.ref<16xf32, vmem>, %pr: !pallas.ref<16x16xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    // REMARK: [[@LINE+1]]:{{.*}}become a loop over parts
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      pallas.swap %or[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf32, vmem>
    %s = pallas.reduce <add> %a dims [1] : tensor<16x16xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %now = pallas.get %or[...] : !pallas.ref<16xf32, vmem>
    %b = pallas.broadcast %now dims [0] : tensor<16xf32> -> tensor<16x16xf32>
    pallas.swap %pr[...], %b : !pallas.ref<16x16xf32, vmem>, tensor<16x16xf32>
  }
  return %o#0, %o#1 : tensor<16xf32>, tensor<16x64xf32>
}

// The first part sets the sum to zero behind its own addition, which a longer
// sum would lose with all others.

// CHECK-LABEL: func.func @late_start
// CHECK: scf.for
func.func @late_start(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      out(tensor<16xf32>) block<[16], vmem> map(%k) -> (0)
      attributes {pallas.coarsen = array<i64: 4>}
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %or: !pallas.ref<16xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %a = pallas.get %xr[...] : !pallas.ref<16x16xf32, vmem>
    %s = pallas.reduce <add> %a dims [1] : tensor<16x16xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      pallas.swap %or[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
  }
  return %o : tensor<16xf32>
}
