// Writes profiles in a forked copy of this process while the recording continues: when a watcher
// asks for one, and the last minutes (flight.cpp). The copy works on a snapshot of this process.
#include <unistd.h>

#include <string>
#include <utility>

#include "samplers/recorder/recording.h"

namespace gprofx::recorder {
namespace {

// A copy's answer begins with '+' if it succeeded. Otherwise its first byte is another one, the id
// of the error follows in two bytes, and then its text.
constexpr size_t kIdEnd = 3;

std::string Answer(const Result<std::string>& file) {
  if (file) return "+" + *file;
  const auto id = static_cast<unsigned>(file.error().id);
  return std::string{'-', static_cast<char>(id >> 8), static_cast<char>(id)} + file.error().Text();
}

Result<std::string> FileOf(const Result<std::string>& answer) {
  if (!answer) return answer.error();
  if (answer->starts_with("+")) return answer->substr(1);
  if (answer->size() < kIdEnd) return Error{ErrorId::kCannotWrite, "no profile was written"};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>((*answer)[i]); };
  return Error{static_cast<ErrorId>(byte(1) << 8 | byte(2)), answer->substr(kIdEnd)};
}

}  // namespace

// False while another thread attaches to processes. A copy could inherit a lock that this thread
// holds.
bool Recording::MayFork() const { return attachment_ == nullptr || !attachment_->is_entering(); }

Status Recording::BeginCopy(HostNs now, const Claim& claim) {
  return copy_.Begin(
      [&](const std::function<void()>& ready) { return Answer(WriteCopy(claim(), now, ready)); });
}

// Writes the profile. Runs in the copy, so its changes do not affect the recording.
Result<std::string> Recording::WriteCopy(Result<ProfileWriter> out, HostNs now,
                                         const std::function<void()>& ready) {
  if (!out) return out.error();
  if (const Status begun = out->Begin(); !begun) return begun.error();
  for (const auto& process : processes_.live()) process->drain.FinishCopy(now);
  if (writer_ != nullptr) HandOver();
  program_end_ = now;
  Describe();
  DescribeRun(Facts(), profile_);
  gpu_.DescribeEnd(now);
  if (const Status written = WriteFinal(*out, copied_for_, ready); !written) {
    unlink(out->path().c_str());
    return written.error();
  }
  return out->path();
}

void Recording::TakeCopy() {
  const auto answer = copy_.Take();
  if (!answer) return;
  const Result<std::string> file = FileOf(*answer);
  if (watcher_ != nullptr) return watcher_->Dumped(file);
  if (file) return listener_.Tell(event::Written{*file, copied_for_});
  listener_.Tell(
      event::NotWritten{{file.error().id, "cannot write the last minutes: " + file.error().Text(),
                         "the program and the recording continue"}});
}

}  // namespace gprofx::recorder
