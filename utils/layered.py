# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command with a patch applied, and leaves nothing of it behind.

The patch and what is built go to a layer over the checkout and its build folder, in a
mount namespace of its own, so what is built are the files that the patch changes.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = "build-release"
SCRIPT = """
set -e
mount --make-rprivate /
mount -t overlay overlay -o lowerdir="$1",upperdir="$2/upper",workdir="$2/work",userxattr "$1"
cd "$1"
# As ./dev has them, and one language, which ccache looks at, too: so a second
# run finds what the first one compiled.
unset LC_ALL LC_CTYPE LC_MESSAGES
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 LANG=C.UTF-8
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
git apply "$3"
ninja -C "$4" $5 >"$2/build.log" 2>&1 || { tail -n 20 "$2/build.log"; exit 3; }
shift 5
exec "$@"
"""


def layered(patch, folder, targets, command):
  """The command line that builds `targets` with a patch and then runs `command`; the layer is in `folder`."""
  for name in ("upper", "work"):
    (pathlib.Path(folder) / name).mkdir()
  return ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", SCRIPT, "layered", str(ROOT), str(folder), str(patch),
          BUILD, " ".join(targets), *command]
