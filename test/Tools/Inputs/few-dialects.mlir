module {}

// -----

func.func @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// -----

func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %x, %x : tensor<8xf32>
  %1 = math.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @narrow(%x: vector<8xf8E4M3FN>, %i: vector<8xi4>) -> (vector<8xf32>, vector<8xi32>) {
  %0 = arith.extf %x : vector<8xf8E4M3FN> to vector<8xf32>
  %1 = arith.extsi %i : vector<8xi4> to vector<8xi32>
  return %0, %1 : vector<8xf32>, vector<8xi32>
}

// -----

func.func @integers(%a: i32, %b: i32) -> i32 {
  %0 = arith.divsi %a, %b : i32
  return %0 : i32
}

// -----

func.func @extrema(%v: vector<8xf32>) -> f32 {
  %0 = vector.reduction <maximumf>, %v : vector<8xf32> into f32
  return %0 : f32
}

// -----

func.func private @task(index)
func.func @tasks(%n: index) {
  scf.forall (%i) in (%n) {
    func.call @task(%i) : (index) -> ()
  }
  return
}

// -----

func.func @buffer() -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  %v = memref.load %m[%c0] : memref<4xf32>
  return %v : f32
}

// -----

func.func @product(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %z: memref<8x8xf32>) {
  linalg.matmul ins(%x, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%z : memref<8x8xf32>)
  return
}

// -----

func.func @values(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = pallas.cumulative <sum> %x dim 1 : tensor<8x16xf32>
  %1 = pallas.sort %0 dim 1 : tensor<8x16xf32> -> tensor<8x16xf32>
  %2 = pallas.rev %1 dims [0] : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

func.func @call(%x: tensor<16x128xi32>) -> tensor<16x128xi32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x128xi32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<16x128xi32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<16x128xi32>
}
