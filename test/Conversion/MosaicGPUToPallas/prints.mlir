// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s --match-full-lines
// RUN: pallas-run %s --no-cache --entry=prints | FileCheck %s --check-prefix=OUT --match-full-lines

// A brace is text for printf, and may be a place for pallas.debug_print, so it
// is doubled. Mosaic's own texts have doubled braces already.

module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // CHECK: pallas.debug_print "{{[{][{][{][}][}][}] [{][{][}][}]}} of 100%" %{{.*}} : i32
  // CHECK-NEXT: pallas.debug_print "{{[{][{][}][}]}}"
  // CHECK-NEXT: pallas.debug_print "{{[{][{]x[}][}]}} = {}" %{{.*}} : tensor<8xi32>
  // OUT: {7} {} of 100%
  // OUT-NEXT: {}
  // OUT-NEXT: {x} = [0 1 2 3 4 5 6 7]
  func.func @prints_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c7 = arith.constant 7 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<8xi32>
      gpu.printf "{%d} {} of 100%%\0A", %c7 : i32
      gpu.printf "{}\0A"
      "mosaic_gpu.debug_print"(%v) <{format = "{{x}} = {}"}> : (vector<8xi32>) -> ()
      gpu.terminator
    }
    return
  }
}
