# REQUIRES: pallas-python
# RUN: %devices=4 %python %s
"""Kernels in the way of Mosaic GPU on several devices, executed in JAX."""
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *path) for path in (["Inputs"], ["..", "Inputs"])]
from kernels import *
from gpu_device_kernels import CASES

t = Table()
for name, case in CASES.items():
  t.add(name, lambda v, interpret, case=case: case.function(v), case.array, whole_arrays=False, want=case.want)
t.run()
