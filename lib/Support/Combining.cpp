//===- Combining.cpp - Kinds of combinations and where they start ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file gives the element from which reductions and scans start.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Combining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

/// Upstream knows neutral elements by these kinds only; they tell floats and
/// integers apart, which vector's kinds of sums and products don't.
static arith::AtomicRMWKind getArithKind(vector::CombiningKind kind,
                                         bool isFloat) {
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
  return arith::getIdentityValueAttr(getArithKind(kind, bool(floating)),
                                     element, builder, builder.getUnknownLoc(),
                                     /*useOnlyFiniteValue=*/!hasInfinity);
}
