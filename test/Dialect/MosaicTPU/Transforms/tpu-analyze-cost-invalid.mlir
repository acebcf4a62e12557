// RUN: pallas-opt %s --tpu-analyze-cost=chip=v5e --split-input-file --verify-diagnostics -o /dev/null
// RUN: not pallas-opt %s --tpu-analyze-cost=chip=v4 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not pallas-opt %s --tpu-analyze-cost=chip=v9 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pallas-opt %s --tpu-analyze-cost="chip=v5e constants=Step=fast" --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not pallas-opt %s --tpu-analyze-cost="chip=v5e constants=Steps=3" --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME

// CHIP: error: {{.*}}can't be predicted on v4, for which the compiler has no figures; use v5e, v6e or tpu7x
// UNKNOWN: error: chip 'v9' is unknown; use v4, v5e, v5p, v6e, tpu7x
// NUMBER: constant 'Step=fast' is none of the cost model; give name=cycles, as in Step=12
// NAME: constant 'Steps=3' is none of the cost model

module {
  // expected-error @below {{has 2 windows but only 1 arguments}}
  func.func @windows(%x: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {iteration_bounds = array<i64>, window_params = [{}, {}], tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}

// -----

module {
  // expected-error @below {{has a grid of more steps than 64 bits count; use larger blocks}}
  func.func @huge(%i: i32, %j: i32) attributes {iteration_bounds = array<i64: 8589934592, 8589934592>, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}
