// No allocation, no locks. All loops are bounded, because BPF jumps only go forward.
#include "samplers/agent/confinement/seccomp_filter.h"

#include <cstring>

namespace gprofx::agent {
namespace {

constexpr uint32_t kRefused = SECCOMP_RET_KILL_PROCESS;

struct Machine {
  uint32_t a = 0, x = 0;
  uint32_t memory[BPF_MEMWORDS] = {};
};

bool Load(const sock_filter& op, const seccomp_data& call, Machine& m) {
  uint32_t value = op.k;
  switch (BPF_MODE(op.code)) {
    case BPF_ABS:
      if (op.k > sizeof(call) - sizeof(value) || op.k % sizeof(value) != 0) return false;
      std::memcpy(&value, reinterpret_cast<const char*>(&call) + op.k, sizeof(value));
      break;
    case BPF_LEN:
      value = sizeof(call);
      break;
    case BPF_IMM:
      break;
    case BPF_MEM:
      if (op.k >= BPF_MEMWORDS) return false;
      value = m.memory[op.k];
      break;
    default:
      return false;
  }
  (BPF_CLASS(op.code) == BPF_LD ? m.a : m.x) = value;
  return true;
}

bool Compute(const sock_filter& op, Machine& m) {
  const uint32_t b = BPF_SRC(op.code) == BPF_X ? m.x : op.k;
  switch (BPF_OP(op.code)) {
    case BPF_ADD:
      m.a += b;
      return true;
    case BPF_SUB:
      m.a -= b;
      return true;
    case BPF_MUL:
      m.a *= b;
      return true;
    case BPF_DIV:
      if (b == 0) return false;
      m.a /= b;
      return true;
    case BPF_AND:
      m.a &= b;
      return true;
    case BPF_OR:
      m.a |= b;
      return true;
    case BPF_XOR:
      m.a ^= b;
      return true;
    case BPF_LSH:
      m.a = b < 32 ? m.a << b : 0;
      return true;
    case BPF_RSH:
      m.a = b < 32 ? m.a >> b : 0;
      return true;
    case BPF_NEG:
      m.a = 0u - m.a;
      return true;
    default:
      return false;
  }
}

// Evaluates the jump `op`. Sets *skip to the number of instructions to skip. Returns false if the
// kernel does not know the instruction.
bool Jump(const sock_filter& op, const Machine& m, uint32_t* skip) {
  const uint32_t b = BPF_SRC(op.code) == BPF_X ? m.x : op.k;
  bool taken = false;
  switch (BPF_OP(op.code)) {
    case BPF_JA:
      *skip = op.k;
      return true;
    case BPF_JEQ:
      taken = m.a == b;
      break;
    case BPF_JGT:
      taken = m.a > b;
      break;
    case BPF_JGE:
      taken = m.a >= b;
      break;
    case BPF_JSET:
      taken = (m.a & b) != 0;
      break;
    default:
      return false;
  }
  *skip = taken ? op.jt : op.jf;
  return true;
}

}  // namespace

uint32_t RunSeccompFilter(const sock_filter* program, uint32_t length, const seccomp_data& call) {
  Machine m;
  for (uint64_t at = 0; at < length; ++at) {
    const sock_filter& op = program[at];
    bool known = true;
    uint32_t skip = 0;
    switch (BPF_CLASS(op.code)) {
      case BPF_LD:
      case BPF_LDX:
        known = Load(op, call, m);
        break;
      case BPF_ST:
      case BPF_STX:
        known = op.k < BPF_MEMWORDS;
        if (known) m.memory[op.k] = BPF_CLASS(op.code) == BPF_ST ? m.a : m.x;
        break;
      case BPF_ALU:
        known = Compute(op, m);
        break;
      case BPF_JMP:
        known = Jump(op, m, &skip);
        at += skip;
        break;
      case BPF_RET:
        return BPF_RVAL(op.code) == BPF_A ? m.a : op.k;
      case BPF_MISC:
        (BPF_MISCOP(op.code) == BPF_TAX ? m.x : m.a) = BPF_MISCOP(op.code) == BPF_TAX ? m.a : m.x;
        break;
      default:
        known = false;
    }
    if (!known) return kRefused;
  }
  return kRefused;
}

}  // namespace gprofx::agent
