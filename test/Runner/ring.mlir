// In the ring, kernels that compute the same with other blocks agree bit for
// bit, and a kernel that forgets something doesn't.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/ring.py %t make
// RUN: pallas-run %s --no-cache --ring --entry whole --in %t/x.npy --in %t/y.npy --out %t/whole.npy
// RUN: pallas-run %s --no-cache --ring --entry halves --in %t/x.npy --in %t/y.npy --out %t/halves.npy
// RUN: pallas-run %s --no-cache --ring --entry quarters --in %t/x.npy --in %t/y.npy --out %t/quarters.npy
// RUN: pallas-run %s --no-cache --ring --entry tail_dropped --in %t/x.npy --in %t/y.npy --out %t/dropped.npy
// RUN: pallas-run %s --no-cache --ring --entry weights --in %t/x.npy --in %t/w.npy --out %t/weights.npy
// RUN: pallas-run %s --no-cache --ring --entry weight_halves --in %t/x.npy --in %t/w.npy --out %t/weight_halves.npy
// RUN: pallas-run %s --no-cache --ring --entry softmax --in %t/x.npy --out %t/softmax.npy
// RUN: pallas-run %s --no-cache --ring --entry online_softmax --in %t/x.npy --out %t/online.npy
// RUN: %python %S/Inputs/ring.py %t check

!x = !pallas.ref<16x64xf32, vmem>
!y = !pallas.ref<64x16xf32, vmem>
!o = !pallas.ref<16x16xf32, vmem>
!w = !pallas.ref<64x16xi8, vmem>

