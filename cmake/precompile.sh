#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# precompile.sh COMPILER ARGUMENT...: compiles, and writes beside a precompiled
# header the digest of the headers in it, which ccache takes for its content. The
# file itself names headers by absolute paths: it is of no use in another folder,
# and its own digest would let no two folders share what is compiled with it.
set -eu
"$@"
output= dependencies=
while [ $# -gt 1 ]; do
  case $1 in
  -o) output=$2 ;;
  -MF) dependencies=$2 ;;
  esac
  shift
done
case $output in
*.pch) sed 's/^[^:]*: //; s/\\$//' "$dependencies" | xargs cat | sha256sum >"$output.sum" ;;
esac
