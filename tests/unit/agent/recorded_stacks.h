// A file of stacks that were walked in a real program, with all memory that the walk read: the
// program need not be there to walk them again. Written by record_stacks.cpp, read by
// recorded_stacks_test.cpp.
//
// Numbers of 64 bits, little endian: kStacksMagic; how many modules, of each its begin, end and
// .eh_frame_hdr; how many stacks, of each its registers, whether libgcc's unwinder found the same
// frames, how many frames there are and their pcs, innermost first, and the memory outside of
// modules; then the memory of modules. Memory is how many pieces there are, of each its address,
// length, bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "own_rows.h"
#include "recorded_memory.h"
#include "samplers/agent/unwind/walk.h"

namespace gprofx::agent {

constexpr uint64_t kStacksMagic = 0x31736b6361747301;

struct RecordedStack {
  Registers registers{};
  bool confirmed = false;
  std::vector<uint64_t> pcs;
  RecordedMemory memory;  // outside of modules
};

struct RecordedStacks {
  OwnModules modules;
  std::vector<RecordedStack> stacks;
  RecordedMemory memory;  // of modules
};

struct StackMemory {
  const RecordedMemory& own;
  const RecordedMemory& modules;
  template <class T>
  bool Read(uint64_t address, T* out) const {
    return own.Read(address, out) || modules.Read(address, out);
  }
  bool MaySearch() const { return own.MaySearch(); }
};

// Empty stacks if it is no such file.
inline RecordedStacks ReadStacks(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  RecordedStacks read;
  size_t at = 0;
  const auto number = [&]() -> uint64_t {
    uint64_t value = 0;
    if (text.size() - at < sizeof value) return 0;
    std::memcpy(&value, &text[at], sizeof value);
    at += sizeof value;
    return value;
  };
  const auto memory = [&](RecordedMemory& to) {
    for (uint64_t left = number(); left > 0 && at < text.size(); --left) {
      const uint64_t address = number();
      const uint64_t bytes = std::min<uint64_t>(number(), text.size() - at);
      for (uint64_t i = 0; i < bytes; ++i)
        to.bytes[address + i] = static_cast<uint8_t>(text[at + i]);
      at += bytes;
    }
  };
  if (number() != kStacksMagic) return read;
  read.modules.count = static_cast<uint32_t>(number());
  if (read.modules.count > std::size(read.modules.list)) return {};
  for (uint32_t i = 0; i < read.modules.count; ++i) {
    const uint64_t begin = number(), end = number();
    read.modules.list[i] = {begin, end, number()};
  }
  for (uint64_t left = number(); left > 0 && at < text.size(); --left) {
    RecordedStack stack;
    for (uint64_t& value : stack.registers.r) value = number();
    stack.confirmed = number() != 0;
    for (uint64_t frames = number(); frames > 0 && at < text.size(); --frames)
      stack.pcs.push_back(number());
    memory(stack.memory);
    read.stacks.push_back(stack);
  }
  memory(read.memory);
  return read;
}

}  // namespace gprofx::agent
