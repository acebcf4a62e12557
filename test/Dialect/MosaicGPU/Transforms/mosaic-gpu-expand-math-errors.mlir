// RUN: pallas-opt %s --mosaic-gpu-expand-math --split-input-file --verify-diagnostics

func.func @powf(%x: vector<128xf64>) -> vector<128xf64> {
  // expected-error @below {{'math.powf' op has no form on vectors in jaxlib 0.10.2; compute it by operations of arith and by math.exp, exp2, log, rsqrt, sin, cos and tanh}}
  %0 = math.powf %x, %x : vector<128xf64>
  return %0 : vector<128xf64>
}

// -----

func.func @double(%x: vector<128xf64>) -> vector<128xf64> {
  // expected-error @below {{'math.sqrt' op has no form on vectors in jaxlib 0.10.2}}
  %0 = math.sqrt %x : vector<128xf64>
  return %0 : vector<128xf64>
}

// -----

func.func @remainder(%x: vector<128xf64>) -> vector<128xf64> {
  // expected-error @below {{'arith.remf' op has no form on vectors in jaxlib 0.10.2}}
  %0 = arith.remf %x, %x : vector<128xf64>
  return %0 : vector<128xf64>
}

// -----

// Four bits are computed in registers of their own, and have to stay there.

func.func @nibbles(%x: vector<128xi4>) -> vector<128xi4> {
  // expected-error @below {{'arith.trunci' op narrows i32 to i4, which registers hold no single ones of; keep it in i8}}
  %0 = arith.addi %x, %x : vector<128xi4>
  return %0 : vector<128xi4>
}

// -----

func.func @unusual_floats(%x: vector<128xf32>) -> vector<128xf8E4M3FNUZ> {
  // expected-error @below {{'arith.truncf' op converts f32 to f8E4M3FNUZ; GPUs convert f8E4M3FN and f8E5M2, sm_100a also f8E8M0FNU and f4E2M1FN}}
  %0 = arith.truncf %x : vector<128xf32> to vector<128xf8E4M3FNUZ>
  return %0 : vector<128xf8E4M3FNUZ>
}

// -----

func.func @unusual_sums(%x: vector<128xf8E3M4>) -> vector<128xf8E3M4> {
  // expected-error @below {{'arith.addf' op has no form on vectors in jaxlib 0.10.2}}
  %0 = arith.addf %x, %x : vector<128xf8E3M4>
  return %0 : vector<128xf8E3M4>
}

// -----

func.func @twice(%x: vector<128xf64>) -> vector<128xf8E5M2> {
  // expected-error @below {{'arith.truncf' op converts f64 to f8E5M2; GPUs convert floats of 8 bits to and from f16 and f32}}
  %0 = arith.truncf %x : vector<128xf64> to vector<128xf8E5M2>
  return %0 : vector<128xf8E5M2>
}

// -----

module attributes {mosaic_gpu.arch_major = 9 : i32} {
  func.func @scales(%x: vector<128xf32>) -> vector<128xf4E2M1FN> {
    // expected-error @below {{'arith.truncf' op converts f32 to f4E2M1FN; GPUs convert f8E4M3FN and f8E5M2, sm_100a also}}
    %0 = arith.truncf %x : vector<128xf32> to vector<128xf4E2M1FN>
    return %0 : vector<128xf4E2M1FN>
  }
}

// -----

// On sm_100a there is an instruction.
module attributes {mosaic_gpu.arch_major = 10 : i32} {
  func.func @scales(%x: vector<256xf32>) -> vector<256xf4E2M1FN> {
    %0 = arith.truncf %x : vector<256xf32> to vector<256xf4E2M1FN>
    return %0 : vector<256xf4E2M1FN>
  }
}

// -----

func.func @sum(%x: vector<128xf8E5M2>) -> f8E5M2 {
  // expected-error @below {{'vector.reduction' op reduces elements of type 'f8E5M2', which GPUs do not add up; convert to f32 or i32 first}}
  %0 = vector.reduction <add>, %x : vector<128xf8E5M2> into f8E5M2
  return %0 : f8E5M2
}

// -----

// Folded constants have no location.
func.func @carried(%n: index) -> vector<256xi4> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : vector<256xi4>
  // expected-error @below {{'scf.for' op uses a constant of type 'i4', which registers hold no single ones of; keep it in i8}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero) -> (vector<256xi4>) {
    scf.yield %v : vector<256xi4>
  }
  return %0 : vector<256xi4>
}
