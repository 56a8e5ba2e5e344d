#include "samplers/attach/handler_frames.h"

#include <algorithm>
#include <span>
#include <vector>

namespace gprofx {
namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint64_t kMostStack = 256 << 10, kNearTop = 4096;
constexpr int kMostStacks = 4;

// Words of a handler's frame, from its return address on: ucontext_t begins behind that.
constexpr size_t kFlags = 1, kLink = 2, kStackPointer = 21, kInstruction = 22, kSegments = 24;
constexpr uint64_t kMostFlags = 7, kUserCode = 0x33;

std::vector<uint64_t> WordsOf(const RemoteMemory& memory, uint64_t begin, uint64_t end) {
  std::vector<uint64_t> words((end - begin) / kWord);
  words.resize(memory.ReadSome(begin, words.data(), words.size() * kWord) / kWord);
  return words;
}

bool IsFrame(const LoadedObjects& objects, std::span<const uint64_t> words) {
  return words.size() > kSegments && words[kLink] == 0 && words[kFlags] <= kMostFlags &&
         (words[kSegments] & 0xffff) == kUserCode && objects.RoomOf(words[0]) != Room::kNowhere;
}

}  // namespace

bool HandlersInterruptedProgram(const RemoteMemory& memory, const LoadedObjects& objects,
                                uint64_t stack) {
  for (int stacks = 0; stacks < kMostStacks; ++stacks) {
    stack &= ~(kWord - 1);
    const uint64_t end = objects.EndOf(stack);
    if (end == 0) return false;
    const std::vector<uint64_t> words =
        WordsOf(memory, stack, std::min(end, stack + kMostStack));
    uint64_t other = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      const auto frame = std::span(words).subspan(i);
      if (!IsFrame(objects, frame)) continue;
      if (objects.RoomOf(frame[kInstruction]) != Room::kProgram) return false;
      if (objects.EndOf(frame[kStackPointer]) != end) other = frame[kStackPointer];
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

}  // namespace gprofx
