// Decodes machine code in bulk: LLVM's disassembler over a whole text section, without an MCInst a call.
//
// job->words = six lists, each behind its length: per instruction its byte offset, its size in bytes, its opcode (index in
// the opcode table, -1: the bytes are no instruction); the index of its first operand (one more entry than instructions);
// three words per operand: kind | width << 8 (in bits), the hardware number of a register or the low word of an immediate,
// the high word of an immediate; two words per opcode: TSFlags, low and high.
// job->output = fields that end in a NUL byte: per opcode LLVM's name, the mnemonic, the names of its operands separated by
// spaces (`?` where LLVM has none); then per instruction its text.
#include "abi.h"
#include "SIDefines.h"
#include "Utils/AMDGPUBaseInfo.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace darm;

namespace {

enum OperandKind { Sgpr = 0, Vgpr = 1, Agpr = 2, Vgpr16Low = 3, Vgpr16High = 4, Immediate = 5 };

#define NAMED_OPERANDS(X)                                                                                              \
  X(vdst) X(src0) X(vdata) X(vaddr) X(srsrc) X(soffset) X(offset) X(cpol) X(vdata_in) X(swz) X(saddr) X(addr) X(data0)   \
  X(gds) X(addr_in) X(data1) X(waitvdst) X(waitvsrc) X(offset0) X(offset1) X(vdst_in) X(src1) X(src2) X(src3)            \
  X(src0_modifiers) X(clamp) X(omod) X(op_sel) X(dst) X(mask) X(src) X(idx) X(val) X(data) X(sdst) X(simm16) X(sdata)    \
  X(sbase) X(sdst_in) X(imm) X(format) X(old) X(dpp_ctrl) X(row_mask) X(bank_mask) X(bound_ctrl) X(src1_modifiers)      \
  X(dst_sel) X(dst_unused) X(src0_sel) X(src1_sel) X(src2_modifiers) X(byte_sel) X(bitop3) X(op_sel_hi) X(neg_lo)        \
  X(neg_hi) X(cbsz) X(blgp) X(abid) X(src0_out) X(fi) X(vdst1) X(srcTiedDef) X(tfe) X(dpp8) X(vdstX) X(vdstY)            \
  X(src0X_modifiers) X(src0X) X(vsrc1X_modifiers) X(vsrc1X) X(src0Y_modifiers) X(src0Y) X(vsrc1Y_modifiers) X(vsrc1Y)    \
  X(vsrc2Y) X(src2Y) X(vsrc2Y_modifiers) X(vsrc2X) X(src2X) X(immX) X(vsrc2X_modifiers)

struct OperandName {
  AMDGPU::OpName id;
  const char *text;
};
constexpr OperandName OperandNames[] = {
#define X(name) {AMDGPU::OpName::name, #name},
    NAMED_OPERANDS(X)
#undef X
};

class Decoder {
public:
  Decoder(Job &job, const Target &target, const Triple &triple, std::unique_ptr<MCSubtargetInfo> processor)
      : job(job), registers(target.createMCRegInfo(triple)),
        assembly(target.createMCAsmInfo(*registers, triple, options)), instructions(target.createMCInstrInfo()),
        subtarget(std::move(processor)),
        context(triple, *assembly, *registers, *subtarget),
        disassembler(target.createMCDisassembler(*subtarget, context)),
        printer(target.createMCInstPrinter(triple, assembly->getAssemblerDialect(), *assembly, *instructions, *registers)) {}

  void decode(ArrayRef<uint8_t> code) {
    uint64_t at = 0;
    while (at < code.size()) {
      MCInst inst;
      uint64_t size = 0;
      auto status = disassembler->getInstruction(inst, size, code.slice(at), at, nulls());
      bool valid = status != MCDisassembler::Fail && size > 0;
      if (!valid)
        size = std::min<uint64_t>(4, code.size() - at);
      offsets.push_back(at);
      sizes.push_back(size);
      starts.push_back(operands.size() / 3);
      opcodes.push_back(valid ? opcodeIndex(inst) : -1);
      if (valid) {
        for (unsigned index = 0; index < inst.getNumOperands(); ++index)
          addOperand(inst, index);
        raw_svector_ostream out(texts);
        printer->printInst(&inst, at, "", *subtarget, out);
      }
      texts.push_back('\0');
      at += size;
    }
    starts.push_back(operands.size() / 3);
  }

