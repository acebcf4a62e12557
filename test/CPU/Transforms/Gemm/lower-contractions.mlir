// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-contractions{cpu=znver4}))" | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-contractions{cpu=x86-64-v3}))" | FileCheck %s --check-prefix=PLAIN
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-contractions{cpu=neoverse-v1}))" | FileCheck %s --check-prefix=NEON
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-lower-contractions{cpu=cortex-a53}))" | FileCheck %s --check-prefix=OLD

// A tile of 8 rows and 2 vectors stays in registers along k. With 16 registers
// it has 6 rows, and an iteration takes four steps.

// CHECK-LABEL: func.func @f32
// CHECK-COUNT-16: vector.load %{{.*}} : memref<64x64xf32>, vector<16xf32>
// CHECK: scf.for
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK-COUNT-16: vector.store %{{.*}} : memref<64x64xf32>, vector<16xf32>
// PLAIN-LABEL: func.func @f32
// PLAIN: iter_args
// PLAIN-COUNT-48: vector.fma %{{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-48: vector.fma %{{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-32: vector.fma %{{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
// PLAIN-NOT: vector.fma
func.func @f32(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// Two rows of B side by side feed one instruction. The first tile of a panel
// packs it for those below.

// CHECK-LABEL: func.func @bf16
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x32x64xbf16>
// CHECK: iter_args
// CHECK: vector.interleave
// CHECK: vector.store %{{.*}} : memref<1x32x64xbf16>, vector<32xbf16>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: iter_args
// CHECK-NOT: vector.interleave
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// PLAIN-LABEL: func.func @bf16
// PLAIN: arith.extf
// PLAIN: vector.fma
// NEON-LABEL: func.func @bf16
// NEON-COUNT-16: llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"
// OLD-LABEL: func.func @bf16
// OLD: vector.fma %{{.*}} : vector<4xf32>
func.func @bf16(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// Where the instruction takes bytes of A without a sign, they get an offset of
// 128, and the sums lose what that adds.

// CHECK-LABEL: func.func @i8
// CHECK: arith.xori
// CHECK: %[[EXCESS:.*]]:2 = scf.for
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.subi %{{.*}}, %[[EXCESS]]#0
// PLAIN-LABEL: func.func @i8
// PLAIN: arith.extsi %{{.*}} : i8 to i16
// PLAIN: vector.interleave %{{.*}} : vector<8xi16> -> vector<16xi16>
// PLAIN: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// PLAIN: arith.addi %{{.*}}, %[[PAIRS]] : vector<8xi32>
// NEON-LABEL: func.func @i8
// NEON-NOT: arith.xori
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// OLD-LABEL: func.func @i8
// OLD: arith.muli %{{.*}} : vector<4xi32>
func.func @i8(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
  linalg.matmul ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>)
  return
}

// Operands of different types are converted while panels are packed. Beside
// bf16, bytes become the upper halves of words, and pairs of them are joined.

// CHECK-LABEL: func.func @bf16_i8
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x32x64xbf16>
// CHECK: %[[LOW:.*]] = vector.load %{{.*}} : memref<64x64xi8>, vector<16xi8>
// CHECK: %[[HIGH:.*]] = vector.load %{{.*}} : memref<64x64xi8>, vector<16xi8>
// CHECK: arith.sitofp %[[LOW]] : vector<16xi8> to vector<16xf32>
// CHECK: arith.shrui
// CHECK: arith.sitofp %[[HIGH]] : vector<16xi8> to vector<16xf32>
// CHECK: arith.ori
// CHECK: vector.store %{{.*}} : memref<1x32x64xbf16>, vector<32xbf16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// PLAIN-LABEL: func.func @bf16_i8
// PLAIN: arith.sitofp %{{.*}} : vector<8xi8> to vector<8xf32>
// PLAIN: vector.fma
func.func @bf16_i8(%a: memref<64x64xbf16>, %b: memref<64x64xi8>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xi8>) outs(%c : memref<64x64xf32>)
  return
}

// CHECK-LABEL: func.func @f32_u8
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x64x32xf32>
// CHECK: arith.uitofp %{{.*}} : vector<16xi8> to vector<16xf32>
// CHECK: vector.store %{{.*}} : memref<1x64x32xf32>, vector<16xf32>
// CHECK-COUNT-16: vector.fma
func.func @f32_u8(%a: memref<64x64xf32>, %b: memref<64x64xi8>, %c: memref<64x64xf32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<64x64xf32>, memref<64x64xi8>) outs(%c : memref<64x64xf32>)
  return
}

