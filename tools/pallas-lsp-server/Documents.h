//===- Documents.h - Facts about a text that is not parsed ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is being typed is seldom valid, so windows are found in its
// words, and operations by their names.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_LSP_SERVER_DOCUMENTS_H
#define PALLAS_TOOLS_PALLAS_LSP_SERVER_DOCUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::pallas {

/// Line and column from 0; columns count UTF-16 code units.
struct TextPosition {
  unsigned line = 0, column = 0;
};

TextPosition getPosition(llvm::StringRef text, size_t offset);
/// The end of the line for columns behind it.
size_t getOffset(llvm::StringRef text, TextPosition position);

/// Something that is known about a grid or a window.
struct WindowNote {
  /// The part of the text that it is about.
  size_t begin, end;
  /// A few words behind it, and a sentence.
  std::string label, sentence;
};
std::vector<WindowNote> findWindows(llvm::StringRef text);

/// The name of an operation around an offset, and its page; empty if there is
/// none.
llvm::StringRef getOperationName(llvm::StringRef text, size_t offset);
llvm::StringRef getOperationPage(llvm::StringRef name);
/// The operations whose names begin so, in order.
std::vector<llvm::StringRef> getOperationsWith(llvm::StringRef prefix);
/// An enum word that an attribute of an operation may be.
struct EnumWord {
  llvm::StringRef word;
  /// The attribute, and the summary of its enum.
  llvm::StringRef attribute, summary;
};
/// Completions of an enum word at an offset in the text: the words of the type
/// or attribute whose brackets are around it, or else of all enum attributes of
/// the nearest operation in front, filtered by the typed prefix.
/// The words come from the pages of the dialects, so ODS is their only source.
std::vector<EnumWord> findEnumWords(llvm::StringRef text, size_t offset);
/// Types and attributes whose names begin so, in order: `!pallas.ref`.
std::vector<llvm::StringRef> getTypesWith(llvm::StringRef prefix);
/// The name of a type or attribute with its sign around an offset, and its
/// page; empty if there is none.
llvm::StringRef getTypeName(llvm::StringRef text, size_t offset);
llvm::StringRef getTypePage(llvm::StringRef name);
/// The type or attribute at an offset, or the word of an enum in one; empty if
/// there is none.
std::string describeTypeWord(llvm::StringRef text, size_t offset);
/// The part of a word in front of an offset.
llvm::StringRef getTypedWord(llvm::StringRef text, size_t offset);
/// The operation whose name is nearest to a misspelled one; empty if none is
/// near.
llvm::StringRef getNearestOperation(llvm::StringRef name);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_LSP_SERVER_DOCUMENTS_H
