// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v5e --verify-diagnostics

// Steps stay where blocks cannot be copied, so that the error is about the blocks
// that the author wrote.
func.func @uneven(%x: tensor<30x128xf32>) {
  pallas.pallas_call grid()
    in(%x : tensor<30x128xf32>) block<[30, 128], any>
    kernel(%a: !pallas.ref<30x128xf32, any>) {
    // expected-error @below {{has blocks of 12 along dimension 0, which has 30; where memory has tiles they must divide it or be a multiple of 8}}
    pallas.emit_pipeline grid(3)
      in(%a : !pallas.ref<30x128xf32, any>) block<[12, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %p: !pallas.ref<12x128xf32, vmem>) {
    }
  }
  return
}
