// Implements ProfileWriter (profile_db.h).
//
// Durability: the recording uses a rollback journal and one transaction per commit. A process
// killed at any moment leaves a file whose last commit is complete. WAL is not used, because it
// needs shared memory and always leaves a second file. With synchronous=OFF, SQLite passes data to
// the kernel and does not wait for the disk. Finish writes a second file, syncs it and renames it
// over the first. The second file needs no journal, because no other process knows it yet.
//
// Threads: the caller's thread takes the changes of the profile and hands them over as one Batch.
// While the worker is busy, the batch and the database belong to the worker. Only one batch is
// under way at a time. Meanwhile further changes accumulate in the profile, and rows in the queue.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/unique_fd.h"
#include "core/steps/begin_at.h"
#include "formats/database/chunk_queue.h"
#include "formats/database/chunk_ring.h"
#include "formats/database/chunk_table.h"
#include "formats/database/worker.h"
#include "formats/profile/profile_changes.h"
#include "formats/profile/profile_db.h"
#include "formats/profile/profile_final.h"
#include "formats/profile/profile_rows.h"
#include "formats/profile/profile_setup.h"
#include "formats/reading/part_events.h"
#include "formats/sqlite/output_claim.h"
#include "formats/sqlite/output_file.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {
namespace {

// Returns the latest time that the rows of a chunk describe; it may be after the begin of its last
// row.
HostNs EndOf(const TimedChunk& chunk) { return std::max(chunk.end, chunk.reaches); }

bool SyncFile(const std::string& path) {
  const UniqueFd file = OpenMadeFile(path);
  return file && fsync(file.get()) == 0;
}

}  // namespace

struct ProfileWriter::Impl {
  explicit Impl(OutputClaim taken) : claim(std::move(taken)) {}

  struct Batch {
    ProfileChanges changes;
    ChunkBatch chunks;
  };

  OutputClaim claim;
  sqlite::Database db;
  std::unique_ptr<ProfileRows> rows;
  std::unique_ptr<ChunkTable> chunk_table;
  ProfileTracker tracker;
  ChunkQueue queue;
  std::optional<Batch> batch;     // taken from the profile and the queue, but not written yet
  std::optional<Status> outcome;  // result of the worker's last job
  bool locked = false;  // the last attempt failed because a reader holds a lock on the file
  std::atomic<bool> hurry = false;
  std::atomic<int64_t> writing_ns = 0;
  std::optional<ChunkRing> ring;  // unset: all chunks are kept
  std::atomic<HostNs> complete_from = 0;
  std::string window;  // the file created by TakeWindow; "" = none
  bool ended = true;
  Worker worker;  // the last member, so it ends before the members that it uses

  const std::string& path() const { return claim.path(); }
  Status CheckFile() const;
  Status Begin();
  void TakeBatch(const Profile& profile);
  void Start(Status (Impl::*job)());
  Status TryBatch();
  bool WriteBatch();
  bool DropOld();
  void Settle();
  void EncodeAll();
  Recorded Everything(const sqlite::Database& from) const;
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::Claim(const std::string& path, Existing existing,
                                           ClaimTrouble& trouble) {
  auto claim = OutputClaim::Take(path, existing, MakeEmptyProfile, trouble);
  if (!claim) return claim.error();
  return ProfileWriter(std::make_unique<Impl>(std::move(*claim)));
}

Status ProfileWriter::Impl::Begin() {
  if (Status published = claim.Publish(); !published) return published;
  db = sqlite::Database::Open(path(), sqlite::Opening::kWrite);
  if (!db.Execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; PRAGMA mmap_size=0;"
                  "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192")) {
    Error error = SqliteError(path(), db);
    db.Close();
    return error;
  }
  // Retry for a second while a reader has locked the file. Stop if EndThread waits for this thread.
  constexpr int kTries = 200;
  sqlite3_busy_handler(
      db.get(),
      [](void* hurry_now, int tries) {
        usleep(5000);
        return tries < kTries && !*static_cast<std::atomic<bool>*>(hurry_now) ? 1 : 0;
      },
      &hurry);
  rows = std::make_unique<ProfileRows>(db.get());
  chunk_table = std::make_unique<ChunkTable>(db.get());
  return Ok();
}

Status ProfileWriter::Begin() { return impl_->Begin(); }

void ProfileWriter::BeginInBackground() { impl_->Start(&Impl::Begin); }

Result<ProfileWriter> ProfileWriter::Create(const std::string& path) {
  ClaimTrouble trouble{};
  auto writer = Claim(path, Existing::kKeepOld, trouble);
  if (!writer) return writer;
  if (Status begun = writer->Begin(); !begun) return begun.error();
  return writer;
}

const std::string& ProfileWriter::path() const { return impl_->path(); }

void ProfileWriter::AppendSamples(std::span<const SampleRow> rows) { impl_->queue.Append(rows); }
void ProfileWriter::AppendEvents(const EventTable& rows) { impl_->queue.Append(rows); }

