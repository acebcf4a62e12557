// Subcores of a core share its common memory, and nothing else.

// RUN: pallas-run %s --no-cache

func.func @sum() -> tensor<2xi32> {
  %o = pallas.mpmd_map out(tensor<2xi32>)
      kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (
          %out: !pallas.ref<2xi32, hbm>, %common: !pallas.ref<16xi32, vmem_shared>, %own: !pallas.ref<16xi32, vmem>) {
    %c = pallas.axis_index "c"
    %s = pallas.axis_index "s"
    %c100 = arith.constant 100 : i32
    %base = arith.muli %c, %c100 : i32
    %value = arith.addi %base, %s : i32
    %none = arith.constant dense<0> : tensor<16xi32>
    pallas.swap %own[...], %none : !pallas.ref<16xi32, vmem>, tensor<16xi32>
    pallas.swap %common[%s], %value : !pallas.ref<16xi32, vmem_shared>, i32
    pallas.swap %own[%s], %value : !pallas.ref<16xi32, vmem>, i32
    pallas.core_barrier "s"
    %all = pallas.get %common[...] : !pallas.ref<16xi32, vmem_shared>
    %sum = pallas.reduce <add> %all dims [0] : tensor<16xi32>
    %c1600 = arith.constant 1600 : i32
    %c120 = arith.constant 120 : i32
    %bases = arith.muli %c, %c1600 : i32
    %expected = arith.addi %bases, %c120 : i32
    %isSum = arith.cmpi eq, %sum, %expected : i32
    pallas.check %isSum, "subcores see other common memory"
    %mine = pallas.get %own[...] : !pallas.ref<16xi32, vmem>
    %alone = pallas.reduce <add> %mine dims [0] : tensor<16xi32>
    %isOwn = arith.cmpi eq, %alone, %value : i32
    pallas.check %isOwn, "a subcore sees the memory of another"
    pallas.swap %out[%c], %sum : !pallas.ref<2xi32, hbm>, i32
  }
  return %o : tensor<2xi32>
}
