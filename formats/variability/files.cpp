#include "formats/variability/files.h"

#include <sys/stat.h>

#include <string_view>

#include "formats/importers/byte_source.h"
#include "formats/profile/profile_db.h"

namespace gprofx {
namespace {

enum class Format { kProfile, kNsight, kChrome, kCompute, kUnknown };

// Minimum bytes of a part that another rank reads. Reading such a part takes about 10 ms; for less,
// opening the file in another rank would not pay.
constexpr uint64_t kProfilePart = uint64_t{1} << 20, kNsightPart = uint64_t{4} << 20;

uint32_t BigEndian(std::string_view bytes) {
  uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

Result<Format> FormatOf(const std::string& path) {
  Result<importers::ByteSource> source = importers::ByteSource::Open(path);
  if (!source) return source.error();
  const std::span<const char> piece = source->Next();
  if (!source->status()) return source->status().error();
  const std::string_view head(piece.data(), piece.size());
  if (head.starts_with("SQLite format 3")) {
    const bool is_profile = head.size() >= 72 && BigEndian(head.substr(68, 4)) == kApplicationId;
    return is_profile ? Format::kProfile : Format::kNsight;
  }
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Format::kUnknown;
  if (head[first] == '{' || head[first] == '[') return Format::kChrome;
  if (head.find("\"Kernel Name\"") != std::string_view::npos) return Format::kCompute;
  return Format::kUnknown;
}

}  // namespace

OpenedEvents OpenEventFile(const std::string& path) {
  const Result<Format> format = FormatOf(path);
  if (!format) return format.error();
  switch (*format) {
    case Format::kProfile:
      return OpenProfileEvents(path);
    case Format::kNsight:
      return OpenNsightEvents(path);
    case Format::kChrome:
      return OpenChromeEvents(path);
    case Format::kCompute:
      return OpenComputeEvents(path);
    case Format::kUnknown:
      break;
  }
  return Error{ErrorId::kOtherFormat,
               "'" + path + "' is not a profile and not in a known trace format",
               "use a .gprofx file, an SQLite export of Nsight Systems, a Kineto JSON file or the "
               "output of ncu --csv --page raw"};
}

variability::FileEntry EntryOf(const std::string& path) {
  variability::FileEntry entry{path, 0, 1};
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return entry;
  entry.size = static_cast<uint64_t>(info.st_size);
  const Result<Format> format = FormatOf(path);
  if (!format || entry.size == 0) return entry;
  const uint64_t part = *format == Format::kProfile  ? kProfilePart
                        : *format == Format::kNsight ? kNsightPart
                                                     : UINT64_MAX;
  entry.parts = static_cast<size_t>((entry.size - 1) / part + 1);
  return entry;
}

}  // namespace gprofx
