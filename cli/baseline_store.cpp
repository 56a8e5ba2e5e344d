#include "cli/baseline_store.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <set>

#include "cli/folders.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "core/base/file_io.h"
#include "core/base/format.h"
#include "core/base/hex.h"
#include "core/base/path.h"
#include "core/base/sha256.h"

namespace gprofx {
namespace {

constexpr std::string_view kMark = "baseline:";
constexpr char kWayOut[] = "check the permissions of the baselines' folder";
constexpr size_t kMaxEntry = size_t{1} << 20;  // bytes
constexpr size_t kMaxFact = 4096;              // bytes of a fact, such as a program's arguments
constexpr size_t kPiece = size_t{1} << 20;

Error StoreError(const std::string& what, const std::string& path) {
  return {ErrorId::kCannotWrite, "cannot " + what + " '" + path + "': " + strerror(errno), kWayOut};
}

Error StoreReadError(const std::string& path) {
  return {ErrorId::kCannotRead, "cannot read '" + path + "': " + strerror(errno),
          "check its permissions"};
}

Error Damaged(const std::string& path, const std::string& why) {
  return {ErrorId::kDamaged, "the baseline store is damaged: '" + path + "' " + why,
          "remove it and save the baseline again"};
}

std::string HashText(Sha256Sum& sum) {
  const std::array<uint8_t, 32> digest = sum.Finish();
  return ToHex(std::as_bytes(std::span(digest)));
}

// Reads the file `from` to its end and returns the hash of its content. Unless `to` is -1, also
// copies the content to `to`. Sets `bytes` to the size. Returns nullopt on an error.
std::optional<std::string> HashOfFile(int from, int to, uint64_t& bytes) {
  Sha256Sum sum;
  std::string piece(kPiece, 0);
  bytes = 0;
  for (;;) {
    errno = 0;
    const size_t got = ReadUpTo(from, piece.data(), piece.size());
    if (errno != 0) return std::nullopt;
    if (to >= 0 && !WriteAll(to, piece.data(), got)) return std::nullopt;
    sum.Add(std::string_view(piece).substr(0, got));
    bytes += got;
    if (got < piece.size()) return HashText(sum);
  }
}

std::string RandomName() {
  std::random_device random;
  return Format("%08x%08x", random(), random());
}

// Locks the store until the returned descriptor is closed. `kind` is LOCK_SH for saving and LOCK_EX
// for removing. If the file system has no locks, LOCK_SH succeeds all the same, because saving only
// adds files, and LOCK_EX fails.
Result<UniqueFd> Lock(const std::string& folder, int kind) {
  const std::string path = folder + "/lock";
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file) return StoreError("open", path);
  while (flock(file.get(), kind) != 0) {
    if (errno == EINTR) continue;
    const bool none = errno == ENOLCK || errno == EOPNOTSUPP;
    if (none && kind == LOCK_SH) break;
    const Error error = StoreError("lock", path);
    if (!none) return error;
    return Error{error.id, error.what, "run prune on a machine that can lock files there"};
  }
  return file;
}

// Shortens long values. Only people read these facts; comparisons use the facts in the profiles.
std::map<std::string, std::string> Shortened(std::map<std::string, std::string> facts) {
  for (auto& [name, value] : facts) {
    if (value.size() > kMaxFact) value = value.substr(0, kMaxFact) + "...";
  }
  return facts;
}

Error NoStore(const std::string& folder) {
  return {ErrorId::kNoBaseline, "'" + folder + "' contains no baselines",
          "'gprof-x ci baseline save NAME FILE...' saves one"};
}

struct Entry {
  std::string path;
  Baseline baseline;
};

Result<std::vector<Entry>> EntriesOf(const std::string& folder, const std::string& name) {
  std::vector<Entry> entries;
  const std::string inside = folder + "/names/" + name;
  const Result<std::vector<std::string>> files = NamesIn(inside);
  if (!files) return files.error();
  for (const std::string& file : *files) {
    if (!file.ends_with(".json")) continue;
    const std::string path = inside + "/" + file;
    const std::optional<std::string> text = ReadSmallFile(path, kMaxEntry);
    if (!text) return StoreReadError(path);
    std::optional<Baseline> baseline = ParseBaseline(*text);
    if (!baseline || baseline->name != name) return Damaged(path, "is not a baseline");
    entries.push_back({path, std::move(*baseline)});
  }
  return entries;
}

}  // namespace

