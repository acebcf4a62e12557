# REQUIRES: libtpu, pallas-python
# RUN: env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --rounds=0 --held-out --kernels=80 --chips=v5e,v6e --bounds=0.95,0.1,0.4
# Bounds that no model keeps fail.
# RUN: not env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --rounds=0 --held-out --known --kernels=80 --chips=v6e --bounds=0.95,0.0001,0.4
# Modules in files are judged like kernels of the generator.
# RUN: env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --chips=v5e --bounds=0.95,0.2,0.4 \
# RUN:   --modules %root/test/Dialect/Pallas/IR/kernels/layer_norm.mlir %root/test/Dialect/Pallas/IR/kernels/matmul.mlir | FileCheck %s
# CHECK: v5e: as it is
# CHECK-NEXT: 2 kernels, rank correlation 1.0000
# CHECK: kernel layer_norm (kernels)
"""The cost model of TPUs ranks 20 kernels as their compiler does, and comes close to its figures; its constants were not fitted to these."""
