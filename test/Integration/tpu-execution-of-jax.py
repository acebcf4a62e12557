# REQUIRES: jax, pallas-python
# RUN: %python %s %root

"""Modules of the tpu dialect that JAX makes run as they are, with its results.

--all adds the kernels that JAX ships; --only NAME takes those with NAME in theirs."""

import itertools
import os
import sys

sys.path += [os.path.join(sys.argv[1], "test", folder) for folder in ("Inputs", "Integration/Inputs")]
import tpu_kernels
import tpu_stage

kernels = itertools.chain(
    tpu_kernels.of_both(), tpu_kernels.of_library() if "--all" in sys.argv else ())
tpu_kernels.check(tpu_stage.module_of_jax, kernels, tpu_stage)
