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
    return (self.answer(program) or {}).get("cycles")

  def answer(self, program):
    """What the cache holds; none where an older version wrote it, as a number."""
    answer = self.cache.get(libtpu.release(), self.chip, program)
    return answer if isinstance(answer, dict) else None

  def cycles(self, program):
    if self.answer(program) is None:
      try:
        self.cache.put(self.compiler.judge(program), libtpu.release(), self.chip, program)
      except libtpu.JudgeError:
        return None
    return self.known(program)

  def close(self):
    self.compiler.close()