// Returns an error if the file at path() is no longer the one that this writer created. The
// writer's journal must not be applied to another file.
Status ProfileWriter::Impl::CheckFile() const {
  if (!db.get()) {
    return Error{ErrorId::kOutputReplaced,
                 "cannot write '" + path() + "': its recording has ended"};
  }
  if (IdentityOf(path()) == claim.identity()) return Ok();
  return Error{ErrorId::kOutputReplaced,
               "'" + path() + "' was replaced or removed while it was written",
               "give each recording a file of its own with -o"};
}

void ProfileWriter::Impl::TakeBatch(const Profile& profile) {
  queue.CloseBlocks();
  Batch next{tracker.Take(profile), queue.Take()};
  for (const auto& dropped : queue.Dropped()) {
    next.changes.quality.emplace_back(dropped.first, dropped.second);
  }
  batch = std::move(next);
}

void ProfileWriter::Impl::Start(Status (Impl::*job)()) {
  outcome.reset();
  worker.Start([this, job] {
    const auto began = std::chrono::steady_clock::now();
    locked = false;
    try {
      outcome = (this->*job)();
    } catch (const std::exception&) {
      outcome = Error{ErrorId::kNoResources, "out of memory",
                      // A text short enough for std::string to need no allocation.
                      "raise the limits, or record for a shorter time"};
    }
    writing_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  });
}

Status ProfileWriter::Impl::TryBatch() {
  if (Status status = CheckFile(); !status) return status;
  if (WriteBatch()) return Ok();
  locked = (db.code() & 0xff) == SQLITE_BUSY;
  Error error = SqliteError(path(), db);
  db.Execute("ROLLBACK");
  return error;
}

bool ProfileWriter::Impl::WriteBatch() {
  batch->chunks.Encode();
  // Remove old chunks first, to make room. If a reader has blocked commits, up to a minute of
  // chunks is waiting.
  if (ring) {
    for (const StreamChunk& waiting : batch->chunks.chunks) ring->Expect(EndOf(waiting.chunk));
    if (!DropOld()) return false;
  }
  std::vector<std::pair<int64_t, const TimedChunk*>> added;
  if (!db.Execute("BEGIN IMMEDIATE") || !rows->Write(batch->changes)) return false;
  for (const StreamChunk& waiting : batch->chunks.chunks) {
    if (!chunk_table->Insert(waiting.stream, waiting.chunk)) return false;
    if (ring) added.emplace_back(chunk_table->last_id(), &waiting.chunk);
  }
  for (const auto& [stream, count] : batch->chunks.rows) {
    if (!chunk_table->SetRows(stream, count)) return false;
  }
  if (!db.Execute("COMMIT")) return false;
  for (const auto& [id, chunk] : added) ring->Add(id, EndOf(*chunk), chunk->data.size());
  if (ring && !DropOld()) db.Execute("ROLLBACK");  // if DropOld fails, the next commit retries
  return true;
}

// Removes old chunks in a transaction of its own: the ring forgets these chunks, so a later
// rollback must not restore them. Returns false if the caller must roll back.
bool ProfileWriter::Impl::DropOld() {
  const std::vector<int64_t> old = ring->Old();
  if (old.empty()) return true;
  if (!db.Execute("BEGIN IMMEDIATE")) return false;
  for (const int64_t id : old) {
    if (!chunk_table->Remove(id)) return false;
  }
  if (!db.Execute("COMMIT")) return false;
  ring->Forget(old.size());
  complete_from = ring->complete_from();
  return true;
}

// Ends a job of the worker; call when the worker is done. If the batch was written, it is dropped.
// If not, it stays and is retried.
void ProfileWriter::Impl::Settle() {
  if (!batch || !outcome) return;
  if (!outcome->ok()) return queue.Waits(batch->chunks);
  queue.Written(batch->chunks);
  batch.reset();
}

Status ProfileWriter::Commit(const Profile& profile) {
  Impl& impl = *impl_;
  impl.worker.Wait();
  impl.Settle();
  // If an earlier batch failed, write it first, then the new changes.
  for (bool all = false; !all;) {
    all = !impl.batch;
    if (all) impl.TakeBatch(profile);
    impl.Start(&Impl::TryBatch);
    impl.worker.Wait();
    impl.Settle();
    if (impl.batch) return std::exchange(impl.outcome, std::nullopt).value();
  }
  impl.outcome.reset();
  return Ok();
}

bool ProfileWriter::CommitInBackground(const Profile& profile) {
  Impl& impl = *impl_;
  if (impl.worker.IsBusy()) return false;
  impl.Settle();
  if (!impl.batch) impl.TakeBatch(profile);
  impl.Start(&Impl::TryBatch);
  return true;
}

std::optional<Status> ProfileWriter::TakeOutcome() {
  Impl& impl = *impl_;
  if (impl.worker.IsBusy()) return std::nullopt;
  impl.Settle();
  if (impl.locked) return std::nullopt;
  return std::exchange(impl.outcome, std::nullopt);
}