// Few rows convert what they read, and pack nothing of B.

// CHECK-LABEL: func.func @few_rows_i8
// CHECK-NOT: memref.alloc() {{.*}} : memref<{{.*}}x32xf32>
// CHECK: scf.for
// CHECK: arith.sitofp %{{.*}} : vector<16xi8> to vector<16xf32>
// CHECK: vector.fma
// CHECK: return
func.func @few_rows_i8(%a: memref<8x64xf32>, %b: memref<64x64xi8>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x64xi8>) outs(%c : memref<8x64xf32>)
  return
}

// The instruction for bytes takes A without a sign and B with one: such bytes
// need no offset. Narrower ones of B become bytes.

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @u8_i4
// CHECK-NOT: arith.xori
// CHECK: arith.extsi %{{.*}} : vector<16xi4> to vector<16xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: arith.subi
// CHECK: return
func.func @u8_i4(%a: memref<64x64xi8>, %b: memref<64x64xi4>, %c: memref<64x64xi32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x64xi8>, memref<64x64xi4>) outs(%c : memref<64x64xi32>) {
  ^bb0(%x: i8, %y: i4, %sum: i32):
    %u = arith.extui %x : i8 to i32
    %s = arith.extsi %y : i4 to i32
    %p = arith.muli %u, %s : i32
    %next = arith.addi %sum, %p : i32
    linalg.yield %next : i32
  }
  return
}

// Bytes of B without a sign are no operands of that instruction, but pairs of
// i16 are of another.

// CHECK-LABEL: func.func @i8_u8
// CHECK: arith.extsi %{{.*}} : i8 to i16
// CHECK: arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// CHECK: arith.addi %{{.*}}, %[[PAIRS]] : vector<16xi32>
func.func @i8_u8(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %s = arith.extsi %x : i8 to i32
    %u = arith.extui %y : i8 to i32
    %p = arith.muli %s, %u : i32
    %next = arith.addi %sum, %p : i32
    linalg.yield %next : i32
  }
  return
}

// Columns of B that are rows in memory are transposed in registers.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-64: vector.shuffle %{{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector.shuffle
// CHECK: vector.fma
func.func @transposed(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.matmul indexing_maps = [#a, #b, #c]
    ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// Few rows read B where it is, by tiles that are wider.

// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %{{.*}} : memref<64x64xf32>, vector<16xf32>
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @few_rows(%a: memref<4x64xf32>, %b: memref<64x64xf32>, %c: memref<4x64xf32>) {
  linalg.matmul ins(%a, %b : memref<4x64xf32>, memref<64x64xf32>) outs(%c : memref<4x64xf32>)
  return
}

// Of larger matrices, tiles fetch their share of the rows of B below, and the
// place that the sums are copied to. Rows one after the other need no help.

// CHECK-LABEL: func.func @blocks
// CHECK: scf.for %{{.*}} iter_args
// CHECK: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-COUNT-2: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// CHECK-COUNT-16: llvm.x86.avx512bf16.dpbf16ps.512
// CHECK: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK: llvm.x86.avx512bf16.dpbf16ps.512
// CHECK-NOT: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2
// CHECK: linalg.generic
func.func @blocks(%a: memref<128x128xbf16, strided<[512, 1], offset: ?>>,
                  %b: memref<128x128xbf16, strided<[512, 1], offset: ?>>,
                  %out: memref<128x128xf32, strided<[512, 1], offset: ?>>) {
  %c = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a, %b : memref<128x128xbf16, strided<[512, 1], offset: ?>>, memref<128x128xbf16, strided<[512, 1], offset: ?>>) outs(%c : memref<128x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : memref<128x128xf32>) outs(%out : memref<128x128xf32, strided<[512, 1], offset: ?>>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  }
  return
}

// As many lanes as there are columns, if a narrower register has them. A tile of
// one vector takes more rows, so that as many sums are under way. Such a B is a
// panel where it is.

// CHECK-LABEL: func.func @few_columns
// CHECK-NOT: vector.create_mask
// CHECK-NOT: memref.alloc
// CHECK: vector.fma {{.*}} : vector<8xf32>
// PLAIN-LABEL: func.func @few_columns
// PLAIN-NOT: memref.alloc
// PLAIN: iter_args
// PLAIN: vector.load %{{.*}} : memref<64x8xf32>, vector<8xf32>
// PLAIN-COUNT-8: vector.fma {{.*}} : vector<8xf32>
// PLAIN: vector.load %{{.*}} : memref<64x8xf32>, vector<8xf32>
// PLAIN-COUNT-24: vector.fma {{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
// PLAIN-NOT: vector.fma
func.func @few_columns(%a: memref<64x64xf32>, %b: memref<64x8xf32>, %c: memref<64x8xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x8xf32>) outs(%c : memref<64x8xf32>)
  return
}

