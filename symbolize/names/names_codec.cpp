#include "symbolize/names/names_codec.h"

#include <unordered_map>

#include "core/base/byte_reader.h"

namespace gprofx {
namespace {

class StringNumbers {
 public:
  uint32_t Of(std::string_view text) {
    const auto [entry, is_new] = numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size()));
    if (is_new) PutText(bytes_, text);
    return entry->second;
  }
  uint32_t count() const { return static_cast<uint32_t>(numbers_.size()); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::string bytes_;
};

std::vector<std::string_view> ReadStrings(ByteReader& reader) {
  std::vector<std::string_view> strings;
  const auto count = reader.Number<uint32_t>();
  if (count > reader.rest().size() / sizeof(uint32_t)) return {};
  strings.reserve(count);
  for (uint32_t i = 0; i < count && reader.ok(); i++) strings.push_back(reader.SizedText());
  return strings;
}

}  // namespace

uint64_t BytesOf(const std::vector<SourceFrame>& frames) {
  uint64_t bytes = 0;
  for (const SourceFrame& frame : frames) {
    bytes += sizeof frame + frame.function.size() + frame.file.size() + frame.decl_file.size();
  }
  return bytes;
}

std::string EncodeNames(const ModuleNames& names) {
  StringNumbers strings;
  std::string entries;
  PutNumber(entries, static_cast<uint32_t>(names.size()));
  for (const auto& [address, frames] : names) {
    PutNumber(entries, address);
    PutNumber(entries, static_cast<uint32_t>(frames.size()));
    for (const SourceFrame& frame : frames) {
      PutNumber(entries, strings.Of(frame.function));
      PutNumber(entries, strings.Of(frame.file));
      PutNumber(entries, frame.line);
      PutNumber(entries, strings.Of(frame.decl_file));
      PutNumber(entries, frame.decl_line);
    }
  }
  std::string out;
  PutNumber(out, strings.count());
  return out + strings.bytes() + entries;
}

bool DecodeNames(std::string_view bytes, ModuleNames& names) {
  constexpr size_t kFrameBytes = 5 * sizeof(uint32_t);
  ByteReader reader(bytes);
  const std::vector<std::string_view> strings = ReadStrings(reader);
  bool good = true;
  uint64_t left = kMaxDecodedBytes;
  const auto text = [&] {
    const auto number = reader.Number<uint32_t>();
    if (number < strings.size() && strings[number].size() <= left) {
      left -= strings[number].size();
      return std::string(strings[number]);
    }
    good = false;
    return std::string();
  };
  ModuleNames read;
  const auto count = reader.Number<uint32_t>();
  for (uint32_t i = 0; i < count && good && reader.ok(); i++) {
    const auto address = reader.Number<uint64_t>();
    const auto depth = reader.Number<uint32_t>();
    if (depth > reader.rest().size() / kFrameBytes) return false;
    std::vector<SourceFrame> frames(depth);
    for (SourceFrame& frame : frames) {
      frame.function = text();
      frame.file = text();
      frame.line = reader.Number<uint32_t>();
      frame.decl_file = text();
      frame.decl_line = reader.Number<uint32_t>();
      if (frame.function.empty()) good = false;
      if (!good) return false;
    }
    read[address] = std::move(frames);
  }
  if (!good || !reader.ok() || !reader.rest().empty()) return false;
  for (auto& [address, frames] : read) names[address] = std::move(frames);
  return true;
}

}  // namespace gprofx