std::string BaselineStore::ObjectOf(const std::string& sha256) const {
  return folder_ + "/objects/" + sha256.substr(0, 2) + "/" + sha256 + ".gprofx";
}

Result<Baseline> BaselineStore::Save(const std::string& name, const std::string& commit,
                                     const std::vector<std::string>& files,
                                     const std::vector<compare::Run>& runs) {
  for (const char* inside : {"/objects", "/names"}) {
    if (const Status made = MakeFolders(folder_ + inside, kWayOut); !made) return made.error();
  }
  const Result<UniqueFd> lock = Lock(folder_, LOCK_SH);
  if (!lock) return lock.error();
  Baseline baseline;
  baseline.name = name;
  baseline.commit = commit;
  for (const std::string& file : files) {
    const UniqueFd from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!from) {
      return Error{ErrorId::kCannotRead, "cannot read '" + file + "': " + strerror(errno),
                   "check the name and its permissions"};
    }
    const std::string part = folder_ + "/objects/" + RandomName() + ".part";
    const UniqueFd to(
        open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!to) return StoreError("write", part);
    BaselineFile& kept = baseline.files.emplace_back();
    const std::optional<std::string> hash = HashOfFile(from.get(), to.get(), kept.bytes);
    if (!hash) {
      const Error error = StoreError("copy '" + file + "' to", part);
      unlink(part.c_str());
      return error;
    }
    kept.sha256 = *hash;
    kept.name = BaseName(file);
    const std::string object = ObjectOf(*hash);
    const Status made = MakeFolders(FolderOf(object), kWayOut);
    if (!made || rename(part.c_str(), object.c_str()) != 0) {
      const Error error = made ? StoreError("write", object) : made.error();
      unlink(part.c_str());
      return error;
    }
  }
  for (const compare::Run& run : runs)
    baseline.mean_ns += run.total_ns / static_cast<double>(runs.size());
  if (!runs.empty()) {
    baseline.machine = Shortened(runs.front().machine);
    baseline.workload = Shortened(runs.front().workload);
    baseline.metric = runs.front().metric;
  }
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  tm utc = {};
  gmtime_r(&now.tv_sec, &utc);
  char time[40], order[40];
  strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  strftime(order, sizeof order, "%Y%m%dT%H%M%S", &utc);
  baseline.saved = time;
  const std::string fraction = Format(".%09ld", now.tv_nsec);
  const std::string inside = folder_ + "/names/" + name;
  if (const Status made = MakeFolders(inside, kWayOut); !made) return made.error();
  const std::string text = BaselineText(baseline);
  if (text.size() > kMaxEntry) {
    return Error{ErrorId::kNoBaseline, "the baseline '" + name + "' is too large",
                 "save fewer profiles at once"};
  }
  const Status written =
      WriteTextFile(inside + "/" + order + fraction + "-" + RandomName() + ".json", text, kWayOut);
  if (!written) return written.error();
  return baseline;
}

Result<std::vector<Baseline>> BaselineStore::All() const {
  std::vector<Baseline> all;
  const Result<std::vector<std::string>> names = NamesIn(folder_ + "/names");
  if (!names) return names.error();
  for (const std::string& name : *names) {
    Result<std::vector<Entry>> entries = EntriesOf(folder_, name);
    if (!entries) return entries.error();
    for (Entry& entry : *entries) all.push_back(std::move(entry.baseline));
  }
  if (all.empty()) return NoStore(folder_);
  return all;
}

