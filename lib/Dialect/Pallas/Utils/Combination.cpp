//===- Combination.cpp - What an atomic update writes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Combination.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pallas;

Value pallas::createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                             Value old, Value value) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  using Kind = arith::AtomicRMWKind;
  auto apply = [&](Kind integer, Kind number) {
    return arith::getReductionOp(isFloat ? number : integer, builder, loc, old,
                                 value);
  };
  switch (kind) {
  case AtomicKind::Xchg:
    return value;
  case AtomicKind::Add:
    return apply(Kind::addi, Kind::addf);
  case AtomicKind::Max:
    return apply(Kind::maxs, Kind::maximumf);
  case AtomicKind::Min:
    return apply(Kind::mins, Kind::minimumf);
  case AtomicKind::UMax:
    return apply(Kind::maxu, Kind::maxu);
  case AtomicKind::UMin:
    return apply(Kind::minu, Kind::minu);
  case AtomicKind::And:
    return apply(Kind::andi, Kind::andi);
  case AtomicKind::Or:
    return apply(Kind::ori, Kind::ori);
  case AtomicKind::Xor:
    return apply(Kind::xori, Kind::xori);
  }
  llvm_unreachable("all kinds are handled");
}
