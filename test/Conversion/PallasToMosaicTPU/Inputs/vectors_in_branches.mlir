// Loops and branches hand on narrow vectors with one dimension.
func.func @vectors_in_branches(%n: tensor<1xi32>, %x: tensor<7xbf16>, %y: tensor<1xbf16>) -> tensor<7xbf16> {
  %o = pallas.pallas_call @vectors_in_branches grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<7xbf16>)
      in(%y : tensor<1xbf16>)
      out(tensor<7xbf16>)
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<7xbf16, default>, %yr: !pallas.ref<1xbf16, default>, %or: !pallas.ref<7xbf16, default>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %end = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %start = pallas.get %xr[...] : !pallas.ref<7xbf16, default>
    %y0 = pallas.get %yr[...] : !pallas.ref<1xbf16, default>
    %step = pallas.broadcast %y0 dims [0] : tensor<1xbf16> -> tensor<7xbf16>
    %result = scf.for %k = %zero to %end step %one iter_args(%v = %start) -> (tensor<7xbf16>) : i32 {
      %low = arith.andi %k, %one : i32
      %isEven = arith.cmpi eq, %low, %zero : i32
      %next = scf.if %isEven -> (tensor<7xbf16>) {
        %w = scf.for %j = %zero to %k step %one iter_args(%u = %v) -> (tensor<7xbf16>) : i32 {
          %sum = arith.addf %u, %step : tensor<7xbf16>
          scf.yield %sum : tensor<7xbf16>
        }
        scf.yield %w : tensor<7xbf16>
      } else {
        %w = arith.subf %v, %step : tensor<7xbf16>
        scf.yield %w : tensor<7xbf16>
      }
      scf.yield %next : tensor<7xbf16>
    }
    pallas.swap %or[...], %result : !pallas.ref<7xbf16, default>, tensor<7xbf16>
  }
  return %o : tensor<7xbf16>
}
