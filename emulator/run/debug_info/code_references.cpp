// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/code_references.hpp"

#include <capstone/capstone.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>

namespace ladder::emulator {
namespace {

struct CloseDisassembler {
  void operator()(const csh* handle) const {
    csh closed = *handle;
    cs_close(&closed);
  }
};

struct FreeInstruction {
  void operator()(cs_insn* instruction) const { cs_free(instruction, 1); }
};

bool is_in_group(const cs_insn& instruction, cs_group_type group) {
  const std::span groups(instruction.detail->groups, instruction.detail->groups_count);
  return std::ranges::find(groups, group) != groups.end();
}

/// Calls visit(operand, branches, address behind the instruction).
template <class Visit>
void for_each_operand(std::uintptr_t code, std::size_t bytes, Visit visit) {
  csh handle = 0;
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
    throw std::runtime_error("Capstone, which reads kernels' machine code, cannot be opened");
  const std::unique_ptr<csh, CloseDisassembler> closer(&handle);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  const std::unique_ptr<cs_insn, FreeInstruction> instruction(cs_malloc(handle));
  const auto* next = reinterpret_cast<const std::uint8_t*>(code);
  std::uint64_t address = code;
  while (cs_disasm_iter(handle, &next, &bytes, &address, instruction.get())) {
    if (instruction->id == 0) continue;  // data, which has no detail
    const bool branches =
        is_in_group(*instruction, CS_GRP_CALL) || is_in_group(*instruction, CS_GRP_JUMP);
    const cs_x86& detail = instruction->detail->x86;
    for (const cs_x86_op& operand : std::span(detail.operands, detail.op_count))
      visit(operand, branches, address);
  }
}

}  // namespace

void for_each_reference(std::uintptr_t code, std::size_t bytes,
                        const std::function<void(std::uintptr_t)>& visit) {
  for_each_operand(code, bytes, [&](const cs_x86_op& operand, bool branches, std::uint64_t next) {
    if (operand.type == X86_OP_IMM && branches)
      visit(static_cast<std::uintptr_t>(operand.imm));
    else if (operand.type == X86_OP_MEM && operand.mem.base == X86_REG_RIP)
      visit(next + static_cast<std::uintptr_t>(operand.mem.disp));
  });
}

void for_each_constant(std::uintptr_t code, std::size_t bytes,
                       const std::function<void(std::int64_t)>& visit) {
  for_each_operand(code, bytes, [&](const cs_x86_op& operand, bool branches, std::uint64_t) {
    if (operand.type == X86_OP_IMM && !branches)
      visit(operand.imm);
    else if (operand.type == X86_OP_MEM && operand.mem.base != X86_REG_RIP)
      visit(operand.mem.disp);
  });
}

}  // namespace ladder::emulator
