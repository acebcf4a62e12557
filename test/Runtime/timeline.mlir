// `--perfetto` writes when cores, copies and devices did what.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %root/examples/make-input.py %t/x.npy 32 128
// RUN: %python %root/examples/make-input.py %t/v.npy 8

// What a point of a mesh does: the wait ends when the copy does, and points run
// at the same time. The results are those of plain code.
// RUN: pallas-run %root/examples/mesh.mlir --in %t/x.npy --out %t/y.npy --perfetto=%t/mesh.json
// RUN: pallas-run %root/examples/mesh.mlir --in %t/x.npy --out %t/z.npy && cmp %t/y.npy %t/z.npy
// RUN: FileCheck %s --check-prefix=MESH --input-file=%t/mesh.json
// MESH: {"args":{"name":"point (1, 15)"},"name":"thread_name","ph":"M","pid":0,"tid":[[TID:33]]}
// MESH: {"args":{"bytes":512,"place":"{{.*}}mesh.mlir:15:7"},"cat":"copy","id2":{"local":"[[COPY:[0-9]+]]"},"name":"input 0 to scoped ref 0","ph":"b","pid":0,"tid":[[TID]],"ts":0}
// MESH-NEXT: {"cat":"copy","id2":{"local":"[[COPY]]"},"name":"input 0 to scoped ref 0","ph":"e","pid":0,"tid":[[TID]],"ts":512}
// MESH-NEXT: {"args":{"place":"{{.*}}mesh.mlir:17:7"},"cat":"wait","dur":511,"name":"wait for scoped ref 1","ph":"X","pid":0,"tid":[[TID]],"ts":1}
// MESH-NEXT: {"args":{"bytes":512,"place":"{{.*}}mesh.mlir:19:12"},"cat":"access","dur":512,"name":"pallas.get scoped ref 0","ph":"X","pid":0,"tid":[[TID]],"ts":512}

// What a point allocates for a while is its own.
// RUN: %python %S/Inputs/check-trace.py %t/mesh.json | FileCheck %s --check-prefix=OWN
// OWN: device 0, vmem of point (1, 15): up to 512, then 0

// Devices on threads: the trace is the same each time.
// RUN: pallas-run %root/examples/ring.mlir --devices=ring=4 --in %t/x.npy --perfetto=%t/ring.json
// RUN: pallas-run %root/examples/ring.mlir --devices=ring=4 --in %t/x.npy --perfetto=%t/again.json
// RUN: cmp %t/ring.json %t/again.json
// RUN: %python %S/Inputs/check-trace.py %t/ring.json | FileCheck %s --check-prefix=RING
// RING: device 0, core: 9 access, 1 kernel, 1 program, 4 signal, 9 wait
// RING: device 3, core: 9 access, 1 kernel, 1 program, 4 signal, 9 wait
// RING: device 3, copies: 3 scratch 0 to scratch 0
// RING: device 0, barrier: up to 2, then 0
// RING: device 0, scratch 2: up to 4096, then 0
// RING: 12 arrows

// Warpgroups that wait for phases of barriers: the producer waits until the row
// is empty, from time 2 on until the consumer has waited for the copy and read.
// RUN: pallas-run %S/Checked/phases.mlir --entry ring --perfetto=%t/phases.json
// RUN: %python %S/Inputs/check-trace.py %t/phases.json | FileCheck %s --check-prefix=PHASES
// RUN: FileCheck %s --check-prefix=EMPTY --input-file=%t/phases.json
// PHASES: device 0, point (0, 0): 4 wait
// PHASES: device 0, point (0, 1): 5 access, 4 signal, 4 wait
// PHASES: device 0, copies: 4 input 0 to scratch 0
// PHASES: 3 arrows
// EMPTY: "cat":"wait","dur":64,"name":"wait for scratch 2","ph":"X","pid":0,"tid":2,"ts":2}
// EMPTY-NEXT: {"cat":"signal","id":"[[ID:[0-9]+]]","name":"signal","ph":"s","pid":0,"tid":3,"ts":65}
// EMPTY-NEXT: {"bp":"e","cat":"signal","id":"[[ID]]","name":"signal","ph":"f","pid":0,"tid":2,"ts":65}

