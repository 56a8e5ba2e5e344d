// What the tests of the profile database share: a folder that vanishes, files as bytes, profiles
// compared row by row.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/profile/profile_db.h"

namespace gprofx::test {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> Names() const;  // sorted

 private:
  std::string path_;
};

std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, std::span<const char> bytes);

// Runs SQL on a file with every safeguard off, as a forger would.
void Forge(const std::string& path, const std::string& sql);

bool SameStrings(const Profile& a, const Profile& b);
void CheckSame(const Profile& a, const Profile& b);  // everything but meta and sample_rows

// A function's frame, in the profile.
FrameId FrameOf(Profile& profile, FrameKind kind, const char* name, const char* file = "");

// `count` samples of the nodes and threads of `profile`, times from `start` on, 1 us apart.
std::vector<SampleRow> SomeSamples(const Profile& profile, size_t count, HostNs start);

// A finished profile with `samples` samples; returns its path in `folder`.
std::string WriteFinished(const TempFolder& folder, const Profile& profile, size_t samples,
                          size_t events = 0);

// One row a microsecond, whose ids are those of the profile.
EventTable SomeEvents(const Profile& profile, Stream stream, size_t count, HostNs start);

// Each opens the file anew.
Result<int64_t> ReadSamples(const std::string& path, HostNs begin, HostNs end,
                            const std::function<void(std::span<const SampleRow>)>& sink);
Result<int64_t> ReadEvents(const std::string& path, Stream stream, std::span<const size_t> columns,
                           HostNs begin, HostNs end,
                           const std::function<void(const EventTable&)>& sink);
Result<std::vector<GpuCubin>> ReadCubins(const std::string& path);
Result<std::vector<SourceText>> ReadSources(const std::string& path);

std::vector<SampleRow> AllSamples(const std::string& path);  // sorted by time

}  // namespace gprofx::test
