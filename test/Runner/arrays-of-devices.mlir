// Each device has files of its own, and views of all of them stay valid while the next ones are read.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as np; [np.save(f'%t/{n}{i}.npy', np.full((2, 3), 10 * i + k, np.uint32)) for i in range(6) for k, n in enumerate('xy')]"
// RUN: pallas-run %s --no-cache --entry=add --devices=6 --in='%t/x{}.npy' --in='%t/y{}.npy' --out='%t/o{}.npy'
// RUN: %python -c "import numpy as np; print([int(np.load(f'%t/o{i}.npy').sum()) for i in range(6)])" | FileCheck %s
// CHECK: [6, 126, 246, 366, 486, 606]
func.func @add(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %sum = arith.addi %x, %y : tensor<2x3xi32>
  return %sum : tensor<2x3xi32>
}
