# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flags of XLA for references: what it compiles runs once, so compiling is what takes time."""
import jaxlib.version

# What XLA is asked with before a difference counts.
STRICT = {
    # It leaves out roundings, as in a product of f16 and i16 into bf16.
    "xla_allow_excess_precision": False,
    # Fusion updates a slice in place that overlaps with what the update reads, as in
    # `dynamic_update_slice(x, dynamic_slice(x, (s,), (4,)) + 1, (t,))`. Simplification takes `abs(x * x)` for `x * x`, though
    # products of integers wrap.
    "xla_disable_hlo_passes": "fusion,algsimp",
}


def has_older_emitters():
  """They take a quarter of the time. Releases of XLA that lack them end at their flag."""
  return jaxlib.version.__version_info__ < (0, 11, 1)


def strict_options():
  """For one compilation. Without fusion the older emitters multiply transposed batches wrongly."""
  return {**STRICT, "xla_cpu_use_fusion_emitters": True} if has_older_emitters() else STRICT


def reference_flags():
  """For all compilations of a process."""
  flags = ["--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"]
  if has_older_emitters():
    flags.append("--xla_cpu_use_fusion_emitters=false")
  return " ".join(flags)


if __name__ == "__main__":
  print(reference_flags())
