// The writing half of profile_db.h.
//
// Durability: a rollback journal (WAL needs shared memory and always leaves a second file),
// synchronous=NORMAL and one transaction per commit, so that a process killed at any moment leaves
// a file whose last commit is whole. The clean end writes a second file, without a journal because
// nobody knows it yet, and renames it over the first.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "formats/chunk_queue.h"
#include "formats/chunk_table.h"
#include "formats/output_file.h"
#include "formats/profile_db.h"
#include "formats/profile_rows.h"
#include "formats/schema.h"
#include "formats/sqlite.h"
#include "formats/timeline_merger.h"
#include "formats/value_chunk.h"

namespace gprofx {
namespace {

Error SqliteError(const std::string& path, const sqlite::Database& db) {
  const int primary = db.code() & 0xff;
  int error_number = db.get() ? sqlite3_system_errno(db.get()) : 0;
  // An error inside COMMIT reaches the file's own errno only.
  if (error_number == 0 && db.get()) {
    sqlite3_file_control(db.get(), nullptr, SQLITE_FCNTL_LAST_ERRNO, &error_number);
  }
  if (primary == SQLITE_FULL) error_number = ENOSPC;
  if (primary == SQLITE_BUSY) {
    return {"cannot write '" + path + "': another program keeps it locked",
            "end the program that reads it"};
  }
  const bool is_file_error = primary == SQLITE_FULL || primary == SQLITE_IOERR ||
                             primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY;
  return WriteError(path, is_file_error ? error_number : 0, db.Message());
}

bool SetUp(sqlite::Database& db, const char* pragmas) {
  const std::string version =
      "PRAGMA application_id=" + std::to_string(kApplicationId) +
      "; PRAGMA user_version=" + std::to_string(kSchemaMajor * 1000 + kSchemaMinor) + ";";
  const std::string facts = "INSERT INTO meta VALUES('schema','" + std::to_string(kSchemaMajor) +
                            "." + std::to_string(kSchemaMinor) + "'),('complete','no')";
  sqlite3_busy_timeout(db.get(), 1000);
  return db.Execute(pragmas) && db.Execute("BEGIN IMMEDIATE") && db.Execute(version.c_str()) &&
         db.Execute(kSchemaSql) && InsertStreams(db) && db.Execute(facts.c_str()) &&
         db.Execute("COMMIT");
}

// The values once more, for readers in a hurry. Times are of no meaning here.
bool InsertValueChunks(sqlite::Database& db, std::span<const Value> values) {
  ChunkTable table(db.get());
  for (size_t begin = 0; begin < values.size(); begin += kMaxChunkRows) {
    const auto part = values.subspan(begin, std::min<size_t>(kMaxChunkRows, values.size() - begin));
    if (!table.Insert(Stream::kValues,
                      {0, 0, static_cast<uint32_t>(part.size()), EncodeValues(part)})) {
      return false;
    }
  }
  return table.SetRows(Stream::kValues, static_cast<int64_t>(values.size()));
}

bool SyncFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = fsync(file) == 0;
  close(file);
  return done;
}

}  // namespace

struct ProfileWriter::Impl {
  std::string path;
  sqlite::Database db;
  FileIdentity identity;
  std::unique_ptr<ProfileRows> rows;
  std::unique_ptr<ChunkTable> chunks;
  ChunkQueue queue;

