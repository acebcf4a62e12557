//===- FloatCodec.cpp - Floats of few bits and f32 ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file derives the fields of a format from what APFloat knows of it, so
// that no table of biases and largest numbers is kept beside LLVM's.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/FloatCodec.h"

using namespace llvm;
using namespace mlir::pallas;

APFloat mlir::pallas::roundTo(const fltSemantics &semantics, APFloat value) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static int64_t getCode(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

FloatFormat::FloatFormat(const fltSemantics &semantics)
    : width(APFloat::getSizeInBits(semantics)),
      // The leading bit of the mantissa is not stored.
      mantissa(APFloat::semanticsPrecision(semantics) - 1),
      signBit(int64_t(1) << (width - 1)),
      bias(1 - APFloat::semanticsMinExponent(semantics)),
      largest(getCode(APFloat::getLargest(semantics))),
      hasInfinity(APFloat::semanticsHasInf(semantics)),
      hasNaN(APFloat::semanticsHasNaN(semantics)),
      isPower(!APFloat::semanticsHasZero(semantics)) {
  assert(width <= 16 && "no fields of a word of 32 bits");
  if (hasNaN)
    nan = getCode(APFloat::getNaN(semantics));
  hasSignedZero = nan != signBit;
}
