//===- PallasInterfaces.td - Interfaces of the dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_INTERFACES_TD
#define PALLAS_INTERFACES_TD

include "mlir/IR/Interfaces.td"

def GridMappingOpInterface : OpInterface<"GridMappingOpInterface"> {
  let cppNamespace = "::mlir::pallas";
  let description = [{
    The one source of truth about a grid: how many programs run, and which
    block of each operand a program sees. Operations provide what only they know;
    everything else is derived here, under the names that JAX uses.

    The kernel region takes, in this order, the captured values, the leading
    arguments that are peculiar to the operation (a pipeline's indices), the
    index operands, the inputs, the outputs, the scratch refs and the carried
    values. An index map
    takes the program ids, the index refs and the captured values.
  }];

  // An mpmd_map maps a grid only when it has a single mesh.
  let extraClassOf = "return $_op.hasGridMapping();";

  let methods = [
    InterfaceMethod<"Whether this operation has a grid mapping at all.",
      "bool", "hasGridMapping", (ins), "", /*defaultImplementation=*/"return true;">,
    InterfaceMethod<"Sizes of the grid; `ShapedType::kDynamic` where an operand gives it.",
      "::llvm::SmallVector<int64_t>", "getGridShape">,
    InterfaceMethod<"Sizes of the dynamic grid dimensions, in order.",
      "::mlir::OperandRange", "getDynamicGridOperands">,
    InterfaceMethod<"Captured values, which become leading kernel arguments.",
      "::mlir::OperandRange", "getCaptureOperands">,
    InterfaceMethod<"Whole arrays in scalar memory that index maps may read.",
      "::mlir::OperandRange", "getIndexOperands">,
    InterfaceMethod<"Operands that are cut into input blocks.",
      "::mlir::OperandRange", "getInputOperands">,
    InterfaceMethod<"Types of the whole output arrays.",
      "::llvm::SmallVector<::mlir::Type>", "getOutputArrayTypes">,
    InterfaceMethod<"Block mappings of the inputs, then of the outputs.",
      "::llvm::SmallVector<::mlir::pallas::BlockMappingAttr>", "getMappings">,
    InterfaceMethod<"The region that maps program ids to the block indices of block `index`, "
                    "or null when the window is the whole array by construction.",
      "::mlir::Region *", "getIndexMap", (ins "unsigned":$index)>,
    InterfaceMethod<"The kernel body.", "::mlir::Region &", "getKernelRegion">,
    InterfaceMethod<"Grid dimensions that batching introduced; the kernel does not see them.",
      "::llvm::ArrayRef<int64_t>", "getVmappedDimensions", (ins), "",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Kernel arguments between the captured values and the index refs.",
      "unsigned", "getNumLeadingKernelArguments", (ins), "",
      /*defaultImplementation=*/"return 0;">,
    InterfaceMethod<"Values that each program passes to the next: the last kernel arguments.",
      "::mlir::OperandRange", "getCarriedOperands", (ins), "",
      /*defaultImplementation=*/
      "return ::mlir::OperandRange($_op->operand_end(), $_op->operand_end());">,
    InterfaceMethod<"Names of the grid dimensions, empty when they have none.",
      "::llvm::SmallVector<::llvm::StringRef>", "getGridDimensionNames", (ins), "",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Order of each grid dimension; empty when none is declared.",
      "::llvm::SmallVector<::mlir::pallas::DimensionSemantics>",
      "getGridDimensionSemantics", (ins), "",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Pairs (position among index operands and inputs, output) that share memory.",
      "::llvm::SmallVector<std::pair<int64_t, int64_t>>", "getInputOutputAliases", (ins), "",
      /*defaultImplementation=*/"return {};">,
  ];

  let extraClassDeclaration = [{
    unsigned getGridRank() { return getGridShape().size(); }
    bool hasStaticGrid() { return !::mlir::ShapedType::isDynamicShape(getGridShape()); }
    /// The grid when all its sizes are static.
    std::optional<::llvm::SmallVector<int64_t>> getStaticGrid();
    unsigned getNumDynamicGridBounds();

    unsigned getNumCaptures() { return getCaptureOperands().size(); }
    unsigned getNumIndexOperands() { return getIndexOperands().size(); }
    unsigned getNumInputs() { return getInputOperands().size(); }
    unsigned getNumOutputs() { return getOutputArrayTypes().size(); }
    unsigned getNumBlocks() { return getNumInputs() + getNumOutputs(); }
    /// Number of kernel arguments between the outputs and the carried values;
    /// negative when the kernel has too few arguments.
    int64_t getNumScratchOperands();
    /// How many grid dimensions `program_id` counts.
    unsigned getNumUserGridDimensions();
    /// The grid dimension that `program_id(axis)` means in the kernel.
    unsigned getGridDimensionOfAxis(unsigned axis);

    /// Types of the index operands and inputs, then of the outputs.
    ::llvm::SmallVector<::mlir::Type> getInShapes();
    ::llvm::SmallVector<::mlir::Type> getOutShapes() { return getOutputArrayTypes(); }
    /// Type of the array that block `index` is cut from.
    ::mlir::Type getArrayType(unsigned index);
    /// Type of the ref that the kernel sees for block `index`.
    ::mlir::pallas::RefType getBlockRefType(unsigned index);
    /// Whether every block dimension holds the whole array dimension and every
    /// index is the literal zero.
    bool hasTrivialWindow(unsigned index);
    ::llvm::SmallVector<::mlir::pallas::BlockMappingAttr> getBlockMappingsOutput();
    /// Whether the kernel reaches an input and an output aliased to it as one
    /// piece of memory: the refs are the array itself and no windows of it.
    bool sharesMemory(unsigned input, unsigned output);
    /// Makes kernels use the output's ref for the inputs that share its memory,
    /// so that memory has one name.
    void joinAliasedRefs();

    /// Parts of the kernel's argument list.
    ::mlir::Block::BlockArgListType getKernelCaptures();
    ::mlir::Block::BlockArgListType sliceIndexOps();
    ::mlir::Block::BlockArgListType sliceBlockOps();
    ::mlir::Block::BlockArgListType sliceScratchOps();
    /// Types that an index map's arguments must have.
    ::llvm::SmallVector<::mlir::Type> getIndexMapArgumentTypes();
    /// Types of the refs that the index operands become.
    ::llvm::SmallVector<::mlir::Type> getIndexRefTypes();
  }];
}

def RefAccessOpInterface : OpInterface<"RefAccessOpInterface"> {
  let cppNamespace = "::mlir::pallas";
  let description = [{
    An operation that touches the part of a ref that an indexer selects.
  }];
  let methods = [
    InterfaceMethod<"The accessed ref.",
      "::mlir::TypedValue<::mlir::pallas::RefType>", "getRef">,
    InterfaceMethod<"What part of it.", "::mlir::pallas::IndexerAttr", "getIndexer">,
    InterfaceMethod<"Dynamic starts, sizes, scalars and index arrays, in entry order.",
      "::mlir::OperandRange", "getIndices">,
    InterfaceMethod<"The operand that is the accessed ref.",
      "::mlir::OpOperand &", "getRefMutable">,
    InterfaceMethod<"The operands of the indexer, to be replaced.",
      "::mlir::MutableOperandRange", "getIndicesMutable">,
  ];
  let extraClassDeclaration = [{
    /// Entries with `...` and `:` spelled out as slices, one per dimension.
    ::llvm::SmallVector<::mlir::pallas::DimIndex> getFullEntries();
    /// The same entries together with their operands.
    ::llvm::SmallVector<::mlir::pallas::AccessDim> getAccessDims();
    /// Shape that the indexer selects.
    ::llvm::SmallVector<int64_t> getAccessShape();
    /// Type of the selected value: a tensor, or a scalar for rank zero.
    ::mlir::Type getAccessType();
    /// Whether the whole ref is selected.
    bool isWholeAccess();
  }];
}

#endif // PALLAS_INTERFACES_TD
