// Implements function_starts.h. The format of .eh_frame is described in Linux Standard Base,
// "Exception Frames", and in DWARF 5, 6.4.1.
#include "symbolize/elf/function_starts.h"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/base/byte_reader.h"

namespace gprofx {
namespace {

// Bits of a pointer's encoding: kFormat is its size and sign, kBase the base to which it is
// relative.
constexpr uint8_t kFormat = 0x0f, kBase = 0x70;

std::optional<uint64_t> ReadValue(ByteReader& reader, uint8_t format) {
  switch (format & kFormat) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return reader.Number<uint64_t>();
    case DW_EH_PE_uleb128:
      return reader.Uleb();
    case DW_EH_PE_udata2:
      return reader.Number<uint16_t>();
    case DW_EH_PE_udata4:
      return reader.Number<uint32_t>();
    case DW_EH_PE_sleb128:
      return static_cast<uint64_t>(reader.Sleb());
    case DW_EH_PE_sdata2:
      return static_cast<uint64_t>(int64_t{reader.Number<int16_t>()});
    case DW_EH_PE_sdata4:
      return static_cast<uint64_t>(int64_t{reader.Number<int32_t>()});
    default:
      return std::nullopt;
  }
}

// Returns the address encoding that a common information entry (CIE) defines; no value if it is not
// supported.
std::optional<uint8_t> AddressEncoding(ByteReader cie) {
  const auto version = cie.Number<uint8_t>();
  const std::string_view augmentation = cie.Text();
  if (version != 1 && version != 3) return std::nullopt;
  if (augmentation.empty()) return 0;
  if (augmentation.front() != 'z') return std::nullopt;
  cie.Uleb();  // code and data alignment, return address register, augmentation size
  cie.Sleb();
  if (version == 1) {
    cie.Number<uint8_t>();
  } else {
    cie.Uleb();
  }
  cie.Uleb();
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') {
      const auto encoding = cie.Number<uint8_t>();
      if (!cie.ok() || encoding == DW_EH_PE_omit) return std::nullopt;
      return encoding;
    }
    if (letter == 'L') cie.Number<uint8_t>();
    if (letter == 'P' && !ReadValue(cie, cie.Number<uint8_t>())) return std::nullopt;
    if (letter != 'L' && letter != 'P' && letter != 'S' && letter != 'B') return std::nullopt;
  }
  return 0;
}

class Section {
 public:
  Section(std::string_view bytes, uint64_t address) : bytes_(bytes), address_(address) {}

  // Calls take(begin, size) for each function, in the order of the section.
  template <class Take>
  void Read(const Take& take) {
    size_t at = 0;
    while (at < bytes_.size()) {
      ByteReader head(bytes_.substr(at));
      uint64_t length = head.Number<uint32_t>();
      if (length == 0xffffffff) length = head.Number<uint64_t>();
      // A length of 0 marks the end of the section.
      if (!head.ok() || length < 4 || length > head.rest().size()) return;
      const size_t body = at + head.at();
      ByteReader entry(bytes_.substr(body, static_cast<size_t>(length)));
      // Distance to its CIE; 0 = this entry is a CIE itself.
      const auto back = entry.Number<uint32_t>();
      if (back != 0 && back <= body) ReadFunction(body - back, body, entry, take);
      at = body + static_cast<size_t>(length);
    }
  }

 private:
  template <class Take>
  void ReadFunction(size_t common, size_t body, ByteReader entry, const Take& take) {
    const std::optional<uint8_t> encoding = EncodingOf(common);
    if (!encoding || (*encoding & DW_EH_PE_indirect) != 0) return;
    const uint8_t base = *encoding & kBase;
    if (base != 0 && base != DW_EH_PE_pcrel) return;
    const uint64_t place = address_ + body + entry.at();
    const std::optional<uint64_t> begin = ReadValue(entry, *encoding);
    const std::optional<uint64_t> size = ReadValue(entry, *encoding & kFormat);
    if (!begin || !size || !entry.ok() || *size == 0) return;
    take(*begin + (base == DW_EH_PE_pcrel ? place : 0), *size);
  }

  std::optional<uint8_t> EncodingOf(size_t common) {
    const auto [found, asked] = encodings_.try_emplace(common, std::nullopt);
    if (!asked) return found->second;
    ByteReader head(bytes_.substr(common));
    uint64_t length = head.Number<uint32_t>();
    if (length == 0xffffffff) length = head.Number<uint64_t>();
    if (!head.ok() || length > head.rest().size()) return std::nullopt;
    ByteReader cie(head.rest().substr(0, static_cast<size_t>(length)));
    if (cie.Number<uint32_t>() != 0) return std::nullopt;
    return found->second = AddressEncoding(cie);
  }

  std::string_view bytes_;
  uint64_t address_;
  std::unordered_map<size_t, std::optional<uint8_t>> encodings_;
};

}  // namespace

std::map<uint64_t, uint64_t> FunctionStarts(const ElfFile& file,
                                            const std::vector<uint64_t>& addresses) {
  std::map<uint64_t, uint64_t> starts;
  const ElfSection* section = file.FindSection(".eh_frame");
  const bool known = file.machine() == EM_X86_64 || file.machine() == EM_AARCH64;
  if (section == nullptr || !known || addresses.empty()) return starts;
  const std::span<const std::byte> content = file.Content(*section);
  const std::string_view bytes(reinterpret_cast<const char*>(content.data()), content.size());
  Section(bytes, section->header.sh_addr).Read([&](uint64_t begin, uint64_t size) {
    auto address = std::lower_bound(addresses.begin(), addresses.end(), begin);
    for (; address != addresses.end() && *address - begin < size; ++address) {
      // Only in broken files, entries overlap: keep the first one.
      if (!starts.try_emplace(*address, begin).second) break;
    }
  });
  return starts;
}

}  // namespace gprofx
