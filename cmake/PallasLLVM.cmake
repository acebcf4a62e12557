# Finds LLVM and MLIR 22. Asking find_package for version 22 rejects 22.1.x, so
# the major version is checked by hand.
find_package(MLIR REQUIRED CONFIG
             HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "pallas-mlir needs LLVM/MLIR 22, but found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}; "
    "set MLIR_DIR to the lib/cmake/mlir folder of an LLVM 22 installation")
endif()
if(NOT TARGET MLIR OR NOT TARGET LLVM)
  message(FATAL_ERROR
    "pallas-mlir links libMLIR.so and libLLVM.so, but ${MLIR_DIR} offers only static archives")
endif()

# What generates code runs here, not on the machine that the build is for.
if(CMAKE_CROSSCOMPILING)
  find_program(PALLAS_HOST_TBLGEN mlir-tblgen HINTS /usr/lib/llvm-22/bin
    NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  set(MLIR_TABLEGEN_EXE "${PALLAS_HOST_TBLGEN}")
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(PALLAS_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${PALLAS_LLVM_DEFINITIONS})