// Two columns leave half of the smallest register idle, and take a fraction of
// the time of scalars.

// CHECK-LABEL: func.func @two_columns
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: vector.maskedstore %{{.*}} : memref<64x2xf32>, vector<4xi1>, vector<4xf32>
// CHECK-NOT: linalg.matmul
// PLAIN-LABEL: func.func @two_columns
// PLAIN: vector.fma {{.*}} : vector<4xf32>
func.func @two_columns(%a: memref<64x64xf32>, %b: memref<64x2xf32>, %c: memref<64x2xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x2xf32>) outs(%c : memref<64x2xf32>)
  return
}

// An A that no cache holds is read in long rows, and where these fall into one
// set of the nearest cache, 7 at once leave a way for B.

// PLAIN-LABEL: func.func @long_rows
// PLAIN: scf.for %{{.*}} = %{{.*}} to %c1015{{.*}} step %c7
// PLAIN: scf.for %{{.*}} = %{{.*}} to %c1024{{.*}} step %c4{{.*}} iter_args
// PLAIN-COUNT-28: vector.fma {{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
func.func @long_rows(%a: memref<1024x1024xf32>, %b: memref<1024x8xf32>, %c: memref<1024x8xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x8xf32>) outs(%c : memref<1024x8xf32>)
  return
}

// PLAIN-LABEL: func.func @long_rows_apart
// PLAIN: scf.for %{{.*}} = %{{.*}} to %c1024{{.*}} step %c8
// PLAIN: iter_args
// PLAIN-COUNT-32: vector.fma {{.*}} : vector<8xf32>
// PLAIN-NEXT: scf.yield
func.func @long_rows_apart(%a: memref<1024x1000xf32>, %b: memref<1000x8xf32>, %c: memref<1024x8xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1000xf32>, memref<1000x8xf32>) outs(%c : memref<1024x8xf32>)
  return
}

// Rows of B that share few sets of a cache are multiplied half as many at once,
// unless there are as many rows of A. CPUs without AVX-512 have smaller caches: there
// all panels are packed first, a few side by side, before a tile reads them.

// CHECK-LABEL: func.func @conflicting_rows
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x128x32xf32>
// PLAIN-LABEL: func.func @conflicting_rows
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<8x256x16xf32>
// PLAIN: scf.for %[[K:.*]] = %{{.*}} to %c256
// PLAIN: scf.for %[[PANEL:.*]] = %{{.*}} to %{{.*}} step %c1
// PLAIN-COUNT-2: vector.store %{{.*}}, %{{.*}}[%[[PANEL]], %[[K]], {{.*}}] : memref<8x256x16xf32>, vector<8xf32>
// PLAIN-NOT: memref<2048x128xf32, strided<[2048, 1], offset: ?>>, vector<8xf32>
// PLAIN: vector.fma
func.func @conflicting_rows(%a: memref<128x2048xf32>, %b: memref<2048x128xf32, strided<[2048, 1], offset: ?>>, %c: memref<128x128xf32>) {
  linalg.matmul ins(%a, %b : memref<128x2048xf32>, memref<2048x128xf32, strided<[2048, 1], offset: ?>>) outs(%c : memref<128x128xf32>)
  return
}

// CHECK-LABEL: func.func @many_rows
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x256x32xf32>
func.func @many_rows(%a: memref<256x2048xf32>, %b: memref<2048x128xf32, strided<[2048, 1], offset: ?>>, %c: memref<256x128xf32>) {
  linalg.matmul ins(%a, %b : memref<256x2048xf32>, memref<2048x128xf32, strided<[2048, 1], offset: ?>>) outs(%c : memref<256x128xf32>)
  return
}

// CHECK-LABEL: func.func @spread_rows
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x256x32xf32>
func.func @spread_rows(%a: memref<128x2048xf32>, %b: memref<2048x128xf32, strided<[2064, 1], offset: ?>>, %c: memref<128x128xf32>) {
  linalg.matmul ins(%a, %b : memref<128x2048xf32>, memref<2048x128xf32, strided<[2064, 1], offset: ?>>) outs(%c : memref<128x128xf32>)
  return
}

