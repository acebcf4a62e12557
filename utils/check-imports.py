# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which imports of the Python sources nobody uses, and which names nobody defines.

What is imported for its effect stands as `import a.b`, which counts as used, and
files that others take everything from may import more than they use.
"""

import ast
import builtins
import functools
import pathlib
import re
import sys

from project_files import ROOT, tracked


@functools.cache
def nodes(text):
  """All nodes of the tree of a file."""
  return list(ast.walk(ast.parse(text)))


def sources():
  return {name: (ROOT / name).read_text() for name in tracked("*.py") if (ROOT / name).exists()}


def imports(text):
  """Names that the import statements of a file bind, and the lines."""
  for node in nodes(text):
    if not isinstance(node, (ast.Import, ast.ImportFrom)) or getattr(node, "module", None) == "__future__":
      continue
    for alias in node.names:
      name = alias.asname or alias.name
      if "." not in name and name != "*":
        yield name, node.lineno


def unused(text):
  used = {node.id for node in nodes(text) if isinstance(node, ast.Name)}
  # What a package offers is used by others.
  offered = {node.value for node in nodes(text) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
  return [(name, line) for name, line in imports(text) if name not in used | offered]


def bound(text):
  """Names that a file gives to anything."""
  names = set()
  for node in nodes(text):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
      names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
      names.add(node.id)
    else:
      names |= {getattr(node, field) for field in ("name", "arg") if isinstance(getattr(node, field, None), str)}
  return names


def undefined(text):
  known = {*dir(builtins), "__file__"} | bound(text)
  # Of a file that takes everything from another one, nobody knows what it has.
  if "*" in known:
    return []
  return [(node.id, node.lineno) for node in nodes(text) if isinstance(node, ast.Name) and node.id not in known]


def missing(text, names_of_modules):
  """What a file takes from one of its neighbours that has nothing of that name."""
  for node in nodes(text):
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in names_of_modules:
      known = names_of_modules[node.module] | {"*"}
      yield from ((alias.name, node.lineno) for alias in node.names if alias.name not in known)


def main():
  texts = sources()
  shared = {name for text in texts.values() for name in re.findall(r"^from (\w+) import \*", text, re.MULTILINE)}
  failures = [f"{path}:{line}: nobody uses {name}" for path, text in texts.items()
              if pathlib.Path(path).stem not in shared for name, line in unused(text)]
  # Files of packages go by longer names; of others with one name, either may be meant.
  modules = {}
  for path, text in texts.items():
    if not (ROOT / path).with_name("__init__.py").exists():
      modules.setdefault(pathlib.Path(path).stem, set()).update(bound(text))
  modules = {name: names for name, names in modules.items() if "*" not in names}
  failures += [f"{path}:{line}: {name} is not in the file that it is taken from" for path, text in texts.items()
               for name, line in missing(text, modules)]
  # What lit reads gets its configuration from lit.
  failures += [f"{path}:{line}: nobody defines {name}" for path, text in texts.items()
               if not path.endswith("lit.cfg.py") for name, line in undefined(text)]
  print("\n".join([*failures, f"{len(texts)} files, {len(failures)} failures"]))
  return bool(failures) or not texts


if __name__ == "__main__":
  sys.exit(main())
