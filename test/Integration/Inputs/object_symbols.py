"""What objects may need from the process that loads them."""

import re
import subprocess

# The runtime's own, and that of OpenMP.
PREFIXES = ("pallas_rt_", "pallas_check_", "__kmpc_", "omp_")
# The C library's: memory, and functions of libm in f32 and f64.
MEMORY = {"malloc", "free", "memcpy", "memmove", "memset"}
MATH = {"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2",
        "expm1", "floor", "fma", "fmod", "log", "log10", "log1p", "log2", "pow", "rint", "round", "roundeven", "sin", "sinh", "tan",
        "tanh", "trunc"}


def is_allowed(symbol):
  return symbol.startswith(PREFIXES) or symbol in MEMORY or symbol in MATH or symbol.removesuffix("f") in MATH


def undefined_symbols(path):
  text = subprocess.run(["llvm-nm", "--undefined-only", str(path)], check=True, capture_output=True, text=True).stdout
  return set(re.findall(r"^\s*U (\S+)$", text, re.MULTILINE))


def foreign_symbols(path):
  """Those that the process may lack."""
  return sorted(symbol for symbol in undefined_symbols(path) if not is_allowed(symbol) and symbol != "_GLOBAL_OFFSET_TABLE_")