// Few rows leave registers empty, so with two rows behind tiles of six, the last eight
// are two tiles of four.

// PLAIN-LABEL: func.func @rest_of_rows
// PLAIN: iter_args
// PLAIN-COUNT-48: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-48: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-32: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-32: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN-NOT: vector.fma
func.func @rest_of_rows(%a: memref<26x64xf32>, %b: memref<64x64xf32>, %c: memref<26x64xf32>) {
  linalg.matmul ins(%a, %b : memref<26x64xf32>, memref<64x64xf32>) outs(%c : memref<26x64xf32>)
  return
}

// More rows than a tile has, but fewer than two have, are two tiles of about
// the same height, of which the first packs.

// CHECK-LABEL: func.func @two_tiles
// CHECK: iter_args
// CHECK-COUNT-2: vector.store {{.*}} : memref<1x64x32xf32>, vector<16xf32>
// CHECK-COUNT-12: vector.fma
// CHECK-NEXT: scf.yield
// CHECK: iter_args
// CHECK-COUNT-10: vector.fma
// CHECK-NEXT: scf.yield
// CHECK-NOT: vector.fma
// PLAIN-LABEL: func.func @two_tiles
// PLAIN: iter_args
// PLAIN-COUNT-48: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-40: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN-NOT: vector.fma
func.func @two_tiles(%a: memref<11x64xf32>, %b: memref<64x64xf32>, %c: memref<11x64xf32>) {
  linalg.matmul ins(%a, %b : memref<11x64xf32>, memref<64x64xf32>) outs(%c : memref<11x64xf32>)
  return
}

// Eight rows are dealt out evenly.

// CHECK-LABEL: func.func @eight_rows
// PLAIN-LABEL: func.func @eight_rows
// PLAIN: iter_args
// PLAIN-COUNT-8: vector.store {{.*}} : memref<1x64x16xf32>, vector<8xf32>
// PLAIN: scf.yield
// PLAIN: iter_args
// PLAIN-COUNT-32: vector.fma
// PLAIN-NEXT: scf.yield
// PLAIN-NOT: vector.fma
func.func @eight_rows(%a: memref<8x64xf32>, %b: memref<64x64xf32>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x64xf32>) outs(%c : memref<8x64xf32>)
  return
}

// Few rows take pairs of bf16 from where B is, or convert them there.

// CHECK-LABEL: func.func @few_rows_bf16
// CHECK-NOT: memref.alloc
// CHECK: iter_args
// CHECK: vector.interleave
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: scf.yield
// PLAIN-LABEL: func.func @few_rows_bf16
// PLAIN: iter_args
// PLAIN: arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
// PLAIN: vector.store {{.*}} : memref<1x64x16xf32>, vector<8xf32>
// PLAIN: vector.fma
// PLAIN: scf.yield
// PLAIN: iter_args
// PLAIN-NOT: arith.extf
// PLAIN-COUNT-32: vector.fma
// PLAIN-NEXT: scf.yield
func.func @few_rows_bf16(%a: memref<8x64xbf16>, %b: memref<64x64xbf16>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x64xbf16>, memref<64x64xbf16>) outs(%c : memref<8x64xf32>)
  return
}

// Programs of a grid share packed operands: all of B in front of the loops, and
// rows of A in front of the loop through columns. CPUs with AVX-512 pack B while
// they multiply.

