# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flags of XLA for references: what it compiles runs once, so compiling is what takes time."""
import importlib.metadata


def reference_flags():
  flags = ["--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"]
  if release("jaxlib") < (0, 11, 1):
    # XLA's older emitters take a quarter of the time. Without fusion, though, their products of transposed batches are
    # wrong.
    flags.append("--xla_cpu_use_fusion_emitters=false")
  else:
    # The newer ones, which later releases have alone, update a slice in place that overlaps with what the update
    # reads, if they fuse `dynamic_update_slice(x, dynamic_slice(x, (s,), (4,)) + 1, (t,))`.
    flags.append("--xla_disable_hlo_passes=fusion")
  return " ".join(flags)


def release(package):
  """The first three numbers of a package's version."""
  return tuple(int(part) for part in importlib.metadata.version(package).split(".")[:3])


if __name__ == "__main__":
  print(reference_flags())
