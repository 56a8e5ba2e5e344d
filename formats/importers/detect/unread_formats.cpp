#include "formats/importers/detect/unread_formats.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/varint.h"

namespace gprofx::importers {
namespace {

struct Known {
  std::string_view what, fix;
};

// Returns what a file is, by its first bytes; no value if they are not those of a known format.
std::optional<Known> ByMagic(std::string_view head) {
  using namespace std::literals;
  static constexpr struct {
    std::string_view head;
    Known known;
  } kKnown[] = {
      {"PERFILE2"sv,
       {"a recording of perf, which only perf reads",
        "run perf script -i FILE > TEXT, then import TEXT"}},
      {"PK\x03\x04"sv, {"a zip archive", "unzip it, then import a trace from it"}},
      {"\xfd"
       "7zXZ"sv,
       {"compressed with xz", "run xz -dk FILE"}},
      {"\x28\xb5\x2f\xfd"sv, {"compressed with zstd", "run zstd -dk FILE"}},
      {"NVR\0"sv,
       {"a report of Nsight Compute",
        "run ncu --import FILE --csv --page raw > TABLE, then gprof-x import --into PROFILE "
        "TABLE"}},
      {"\x89HDF"sv, {"an HDF5 file", "export from Nsight Systems with nsys export --type sqlite"}},
      {"# callgrind format"sv, {"a profile of callgrind", "read it with callgrind_annotate"}},
      {"memray\0"sv,
       {"a recording of memray, which has allocations but no time",
        "read it with memray, or record time with gprof-x record"}},
      {"HCAT"sv,
       {"a recording of Python's profiling.sampling in its binary form",
        "run python -m profiling.sampling replay --gecko -o TRACE FILE, then import TRACE"}}};
  for (const auto& each : kKnown) {
    if (head.starts_with(each.head)) return each.known;
  }
  return std::nullopt;
}

bool IsBzip2(std::string_view head) {
  return head.starts_with("BZh") && head.size() > 10 && head.substr(4, 6) == "1AY&SY";
}

bool IsAustin(std::string_view head) {
  return head.starts_with("MOJ") && head.size() > 3 && head[3] < ' ';
}

bool IsTar(std::string_view head) {
  constexpr size_t kMagic = 257;
  return head.size() > kMagic && head.substr(kMagic).starts_with("ustar");
}

bool IsCallgrind(std::string_view head) {
  return (head.starts_with("version: ") || head.starts_with("creator: ") ||
          head.starts_with("events: ") || Contains(head, "\nevents: ")) &&
         Contains(head, "\nfn=");
}

// True for the output of cProfile: a dictionary with tuples as keys, in Python's own encoding
// (marshal).
bool IsCProfile(std::string_view head) {
  constexpr unsigned kReference = 0x80;  // bit of a type: the object is referred to again
  const auto begins = [&](size_t at, char type) {
    return (static_cast<unsigned char>(head[at]) & ~kReference) == static_cast<unsigned>(type);
  };
  return head.size() > 1 && begins(0, '{') && (begins(1, ')') || begins(1, '('));
}

// True for a trace of Perfetto: a protobuf message in which field 1, a packet with its length,
// repeats.
bool IsPerfetto(std::string_view head) {
  constexpr char kPacket = '\n';
  constexpr uint64_t kMaxPacket = uint64_t{1} << 35;
  // Text files may begin like a packet but contain no NUL.
  if (!Contains(head, std::string_view("\0", 1))) return false;
  const char* at = head.data();
  const char* const end = at + head.size();
  for (int packets = 0; packets < 3 && at != end; ++packets) {
    if (*at++ != kPacket) return false;
    uint64_t length = 0;
    if (!ReadVarint(at, end, length) || length >= kMaxPacket) return false;
    at += std::min<uint64_t>(length, static_cast<uint64_t>(end - at));
  }
  return true;
}

// True for the JSON of scalene, which has shares or sums instead of times or samples.
bool IsScalene(std::string_view head) {
  return Contains(head, "\"n_cpu_percent_python\"") ||
         (Contains(head, "\"elapsed_time_sec\"") && Contains(head, "\"alloc_samples\""));
}
bool IsMemraySummary(std::string_view head) {
  return head.starts_with('{') && Contains(head, "\"total_num_allocations\"");
}

std::optional<Known> ByContents(std::string_view head) {
  static constexpr struct {
    bool (*test)(std::string_view);
    Known known;
  } kKnown[] = {
      {IsBzip2, {"compressed with bzip2", "run bzip2 -dk FILE"}},
      {IsAustin,
       {"a recording of austin in its binary form", "run mojo2austin FILE TEXT, then import TEXT"}},
      {IsTar, {"a tar archive", "unpack it, then import a trace from it"}},
      {IsCallgrind, {"a profile of callgrind", "read it with callgrind_annotate"}},
      {IsCProfile,
       {"a profile of cProfile, which has no call stacks",
        "record with gprof-x record -- python SCRIPT"}},
      {IsPerfetto,
       {"a Perfetto trace in its binary form",
        "record with rocprofv3 --output-format rocpd, or run traceconv json FILE TRACE and import "
        "TRACE"}},
      {IsScalene,
       {"a profile of scalene, which has rounded shares but no samples",
        "record with gprof-x record -- python SCRIPT"}},
      {IsMemraySummary,
       {"a summary of memray, which has allocations but no time",
        "record time with gprof-x record"}}};
  for (const auto& each : kKnown) {
    if (each.test(head)) return each.known;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> UnreadFormat(const std::string& path, std::string_view head) {
  std::optional<Known> known = ByMagic(head);
  if (!known) known = ByContents(head);
  if (!known) return std::nullopt;
  return Error{ErrorId::kOtherFormat, "'" + path + "' is " + std::string(known->what),
               std::string(known->fix)};
}

}  // namespace gprofx::importers
