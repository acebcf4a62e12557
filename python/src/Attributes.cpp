//===- Attributes.cpp - Types and attributes from Python ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::python;

using Ints = std::vector<int64_t>;

/// Raises a Python exception with the diagnostic of the verifier of a type or
/// attribute.
template <typename T, typename... Args>
static T getChecked(ModuleBuilder &builder, Args &&...args) {
  MessageCollector collector(builder.getContext());
  auto emitError = [&] { return mlir::emitError(builder.getLocation()); };
  T result = T::getChecked(emitError, builder.getContext(),
                           std::forward<Args>(args)...);
  if (!result)
    throwMessages(collector.messages, "invalid type or attribute");
  return result;
}

static MemorySpaceAttr getSpace(ModuleBuilder &builder, const std::string &name,
                                const std::optional<std::string> &core) {
  std::optional<MemorySpace> space = symbolizeMemorySpace(name);
  if (!space)
    throw nb::value_error(("there is no memory space '" + name + "'").c_str());
  std::optional<CoreKind> kind;
  if (core && !(kind = symbolizeCoreKind(*core)))
    throw nb::value_error(("there is no core kind '" + *core + "'").c_str());
  return MemorySpaceAttr::get(builder.getContext(), *space, kind);
}

static Attribute getDense(ModuleBuilder &builder, Type type, nb::bytes data) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    throw nb::value_error("dense elements need a tensor type");
  ArrayRef<char> raw(data.c_str(), data.size());
  if (tensor.getElementType().isInteger(1)) {
    // MLIR packs booleans; Python passes a byte for each.
    SmallVector<bool> values(raw.begin(), raw.end());
    if (values.size() != 1 && int64_t(values.size()) != tensor.getNumElements())
      throw nb::value_error("wrong number of elements");
    return DenseElementsAttr::get(tensor, values);
  }
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(tensor, raw, isSplat))
    throw nb::value_error("the bytes do not fit the tensor type");
  return DenseElementsAttr::getFromRawBuffer(tensor, raw);
}

static IndexerAttr
getIndexer(ModuleBuilder &builder,
           const std::vector<std::tuple<std::string, int64_t, int64_t, int64_t>>
               &entries) {
  SmallVector<DimIndex> indices;
  for (const auto &[name, start, size, stride] : entries) {
    std::optional<IndexKind> kind = symbolizeIndexKind(name);
    if (!kind)
      throw nb::value_error(("there is no index kind '" + name + "'").c_str());
    indices.push_back({*kind, start, size, stride});
  }
  return IndexerAttr::get(builder.getContext(), indices);
}

static Attribute getBlockDim(ModuleBuilder &builder, const std::string &name,
                             int64_t size, int64_t low, int64_t high) {
  std::optional<BlockDimKind> kind = symbolizeBlockDimKind(name);
  if (!kind)
    throw nb::value_error(
        ("there is no block dimension '" + name + "'").c_str());
  return getChecked<BlockDimAttr>(builder, *kind, size, low, high);
}

static Attribute getBlock(ModuleBuilder &builder,
                          const std::vector<Attribute> &dims, Attribute space,
                          std::optional<Attribute> pipeline,
                          std::optional<Attribute> transforms,
                          std::optional<std::string> origin) {
  MLIRContext *context = builder.getContext();
  auto blockDims = llvm::map_to_vector(
      dims, [](Attribute dim) { return cast<BlockDimAttr>(dim); });
  return BlockMappingAttr::get(
      context, blockDims, cast<MemorySpaceAttr>(space),
      pipeline ? cast<PipelineModeAttr>(*pipeline) : PipelineModeAttr(),
      transforms ? cast<ArrayAttr>(*transforms) : ArrayAttr(),
      origin ? StringAttr::get(context, *origin) : StringAttr());
}

static void bindTypes(nb::class_<ModuleBuilder> &c) {
  using B = ModuleBuilder;
  c.def("int_type",
        [](B &b, unsigned width) -> Type {
          return IntegerType::get(b.getContext(), width);
        })
      .def("index_type",
           [](B &b) -> Type { return IndexType::get(b.getContext()); })
      .def("tensor_type",
           [](B &b, const Ints &shape, Type element) -> Type {
             return RankedTensorType::get(shape, element);
           })
      .def(
          "ref_type",
          [](B &b, const Ints &shape, Type element, Attribute space,
             std::optional<Attribute> transforms) -> Type {
            return getChecked<RefType>(b, ArrayRef<int64_t>(shape), element,
                                       cast<MemorySpaceAttr>(space),
                                       transforms ? cast<ArrayAttr>(*transforms)
                                                  : ArrayAttr());
          },
          nb::arg("shape"), nb::arg("element"), nb::arg("space"),
          nb::arg("transforms") = nb::none())
      .def("view_type",
           [](B &b, Value ref, const Ints &shape, Type element) -> Type {
             auto type = dyn_cast<RefType>(ref.getType());
             if (!type)
               throw nb::type_error("only refs have views");
             return getChecked<RefType>(b, ArrayRef<int64_t>(shape), element,
                                        type.getMemorySpace(), ArrayAttr());
           })
      .def("accumulator_type",
           [](B &b, const Ints &shape, Type element) -> Type {
             return getChecked<AccumulatorType>(b, ArrayRef<int64_t>(shape),
                                                element);
           })
      .def("function_type",
           [](B &b, const std::vector<Type> &inputs,
              const std::vector<Type> &results) -> Type {
             return FunctionType::get(b.getContext(), inputs, results);
           })
      .def("value_type", [](B &b, const Ints &shape, Type element) -> Type {
        return pallas::getValueType(shape, element);
      });
}

