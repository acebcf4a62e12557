"""The exceptions that users of this package see."""


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
