# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles that the compiler for TPUs estimates for the kernels of a program, kept in a file."""

import pallas_mlir.tuning.libtpu as libtpu
from pallas_mlir.tuning.cache import Cache


class Judge:
  """Answers of the compiler for one chip, by the content of programs."""

  def __init__(self, chip, cache=None):
    self.chip, self.compiler, self.cache = chip, libtpu.Compiler(chip), Cache(cache)

  def known(self, program):
    """The cycles that are known without a compilation."""
    return (self.cache.get(libtpu.release(), self.chip, program) or {}).get("cycles")

  def cycles(self, program):
    question = libtpu.release(), self.chip, program
    if self.cache.get(*question) is None:
      try:
        self.cache.put(self.compiler.judge(program), *question)
      except libtpu.JudgeError:
        return None
    return self.known(program)

  def close(self):
    self.compiler.close()