static void bindBuiltinAttributes(nb::class_<ModuleBuilder> &c) {
  using B = ModuleBuilder;
  c.def("int_attr",
        [](B &b, Type type, int64_t value) -> Attribute {
          // Wide values of unsigned types arrive as their two's complement.
          if (type.isIndex())
            return IntegerAttr::get(type, value);
          unsigned width = cast<IntegerType>(type).getWidth();
          return IntegerAttr::get(
              type, APInt(64, uint64_t(value)).sextOrTrunc(width));
        })
      .def("float_attr",
           [](B &b, Type type, double value) -> Attribute {
             return FloatAttr::get(type, value);
           })
      .def("bool_attr",
           [](B &b, bool value) -> Attribute {
             return BoolAttr::get(b.getContext(), value);
           })
      .def("str_attr",
           [](B &b, const std::string &value) -> Attribute {
             return StringAttr::get(b.getContext(), value);
           })
      .def("unit_attr",
           [](B &b) -> Attribute { return UnitAttr::get(b.getContext()); })
      .def("type_attr",
           [](B &b, Type type) -> Attribute { return TypeAttr::get(type); })
      .def("symbol_attr",
           [](B &b, const std::string &name) -> Attribute {
             return FlatSymbolRefAttr::get(b.getContext(), name);
           })
      .def("array_attr",
           [](B &b, const std::vector<Attribute> &values) -> Attribute {
             return ArrayAttr::get(b.getContext(), values);
           })
      .def("dict_attr",
           [](B &b, nb::dict values) -> Attribute {
             NamedAttrList list;
             for (auto [key, value] : values)
               list.append(nb::cast<std::string>(key),
                           nb::cast<Attribute>(value));
             return list.getDictionary(b.getContext());
           })
      .def("i64_array",
           [](B &b, const Ints &values) -> Attribute {
             return DenseI64ArrayAttr::get(b.getContext(), values);
           })
      .def("i32_array",
           [](B &b, const std::vector<int32_t> &values) -> Attribute {
             return DenseI32ArrayAttr::get(b.getContext(), values);
           })
      .def("bool_array",
           [](B &b, const std::vector<bool> &values) -> Attribute {
             return DenseBoolArrayAttr::get(
                 b.getContext(),
                 SmallVector<bool>(values.begin(), values.end()));
           })
      .def("dense", &getDense);
}

void mlir::pallas::python::bindAttributes(nb::module_ &m) {
  nb::class_<Type>(m, "Type")
      .def("__eq__",
           [](Type a, nb::handle b) {
             return nb::isinstance<Type>(b) && nb::cast<Type>(b) == a;
           })
      .def("__hash__", [](Type type) { return size_t(hash_value(type)); })
      .def("__str__", [](Type type) {
        std::string text;
        llvm::raw_string_ostream(text) << type;
        return text;
      });
  nb::class_<Attribute>(m, "Attribute").def("__str__", [](Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return text;
  });
  nb::class_<Location>(m, "Location");

  auto c = nb::borrow<nb::class_<ModuleBuilder>>(m.attr("ModuleBuilder"));
  bindTypes(c);
  bindBuiltinAttributes(c);
  using B = ModuleBuilder;
  c.def(
       "memory_space",
       [](B &b, const std::string &name, std::optional<std::string> core)
           -> Attribute { return getSpace(b, name, core); },
       nb::arg("name"), nb::arg("core") = nb::none())
      .def("indexer",
           [](B &b,
              const std::vector<
                  std::tuple<std::string, int64_t, int64_t, int64_t>> &entries)
               -> Attribute { return getIndexer(b, entries); })
      .def("block_dim", &getBlockDim)
      .def("block_mapping", &getBlock, nb::arg("dims"), nb::arg("space"),
           nb::arg("pipeline") = nb::none(), nb::arg("transforms") = nb::none(),
           nb::arg("origin") = nb::none())
      .def("file_location",
           [](B &b, const std::string &file, unsigned line,
              unsigned column) -> Location {
             return FileLineColLoc::get(b.getContext(), file, line, column);
           })
      .def("name_location",
           [](B &b, const std::string &name, Location child) -> Location {
             return NameLoc::get(StringAttr::get(b.getContext(), name), child);
           })
      .def("unknown_location",
           [](B &b) -> Location { return UnknownLoc::get(b.getContext()); });
  m.attr("DYNAMIC") = int64_t(ShapedType::kDynamic);
}
