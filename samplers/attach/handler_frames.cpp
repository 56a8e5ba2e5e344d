#include "samplers/attach/handler_frames.h"

#include <algorithm>
#include <span>
#include <vector>

namespace gprofx::attach {
namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint64_t kMaxStack = 256 << 10, kNearTop = 4096;
constexpr int kMaxStacks = 4;

// Offsets in words in the frame of a signal handler, from the return address on. The ucontext_t
// follows the return address.
constexpr size_t kFlags = 1, kLink = 2, kStackPointer = 21, kInstruction = 22, kSegments = 24,
                 kFloats = 29;
constexpr uint64_t kMaxFlags = 7, kUserCode = 0x33;
// kFloats points to the saved vector registers. Their size is stored near their start, after the
// first 464 bytes of the FXSAVE area, as a 64-bit word with a magic number and the byte count.
constexpr size_t kFloatsSize = 464 / kWord;
constexpr uint64_t kFloatsMagic = 0x46505853;

std::vector<uint64_t> WordsOf(const RemoteMemory& memory, uint64_t begin, uint64_t end) {
  std::vector<uint64_t> words((end - begin) / kWord);
  words.resize(memory.ReadSome(begin, words.data(), words.size() * kWord) / kWord);
  return words;
}

bool IsFrame(const LoadedObjects& objects, std::span<const uint64_t> words) {
  return words.size() > kFloats && words[kLink] == 0 && words[kFlags] <= kMaxFlags &&
         (words[kSegments] & 0xffff) == kUserCode && objects.RoomOf(words[0]) != Room::kNowhere;
}

// Returns the length of a signal frame in words, from its start to the end of the saved vector
// registers, which the kernel puts above it. The kernel does not write unused registers, so these
// words may still contain the frame of an earlier handler.
size_t LengthOf(std::span<const uint64_t> frame, uint64_t address) {
  const size_t floats = (frame[kFloats] - address) / kWord;
  if (floats < kFloats || floats > frame.size() || frame.size() - floats <= kFloatsSize)
    return kFloats + 1;
  const uint64_t size = frame[floats + kFloatsSize];
  if ((size & UINT32_MAX) != kFloatsMagic) return floats;
  return std::min<size_t>(floats + (size >> 32) / kWord, frame.size());
}

}  // namespace

bool HandlersInterruptedProgram(const RemoteMemory& memory, const LoadedObjects& objects,
                                uint64_t stack) {
  for (int stacks = 0; stacks < kMaxStacks; ++stacks) {
    stack &= ~(kWord - 1);
    const uint64_t end = objects.EndOf(stack);
    if (end == 0) return false;
    const std::vector<uint64_t> words = WordsOf(memory, stack, std::min(end, stack + kMaxStack));
    uint64_t other = 0;
    for (size_t i = 0, length = 1; i < words.size(); i += length) {
      const auto frame = std::span(words).subspan(i);
      length = 1;
      if (!IsFrame(objects, frame)) continue;
      if (objects.RoomOf(frame[kInstruction]) != Room::kProgram) return false;
      if (objects.EndOf(frame[kStackPointer]) != end) other = frame[kStackPointer];
      length = LengthOf(frame, stack + i * kWord);
    }
    if (other == 0) return true;
    stack = other;
  }
  return false;
}

bool AllocatorCalled(const RemoteMemory& memory, const LoadedObjects& objects, uint64_t stack) {
  stack &= ~(kWord - 1);
  const uint64_t end = std::min(objects.EndOf(stack), stack + kNearTop);
  if (end <= stack) return true;
  const std::vector<uint64_t> words = WordsOf(memory, stack, end);
  return std::any_of(words.begin(), words.end(),
                     [&](uint64_t word) { return objects.IsInAllocator(word); });
}

}  // namespace gprofx::attach