// Products run beside what starts them, and so do copies in groups.
// RUN: pallas-run %S/Checked/gpu.mlir --entry uncommitted_operand_repaired --perfetto=%t/gpu.json
// RUN: %python %S/Inputs/check-trace.py %t/gpu.json | FileCheck %s --check-prefix=GPU
// RUN: pallas-run %S/Checked/gpu.mlir --entry stored_over_repaired --perfetto=%t/groups.json
// RUN: %python %S/Inputs/check-trace.py %t/groups.json | FileCheck %s --check-prefix=GROUPS
// GPU: device 0, copies: 1 pallas.wgmma_ref
// GROUPS: {{[0-9]+}} wait
// GROUPS: device 0, copies: {{.*}} to output 0

// Programs of a grid follow each other.
// RUN: %python %root/examples/make-input.py %t/a.npy 512 256
// RUN: %python %root/examples/make-input.py %t/b.npy 256 512
// RUN: pallas-run %root/examples/matmul.mlir --in %t/a.npy --in %t/b.npy --perfetto=%t/grid.json
// RUN: %python %S/Inputs/check-trace.py %t/grid.json | FileCheck %s --check-prefix=GRID
// GRID: device 0, core: 176 access, 1 kernel, 32 program
// Two windows of the inputs, one of the output and the accumulator.
// GRID: device 0, vmem of core: up to 262144, then 0

// What is left out takes its time, so the kernels last as long as in the whole
// timeline.
// RUN: pallas-run %s --entry twice --in %t/v.npy --perfetto=%t/whole.json
// RUN: pallas-run %s --entry twice --in %t/v.npy --perfetto=%t/start.json --perfetto-events=5 2>&1 | FileCheck %s --check-prefix=START
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t/whole.json
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t/start.json
// START: warning: the timeline has more than 5 events, and its end is left out; --perfetto-events takes more
// KERNEL: "cat":"kernel","dur":68,"name":"twice","ph":"X","pid":0,"tid":1,"ts":0}
// KERNEL-NEXT: "cat":"program","dur":17,"name":"program (0)"

// Calls of one name are told apart; each run of a call has the same title.
// RUN: pallas-run %s --entry alike --in %t/v.npy --perfetto=%t/alike.json
// RUN: FileCheck %s --check-prefix=ALIKE --input-file=%t/alike.json
// ALIKE: "cat":"kernel",{{.*}}"name":"negate (1 of 2)"
// ALIKE: "cat":"kernel",{{.*}}"name":"negate (2 of 2)"
// ALIKE: "cat":"kernel",{{.*}}"name":"negate (1 of 2)"

// A run that fails leaves what happened before. Mistakes are errors with
// `--check` only.
// RUN: not pallas-run %root/examples/deadlock.mlir --devices=2 --in %t/v.npy --perfetto=%t/deadlock.json 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %python %S/Inputs/check-trace.py %t/deadlock.json | FileCheck %s --check-prefix=PARTIAL
// DEADLOCK: deadlock: nothing is left to signal what is waited for
// PARTIAL: device 1, core: 1 kernel, 1 program, 1 wait

// What waits for ever does so to the end, and nothing comes behind it: the
// access to the output never happens.
// RUN: not pallas-run %s --entry waits --in %t/v.npy --perfetto=%t/waits.json
// RUN: %python %S/Inputs/check-trace.py %t/waits.json | FileCheck %s --check-prefix=WAITS
// RUN: FileCheck %s --check-prefix=STUCK --input-file=%t/waits.json
// WAITS: device 0, core: 1 access, 1 kernel, 1 program, 1 wait
// STUCK: "cat":"kernel","dur":45,
// STUCK: "cat":"wait","dur":12,"name":"wait for scoped ref 0, which never ends","ph":"X","pid":0,"tid":1,"ts":33}

