# precompile.sh FOLDER COMPILER LAUNCHER: compiles other.cpp with a precompiled
# header as the build does, and prints what ccache counted.
set -eu
cd "$1"
export CCACHE_DIR="$PWD/../cache" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
[ -f header.h ] || echo 'inline int twice(int value) { return 2 * value; }' >header.h
[ -f other.cpp ] || echo 'int main() { return twice(1); }' >other.cpp
: >cmake_pch.hxx.cxx
flags="-I$PWD -Xclang -fno-pch-timestamp -Xclang -include -Xclang header.h -Winvalid-pch"
"$3" "$2" $flags -Xclang -emit-pch -x c++-header -MD -MF header.d -o header.pch -c "$PWD/cmake_pch.hxx.cxx"
ccache --zero-stats >/dev/null
ccache "$2" $flags -include-pch "$PWD/header.pch" -MD -MF other.d -o other.o -c "$PWD/other.cpp"
ccache --print-stats | tr '\t' ' '
