// RUN: pallas-opt %s --pallas-analyze-coverage --split-input-file --verify-diagnostics
// RUN: pallas-opt %s --pallas-analyze-coverage="json=-" --split-input-file -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: not pallas-opt %s --pallas-analyze-coverage="json=/no/such/folder/r.json" --split-input-file 2>&1 | FileCheck %s --check-prefix=NOFILE

// NOFILE: error: can't write the report: cannot open output file '/no/such/folder/r.json'

!block = !pallas.ref<8x128xf32, vmem>

// Sums over the last dimension stay in one window.
// JSON: "aliased": false,
// JSON: "changes": 4,
// JSON: "kind": "output",
// JSON: "shared": 4,
// JSON: "total": 4,
// JSON: "visited": 4,
// JSON: "written": true
// JSON: "function": "accumulate",
// JSON-NEXT: "grid": [
// JSON-NEXT: 4,
// JSON-NEXT: 3
// JSON-NEXT: ],
// JSON-NEXT: "location": "{{.*}}pallas-analyze-coverage.mlir:{{[0-9]+}}:8",
// JSON-NEXT: "name": "sum",
// JSON-NEXT: "op": "pallas.pallas_call"
func.func @accumulate(%x: tensor<32x384xf32>) -> tensor<32x128xf32> {
  // expected-remark @below {{output 0 (out): 4 of 4 blocks are visited by 12 programs, 4 by several of them}}
  %o = pallas.pallas_call @sum grid(4, 3)
      in(%x : tensor<32x384xf32>) block<[8, 128], vmem> map(%i, %k) -> (%i, %k)
      out(tensor<32x128xf32>) block<[8, 128], vmem, origin = "out"> map(%i, %k) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.addupdate %or[...], %v : !block, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!block = !pallas.ref<8x128xf32, vmem>

// The same sum, with the dimension that it runs over in front.
// JSON: "kind": "output",
// JSON: "before": [
// JSON-NEXT: 0,
// JSON-NEXT: 0
// JSON-NEXT: ],
// JSON-NEXT: "count": 8,
func.func @revisit(%x: tensor<32x384xf32>) -> tensor<32x128xf32> {
  // expected-remark @below {{output 0: 4 of 4 blocks are visited by 12 programs, 4 by several of them}}
  // expected-warning @below {{output 0: block (0, 0) is left after program (0, 0) and comes back in program (1, 0); programs that share an output window have to be consecutive: put the grid dimensions that choose the window in front}}
  %o = pallas.pallas_call grid(3, 4)
      in(%x : tensor<32x384xf32>) block<[8, 128], vmem> map(%k, %i) -> (%i, %k)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%k, %i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.addupdate %or[...], %v : !block, tensor<8x128xf32>
  }
  // The pipeline restores windows that may come back.
  // expected-remark @below {{output 0: 4 of 4 blocks are visited by 12 programs, 4 by several of them}}
  %p = pallas.pallas_call grid(3, 4)
      in(%x : tensor<32x384xf32>) block<[8, 128], vmem> map(%k, %i) -> (%i, %k)
      out(tensor<32x128xf32>) block<[8, 128], vmem, pipeline = <1, revisit>> map(%k, %i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.addupdate %or[...], %v : !block, tensor<8x128xf32>
  }
  return %p : tensor<32x128xf32>
}

// -----

!block = !pallas.ref<8x128xf32, vmem>

func.func @holes(%x: tensor<32x128xf32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>) {
  // expected-warning @below {{input 0: program (2) has block (4, 0), which is outside of the array, and so are 1 more; every window has to begin inside}}
  // expected-warning @below {{output 0: block (1, 0) is in the window of no program, nor are 1 more of 4; its contents are undefined}}
  // expected-warning @below {{output 0: program (2) has block (4, 0), which is outside of the array, and so are 1 more}}
  // expected-remark @below {{output 0: 2 of 4 blocks are visited by 4 programs}}
  // expected-remark @below {{output 1: 2 of 4 blocks are visited by 4 programs, 2 by several of them; the others keep what the aliased input holds}}
  // expected-warning @below {{output 2: the kernel never writes to it, so its contents are undefined; write to its ref, or remove it}}
  // expected-remark @below {{output 2: 4 of 4 blocks are visited by 4 programs}}
  %o:3 = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c2 = arith.constant 2 : i32
        %j = arith.muli %i, %c2 : i32
        %c0 = arith.constant 0 : i32
        pallas.yield %j, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c2 = arith.constant 2 : i32
        %j = arith.muli %c2, %i : i32
        %c0 = arith.constant 0 : i32
        pallas.yield %j, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) {
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c0 = arith.constant 0 : i32
        %first = arith.cmpi slt, %i, %c2 : i32
        %j = scf.if %first -> i32 {
          scf.yield %c1 : i32
        } else {
          %n = pallas.num_programs 0
          %last = arith.subi %n, %c1 : i32
          scf.yield %last : i32
        }
        pallas.yield %j, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 1]
      kernel(%xr: !block, %or: !block, %pr: !block, %qr: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
    pallas.swap %pr[...], %v : !block, tensor<8x128xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>
}