// RUN: %python %root/examples/make-input.py %t/l.npy 100 128
// RUN: not pallas-run %root/examples/mistakes.mlir --entry copy --in %t/l.npy --check --perfetto=%t/race.json 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %python %S/Inputs/check-trace.py %t/race.json
// RUN: pallas-run %root/examples/mistakes.mlir --entry copy --in %t/l.npy --perfetto=%t/race.json
// RACE: error: data race

// RUN: not pallas-run %root/examples/mesh.mlir --in %t/x.npy --perfetto=%t/no.json --time 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not pallas-run %root/examples/mesh.mlir --in %t/x.npy --perfetto=%t/no.json --diff-passes 2>&1 | FileCheck %s --check-prefix=DIFF
// RUN: not pallas-run %root/examples/mesh.mlir --perfetto=%t/no.json --emit=obj -o %t/no.o 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not ls %t/no.json
// RUN: not pallas-run %root/examples/mesh.mlir --in %t/x.npy --out %t/none.npy --perfetto=%t/nowhere/no.json 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ls %t/none.npy
// TIME: pallas-run: --perfetto runs code that reports what it does, which takes much longer; leave out --time
// DIFF: --diff-passes compares plain runs on one device; leave out --perfetto
// EMIT: leave out --perfetto
// NOWHERE: pallas-run: {{.*}}no.json

func.func @double(%v: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(4)
      in(%v : tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[2], vmem> map(%i) -> (%i)
      kernel(%x: !pallas.ref<2xf32, vmem>, %y: !pallas.ref<2xf32, vmem>) {
    %a = pallas.get %x[...] : !pallas.ref<2xf32, vmem>
    %b = arith.addf %a, %a : tensor<2xf32>
    pallas.swap %y[...], %b : !pallas.ref<2xf32, vmem>, tensor<2xf32>
  }
  return %o : tensor<8xf32>
}

func.func @twice(%v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @double(%v) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @double(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

!row = !pallas.ref<8xf32, vmem>
func.func @alike(%v: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> tensor<8xf32> {
    %even = arith.cmpi ne, %i, %c1 : index
    %o = scf.if %even -> tensor<8xf32> {
      %0 = pallas.pallas_call @negate grid()
          in(%a : tensor<8xf32>) block<[8], vmem>
          out(tensor<8xf32>) block<[8], vmem> kernel(%x: !row, %y: !row) {
        %b = pallas.get %x[...] : !row
        %c = arith.negf %b : tensor<8xf32>
        pallas.swap %y[...], %c : !row, tensor<8xf32>
      }
      scf.yield %0 : tensor<8xf32>
    } else {
      %0 = pallas.pallas_call @negate grid()
          in(%a : tensor<8xf32>) block<[8], vmem>
          out(tensor<8xf32>) block<[8], vmem> kernel(%x: !row, %y: !row) {
        %b = pallas.get %x[...] : !row
        %c = arith.negf %b : tensor<8xf32>
        pallas.swap %y[...], %c : !row, tensor<8xf32>
      }
      scf.yield %0 : tensor<8xf32>
    }
    scf.yield %o : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

!semaphore = !pallas.ref<!pallas.semaphore, semaphore>
func.func @waits(%v: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(1)
      in(%v : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%x: !pallas.ref<8xf32, vmem>, %y: !pallas.ref<8xf32, vmem>) {
    %a = pallas.get %x[...] : !pallas.ref<8xf32, vmem>
    pallas.run_scoped (%s: !semaphore) {
      %c1 = arith.constant 1 : i32
      pallas.semaphore_wait %s, %c1 : !semaphore
    }
    pallas.swap %y[...], %a : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}
