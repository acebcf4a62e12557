//===- Site.h - Location of checked code -----------------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_SITE_H
#define PALLAS_LIB_RUNTIME_SITE_H

#include "pallas/Runtime/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace pallas_rt {

/// The parts of a site: location, operation, ref, and the target of a copy.
struct SiteParts {
  StringRef location, operation, subject, target;

  explicit SiteParts(const char *site) {
    StringRef rest;
    std::tie(location, rest) = StringRef(site).split('\n');
    std::tie(operation, rest) = rest.split('\n');
    std::tie(subject, target) = rest.split('\n');
  }
};

/// `input 0 to scratch 1`.
inline std::string describeCopy(const char *site) {
  SiteParts parts(site);
  return (parts.subject + " to " + parts.target).str();
}

/// `element [1, 2] of scratch 0`; a ref without dimensions is its element.
inline std::string describePlace(StringRef element, StringRef subject) {
  if (element == "[]")
    return subject.str();
  return ("element " + element + " of " + subject).str();
}

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_SITE_H
