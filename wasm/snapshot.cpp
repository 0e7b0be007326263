// The snapshot: everything the analyses need to know about one function, in one call, as arrays of 32-bit words.
//
// job->words = [AbiVersion, section count, fingerprint low, fingerprint high, (offset, length) per section …, sections …].
// The sections and their order are in `SectionNames`; src/binding/abi.ts compares them by name when the module loads.
// What each array means is written in src/ir/snapshot.ts.
#include "abi.h"
#include "address.h"
#include "facts.h"
#include "Utils/AMDGPUBaseInfo.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace darm;

namespace {

enum Section {
  Function_, BlockInstrStart, SuccStart, Succ, InstrOpcode, InstrFlags, InstrBlock, InstrType, InstrUniformity,
  InstrLatency, InstrKey, InstrPredicate, InstrAddressSpace, InstrAlign, OperandStart, Operand, OperandBlock,
  OperandFlags, ValueKind, ValueType, ValueAlloca, ValueCastFrom, ValueBase, ValueOffset, ValueInteger, ValueLiteral,
  ArgUniformity,
  InstrSource, InstrTaken, TypeKind, TypeBits, TypeAddressSpace, BlockPointer, ValuePointer, SectionCount
};

constexpr const char *SectionNames =
    "function,blockInstrStart,succStart,succ,instrOpcode,instrFlags,instrBlock,instrType,instrUniformity,instrLatency,"
    "instrKey,instrPredicate,instrAddressSpace,instrAlign,operandStart,operand,operandBlock,operandFlags,"
    "valueKind,valueType,valueAlloca,valueCastFrom,valueBase,valueOffset,valueInteger,valueLiteral,argUniformity,instrSource,"
    "instrTaken,typeKind,typeBits,typeAddressSpace,blockPointer,valuePointer";

constexpr int None = -1, Mixed = -2;
constexpr int32_t NoInteger = INT32_MIN;

class Snapshot {
public:
  Snapshot(Job &job, llvm::Function &function)
      : function(function), layout(function.getDataLayout()), machine(*job.machine),
        costs(job.machine->getTargetTransformInfo(function)) {}

  void take(std::vector<int32_t> &words) {
    reserve();
    number();
    functionFacts();
    for (BasicBlock &block : function)
      blockFacts(block);
    section[BlockInstrStart].push_back(section[InstrOpcode].size());
    section[SuccStart].push_back(section[Succ].size());
    section[OperandStart].push_back(section[Operand].size());
    for (size_t id = 0; id < values.size(); ++id)
      valueFacts(*values[id]);
    pack(words);
  }

private:
  llvm::Function &function;
  const DataLayout &layout;
  TargetMachine &machine;
  TargetTransformInfo costs;
  std::vector<int32_t> section[SectionCount];
  DenseMap<const BasicBlock *, int> blocks;
  DenseMap<const Value *, int> ids;
  std::vector<const Value *> values;
  DenseMap<const Type *, int> types;
  StringMap<int> keys, bases;
  bool hasPointerFacts = false; // any alloca or addrspacecast at all
  SmallVector<int, 8> flagsOfOperands; // of the instruction at hand, `None` for blocks

  // Tables that grow are copied again and again; values that are no instructions are a guess.
  void reserve() {
    size_t instructions = 0, operands = 0;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        ++instructions;
        operands += instruction.getNumOperands();
      }
    size_t values = function.arg_size() + instructions + instructions / 2;
    for (int each = InstrOpcode; each <= OperandStart; ++each)
      section[each].reserve(instructions + 1);
    for (int each = Operand; each <= OperandFlags; ++each)
      section[each].reserve(operands);
    for (int each = ValueKind; each <= ValueLiteral; ++each)
      section[each].reserve(values);
    section[ValuePointer].reserve(values);
    this->values.reserve(values);
    ids.reserve(values);
    blocks.reserve(function.size());
  }

  void number() {
    for (Argument &argument : function.args())
      valueId(argument);
    for (BasicBlock &block : function) {
      blocks[&block] = section[BlockPointer].size();
      section[BlockPointer].push_back(word(&block));
      for (Instruction &instruction : block) {
        valueId(instruction);
        hasPointerFacts |= isa<AllocaInst, AddrSpaceCastInst>(instruction);
      }
    }
  }

