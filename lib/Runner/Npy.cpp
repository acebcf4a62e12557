//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reads and writes NumPy's array files. Only dense arrays of plain
// elements are read; everything else is an error that names the reason. Sizes
// come from untrusted files, so they are checked before they are used.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr StringLiteral magic("\x93NUMPY");

/// Errors begin with the file.
static llvm::Error makeError(StringRef path, const Twine &what) {
  return llvm::createStringError("%s: %s", path.str().c_str(),
                                 what.str().c_str());
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// All spellings under which elements of a type appear; the first is the one
/// that is written.
static ArrayRef<StringRef> getSpellings(DType dtype) {
  static const StringRef bools[] = {"|b1"}, bytes[] = {"|i1", "|u1", "|b1"},
                         int4[] = {"|V1", "<V1", "|i1", "|u1"},
                         custom[] = {"|V1", "<V1", "<f1", "|u1"},
                         i16[] = {"<i2", "<u2"}, i32[] = {"<i4", "<u4"},
                         i64[] = {"<i8", "<u8"}, bf16[] = {"<V2", "|V2", "<u2"},
                         f16[] = {"<f2"}, f32[] = {"<f4"}, f64[] = {"<f8"};
  switch (dtype) {
  case DType::I1:
    return bools;
  case DType::I2:
  case DType::I4:
    return int4;
  case DType::I8:
    return bytes;
  case DType::I16:
    return i16;
  case DType::I32:
    return i32;
  case DType::I64:
    return i64;
  case DType::BF16:
    return bf16;
  case DType::F16:
    return f16;
  case DType::F32:
    return f32;
  case DType::F64:
    return f64;
  default:
    return custom;
  }
}

/// The same bytes may be elements of several types: "<u2" of i16 or of bf16.
bool NpyArray::holds(DType dtype) const {
  return llvm::is_contained(getSpellings(dtype), StringRef(descr));
}

/// Views the mapped file itself.
BufferView NpyArray::view(DType dtype) const {
  return {const_cast<char *>(file->getBufferStart()) + dataOffset, dtype,
          shape};
}

/// Bytes per element of a spelling such as "<f4"; 0 if it is not one of a plain
/// little-endian type.
static size_t getItemSize(StringRef descr) {
  size_t size = 0;
  if (descr.size() < 3 || (descr[0] != '<' && descr[0] != '|') ||
      !StringRef("biufV").contains(descr[1]) ||
      descr.drop_front(2).getAsInteger(10, size))
    return 0;
  return size;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The text after `'key':` in the header, without leading blanks.
static std::optional<StringRef> findValue(StringRef header, StringRef key) {
  for (char quote : {'\'', '"'}) {
    std::string pattern = (Twine(quote) + key + Twine(quote)).str();
    size_t at = header.find(pattern);
    if (at == StringRef::npos)
      continue;
    StringRef rest = header.drop_front(at + pattern.size()).ltrim();
    if (rest.consume_front(":"))
      return rest.ltrim();
  }
  return std::nullopt;
}

/// For example "(3, 4)", "(3,)" or "()".
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  text = text.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    part = part.trim();
    int64_t size;
    if (part.empty())
      continue;
    if (part.getAsInteger(10, size) || size < 0)
      return false;
    shape.push_back(size);
  }
  return true;
}

/// Every number of the header is checked against the size of the file, as files
/// may be damaged.
llvm::Expected<NpyArray> pallas::readNpy(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return makeError(path, file.getError().message());
  NpyArray array;
  array.file = std::move(*file);
  StringRef bytes = array.file->getBuffer();
  if (!bytes.starts_with(magic))
    return makeError(path,
                     "not a .npy file (it doesn't start with \\x93NUMPY)");
  if (bytes.size() < 12)
    return makeError(path, "truncated within the header");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return makeError(path, "unknown .npy version " + Twine(version));
  // The length of the header has two bytes in version 1 and four since.
  size_t prefix = version == 1 ? 10 : 12;
  size_t length = version == 1
                      ? llvm::support::endian::read16le(bytes.data() + 8)
                      : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - prefix < length)
    return makeError(path, "truncated within the header");
  StringRef header = bytes.substr(prefix, length);
  array.dataOffset = prefix + length;

  auto descr = findValue(header, "descr"),
       order = findValue(header, "fortran_order"),
       shape = findValue(header, "shape");
  if (!descr || !order || !shape || !parseShape(*shape, array.shape))
    return makeError(path, "malformed header: " + header.trim());
  if (!descr->consume_front("'") && !descr->consume_front("\""))
    return makeError(path, "structured elements are not supported");
  array.descr =
      descr->take_until([](char c) { return c == '\'' || c == '"'; }).str();
  size_t itemSize = getItemSize(array.descr);
  if (!itemSize)
    return makeError(path, "elements of type '" + array.descr +
                               "' are not supported");
  // In one dimension both orders are the same.
  if (order->starts_with("True") && array.shape.size() > 1)
    return makeError(path, "stored in Fortran order; save a C-ordered copy "
                           "(numpy.ascontiguousarray)");
  int64_t expected = itemSize;
  for (int64_t size : array.shape) {
    auto product = llvm::checkedMul(expected, size);
    if (!product)
      return makeError(path, "the shape is too large");
    expected = *product;
  }
  int64_t present = bytes.size() - array.dataOffset;
  if (present < expected)
    return makeError(path, "truncated: " + Twine(expected) +
                               " bytes of data expected, " + Twine(present) +
                               " present");
  return array;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes version 1.0 of the format.