  Status CheckFile() const;
  Status WriteFinal(const std::string& temporary, const Profile& final_profile,
                    const std::vector<NodeId>& node_of, std::span<const EventTable> replaced);
  bool CopyTimeline(TimelineMerger& merger, std::span<const EventTable> replaced);
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::Create(const std::string& path) {
  if (Status status = MoveOldProfileAway(path); !status) return status.error();
  if (Status status = CreatePrivateFile(path); !status) return status.error();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->identity = IdentityOf(path);
  impl->db = sqlite::Database::Open(path, SQLITE_OPEN_READWRITE);
  if (!SetUp(impl->db,
             "PRAGMA journal_mode=DELETE; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=0;"
             "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192")) {
    Error error = SqliteError(path, impl->db);
    impl->db.Close();
    unlink(path.c_str());
    return error;
  }
  impl->rows = std::make_unique<ProfileRows>(impl->db.get());
  impl->chunks = std::make_unique<ChunkTable>(impl->db.get());
  return ProfileWriter(std::move(impl));
}

void ProfileWriter::AppendSamples(std::span<const SampleRow> rows) { impl_->queue.Append(rows); }
void ProfileWriter::AppendEvents(const EventTable& rows) { impl_->queue.Append(rows); }

// A second recording into the same file renames ours away; its journal would then be taken for
// ours.
Status ProfileWriter::Impl::CheckFile() const {
  if (!db.get()) return Error{"the recording into '" + path + "' has ended", ""};
  if (IdentityOf(path) == identity) return Ok();
  return Error{"'" + path + "' was replaced or removed while it was written",
               "give each recording a file of its own with -o"};
}

Status ProfileWriter::Commit(const Profile& profile) {
  Impl& impl = *impl_;
  impl.queue.CloseChunks();
  if (Status status = impl.CheckFile(); !status) return status;
  if (!impl.db.Execute("BEGIN IMMEDIATE") || !impl.rows->Write(profile) ||
      !impl.queue.Write(*impl.chunks, *impl.rows) || !impl.db.Execute("COMMIT")) {
    Error error = SqliteError(impl.path, impl.db);
    impl.db.Execute("ROLLBACK");
    return error;
  }
  impl.rows->Remember(profile);
  impl.queue.Remember();
  return Ok();
}

// Hands every row that was stored or still waits to the merger, and the replaced streams instead of
// their own.
bool ProfileWriter::Impl::CopyTimeline(TimelineMerger& merger,
                                       std::span<const EventTable> replaced) {
  const auto copy = [&](Stream stream, std::span<const std::byte> data) {
    const bool is_replaced =
        std::any_of(replaced.begin(), replaced.end(),
                    [=](const EventTable& table) { return table.stream() == stream; });
    return is_replaced || merger.Copy(stream, data);
  };
  sqlite::Statement stored(db.get(), "SELECT stream, data FROM chunk NOT INDEXED ORDER BY id");
  while (stored.Next()) {
    if (!copy(static_cast<Stream>(stored.Int(0)), stored.Blob(1))) return false;
  }
  if (stored.code() != SQLITE_DONE) return false;
  for (const StreamChunk& waiting : queue.waiting()) {
    if (!copy(waiting.stream, waiting.chunk.data)) return false;
  }
  for (const EventTable& table : replaced) {
    if (!merger.Add(table)) return false;
  }
  return merger.Finish();
}

Status ProfileWriter::Impl::WriteFinal(const std::string& temporary, const Profile& final_profile,
                                       const std::vector<NodeId>& node_of,
                                       std::span<const EventTable> replaced) {
  if (Status status = CreatePrivateFile(temporary); !status) return status;
  sqlite::Database file = sqlite::Database::Open(temporary, SQLITE_OPEN_READWRITE);
  bool done = SetUp(file,
                    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA mmap_size=0;"
                    "PRAGMA cache_size=-8192") &&
              file.Execute("BEGIN");
  if (done) {
    ProfileRows final_rows(file.get());
    TimelineMerger merger(file.get(), node_of);
    done = final_rows.Write(final_profile) && CopyTimeline(merger, replaced) &&
           InsertValueChunks(file, final_profile.values) && queue.WriteDropped(final_rows) &&
           final_rows.WriteMeta("complete", "yes");
  }
  if (!done || !file.Execute("COMMIT")) {
    // The trouble may be on either side: in writing the new file or in reading the old one.
    if (file.HasError()) return SqliteError(temporary, file);
    if (db.HasError()) return SqliteError(path, db);
    return Error{"the timeline of '" + path + "' cannot be read back", "read it as it is"};
  }
  return Ok();
}

Status ProfileWriter::Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                             std::span<const EventTable> replaced) {
  Impl& impl = *impl_;
  impl.queue.CloseChunks();
  if (Status status = impl.CheckFile(); !status) return status;
  const std::string temporary = impl.path + ".tmp";
  unlink(temporary.c_str());  // of a recording that was killed right here
  Status written = impl.WriteFinal(temporary, final_profile, node_of, replaced);
  if (written && !SyncFile(temporary)) written = WriteError(temporary, errno, "");
  // A journal that is still there belongs to the old content and must never meet the new.
  if (written && access((impl.path + "-journal").c_str(), F_OK) == 0) {
    written = Error{"a commit of '" + impl.path + "' is still unfinished", "read it as it is"};
  }
  if (written && rename(temporary.c_str(), impl.path.c_str()) != 0) {
    written = WriteError(impl.path, errno, "");
  }
  if (!written) {
    unlink(temporary.c_str());
    return written;
  }
  impl.chunks.reset();
  impl.rows.reset();
  impl.db.Close();
  return Ok();
}

}  // namespace gprofx
