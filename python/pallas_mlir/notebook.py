# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`%%pallas_check` of notebooks: runs a cell with its kernels checked."""
from __future__ import annotations

import argparse
import ast
import os
import shlex
import tempfile

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class

from . import jax as compiled


class _Parser(argparse.ArgumentParser):
  def error(self, message):
    raise UsageError(f"%%pallas_check: {message}; {self.format_usage().strip()}")


@magics_class
class PallasMagics(Magics):

  def __init__(self, shell):
    super().__init__(shell)
    # Cells get files: comments that allow mistakes are read from there.
    self._folder = tempfile.TemporaryDirectory(prefix="pallas_check_")
    self._num_cells = 0

  @cell_magic
  def pallas_check(self, line, cell):
    """Runs the cell with its kernels compiled and checked, those of interpret mode as well.

    %%pallas_check [--allow KIND[@FILE[:LINE]],...]

    A mistake ends the cell with a KernelError that shows the lines of the source.
    """
    parser = _Parser(prog="%%pallas_check", add_help=False)
    parser.add_argument("--allow", default="")
    options = parser.parse_args(shlex.split(line))
    try:
      compiled._native.check_allowances(options.allow)
    except ValueError as error:
      raise UsageError(f"%%pallas_check: bad --allow: {error}") from error
    with compiled._interpret(True), compiled.checked(allow=options.allow):
      self._run(cell)

  def _run(self, cell):
    """Like an ordinary cell: a value of the last line is shown."""
    self._num_cells += 1
    path = os.path.join(self._folder.name, f"cell_{self._num_cells}.py")
    source = self.shell.transform_cell(cell)
    with open(path, "w") as file:
      file.write(source)
    body = ast.parse(source, path).body
    last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
    exec(compile(ast.Module(body, []), path, "exec"), self.shell.user_ns)
    if last:
      exec(compile(ast.Interactive(last), path, "single"), self.shell.user_ns)