func.func @whole(%x: tensor<16x64xf32>, %y: tensor<64x16xf32>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<16x64xf32>) block<[16, 64], vmem>
      in(%y : tensor<64x16xf32>) block<[64, 16], vmem>
      out(tensor<16x16xf32>) block<[16, 16], vmem>
      kernel(%xr: !x, %yr: !y, %or: !o) {
    %a = pallas.get %xr[...] : !x
    %b = pallas.get %yr[...] : !y
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<16x64xf32>, tensor<64x16xf32> -> tensor<16x16xf32>
    pallas.swap %or[...], %s : !o, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

func.func @weights(%x: tensor<16x64xf32>, %w: tensor<64x16xi8>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<16x64xf32>) block<[16, 64], vmem>
      in(%w : tensor<64x16xi8>) block<[64, 16], vmem>
      out(tensor<16x16xf32>) block<[16, 16], vmem>
      kernel(%xr: !x, %wr: !w, %or: !o) {
    %a = pallas.get %xr[...] : !x
    %b = pallas.get %wr[...] : !w
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<16x64xf32>, tensor<64x16xi8> -> tensor<16x16xf32>
    pallas.swap %or[...], %s : !o, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

func.func @weight_halves(%x: tensor<16x64xf32>, %w: tensor<64x16xi8>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<16x64xf32>) block<[16, 64], vmem>
      in(%w : tensor<64x16xi8>) block<[64, 16], vmem>
      out(tensor<16x16xf32>) block<[16, 16], vmem>
      kernel(%xr: !x, %wr: !w, %or: !o) {
    %a0 = pallas.get %xr[:, ds(0, 32)] : !x
    %a1 = pallas.get %xr[:, ds(32, 32)] : !x
    %b0 = pallas.get %wr[ds(0, 32), :] : !w
    %b1 = pallas.get %wr[ds(32, 32), :] : !w
    %p = pallas.dot_general %a0, %b0 contract [1] x [0] : tensor<16x32xf32>, tensor<32x16xi8> -> tensor<16x16xf32>
    %s = pallas.dot_general %a1, %b1 acc %p contract [1] x [0] : tensor<16x32xf32>, tensor<32x16xi8>, tensor<16x16xf32> -> tensor<16x16xf32>
    pallas.swap %or[...], %s : !o, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

func.func @halves(%x: tensor<16x64xf32>, %y: tensor<64x16xf32>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x64xf32>) block<[16, 32], vmem> map(%k) -> (0, %k)
      in(%y : tensor<64x16xf32>) block<[32, 16], vmem> map(%k) -> (%k, 0)
      out(tensor<16x16xf32>) block<[16, 16], vmem>
      kernel(%xr: !pallas.ref<16x32xf32, vmem>, %yr: !pallas.ref<32x16xf32, vmem>, %or: !o) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      pallas.swap %or[...], %zero : !o, tensor<16x16xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<16x32xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<32x16xf32, vmem>
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
    pallas.addupdate %or[...], %s : !o, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

func.func @quarters(%x: tensor<16x64xf32>, %y: tensor<64x16xf32>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid(2, 4)
      in(%x : tensor<16x64xf32>) block<[8, 16], vmem> map(%i, %k) -> (%i, %k)
      in(%y : tensor<64x16xf32>) block<[16, 16], vmem> map(%i, %k) -> (%k, 0)
      out(tensor<16x16xf32>) block<[8, 16], vmem> map(%i, %k) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x16xf32, vmem>, %yr: !pallas.ref<16x16xf32, vmem>, %or: !pallas.ref<8x16xf32, vmem>) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<8x16xf32>
      pallas.swap %or[...], %zero : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<8x16xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<16x16xf32, vmem>
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// The last quarter of the contraction is missing.
func.func @tail_dropped(%x: tensor<16x64xf32>, %y: tensor<64x16xf32>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      in(%y : tensor<64x16xf32>) block<[16, 16], vmem> map(%k) -> (%k, 0)
      out(tensor<16x16xf32>) block<[16, 16], vmem>
      kernel(%xr: !o, %yr: !o, %or: !o) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      pallas.swap %or[...], %zero : !o, tensor<16x16xf32>
    }
    %a = pallas.get %xr[...] : !o
    %b = pallas.get %yr[...] : !o
    %s = pallas.dot_general %a, %b contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    pallas.addupdate %or[...], %s : !o, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// The sum of exp(x - max) of each row, divided into 1.
func.func @softmax(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<16x64xf32>) block<[16, 64], vmem>
      out(tensor<16xf32>) block<[16], vmem>
      kernel(%xr: !x, %or: !pallas.ref<16xf32, vmem>) {
    %v = pallas.get %xr[...] : !x
    %m = pallas.reduce <max> %v dims [1] : tensor<16x64xf32>
    %ms = pallas.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
    %d = arith.subf %v, %ms : tensor<16x64xf32>
    %e = math.exp %d : tensor<16x64xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<16x64xf32>
    %one = arith.constant dense<1.0> : tensor<16xf32>
    %r = arith.divf %one, %s : tensor<16xf32>
    pallas.swap %or[...], %r : !pallas.ref<16xf32, vmem>, tensor<16xf32>
  }
  return %o : tensor<16xf32>
}

// The same block by block, where the sum so far follows the largest element so
// far.
func.func @online_softmax(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<16x64xf32>) block<[16, 16], vmem> map(%k) -> (0, %k)
      out(tensor<16xf32>) block<[16], vmem>
      kernel(%xr: !o, %or: !pallas.ref<16xf32, vmem>, %mr: !pallas.ref<16xf32, vmem>, %lr: !pallas.ref<16xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      %least = arith.constant dense<0xFF800000> : tensor<16xf32>
      pallas.swap %mr[...], %least : !pallas.ref<16xf32, vmem>, tensor<16xf32>
      pallas.swap %lr[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
    %v = pallas.get %xr[...] : !o
    %m = pallas.get %mr[...] : !pallas.ref<16xf32, vmem>
    %l = pallas.get %lr[...] : !pallas.ref<16xf32, vmem>
    %here = pallas.reduce <max> %v dims [1] : tensor<16x16xf32>
    %next = arith.maximumf %m, %here : tensor<16xf32>
    %ms = pallas.broadcast %next dims [0] : tensor<16xf32> -> tensor<16x16xf32>
    %d = arith.subf %v, %ms : tensor<16x16xf32>
    %e = math.exp %d : tensor<16x16xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<16x16xf32>
    %back = arith.subf %m, %next : tensor<16xf32>
    %scale = math.exp %back : tensor<16xf32>
    %scaled = arith.mulf %l, %scale : tensor<16xf32>
    %sum = arith.addf %scaled, %s : tensor<16xf32>
    pallas.swap %mr[...], %next : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    pallas.swap %lr[...], %sum : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %last = arith.cmpi eq, %k, %c3 : i32
    scf.if %last {
      %one = arith.constant dense<1.0> : tensor<16xf32>
      %r = arith.divf %one, %sum : tensor<16xf32>
      pallas.swap %or[...], %r : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
  }
  return %o : tensor<16xf32>
}

