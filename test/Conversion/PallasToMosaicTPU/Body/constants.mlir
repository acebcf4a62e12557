// RUN: pallas-opt %s --pallas-to-mosaic-tpu=coarsen=off | FileCheck %s

// A constant that can be seen is used again, in regions too; what is known is
// computed here, and what changes nothing is left out.

// CHECK-LABEL: func.func @k(
// CHECK: %[[SEVEN:.*]] = arith.constant dense<7> : vector<8x128xi32>
// CHECK: %[[X:.*]] = vector.load
// CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<8x128xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[TWO]]
// CHECK-NOT: arith.addi
// CHECK-NOT: arith.constant dense
// CHECK: scf.if
// CHECK-NEXT: arith.addf %[[Y]], %[[TWO]]
// CHECK-NEXT: %[[I:.*]] = arith.fptosi
// CHECK-NEXT: arith.addi %[[I]], %[[SEVEN]]
func.func @constants(%x: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xi32>) {
  %o:2 = pallas.pallas_call @k grid(4)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %ir: !pallas.ref<8x128xi32, vmem>) {
    %three = arith.constant dense<3> : tensor<8x128xi32>
    %four = arith.constant dense<4> : tensor<8x128xi32>
    %seven = arith.addi %three, %four : tensor<8x128xi32>
    %none = arith.constant dense<0> : tensor<8x128xi32>
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %two = arith.constant dense<2.0> : tensor<8x128xf32>
    %b = arith.mulf %a, %two : tensor<8x128xf32>
    pallas.swap %or[...], %b : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    %i = pallas.program_id 0
    %zero = arith.constant 0 : i32
    %j = arith.addi %i, %zero : i32
    %first = arith.cmpi eq, %j, %zero : i32
    scf.if %first {
      %again = arith.constant dense<2.0> : tensor<8x128xf32>
      %c = arith.addf %b, %again : tensor<8x128xf32>
      %d = arith.fptosi %c : tensor<8x128xf32> to tensor<8x128xi32>
      %e = arith.addi %none, %d : tensor<8x128xi32>
      %f = arith.addi %e, %seven : tensor<8x128xi32>
      pallas.swap %ir[...], %f : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
    }
  }
  return %o#0, %o#1 : tensor<8x128xf32>, tensor<8x128xi32>
}

// A remainder by a constant gets the sign of it: that it is less than zero says
// that it isn't zero.

// CHECK-LABEL: module @k_0
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK-NEXT: %[[LESS:.*]] = arith.cmpi slt, %[[REST]], %{{.*}} : vector<8x128xi32>
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[REST]]
// CHECK-NEXT: arith.select %[[LESS]], %[[MORE]], %[[REST]]
// CHECK: %[[REST:.*]] = arith.remf
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[REST]]
// CHECK-NOT: arith.andi
// CHECK: arith.select %[[LESS]]
// CHECK: return
func.func @remainders(%x: tensor<8x128xi32>, %y: tensor<8x128xf32>) -> (tensor<8x128xi32>, tensor<8x128xf32>) {
  %o:2 = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xi32>) block<[8, 128], vmem>
      in(%y : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %yr: !pallas.ref<8x128xf32, vmem>, %ir: !pallas.ref<8x128xi32, vmem>, %fr: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xi32, vmem>
    %five = arith.constant dense<5> : tensor<8x128xi32>
    %zero = arith.constant dense<0> : tensor<8x128xi32>
    %rest = arith.remsi %a, %five : tensor<8x128xi32>
    %ne = arith.cmpi ne, %rest, %zero : tensor<8x128xi32>
    %lt = arith.cmpi slt, %rest, %zero : tensor<8x128xi32>
    %other = arith.cmpi slt, %five, %zero : tensor<8x128xi32>
    %sign = arith.xori %lt, %other : tensor<8x128xi1>
    %both = arith.andi %sign, %ne : tensor<8x128xi1>
    %more = arith.addi %rest, %five : tensor<8x128xi32>
    %r = arith.select %both, %more, %rest : tensor<8x128xi1>, tensor<8x128xi32>
    pallas.swap %ir[...], %r : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
    %b = pallas.get %yr[...] : !pallas.ref<8x128xf32, vmem>
    %half = arith.constant dense<1.5> : tensor<8x128xf32>
    %none = arith.constant dense<0.0> : tensor<8x128xf32>
    %frest = arith.remf %b, %half : tensor<8x128xf32>
    %fne = arith.cmpf une, %frest, %none : tensor<8x128xf32>
    %flt = arith.cmpf olt, %frest, %none : tensor<8x128xf32>
    %fboth = arith.andi %fne, %flt : tensor<8x128xi1>
    %fmore = arith.addf %frest, %half : tensor<8x128xf32>
    %f = arith.select %fboth, %fmore, %frest : tensor<8x128xi1>, tensor<8x128xf32>
    pallas.swap %fr[...], %f : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o#0, %o#1 : tensor<8x128xi32>, tensor<8x128xf32>
}

// The test for a sign that the divisor doesn't have is nothing, and a choice
// under a negated comparison is the opposite choice.

// CHECK-LABEL: module @k_1
// CHECK: %[[REST:.*]] = arith.remf
// CHECK-NEXT: %[[LESS:.*]] = arith.cmpf olt, %[[REST]]
// CHECK-NEXT: %[[MORE:.*]] = arith.addf %[[REST]]
// CHECK-NEXT: %[[SIGNED:.*]] = arith.select %[[LESS]], %[[MORE]], %[[REST]]
// CHECK-NEXT: %[[SAME:.*]] = arith.cmpf oeq, %[[SIGNED]], %[[SIGNED]]
// CHECK-NOT: arith.xori
// CHECK: arith.select %[[SAME]], %[[SIGNED]], %{{.*}} : vector<8x128xi1>
func.func @negations(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %half = arith.constant dense<1.5> : tensor<8x128xf32>
    %zero = arith.constant dense<0.0> : tensor<8x128xf32>
    %rest = arith.remf %a, %half : tensor<8x128xf32>
    %ne = arith.cmpf une, %rest, %zero : tensor<8x128xf32>
    %lt = arith.cmpf olt, %rest, %zero : tensor<8x128xf32>
    %one = arith.constant 1.5 : f32
    %none = arith.constant 0.0 : f32
    %other = arith.cmpf olt, %one, %none : f32
    %wide = pallas.broadcast %other : i1 -> tensor<8x128xi1>
    %sign = arith.cmpi ne, %lt, %wide : tensor<8x128xi1>
    %both = arith.andi %sign, %ne : tensor<8x128xi1>
    %more = arith.addf %rest, %half : tensor<8x128xf32>
    %r = arith.select %both, %more, %rest : tensor<8x128xi1>, tensor<8x128xf32>
    %isNaN = arith.cmpf une, %r, %r : tensor<8x128xf32>
    %known = arith.select %isNaN, %zero, %r : tensor<8x128xi1>, tensor<8x128xf32>
    pallas.swap %or[...], %known : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