// -----

!block = !pallas.ref<8x128xf32, vmem>

// Windows of elements overlap, and leave elements out.
func.func @elements(%x: tensor<8x128xf32>) -> tensor<40x128xf32> {
  // expected-warning @below {{output 0: element (26, 0) is in the window of no program, nor are 1791 more of 5120}}
  // expected-remark @below {{output 0: 3328 of 5120 elements are visited by 4 programs, 768 in several windows}}
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<40x128xf32>) block<[element<8>, 128], vmem> map(%i) {
        %c6 = arith.constant 6 : i32
        %c0 = arith.constant 0 : i32
        %j = arith.muli %i, %c6 : i32
        pallas.yield %j, %c0 : i32, i32
      }
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
  }
  return %o : tensor<40x128xf32>
}

// -----

!block = !pallas.ref<8x128xf32, vmem>

// A table that is a constant is known; one that is an argument is not.
func.func @tables(%n: i32, %t: tensor<4xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %u = arith.constant dense<[3, 1, 0, 1]> : tensor<4xi32>
  // expected-remark @below {{input 0: coverage is not known: its index map is unknown: it reads prefetched operand 0, which is not a constant}}
  // expected-warning @below {{output 0: block (1, 0) is left after program (1) and comes back in program (3)}}
  // expected-warning @below {{output 0: block (2, 0) is in the window of no program; its contents are undefined}}
  // expected-remark @below {{output 0: 3 of 4 blocks are visited by 4 programs, 1 by several of them}}
  %o = pallas.pallas_call grid(4)
      prefetch(%t, %u : tensor<4xi32>, tensor<4xi32>)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %tr, %ur) {
        %c0 = arith.constant 0 : i32
        %j = pallas.get %tr[%i] : !pallas.ref<4xi32, smem>
        pallas.yield %j, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %tr, %ur) {
        %c0 = arith.constant 0 : i32
        %j = pallas.get %ur[%i] : !pallas.ref<4xi32, smem>
        pallas.yield %j, %c0 : i32, i32
      }
      kernel(%tr: !pallas.ref<4xi32, smem>, %ur: !pallas.ref<4xi32, smem>, %xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
  }
  // expected-remark @below {{input 0: coverage is not known: the grid has a dynamic dimension}}
  // expected-remark @below {{output 0: coverage is not known: the grid has a dynamic dimension}}
  %p = pallas.pallas_call grid(%n)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !block, %or: !block) {
    %v = pallas.get %xr[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
  }
  // expected-remark @below {{output 0: coverage is not known: the grid has 1000000000000000000 programs, of which at most 65536 are evaluated; raise max-programs}}
  %q = pallas.pallas_call grid(1000000000, 1000000000)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
      kernel(%or: !block) {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    pallas.swap %or[...], %v : !block, tensor<8x128xf32>
  }
  return %q : tensor<32x128xf32>
}

// -----

// Blocks of pipelines in kernels are looked at, too.
func.func @pipeline(%x: !pallas.ref<64x128xf32, hbm>, %o: !pallas.ref<64x128xf32, hbm>) {
  // expected-warning @below {{output 0: block (4, 0) is in the window of no program, nor are 3 more of 8}}
  // expected-remark @below {{output 0: 4 of 8 blocks are visited by 4 programs}}
  pallas.emit_pipeline grid(4)
      in(%x : !pallas.ref<64x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(%o : !pallas.ref<64x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return
}
