# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pages below docs/ that come from the sources.

One page per dialect (docs/Dialects), one per list of passes (docs/Passes), and
what the chips of a target can do (docs/Targets), which pallas-opt has to be
built for.
With --check it writes nothing and fails when a page is not what the sources say.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
LLVM = pathlib.Path("/usr/lib/llvm-22")

HEADER = "<!-- Written by ./dev docs from {source}: change that, not this page. -->\n\n"


def tablegen(sources, *action):
  command = [LLVM / "bin/mlir-tblgen", *action, "-I", INCLUDE, "-I", LLVM / "include", "-"]
  includes = "".join(f'include "{source}"\n' for source in sources)
  text = subprocess.run(command, check=True, capture_output=True, text=True, input=includes).stdout
  text = re.sub(r"<!--.*?-->\n*", "", text, count=1)
  return HEADER.format(source=" and ".join(str(source.relative_to(ROOT)) for source in sources)) + text.rstrip() + "\n"


def dialects():
  """Dialect name and the files that include all of its parts."""
  for folder in sorted((INCLUDE / "pallas/Dialect").glob("*/IR")):
    names = set()
    for source in folder.glob("*.td"):
      names |= set(re.findall(r'\blet name = "(\w+)"', source.read_text()))
    included = set(re.findall(r'^include ".*/(\w+\.td)"', "".join(s.read_text() for s in folder.glob("*.td")), re.MULTILINE))
    tops = [s for s in folder.glob("*Ops.td") if s.name not in included]
    for name in sorted(names):
      # The file named after the dialect comes first.
      yield folder.parent.name, name, sorted(tops, key=lambda s: len(s.name))


def pages():
  for area, name, sources in dialects():
    text = tablegen(sources, "-gen-dialect-doc", f"-dialect={name}")
    yield ROOT / f"docs/Dialects/{area}.md", text
  for source in sorted(INCLUDE.glob("pallas/**/Passes.td")):
    parts = [p for p in source.relative_to(INCLUDE / "pallas").parts[:-1]]
    name = "-".join(p for p in parts if p not in ("Dialect", "Transforms"))
    text = tablegen([source], "-gen-pass-doc")
    title = f"# Passes: {name}\n\n"
    header, body = text.split("\n\n", 1)
    # Passes are sections of the page, their options subsections.
    yield ROOT / f"docs/Passes/{name}.md", f"{header}\n\n{title}{body}"


def target_pages():
  builds = [str(ROOT / build / "bin") for build in ("build", "build-dev")]
  tool = shutil.which("pallas-opt") or shutil.which("pallas-opt", path=":".join(builds))
  if not tool:
    print("docs/Targets is left alone: pallas-opt is not built")
    return
  for kind in ("TPU", "GPU"):
    command = [tool, f"--print-target-info={kind.lower()}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    source = f"lib/Dialect/Mosaic{kind}/Utils/TargetInfo.cpp"
    yield ROOT / f"docs/Targets/{kind}.md", HEADER.format(source=source) + text


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--check", action="store_true")
  check = parser.parse_args().check
  stale = []
  wanted = dict([*pages(), *target_pages()])
  for folder in ("docs/Dialects", "docs/Passes"):
    for path in (ROOT / folder).glob("*.md"):
      if path not in wanted and path.read_text().startswith("<!-- Written by ./dev docs"):
        stale.append(path)
        if not check:
          path.unlink()
  for path, text in wanted.items():
    if path.exists() and path.read_text() == text:
      continue
    stale.append(path)
    if not check:
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(text)
  for path in stale:
    print(f"{path.relative_to(ROOT)} {'is stale' if check else 'written anew'}")
  if check and stale:
    print("run ./dev docs and commit what it writes")
    return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())
