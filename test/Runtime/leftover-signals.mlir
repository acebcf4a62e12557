// Plain code warns of what semaphores hold when their scope ends, and checked code reports a mistake.

// RUN: pallas-run %s --no-cache --entry scope 2>&1 | FileCheck %s
// RUN: pallas-run %s --no-cache --entry scratch 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: not pallas-run %s --no-cache --entry scope --check 2>&1 | FileCheck %s --check-prefix=MISTAKE
// RUN: pallas-run %s --no-cache --entry scope --check --allow=semaphore-not-zero 2>&1 | FileCheck %s --check-prefix=ALLOWED --allow-empty

// MISTAKE: error: semaphore not zero: 'pallas.run_scoped' ends with scoped ref 0 at 3
// ALLOWED-NOT: semaphore
// CHECK: warning: {{.*}}: element 0 of this semaphore is 3 when its scope ends; every signal and every copy needs a wait
// SCRATCH: warning: {{.*}}: element 1 of this semaphore is 2 when its scope ends; every signal and every copy needs a wait

func.func @scope() {
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %c3 = arith.constant 3 : i32
    pallas.semaphore_signal %s, %c3 : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}

func.func @scratch() -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<8xf32>) block<[8], vmem>
      kernel(%r: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<2x!pallas.semaphore, semaphore>) {
    %c1 = arith.constant 1 : i32
    %s1 = pallas.slice_ref %s[1] : !pallas.ref<2x!pallas.semaphore, semaphore>
    pallas.semaphore_signal %s1, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return %o : tensor<8xf32>
}
