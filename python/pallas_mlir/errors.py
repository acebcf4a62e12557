# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions that users of this package see."""
from . import findings


class PallasError(Exception):
  """What went wrong, and where in the Python source of the kernel."""

  def __init__(self, message: str, where: str = ""):
    self.where = where
    super().__init__(f"{where}: {message}" if where else message)


class ExportError(PallasError, NotImplementedError):
  """Something in a kernel has no form in the pallas dialect."""


class VerificationError(PallasError, ValueError):
  """A kernel breaks a rule of the pallas dialect."""


class CompileError(PallasError, RuntimeError):
  """A module could not be compiled for this machine."""


class StillRunning(PallasError, RuntimeError):
  """Something would wait for a kernel that was given up, which may have no end."""


class KernelError(PallasError, RuntimeError):
  """A kernel made mistakes while it ran checked.

  `findings` has (place, rule, what happened, remedy, comment that allows it) of each.
  """

  def __init__(self, findings):
    self.findings = [tuple(f) for f in findings]
    place, *rest = self.findings[0]
    lines = [_spell(*rest)] + [f"{p}: {_spell(*more)}" for p, *more in self.findings[1:]]
    super().__init__("\n".join(lines), place)

  def report(self) -> str:
    """All findings for people, each with the lines of the source around it."""
    return findings.report(self.findings)

  def _render_traceback_(self):
    """Notebooks show this in place of a traceback, which has the lines of this package only."""
    number = len(self.findings)
    return [f"{type(self).__name__}: the check found {number} mistake{'s' * (number > 1)}\n{self.report()}"]


def _spell(rule, what, remedy, comment):
  return f"{rule}: {what}; {remedy}; to allow it here, write '{comment}'"