  static int32_t word(const void *pointer) { return static_cast<int32_t>(reinterpret_cast<uintptr_t>(pointer)); }

  int valueId(const Value &value) {
    auto [entry, isNew] = ids.try_emplace(&value, values.size());
    if (isNew)
      values.push_back(&value);
    return entry->second;
  }

  int typeId(Type *type) {
    auto [entry, isNew] = types.try_emplace(type, section[TypeKind].size());
    if (isNew) {
      enum { Other, Void, Integer, Float, Pointer, Vector, Token, Aggregate };
      int kind = type->isVoidTy()            ? Void
                 : type->isIntegerTy()       ? Integer
                 : type->isFloatingPointTy() ? Float
                 : type->isPointerTy()       ? Pointer
                 : type->isVectorTy()        ? Vector
                 : type->isTokenTy()         ? Token
                 : type->isAggregateType()   ? Aggregate
                                             : Other;
      section[TypeKind].push_back(kind);
      section[TypeBits].push_back(type->isSized() ? layout.getTypeSizeInBits(type).getKnownMinValue() : 0);
      section[TypeAddressSpace].push_back(type->isPointerTy() ? type->getPointerAddressSpace() : None);
    }
    return entry->second;
  }

  void functionFacts() {
    int flags = 0;
    if (costs.hasBranchDivergence(&function))
      flags |= HasBranchDivergence;
    auto convention = function.getCallingConv();
    if (convention == CallingConv::AMDGPU_KERNEL || convention == CallingConv::PTX_Kernel ||
        convention == CallingConv::SPIR_KERNEL)
      flags |= IsKernel;
    if (function.hasOptNone())
      flags |= OptNone;
    if (function.hasFnAttribute(Attribute::Naked))
      flags |= Naked;
    if (machine.getTargetTriple().isAMDGCN() && !isGraphicsStage(convention))
      flags |= AsksWaves;
    for (BasicBlock &block : function) {
      if (block.hasAddressTaken())
        flags |= AddressTaken;
      for (Instruction &instruction : block)
        if (isa<ConvergenceControlInst>(instruction))
          flags |= ConvergenceControl;
    }
    int waveSize = 32;
    if (machine.getTargetTriple().isAMDGCN())
      waveSize = machine.getSubtargetImpl(function)->checkFeatures("+wavefrontsize64") ? 64 : 32;
    section[Function_] = {flags, waveSize, static_cast<int>(function.arg_size())};
    groupSize();
    for (Argument &argument : function.args())
      section[ArgUniformity].push_back(static_cast<int>(costs.getValueUniformity(&argument)));
  }

  // The stages whose waves may hold helper lanes or lanes that are not launched yet.
  static bool isGraphicsStage(CallingConv::ID convention) {
    return convention == CallingConv::AMDGPU_PS || convention == CallingConv::AMDGPU_VS ||
           convention == CallingConv::AMDGPU_GS || convention == CallingConv::AMDGPU_HS ||
           convention == CallingConv::AMDGPU_LS || convention == CallingConv::AMDGPU_ES ||
           convention == CallingConv::AMDGPU_CS_Chain || convention == CallingConv::AMDGPU_CS_ChainPreserve;
  }

