"""Names of the cases of a script: one can be run alone, and the last lines name those that fail.

  FILE.py                     all cases
  FILE.py --case=ID [...]     some of them
  FILE.py --list              their names
"""

import pathlib
import sys


def name_all(labels):
  """One name for each label: a label that occurs again gets a number."""
  taken, names = {}, []
  for label in labels:
    taken[label] = taken.get(label, 0) + 1
    names.append(label if taken[label] == 1 else f"{label}-{taken[label]}")
  return names


def select(cases, arguments=None):
  """The named cases that the command line asks for, of a dictionary by names."""
  arguments = sys.argv[1:] if arguments is None else arguments
  if "--list" in arguments:
    print("\n".join(cases))
    sys.exit(0)
  wanted = [a.removeprefix("--case=") for a in arguments if a.startswith("--case=")]
  if unknown := [name for name in wanted if name not in cases]:
    sys.exit(f"no case is named {', '.join(unknown)}; --list names them all")
  return {name: cases[name] for name in wanted} if wanted else cases


def finish(count, failed):
  """Ends the process; the last lines name what failed and how to run it alone."""
  print(f"{count} cases, {len(failed)} failures")
  for name in failed:
    print(f"FAILED {name}; again by: {pathlib.Path(sys.argv[0]).name} '--case={name}'")
  sys.exit(bool(failed) or not count)