void pallas::writeNpy(llvm::raw_ostream &stream, const BufferView &array) {
  std::string header = ("{'descr': '" + getSpellings(array.dtype).front() +
                        "', 'fortran_order': False, 'shape': (")
                           .str();
  for (int64_t size : array.shape)
    header += std::to_string(size) + ",";
  header += "), }";
  // NumPy aligns the data to 64 bytes.
  header.append(63 - (magic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  stream << magic << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
         << static_cast<char>(header.size() >> 8) << header;
  size_t bytes = getByteSize(array.dtype);
  for (int64_t size : array.shape)
    bytes *= size;
  stream.write(static_cast<const char *>(array.data), bytes);
}

/// Writes to an open file, to the end.
static llvm::Error writeTo(int descriptor, const NpyOutput &output,
                           bool shouldClose) {
  llvm::raw_fd_ostream stream(descriptor, shouldClose);
  writeNpy(stream, output.array);
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code ? makeError(output.path, code.message()) : llvm::Error::success();
}

namespace {
/// Files that wait beside their places until all of them are complete.
class PendingFiles {
public:
  ~PendingFiles() {
    for (auto &[file, path] : files)
      llvm::consumeError(file.discard());
  }

  llvm::Error write(const NpyOutput &output) {
    auto file = llvm::sys::fs::TempFile::create(output.path + ".%%%%%%%%");
    if (!file)
      return makeError(output.path, llvm::toString(file.takeError()));
    files.emplace_back(std::move(*file), output.path);
    return writeTo(files.back().first.FD, output, /*shouldClose=*/false);
  }
  /// Moves the files to their places.
  llvm::Error keep() {
    while (!files.empty()) {
      auto [file, path] = std::move(files.back());
      files.pop_back();
      if (llvm::Error error = file.keep(path))
        return makeError(path, llvm::toString(std::move(error)));
    }
    return llvm::Error::success();
  }

private:
  std::vector<std::pair<llvm::sys::fs::TempFile, std::string>> files;
};
} // namespace

/// All or none of the files are replaced, unless renaming itself fails.
llvm::Error pallas::writeNpyFiles(ArrayRef<NpyOutput> outputs) {
  PendingFiles pending;
  SmallVector<const NpyOutput *> devices;
  for (const NpyOutput &output : outputs) {
    llvm::sys::fs::file_status status;
    bool exists = !llvm::sys::fs::status(output.path, status);
    if (exists && is_directory(status))
      return makeError(output.path, "is a directory; name a file in it");
    // A device or a pipe takes what is written; a file would replace it.
    if (output.path == "-" || (exists && !is_regular_file(status)))
      devices.push_back(&output);
    else if (llvm::Error error = pending.write(output))
      return error;
  }
  // Devices come after the drafts of all files: a draft can be discarded, but a
  // pipe gives nothing back.
  for (const NpyOutput *output : devices) {
    std::error_code code;
    int descriptor;
    if (output->path == "-")
      descriptor = 1;
    else if ((code = llvm::sys::fs::openFileForWrite(
                  output->path, descriptor, llvm::sys::fs::CD_OpenExisting)))
      return makeError(output->path, code.message());
    if (llvm::Error error =
            writeTo(descriptor, *output, /*shouldClose=*/descriptor != 1))
      return error;
  }
  return pending.keep();
}
