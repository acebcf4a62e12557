// The bits of a generator repeat with the seed, and only then.

// RUN: pallas-run %s --no-cache --entry repeats
// RUN: not pallas-run %s --no-cache --entry goes_on 2>&1 | FileCheck %s

// CHECK: random.mlir":[[#@LINE+29]]:5): the bits differ

func.func @repeats() -> tensor<8x128xi32> {
  %o = pallas.pallas_call @repeats grid()
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%r: !pallas.ref<8x128xi32, vmem>) {
    %seed = arith.constant 7 : i32
    pallas.prng_seed %seed
    %a = pallas.prng_random_bits : tensor<8x128xi32>
    pallas.prng_seed %seed
    %b = pallas.prng_random_bits : tensor<8x128xi32>
    %same = arith.cmpi eq, %a, %b : tensor<8x128xi32>
    %all = pallas.reduce <and> %same dims [0, 1] : tensor<8x128xi1>
    pallas.check %all, "the bits differ"
    pallas.swap %r[...], %a : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

func.func @goes_on() -> tensor<8x128xi32> {
  %o = pallas.pallas_call @goes_on grid()
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%r: !pallas.ref<8x128xi32, vmem>) {
    %seed = arith.constant 7 : i32
    pallas.prng_seed %seed
    %a = pallas.prng_random_bits : tensor<8x128xi32>
    %b = pallas.prng_random_bits : tensor<8x128xi32>
    %same = arith.cmpi eq, %a, %b : tensor<8x128xi32>
    %any = pallas.reduce <or> %same dims [0, 1] : tensor<8x128xi1>
    pallas.check %any, "the bits differ"
    pallas.swap %r[...], %a : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}
