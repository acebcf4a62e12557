# The few functions by which every folder of the project declares what it holds.

add_custom_target(PallasHeaders)

# CMake names what is precompiled by its path behind -Xclang, which ccache does not
# make relative, so each checkout would compile everything once more.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -x c++-header)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

# pallas_precompile(<name>): compiles <name>.h once for the libraries that name it.
function(pallas_precompile name)
  add_library(${name} OBJECT "${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set_target_properties(${name} PROPERTIES
      CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/precompile.sh")
  endif()
  pallas_precompiled_flags(${name})
  target_compile_options(${name} PRIVATE
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -include -Xclang ${name}.h>")
  target_precompile_headers(${name} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:<${name}.h$<ANGLE-R>>")
endfunction()

# By name, not by path, so that checkouts side by side share ccache's entries.
# Whatever reuses a header has the same include path: ccache looks for the header.
function(pallas_precompiled_flags name)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake")
  target_compile_options(${name} PRIVATE
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# Compiling the upstream headers once makes a rebuild several times faster, and
# parsing the generated ops of our dialects once takes two seconds off each
# source that includes them.
pallas_precompile(PallasPrecompiled)
foreach(name PallasPrecompiledDialects PallasPrecompiledGPU)
  pallas_precompile(${name})
  add_dependencies(${name} PallasHeaders)
endforeach()

# A tool spends most of its start-up on binding the symbols of libMLIR.so and
# libLLVM.so. With static archives instead it starts in a sixth of the time and
# takes what it uses, so tools never have both. Only lld resolves archives in any
# order.
string(FIND "${CMAKE_EXE_LINKER_FLAGS}" "-fuse-ld=lld" PALLAS_USES_LLD)
if(PALLAS_USES_LLD EQUAL -1)
  set(PALLAS_STATIC_TOOLS_DEFAULT OFF)
else()
  set(PALLAS_STATIC_TOOLS_DEFAULT ON)
endif()
option(PALLAS_STATIC_TOOLS "Link tools with the static archives of MLIR and LLVM" ${PALLAS_STATIC_TOOLS_DEFAULT})

# pallas_link(<target> <library>...): links what becomes a tool or the Python
# package, with LLVM as PALLAS_STATIC_TOOLS says.
function(pallas_link target)
  if(NOT PALLAS_STATIC_TOOLS)
    target_link_libraries(${target} PRIVATE ${ARGN} MLIR LLVM)
    return()
  endif()
  set_target_properties(${target} PROPERTIES PALLAS_STATIC_MLIR ON PALLAS_STATIC_LLVM ON)
  file(GLOB mlir "${LLVM_LIBRARY_DIR}/libMLIR*.a")
  list(FILTER mlir EXCLUDE REGEX "CAPI|Test")
  file(GLOB llvm "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  list(FILTER llvm EXCLUDE REGEX "BOLT|Exegesis|CFIVerify")
  find_library(PALLAS_ZLIB_ARCHIVE NAMES libz.a REQUIRED)
  find_library(PALLAS_ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
  target_link_libraries(${target} PRIVATE ${ARGN} ${mlir} ${llvm}
    "${PALLAS_ZLIB_ARCHIVE}" "${PALLAS_ZSTD_ARCHIVE}")
  target_link_options(${target} PRIVATE "LINKER:--gc-sections")
  # Templates of MLIR become the same code many times, and each virtual table has
  # relocations. Functions are folded also where their address is taken, as linkers
  # on Windows fold those of LLVM: neither LLVM nor this project tells two of equal code
  # apart by address. Data keep their addresses, which identify types and passes: lld folds
  # only what compilers note as not compared. Distributions strip archives, which loses the
  # notes: lld then keeps all data of a member and warns of it, thousands of times.
  if(NOT PALLAS_USES_LLD EQUAL -1)
    target_link_options(${target} PRIVATE "LINKER:--icf=all" "LINKER:--no-warnings"
      "LINKER:-z,pack-relative-relocs")
  endif()
endfunction()

# pallas_add_tablegen(<td> <public target> [<flag> <output>]...)
# Each flag is one mlir-tblgen action without the leading dash; several words
# may be joined by spaces ("gen-dialect-decls -dialect=pallas").
function(pallas_add_tablegen td target)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest action output)
    separate_arguments(action UNIX_COMMAND "-${action}")
    mlir_tablegen(${output} ${action})
  endwhile()
  add_public_tablegen_target(${target})
  add_dependencies(PallasHeaders ${target})
endfunction()

# pallas_add_library(<name> <source>... [PRECOMPILED <header>|WITHOUT_MLIR] [DEPENDS <target>...] [LINK <library>...])
# PRECOMPILED: what most sources include, PallasPrecompiled without it.
# WITHOUT_MLIR: neither links MLIR nor sees its headers.
function(pallas_add_library name)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "PRECOMPILED" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED PallasPrecompiled)
  endif()
  if(NOT ARG_WITHOUT_MLIR)
    pallas_precompiled_flags(${name})
    target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
  endif()
  add_dependencies(${name} PallasHeaders ${ARG_DEPENDS})
  target_include_directories(${name} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:include>")
  target_compile_features(${name} INTERFACE cxx_std_17)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_WITHOUT_MLIR)
    target_link_libraries(${name} PUBLIC
      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:PALLAS_STATIC_MLIR>>>:MLIR>")
  endif()
  target_link_libraries(${name} PUBLIC
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:PALLAS_STATIC_LLVM>>>:LLVM>")
  install(TARGETS ${name} EXPORT PallasTargets ARCHIVE DESTINATION lib)
  set_property(GLOBAL APPEND PROPERTY PALLAS_LIBRARIES ${name})
endfunction()

# pallas_add_tool(<name> <source>... [LINK <library>...])
function(pallas_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} PallasHeaders)
  pallas_link(${name} ${ARG_LINK})
  install(TARGETS ${name} EXPORT PallasTargets RUNTIME DESTINATION bin)
  set_property(GLOBAL APPEND PROPERTY PALLAS_TEST_DEPENDS ${name})
endfunction()
