//===- Combining.cpp - Kinds of combinations and where they start ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has kinds of combinations as arith has them, and the element from
// which reductions and scans start.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Combining.h"

using namespace mlir;

arith::AtomicRMWKind pallas::getArithKind(vector::CombiningKind kind,
                                          Type element) {
  bool isFloat = isa<FloatType>(element);
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case vector::CombiningKind::ADD:
    return isFloat ? Kind::addf : Kind::addi;
  case vector::CombiningKind::MUL:
    return isFloat ? Kind::mulf : Kind::muli;
  case vector::CombiningKind::MINUI:
    return Kind::minu;
  case vector::CombiningKind::MINSI:
    return Kind::mins;
  case vector::CombiningKind::MINNUMF:
    return Kind::minnumf;
  case vector::CombiningKind::MAXUI:
    return Kind::maxu;
  case vector::CombiningKind::MAXSI:
    return Kind::maxs;
  case vector::CombiningKind::MAXNUMF:
    return Kind::maxnumf;
  case vector::CombiningKind::AND:
    return Kind::andi;
  case vector::CombiningKind::OR:
    return Kind::ori;
  case vector::CombiningKind::XOR:
    return Kind::xori;
  case vector::CombiningKind::MINIMUMF:
    return Kind::minimumf;
  case vector::CombiningKind::MAXIMUMF:
    return Kind::maximumf;
  }
  llvm_unreachable("all kinds are handled");
}

TypedAttr pallas::getNeutralElement(vector::CombiningKind kind, Type element) {
  OpBuilder builder(element.getContext());
  if (kind == vector::CombiningKind::ADD || kind == vector::CombiningKind::XOR)
    return cast<TypedAttr>(builder.getZeroAttr(element));
  auto floating = dyn_cast<FloatType>(element);
  bool hasInfinity = !floating || llvm::APFloatBase::semanticsHasInf(
                                      floating.getFloatSemantics());
  return arith::getIdentityValueAttr(getArithKind(kind, element), element,
                                     builder, builder.getUnknownLoc(),
                                     /*useOnlyFiniteValue=*/!hasInfinity);
}
