// A branch yields what an earlier choice by the same condition yields: it would
// become a selection of registers by a number, once the compiler finds that.
func.func @choices(%x: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %0 = pallas.pallas_call grid(2)
      in(%x : tensor<8x8xi32>) block<[8, 8], default>
      out(tensor<8x8xi32>) block<[8, 8], default>
      kernel(%xr: !pallas.ref<8x8xi32, default>, %or: !pallas.ref<8x8xi32, default>, %s: !pallas.ref<8x8xi32, vmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = pallas.program_id 0
    %v = pallas.get %xr[...] : !pallas.ref<8x8xi32, default>
    %isOne = arith.cmpi eq, %step, %c1 : i32
    %first = scf.if %isOne -> (tensor<8x8xi32>) {
      %old = pallas.swap %s[...], %v : !pallas.ref<8x8xi32, vmem>, tensor<8x8xi32>
      scf.yield %v : tensor<8x8xi32>
    } else {
      %old = pallas.swap %s[...], %v : !pallas.ref<8x8xi32, vmem>, tensor<8x8xi32>
      %low = tensor.extract_slice %v[5, 0] [3, 8] [1, 1] : tensor<8x8xi32> to tensor<3x8xi32>
      %high = tensor.extract_slice %v[0, 0] [5, 8] [1, 1] : tensor<8x8xi32> to tensor<5x8xi32>
      %rolled = tensor.concat dim(0) %low, %high : (tensor<3x8xi32>, tensor<5x8xi32>) -> tensor<8x8xi32>
      scf.yield %rolled : tensor<8x8xi32>
    }
    %next = arith.addi %step, %c1 : i32
    %place = arith.index_cast %next : i32 to index
    %second = scf.index_switch %place -> tensor<8x8xi32>
    case 0 {
      scf.yield %v : tensor<8x8xi32>
    }
    case 1 {
      scf.yield %first : tensor<8x8xi32>
    }
    case 2 {
      %number = arith.extui %isOne : i1 to i32
      %again = arith.cmpi ne, %number, %c0 : i32
      %inner = scf.if %again -> (tensor<8x8xi32>) {
        scf.yield %first : tensor<8x8xi32>
      } else {
        %low = tensor.extract_slice %v[5, 0] [3, 8] [1, 1] : tensor<8x8xi32> to tensor<3x8xi32>
        %high = tensor.extract_slice %v[0, 0] [5, 8] [1, 1] : tensor<8x8xi32> to tensor<5x8xi32>
        %rolled = tensor.concat dim(0) %low, %high : (tensor<3x8xi32>, tensor<5x8xi32>) -> tensor<8x8xi32>
        scf.yield %rolled : tensor<8x8xi32>
      }
      scf.yield %inner : tensor<8x8xi32>
    }
    default {
      scf.yield %v : tensor<8x8xi32>
    }
    %old = pallas.swap %or[...], %second : !pallas.ref<8x8xi32, default>, tensor<8x8xi32>
  }
  return %0 : tensor<8x8xi32>
}
