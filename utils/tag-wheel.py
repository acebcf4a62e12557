#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in the name of a wheel which glibc its libraries need, so that pip refuses it on older systems.

A wheel comes as `linux_x86_64`, which promises nothing. What it needs stands in the
versioned symbols of its libraries: `GLIBC_2.36` makes it `manylinux_2_36_x86_64`. It
may take no library from the system but those that every Linux with this glibc has.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile

READELF = "/usr/lib/llvm-22/bin/llvm-readelf"
SYSTEM = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def readelf(option, path):
  return subprocess.run([READELF, option, path], check=True, capture_output=True, text=True).stdout


def needs(path):
  """The libraries that a library takes, and the newest version of each set of symbols."""
  libraries = set(re.findall(r"\(NEEDED\).*\[(.+?)\]|\(NEEDED\)\s+Shared library: \[(.+?)\]", readelf("--dynamic-table", path)))
  newest = {}
  for name, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+)", readelf("--version-info", path)):
    newest[name] = max(newest.get(name, ()), tuple(map(int, version.split("."))))
  return {a or b for a, b in libraries}, newest


def of_wheel(path):
  """Libraries that the wheel lacks, and the newest version of each set of symbols that those of it take."""
  missing, newest = set(), {}
  with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wheel:
    names = [n for n in wheel.namelist() if re.search(r"\.so(\.\d+)*$", n)]
    for name in names:
      libraries, versions = needs(wheel.extract(name, folder))
      missing |= libraries - SYSTEM - set(map(os.path.basename, names))
      for which, version in versions.items():
        newest[which] = max(newest.get(which, ()), version)
  if not names:
    sys.exit(f"{path} holds no library")
  if missing:
    sys.exit(f"{path} takes {', '.join(sorted(missing))} from the system; link them into it")
  return newest


def rewritten(path, tag):
  """A copy of the wheel under another platform tag."""
  python, abi, platform = os.path.basename(path)[:-len(".whl")].split("-")[-3:]
  target = os.path.join(os.path.dirname(path), os.path.basename(path).replace(f"-{platform}.whl", f"-{tag}.whl"))
  with zipfile.ZipFile(path) as old, zipfile.ZipFile(target + ".part", "w", zipfile.ZIP_DEFLATED) as new:
    for item in old.infolist():
      data = old.read(item)
      if item.filename.endswith(".dist-info/WHEEL"):
        data = data.replace(f"Tag: {python}-{abi}-{platform}".encode(), f"Tag: {python}-{abi}-{tag}".encode())
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        changed = f"{item.filename},sha256={digest},{len(data)}"
      elif item.filename.endswith(".dist-info/RECORD"):
        data = re.sub(r"(?m)^.*\.dist-info/WHEEL,.*$", changed, data.decode()).encode()
      new.writestr(item, data, compresslevel=9)
  os.replace(target + ".part", target)
  if target != path:
    os.remove(path)
  return target


def main():
  for path in sys.argv[1:]:
    newest = of_wheel(path)
    platform = os.path.basename(path)[:-len(".whl")].rsplit("-", 1)[1]
    arch = re.sub(r"^(?:linux|manylinux_\d+_\d+)_", "", platform)
    glibc = newest["GLIBC"]
    print(rewritten(path, f"manylinux_{glibc[0]}_{glibc[1]}_{arch}"))
    print("needs " + ", ".join(f"{name} {'.'.join(map(str, newest[name]))}" for name in ("GLIBC", "GLIBCXX") if name in newest))


if __name__ == "__main__":
  main()