  // The size of a work group in three dimensions, 0 where it is not required; and the most threads that it may have, 0 where
  // the function does not say.
  void groupSize() {
    MDNode *size = function.getMetadata("reqd_work_group_size");
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      bool isKnown = size && dimension < size->getNumOperands();
      auto *extent = isKnown ? mdconst::dyn_extract<ConstantInt>(size->getOperand(dimension)) : nullptr;
      section[Function_].push_back(extent && extent->getValue().isIntN(30) ? extent->getZExtValue() : 0);
    }
    unsigned most = 0;
    auto bounds = function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString().split(',');
    if (bounds.second.trim().getAsInteger(10, most) || most >= 1024)
      most = 0;
    section[Function_].push_back(most);
  }

  void blockFacts(BasicBlock &block) {
    int id = section[BlockInstrStart].size();
    section[BlockInstrStart].push_back(section[InstrOpcode].size());
    section[SuccStart].push_back(section[Succ].size());
    for (BasicBlock *successor : successors(&block))
      section[Succ].push_back(blocks[successor]);
    for (Instruction &instruction : block)
      instructionFacts(instruction, id);
  }

  int latency(const Instruction &instruction) {
    InstructionCost answer = costs.getInstructionCost(&instruction, TargetTransformInfo::TCK_Latency);
    return answer.isValid() ? static_cast<int>(std::min<int64_t>(answer.getValue(), 1 << 20)) : 1 << 20;
  }

  void instructionFacts(Instruction &instruction, int block) {
    int flags = instructionFlags(instruction);
    flagsOfOperands.clear();
    for (unsigned index = 0; index < instruction.getNumOperands(); ++index)
      flagsOfOperands.push_back(isa<BasicBlock>(instruction.getOperand(index)) ? None : operandFlags(instruction, index));
    section[InstrOpcode].push_back(LLVMGetInstructionOpcode(wrap(&instruction)));
    section[InstrFlags].push_back(flags);
    section[InstrBlock].push_back(block);
    section[InstrType].push_back(typeId(instruction.getType()));
    section[InstrUniformity].push_back(static_cast<int>(costs.getValueUniformity(&instruction)));
    section[InstrLatency].push_back(latency(instruction));
    section[InstrKey].push_back(flags & (NeverMelds | Marker) ? None : key(instruction));
    auto *compare = dyn_cast<CmpInst>(&instruction);
    section[InstrPredicate].push_back(compare ? static_cast<int>(compare->getPredicate()) : None);
    section[InstrSource].push_back(laneSource(instruction));
    section[InstrTaken].push_back(taken(instruction));
    memoryFacts(instruction);
    operandFacts(instruction);
  }

  // How many compares the chain of a switch takes: one for each run of values of a destination (darm_lower_switch).
  static int compares(const SwitchInst &branch) {
    MapVector<const BasicBlock *, SmallVector<APInt, 4>> cases;
    for (auto each : branch.cases())
      if (each.getCaseSuccessor() != branch.getDefaultDest())
        cases[each.getCaseSuccessor()].push_back(each.getCaseValue()->getValue());
    int count = 0;
    for (auto &[successor, values] : cases) {
      llvm::sort(values, [](const APInt &a, const APInt &b) { return a.slt(b); });
      for (size_t index = 0; index < values.size(); ++index)
        count += index == 0 || values[index] != values[index - 1] + 1;
    }
    return count;
  }

  // What the metadata of a conditional branch or select says about its condition, in 1/1024: how often it is true. -1 if it
  // says nothing, -2 if it says that nobody knows.
  static int taken(const Instruction &instruction) {
    if (auto *branch = dyn_cast<SwitchInst>(&instruction))
      return compares(*branch);
    if (!isa<SelectInst, CondBrInst>(instruction))
      return None;
    uint64_t yes = 0, no = 0;
    if (extractBranchWeights(instruction, yes, no) && yes + no > 0)
      return static_cast<int>(1024.0 * yes / (static_cast<double>(yes) + no) + 0.5);
    return instruction.hasMetadata(LLVMContext::MD_unpredictable) ? Mixed : None;
  }

  void memoryFacts(Instruction &instruction) {
    int space = None, align = 0;
    if (const Value *pointer = getLoadStorePointerOperand(&instruction)) {
      space = pointer->getType()->getPointerAddressSpace();
      align = getLoadStoreAlignment(&instruction).value();
    } else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
      space = atomic->getPointerAddressSpace();
      align = atomic->getAlign().value();
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      space = exchange->getPointerAddressSpace();
      align = exchange->getAlign().value();
    }
    section[InstrAddressSpace].push_back(space);
    section[InstrAlign].push_back(align);
  }

  void operandFacts(Instruction &instruction) {
    section[OperandStart].push_back(section[Operand].size());
    auto *phi = dyn_cast<PHINode>(&instruction);
    for (unsigned index = 0; index < instruction.getNumOperands(); ++index) {
      if (flagsOfOperands[index] == None)
        continue;
      section[Operand].push_back(valueId(*instruction.getOperand(index)));
      section[OperandBlock].push_back(phi ? blocks[phi->getIncomingBlock(index)] : None);
      section[OperandFlags].push_back(flagsOfOperands[index]);
    }
  }

  // Equal keys are necessary for two instructions to become one; what is no part of the key is intersected.
  int key(const Instruction &instruction) {
    SmallVector<int32_t, 16> parts;
    auto add = [&parts](int32_t part) { parts.push_back(part); };
    add(instruction.getOpcode());
    add(typeId(instruction.getType()));
    for (unsigned index = 0; index < instruction.getNumOperands(); ++index) {
      if (flagsOfOperands[index] == None)
        continue;
      Value *operand = instruction.getOperand(index);
      add(typeId(operand->getType()));
      if (flagsOfOperands[index] & MustStay)
        add(valueId(*operand));
    }
    if (auto *compare = dyn_cast<CmpInst>(&instruction))
      add(std::min<int>(compare->getPredicate(), compare->getSwappedPredicate()));
    if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
      add(typeId(gep->getSourceElementType()));
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      add(word(alloca));
    if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
      parts.append(extract->idx_begin(), extract->idx_end());
    if (auto *insert = dyn_cast<InsertValueInst>(&instruction))
      parts.append(insert->idx_begin(), insert->idx_end());
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
      for (int lane : shuffle->getShuffleMask())
        add(lane);
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      parts.append({load->isVolatile(), int32_t(load->getOrdering()), load->getSyncScopeID()});
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      parts.append({store->isVolatile(), int32_t(store->getOrdering()), store->getSyncScopeID()});
    if (auto *fence = dyn_cast<FenceInst>(&instruction))
      parts.append({int32_t(fence->getOrdering()), fence->getSyncScopeID()});
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      parts.append({atomic->isVolatile(), int32_t(atomic->getOrdering()), atomic->getSyncScopeID(),
                    int32_t(atomic->getOperation())});
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      parts.append({exchange->isVolatile(), int32_t(exchange->getSuccessOrdering()),
                    int32_t(exchange->getFailureOrdering()), exchange->getSyncScopeID(), exchange->isWeak()});
    if (instruction.isAtomic())
      addTargetMetadata(instruction, parts);
    if (auto *call = dyn_cast<CallInst>(&instruction))
      parts.append({valueId(*call->getCalledOperand()), int32_t(call->getCallingConv()), int32_t(call->getTailCallKind()),
                    int32_t(typeId(call->getFunctionType()))});
    StringRef bytes(reinterpret_cast<const char *>(parts.data()), parts.size() * sizeof(int32_t));
    return keys.try_emplace(bytes, keys.size()).first->second;
  }

  // `!amdgpu.*` decides how an atomic is expanded: atomics whose target metadata differ do not meld.
  void addTargetMetadata(const Instruction &instruction, SmallVectorImpl<int32_t> &parts) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> nodes;
    instruction.getAllMetadataOtherThanDebugLoc(nodes);
    SmallVector<StringRef, 16> names;
    instruction.getContext().getMDKindNames(names);
    for (auto [kind, node] : nodes)
      if (names[kind].starts_with("amdgpu."))
        parts.append({int32_t(kind), word(node)});
  }

  void valueFacts(const Value &value) {
    enum { ArgumentValue, InstructionValue, ConstantValue, UndefinedValue, Poison, Global, OtherValue };
    int kind = isa<Argument>(value)      ? ArgumentValue
               : isa<Instruction>(value) ? InstructionValue
               : isa<PoisonValue>(value) ? Poison
               : isa<UndefValue>(value)  ? UndefinedValue
               : isa<GlobalValue>(value) ? Global
               : isa<Constant>(value)    ? ConstantValue
                                         : OtherValue;
    section[ValueKind].push_back(kind);
    section[ValueType].push_back(typeId(value.getType()));
    int alloca = None, castFrom = None;
    if (hasPointerFacts && value.getType()->isPointerTy())
      pointerFacts(value, alloca, castFrom);
    section[ValueAlloca].push_back(alloca);
    section[ValueCastFrom].push_back(castFrom);
    addressFacts(value);
    auto *integer = dyn_cast<ConstantInt>(&value);
    bool fits = integer && integer->getValue().isSignedIntN(32);
    section[ValueInteger].push_back(fits ? static_cast<int32_t>(integer->getSExtValue()) : NoInteger);
    section[ValueLiteral].push_back(machine.getTargetTriple().isAMDGCN() && isLiteral(value));
    section[ValuePointer].push_back(word(&value));
  }

  // Constants that an operand of an instruction does not hold for free.
  static bool isLiteral(const Value &value) {
    if (isa<GlobalValue>(value))
      return true;
    if (!isa<ConstantInt, ConstantFP>(value))
      return false;
    auto *number = dyn_cast<ConstantFP>(&value);
    APInt bits = number ? number->getValueAPF().bitcastToAPInt() : cast<ConstantInt>(value).getValue();
    if (bits.getBitWidth() == 64)
      return !AMDGPU::isInlinableLiteral64(bits.getSExtValue(), /*HasInv2Pi=*/true);
    if (bits.getBitWidth() == 16 && number)
      return !AMDGPU::isInlinableLiteralFP16(bits.getSExtValue(), /*HasInv2Pi=*/true);
    return bits.getBitWidth() > 64 || !AMDGPU::isInlinableLiteral32(bits.getSExtValue(), /*HasInv2Pi=*/true);
  }

  // Pointers as a base and a constant: equal bases lie a constant apart. Only those of 32-bit distances.
  void addressFacts(const Value &value) {
    int base = None, offset = 0;
    if (value.getType()->isPointerTy() && !isa<UndefValue>(value)) {
      Address address(value, layout);
      if (isInt<32>(address.offset)) {
        auto words = address.base();
        StringRef bytes(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint64_t));
        base = bases.try_emplace(bytes, bases.size()).first->second;
        offset = address.offset;
      }
    }
    section[ValueBase].push_back(base);
    section[ValueOffset].push_back(offset);
  }

  void pointerFacts(const Value &value, int &alloca, int &castFrom) {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(&value, objects, nullptr, /*MaxLookup=*/0);
    for (const Value *object : objects)
      if (isa<AllocaInst>(object))
        alloca = objects.size() == 1 ? ids.lookup(object) : Mixed;
    // Walk GEPs, casts, selects and phis for the address spaces that the pointer comes from.
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const Value *, 8> work{&value};
    while (!work.empty()) {
      const Value *pointer = work.pop_back_val();
      if (!seen.insert(pointer).second)
        continue;
      if (auto *cast = dyn_cast<AddrSpaceCastOperator>(pointer)) {
        int space = cast->getSrcAddressSpace();
        castFrom = castFrom == None || castFrom == space ? space : Mixed;
      } else if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
        work.push_back(gep->getPointerOperand());
      } else if (auto *select = dyn_cast<SelectInst>(pointer)) {
        work.push_back(select->getTrueValue());
        work.push_back(select->getFalseValue());
      } else if (auto *phi = dyn_cast<PHINode>(pointer)) {
        for (const Value *incoming : phi->incoming_values())
          work.push_back(incoming);
      }
    }
  }

  void pack(std::vector<int32_t> &words) {
    size_t size = 4 + 2 * SectionCount;
    for (auto &each : section)
      size += each.size();
    words.reserve(size);
    words.assign(4 + 2 * SectionCount, 0);
    words[0] = AbiVersion;
    words[1] = SectionCount;
    for (int index = 0; index < SectionCount; ++index) {
      // The fingerprint covers what the function is, not where it lies in memory.
      if (index == BlockPointer) {
        uint64_t hash = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(words.data() + 4), (words.size() - 4) * 4));
        words[2] = static_cast<int32_t>(hash);
        words[3] = static_cast<int32_t>(hash >> 32);
      }
      words[4 + 2 * index] = words.size();
      words[5 + 2 * index] = section[index].size();
      words.insert(words.end(), section[index].begin(), section[index].end());
    }
  }
};

} // namespace

DARM_EXPORT const char *darm_snapshot_sections() { return SectionNames; }

DARM_EXPORT int darm_snapshot(Job *job, LLVMValueRef function) {
  Snapshot(*job, *unwrap<llvm::Function>(function)).take(job->words);
  return Ok;
}