// CHECK-LABEL: func.func @grid
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x256x32xf32>
// PLAIN-LABEL: func.func @grid
// PLAIN: %[[B:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x16x256x16xf32>
// PLAIN: scf.for %[[K:.*]] = %{{.*}} to %c512{{.*}} step %c256
// PLAIN: %[[PART:.*]] = memref.subview %[[B]]
// PLAIN-COUNT-2: vector.store %{{.*}}, %[[PART]]
// PLAIN: scf.for %[[I:.*]] = %c0{{.*}} to %c4{{.*}} step
// PLAIN: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x64x272xf32>
// PLAIN: linalg.generic
// PLAIN: scf.for %[[J:.*]] = %c0{{.*}} to %c4{{.*}} step
// PLAIN: %[[COLUMN:.*]] = arith.muli %[[J]], %c64
// PLAIN: %[[FIRST:.*]] = arith.divui %[[COLUMN]], %c16
// PLAIN: memref.subview %[[A]][%{{.*}}, 0, 0] [1, 64, 272]
// PLAIN: memref.subview %[[B]][%{{.*}}, %[[FIRST]], 0, 0] [1, 4, 256, 16]
// PLAIN-NOT: linalg.generic
// PLAIN: "llvm.intr.prefetch"
// PLAIN: vector.fma
// PLAIN: return
func.func @grid(%x: memref<256x512xf32>, %y: memref<512x256xf32>, %z: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c64 : index
      %column = arith.muli %j, %c64 : index
      %a = memref.subview %x[%row, 0] [64, 512] [1, 1] : memref<256x512xf32> to memref<64x512xf32, strided<[512, 1], offset: ?>>
      %b = memref.subview %y[0, %column] [512, 64] [1, 1] : memref<512x256xf32> to memref<512x64xf32, strided<[256, 1], offset: ?>>
      %c = memref.subview %z[%row, %column] [64, 64] [1, 1] : memref<256x256xf32> to memref<64x64xf32, strided<[256, 1], offset: ?>>
      linalg.matmul ins(%a, %b : memref<64x512xf32, strided<[512, 1], offset: ?>>, memref<512x64xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<64x64xf32, strided<[256, 1], offset: ?>>)
    }
  }
  return
}

// Threads pack pieces of B, and each of them its own rows of A.

// PLAIN-LABEL: func.func @threads
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<2x16x256x16xf32>
// PLAIN: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%c512{{.*}}, %c256{{.*}}) step (%c256{{.*}}, %c128{{.*}})
// PLAIN: scf.parallel
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<64x272xf32>
// PLAIN: vector.fma
func.func @threads(%x: memref<256x512xf32>, %y: memref<512x256xf32>, %z: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c4) step (%c1, %c1) {
    %row = arith.muli %i, %c64 : index
    %column = arith.muli %j, %c64 : index
    %a = memref.subview %x[%row, 0] [64, 512] [1, 1] : memref<256x512xf32> to memref<64x512xf32, strided<[512, 1], offset: ?>>
    %b = memref.subview %y[0, %column] [512, 64] [1, 1] : memref<512x256xf32> to memref<512x64xf32, strided<[256, 1], offset: ?>>
    %c = memref.subview %z[%row, %column] [64, 64] [1, 1] : memref<256x256xf32> to memref<64x64xf32, strided<[256, 1], offset: ?>>
    linalg.matmul ins(%a, %b : memref<64x512xf32, strided<[512, 1], offset: ?>>, memref<512x64xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<64x64xf32, strided<[256, 1], offset: ?>>)
  }
  return
}

// Nothing is shared of arrays that change, or that an operation with unknown
// effects may change.

// PLAIN-LABEL: func.func @changing
// PLAIN: scf.for
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<1x64x16xf32>
// PLAIN: vector.fma
// PLAIN-LABEL: func.func @unknown
// PLAIN: scf.for
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<1x64x16xf32>
// PLAIN: vector.fma
func.func @changing(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
    memref.copy %z, %x : memref<64x64xf32> to memref<64x64xf32>
    memref.copy %z, %y : memref<64x64xf32> to memref<64x64xf32>
  }
  return
}

func.func private @anything()

func.func @unknown(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @anything() : () -> ()
    linalg.matmul ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
  }
  return
}

// Rows of A that the second cache can't keep meet all panels block by block.

// CHECK-LABEL: func.func @tall
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4x256x32xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<512x272xf32>
// CHECK: scf.for %[[M:.*]] = %{{.*}} to %c4096{{.*}} step %c512
// CHECK: memref.subview %{{.*}}[%[[M]], 0] [512, 288] [1, 1]
// CHECK: vector.fma
// PLAIN-LABEL: func.func @tall
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<8x256x16xf32>
// PLAIN: memref.alloc() {alignment = 64 : i64} : memref<256x272xf32>
// PLAIN: scf.for %[[M:.*]] = %{{.*}} to %c4096{{.*}} step %c256
// PLAIN: memref.subview %{{.*}}[%[[M]], 0] [256, 288] [1, 1]
// PLAIN: vector.fma
func.func @tall(%a: memref<4096x288xf32>, %b: memref<288x128xf32>, %c: memref<4096x128xf32>) {
  linalg.matmul ins(%a, %b : memref<4096x288xf32>, memref<288x128xf32>) outs(%c : memref<4096x128xf32>)
  return
}