void ProfileWriter::EndThread() {
  impl_->hurry = true;
  impl_->worker.End();
  impl_->hurry = false;
  impl_->Settle();
}

int64_t ProfileWriter::writing_ns() const { return impl_->writing_ns; }

int64_t ProfileWriter::dropped_rows() const {
  int64_t sum = 0;
  for (const auto& [name, rows] : impl_->queue.Dropped()) sum += rows;
  return sum;
}

void ProfileWriter::KeepLast(HostNs keep, size_t most_bytes) {
  impl_->ring.emplace(keep, most_bytes);
}

HostNs ProfileWriter::complete_from() const { return impl_->complete_from; }
bool ProfileWriter::IsBusy() const { return impl_->worker.IsBusy(); }

void ProfileWriter::Impl::EncodeAll() {
  queue.EncodeAll();
  if (!batch) return;
  batch->chunks.Encode();
  queue.CountLost(batch->chunks);
}

Recorded ProfileWriter::Impl::Everything(const sqlite::Database& from) const {
  Recorded recorded{path(), from, {}, queue.Dropped()};
  if (batch) recorded.waiting.push_back(&batch->chunks.chunks);
  recorded.waiting.push_back(&queue.waiting());
  recorded.ended = ended;
  return recorded;
}

Status ProfileWriter::TakeWindow(ProfileWriter& live, Profile& raw, HostNs begin, HostNs end,
                                 const std::function<void()>& reading) {
  Impl& source = *live.impl_;
  sqlite::Database anew;
  const bool is_other = &live != this;
  if (is_other) {
    anew = sqlite::Database::Open(source.path(), sqlite::Opening::kRead);
    sqlite::Statement look(anew.get(), "SELECT count(*) FROM stream");
    if (!anew.Execute("PRAGMA busy_timeout=2000; BEGIN") || !look.Next()) {
      return SqliteError(source.path(), anew);
    }
  } else {
    EndThread();
  }
  reading();
  source.EncodeAll();
  Result<std::string> window = TemporaryBeside(impl_->path() + ".window");
  if (!window) return window.error();
  impl_->window = *window;
  Recorded recorded = source.Everything(is_other ? anew : source.db);
  recorded.from = begin;
  BeginAt(begin, end, raw);
  if (Status rows = WriteFinal(*window, recorded, raw, {}, {}); !rows) return rows;
  const Result<ProfileReader> reader = ProfileReader::Open(*window);
  if (!reader) return reader.error();
  const Result<PartEvents> events = ReadPartEvents(*reader, raw);
  if (!events) return events.error();
  raw.values.clear();
  Result<PartValues> values = AddUpPart(*reader, raw, *events, {0, end - begin});
  if (!values) return values.error();
  raw.values = std::move(values->values);
  raw.gpu.wall = std::move(values->wall);
  raw.gpu.lanes = std::move(values->lanes);
  return Ok();
}

void ProfileWriter::LeaveUnfinished() { impl_->ended = false; }

Status ProfileWriter::Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                             std::span<const EventTable> replaced) {
  EndThread();
  Impl& impl = *impl_;
  if (Status status = impl.CheckFile(); !status) return status;
  const bool is_window = !impl.window.empty();
  if (!is_window) impl.EncodeAll();
  Result<std::string> temporary = TemporaryBeside(impl.path());
  if (!temporary) return temporary.error();
  Status written = Ok();
  if (is_window) {
    const sqlite::Database window = sqlite::Database::Open(impl.window, sqlite::Opening::kRead);
    written =
        WriteFinal(*temporary, {impl.window, window, {}, {}}, final_profile, node_of, replaced);
    unlink(impl.window.c_str());
  } else {
    written = WriteFinal(*temporary, impl.Everything(impl.db), final_profile, node_of, replaced);
  }
  // Merged profiles get no phases, because the steps of one recording do not hold for the others.
  if (written && final_profile.sources.size() <= 1) written = AddPhases(*temporary, final_profile);
  if (written && !SyncFile(*temporary)) written = WriteError(*temporary, errno, "");
  // A journal that still exists belongs to the old content and must never be applied to the new
  // file. HasJournal ignores a journal that another process put there.
  if (written && impl.db.HasJournal()) {
    written = Error{ErrorId::kUnfinishedCommit, "'" + impl.path() + "' has an unfinished commit",
                    "run gprof-x report, which reads the file without it"};
  }
  if (written && rename(temporary->c_str(), impl.path().c_str()) != 0) {
    written = WriteError(impl.path(), errno, "");
  }
  if (!written) {
    unlink(temporary->c_str());
    return written;
  }
  impl.window.clear();
  impl.batch.reset();
  impl.chunk_table.reset();
  impl.rows.reset();
  impl.db.Close();
  return Ok();
}

}  // namespace gprofx