  void write() {
    job.words.clear();
    for (const std::vector<int32_t> *list : {&offsets, &sizes, &opcodes, &starts, &operands, &flags}) {
      job.words.push_back(list->size());
      job.words.insert(job.words.end(), list->begin(), list->end());
    }
    job.output.clear();
    job.output.append(names.begin(), names.end());
    job.output.append(texts.begin(), texts.end());
  }

private:
  int opcodeIndex(const MCInst &inst) {
    auto [entry, isNew] = known.try_emplace(inst.getOpcode(), known.size());
    if (!isNew)
      return entry->second;
    unsigned opcode = inst.getOpcode();
    uint64_t bits = instructions->get(opcode).TSFlags;
    flags.push_back(int32_t(bits));
    flags.push_back(int32_t(bits >> 32));
    // LLVM names no operand of SOP1: there a result comes first, then the source.
    bool isSop1 = bits & SIInstrFlags::SOP1;
    std::vector<StringRef> named(inst.getNumOperands(), "?");
    for (size_t index = 0; isSop1 && index < named.size(); ++index)
      named[index] = index < instructions->get(opcode).getNumDefs() ? "sdst" : "src0";
    for (const OperandName &name : OperandNames) {
      int index = AMDGPU::getNamedOperandIdx(opcode, name.id);
      if (index >= 0 && unsigned(index) < named.size())
        named[index] = name.text;
    }
    raw_svector_ostream out(names);
    const char *mnemonic = printer->getMnemonic(inst).first;
    out << instructions->getName(opcode) << '\0' << (mnemonic ? StringRef(mnemonic).trim() : "") << '\0';
    for (size_t index = 0; index < named.size(); ++index)
      out << (index ? " " : "") << named[index];
    out << '\0';
    return entry->second;
  }

  void addOperand(const MCInst &inst, unsigned index) {
    const MCOperand &operand = inst.getOperand(index);
    if (operand.isReg()) {
      addRegister(operand.getReg());
      return;
    }
    int64_t value = 0;
    if (operand.isImm())
      value = operand.getImm();
    else if (operand.isExpr())
      operand.getExpr()->evaluateAsAbsolute(value);
    unsigned width = 0;
    const MCInstrDesc &desc = instructions->get(inst.getOpcode());
    if (index < desc.getNumOperands() && AMDGPU::isSISrcOperand(desc.operands()[index]))
      width = 8 * AMDGPU::getOperandSize(desc.operands()[index]);
    operands.insert(operands.end(), {int32_t(Immediate | width << 8), int32_t(value), int32_t(value >> 32)});
  }

  void addRegister(MCRegister reg) {
    if (!reg) { // an absent optional register
      operands.insert(operands.end(), {Sgpr, 125, 0});
      return;
    }
    unsigned encoding = registers->getEncodingValue(reg), number = encoding & AMDGPU::HWEncoding::REG_IDX_MASK;
    OperandKind kind = Sgpr;
    bool isVgpr = encoding & AMDGPU::HWEncoding::IS_VGPR;
    unsigned width = widthOf(reg, isVgpr);
    if (isVgpr)
      kind = width == 16 ? (encoding & AMDGPU::HWEncoding::IS_HI16 ? Vgpr16High : Vgpr16Low) : Vgpr;
    else if (encoding & AMDGPU::HWEncoding::IS_AGPR)
      kind = Agpr;
    else if (number == 124 || number == 125) // GFX11 swapped the numbers of M0 and NULL: ours are those of GFX10
      number = StringRef(registers->getName(reg)).starts_with("M0") ? 124 : 125;
    operands.insert(operands.end(), {int32_t(kind | width << 8), int32_t(number), 0});
  }

  unsigned widthOf(MCRegister reg, bool isVgpr) {
    auto [entry, isNew] = widths.try_emplace(reg.id(), 0);
    if (isNew)
      for (const MCRegisterClass &regClass : registers->regclasses())
        if (regClass.contains(reg)) {
          unsigned width = regClass.getSizeInBits();
          // No operand is half of an SGPR, though there are classes of them.
          if (width >= (isVgpr ? 16 : 32) && (entry->second == 0 || width < entry->second))
            entry->second = width;
        }
    return entry->second;
  }

  Job &job;
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  MCContext context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
  DenseMap<unsigned, int> known, widths;
  std::vector<int32_t> offsets, sizes, opcodes, starts, operands, flags;
  SmallVector<char, 0> names, texts;
};

} // namespace

// `features` as in llc's -mattr; the wave size belongs there, a code object says it per kernel.
DARM_EXPORT int darm_disassemble(Job *job, const uint8_t *code, size_t size, const char *cpu, const char *features) {
  Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return job->fail(BadTarget, error);
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, cpu, features));
  if (!subtarget->isCPUStringValid(cpu))
    return job->fail(BadTarget, "unknown processor '" + std::string(cpu) + "'");
  Decoder decoder(*job, *target, triple, std::move(subtarget));
  decoder.decode({code, size});
  decoder.write();
  return Ok;
}
