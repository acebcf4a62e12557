//===- CodeLines.cpp - Places that compiled code comes from ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reads the debug lines of an object, and finds those of addresses
// where the object was loaded.
//
//===----------------------------------------------------------------------===//

#include "CodeLines.h"
#include "Compiler.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pallas;

/// The last row that begins at or before the address.
const CodeLines::Line *CodeLines::find(uintptr_t address) const {
  if (address < begin || address >= end)
    return nullptr;
  uint64_t offset = address - begin;
  auto next =
      llvm::upper_bound(lines, offset, [](uint64_t o, const Line &line) {
        return o < line.offset;
      });
  if (next == lines.begin() || std::prev(next)->place.empty())
    return nullptr;
  return &*std::prev(next);
}

/// Rows of debug information as text.
static std::vector<CodeLines::Line>
readRows(const llvm::object::ObjectFile &object, uint64_t section,
         uint64_t size) {
  std::vector<CodeLines::Line> lines;
  std::unique_ptr<llvm::DWARFContext> dwarf =
      llvm::DWARFContext::create(object);
  // All rows of a range get the name of the function that it begins with.
  for (const auto &row : dwarf->getLineInfoForAddressRange({0, section}, size))
    if (auto info = dwarf->getLineInfoForAddress(
            {row.first, section},
            {llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
             llvm::DILineInfoSpecifier::FunctionNameKind::ShortName}))
      lines.push_back({row.first, info->FunctionName,
                       llvm::formatv("{0}:{1}:{2}", info->FileName, info->Line,
                                     info->Column)});
  return lines;
}

/// Code is loaded at another address than the object has it at. One function
/// whose address is known gives the distance for all of its section.
llvm::Expected<std::unique_ptr<CodeLines>>
CodeLines::create(llvm::MemoryBufferRef buffer, StringRef name,
                  uintptr_t address) {
  auto code = std::make_unique<CodeLines>();
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto symbolName = symbol.getName();
    if (!symbolName)
      return symbolName.takeError();
    if (!symbolName->starts_with(getPackedName("")))
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    auto offset = symbol.getValue();
    if (!offset)
      return offset.takeError();
    // Comes from no line; nor does it belong to the function in front of it.
    code->lines.push_back({*offset, "", ""});
    if (*symbolName != name)
      continue;
    code->begin = address - *offset;
    code->end = code->begin + (*section)->getSize();
    llvm::append_range(code->lines, readRows(**object, (*section)->getIndex(),
                                             (*section)->getSize()));
  }
  if (!code->begin)
    return llvm::createStringError("the object has no function '%s'",
                                   name.str().c_str());
  llvm::sort(code->lines,
             [](const Line &a, const Line &b) { return a.offset < b.offset; });
  return code;
}
