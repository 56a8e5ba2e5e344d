#include "samplers/collector/processes/mappings.h"

#include <algorithm>
#include <charconv>

namespace gprofx {
namespace {

uint64_t Hex(std::string_view& text) {
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return value;
}

void SkipSpaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

std::string_view Word(std::string_view& text) {
  SkipSpaces(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::vector<Mapping> ParseMaps(std::string_view text) {
  std::vector<Mapping> maps;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    Mapping map;
    map.begin = Hex(line);
    if (!line.starts_with('-')) continue;
    line.remove_prefix(1);
    map.end = Hex(line);
    if (line.size() < 5 || map.end <= map.begin) continue;
    const std::string_view rights = Word(line);
    map.executable = rights.size() > 2 && rights[2] == 'x';
    SkipSpaces(line);
    map.offset = Hex(line);
    const std::string_view device = Word(line), inode = Word(line);
    if (inode != "0") map.file = std::string(device) + " " + std::string(inode);
    SkipSpaces(line);
    map.path = line;
    maps.push_back(std::move(map));
  }
  return maps;
}

const Mapping* MappingOf(std::span<const Mapping> mappings, uint64_t address) {
  const auto after =
      std::upper_bound(mappings.begin(), mappings.end(), address,
                       [](uint64_t at, const Mapping& map) { return at < map.begin; });
  if (after == mappings.begin()) return nullptr;
  const Mapping& map = *(after - 1);
  return address < map.end ? &map : nullptr;
}

std::vector<uint64_t> TwinsOf(std::span<const Mapping> mappings, uint64_t address) {
  constexpr size_t kMax = 8;
  std::vector<uint64_t> twins;
  const Mapping* own = MappingOf(mappings, address);
  if (own == nullptr || !own->executable || own->file.empty()) return twins;
  const uint64_t offset = address - own->begin + own->offset;
  for (const Mapping& map : mappings) {
    const bool holds = offset >= map.offset && offset - map.offset < map.end - map.begin;
    if (twins.size() < kMax && &map != own && map.executable && map.file == own->file && holds)
      twins.push_back(map.begin + (offset - map.offset));
  }
  return twins;
}

}  // namespace gprofx
