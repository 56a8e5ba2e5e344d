// Writes the profile database (.gprofx), an SQLite file described in man/gprof-x-format.5. No
// module outside formats/ knows SQL. formats/profile/profile_reader.h reads a profile, and
// formats/profile/profile_appender.h adds to a finished one.
//
// ProfileWriter keeps a valid profile on disk at every commit. A commit inserts the rows that were
// appended to the Profile since the last commit. It also updates changed rows of processes,
// threads, modules, load ranges, values, meta, quality, GPU devices, contexts, streams and the wall
// time. Each timeline row is passed to the writer once and not kept in memory.
//
// A thread of the writer does the commits, so the caller waits neither for a disk nor for a reader
// that holds a lock on the file. Nothing is synced to disk before the end: committed data survives
// the end of the process, but not a power failure. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/profile/profile_reader.h"
#include "formats/sqlite/output_claim.h"

namespace gprofx {

constexpr uint32_t kApplicationId = 0x47505246;  // "GPRF"
constexpr int kSchemaMajor = 1;
constexpr int kSchemaMinor = 5;  // user_version = major * 1000 + minor

class ProfileWriter {
 public:
  // Claims the right to write `path` and creates an empty profile for it, with mode 0600; see
  // formats/sqlite/output_claim.h. Symbolic links are refused. An existing profile stays at `path`
  // until Begin moves it to `path`.old. The error names the directory or file and suggests a fix.
  static Result<ProfileWriter> Claim(const std::string& path, Existing existing,
                                     ClaimTrouble& trouble);
  Status Begin();
  // Like Begin, but returns at once. IsBusy() is true until Begin has ended; then TakeOutcome()
  // returns its result.
  void BeginInBackground();
  // Calls Claim and Begin.
  static Result<ProfileWriter> Create(const std::string& path);
  ProfileWriter(ProfileWriter&&) noexcept;
  ProfileWriter& operator=(ProfileWriter&&) noexcept;
  ~ProfileWriter();  // committed data stays; without Begin the claim leaves no file

  const std::string& path() const;

  // Buffers rows of CPU samples. The next commit writes them as chunks.
  void AppendSamples(std::span<const SampleRow> rows);
  // Buffers rows of another stream (from Stream::kKernels on, see FindEventStream). The rows are
  // copied.
  void AppendEvents(const EventTable& rows);

  // Updates the file to `profile` in one transaction. Pass the same, growing `profile` at each
  // call. After an Error, such as a full disk, the previous commit is still readable, and Commit
  // may be called again. Nothing is lost except timeline rows that exceed the memory limits of
  // chunk_queue.h, and these are counted.
  Status Commit(const Profile& profile);

  // Makes this a recording that keeps only its last `keep` nanoseconds. Commits remove rows that
  // end more than `keep` before the latest row. If the rows take more than `most_bytes`, commits
  // also remove the oldest ones. Call before the first commit. Data in `profile` without a time
  // stays.
  void KeepLast(HostNs keep, size_t most_bytes);
  // Returns the time from which the rows are complete: no row that begins at or after it was
  // removed.
  HostNs complete_from() const;
  bool IsBusy() const;  // a commit is under way

  // Starts a commit and returns. Returns false and does nothing if the last commit is still under
  // way. If the last commit failed, this call retries it instead; the changes of `profile` are
  // written by the call after it. `profile` may change and grow, but must not be moved or destroyed
  // before EndThread.
  bool CommitInBackground(const Profile& profile);
  // Returns the result of the last background work. A result is returned once; no value if there is
  // none. New work may start before the result is taken. A commit that failed because a reader has
  // locked the file has no result: it is retried.
  std::optional<Status> TakeOutcome();
  // Waits for the end of a commit and ends the thread. The caller may then fork.
  void EndThread();

  // Returns the time that the background work took so far, in ns.
  int64_t writing_ns() const;
  // Returns the number of timeline rows, of all streams, that were dropped so far.
  int64_t dropped_rows() const;

  // Makes this writer write the range [begin, end) of `live`, which may be this writer itself.
  // Finish then writes only the rows of that range, with times starting at 0.
  //
  // `raw` is the profile that `live` has recorded. TakeWindow changes it to a recording of this
  // range: its values and wall time are summed up from the rows of the range, and its times are
  // moved; see core/steps/begin_at.h. Values without a time, from samples of instructions, are
  // dropped.
  //
  // `live` may belong to the parent process, if this one was forked while no commit was under way.
  // Its file is then opened again, and all rows are read from the same state of it. `reading` is
  // called as soon as later commits to that file can no longer change what is read.
  Status TakeWindow(ProfileWriter& live, Profile& raw, HostNs begin, HostNs end,
                    const std::function<void()>& reading);

  // Makes Finish mark the file as an unfinished recording. Call it if the data comes from an
  // unfinished one.
  void LeaveUnfinished();

  // Ends the recording: writes `final_profile` into a temporary file next to `path`, then renames
  // it over `path`. The timeline is rewritten into large chunks. `node_of` holds the final node of
  // each raw node, by index; if it is empty, nodes stay unchanged. Streams that have a table in
  // `replaced` are written from that table instead, whose nodes are those of `final_profile`. On
  // failure the last committed file is unchanged and the Error is returned.
  // meta["recorder_ns_final_write"] holds the time that the writing took.
  Status Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                std::span<const EventTable> replaced = {});

 private:
  struct Impl;
  explicit ProfileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