Result<std::vector<Baseline>> BaselineStore::Named(const std::string& name) const {
  if (!IsBaselineName(name)) {
    return Error{ErrorId::kNoBaseline,
                 "'" + FitEnd(Printable(name), 40) + "' is not a valid name of a baseline",
                 "use letters, digits, '.', '_' and '-', for example main"};
  }
  Result<std::vector<Entry>> entries = EntriesOf(folder_, name);
  if (!entries) return entries.error();
  if (entries->empty()) {
    return Error{ErrorId::kNoBaseline, "there is no baseline '" + name + "' in '" + folder_ + "'",
                 "'gprof-x ci baseline list' lists the baselines"};
  }
  std::vector<Baseline> list;
  for (Entry& entry : *entries) list.push_back(std::move(entry.baseline));
  return list;
}

Result<std::vector<std::string>> BaselineStore::FilesOf(const Baseline& baseline) const {
  std::vector<std::string> files;
  for (const BaselineFile& kept : baseline.files) {
    const std::string path = ObjectOf(kept.sha256);
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file && errno != ENOENT) return StoreReadError(path);
    if (!file) return Damaged(path, "is missing");
    uint64_t bytes = 0;
    if (HashOfFile(file.get(), -1, bytes) != kept.sha256) {
      return Damaged(path, "was changed after it was saved (its hash differs)");
    }
    files.push_back(path);
  }
  return files;
}

Result<BaselineStore::Pruned> BaselineStore::Prune(size_t keep) {
  if (access((folder_ + "/names").c_str(), F_OK) != 0 && errno == ENOENT) return NoStore(folder_);
  const Result<UniqueFd> lock = Lock(folder_, LOCK_EX);
  if (!lock) return lock.error();
  // List the names only while the lock is held. The list then includes everything that was saved
  // before.
  const Result<std::vector<std::string>> names = NamesIn(folder_ + "/names");
  if (!names) return names.error();
  if (names->empty()) return NoStore(folder_);
  std::set<std::string> needed;
  std::vector<std::string> old;
  for (const std::string& name : *names) {
    const Result<std::vector<Entry>> entries = EntriesOf(folder_, name);
    if (!entries) return entries.error();
    for (size_t i = 0; i < entries->size(); ++i) {
      const Entry& entry = (*entries)[i];
      if (i + keep < entries->size()) {
        old.push_back(entry.path);
        continue;
      }
      for (const BaselineFile& file : entry.baseline.files) needed.insert(file.sha256 + ".gprofx");
    }
  }
  Pruned pruned;
  for (const std::string& path : old) pruned.baselines += unlink(path.c_str()) == 0 ? 1 : 0;
  const Result<std::vector<std::string>> parts = NamesIn(folder_ + "/objects");
  if (!parts) return parts.error();
  for (const std::string& part : *parts) {
    const std::string inside = folder_ + "/objects/" + part;
    if (part.ends_with(".part")) {  // left by a process that was killed while it saved
      unlink(inside.c_str());
      continue;
    }
    const Result<std::vector<std::string>> files = NamesIn(inside);
    if (!files) continue;  // not a folder of the store
    for (const std::string& file : *files) {
      if (needed.count(file) != 0 || !file.ends_with(".gprofx")) continue;
      pruned.files += unlink((inside + "/" + file).c_str()) == 0 ? 1 : 0;
    }
    rmdir(inside.c_str());  // succeeds only if it is empty
  }
  return pruned;
}

bool NamesBaseline(std::string_view operand) { return operand.starts_with(kMark); }

Result<std::vector<std::string>> BaselineFiles(const std::string& place) {
  const std::string text = NamesBaseline(place) ? place.substr(kMark.size()) : place;
  const size_t slash = text.rfind('/');
  const BaselineStore store(slash == std::string::npos ? kDefaultBaselines : text.substr(0, slash));
  const Result<std::vector<Baseline>> list = store.Named(text.substr(slash + 1));  // npos + 1 = 0
  if (!list) return list.error();
  return store.FilesOf(list->back());
}

}  // namespace gprofx
