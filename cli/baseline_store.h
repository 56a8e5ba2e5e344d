// Stores recordings of program versions in a folder, by the hash of their content. A CI pipeline
// can keep the folder in its cache. The layout:
//
//   objects/ab/ab12....gprofx     profiles, by SHA-256
//   names/NAME/TIME-RANDOM.json   one for each save of NAME: hashes, commit, machine
//   lock                          shared lock to save, exclusive lock to remove
//
// A save writes new files and renames them into place, so several jobs may save at the same time.
// Content is verified against its hash when it is read. A store may come from an untrusted source;
// names in it are used as paths only if they are hashes. Blocking; any process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/compare/run.h"

namespace gprofx {

inline constexpr char kDefaultBaselines[] = ".gprof-x-baselines";

struct BaselineFile {
  std::string sha256;  // 64 hexadecimal digits
  std::string name;    // name of the file that was saved, for people to read
  uint64_t bytes = 0;
};

struct Baseline {
  std::string name;
  std::string commit;  // may be empty
  std::string saved;   // "2026-01-31T12:00:00Z"
  std::vector<BaselineFile> files;
  std::map<std::string, std::string> machine, workload;  // facts of its first run
  std::string metric;
  double mean_ns = 0;  // mean time of a run
};

// BaselineText() formats an entry of the store. ParseBaseline() parses one and returns nullopt if
// it is invalid. Pure.
std::string BaselineText(const Baseline& baseline);
std::optional<Baseline> ParseBaseline(std::string_view text);

// True if `name` may be the name of a baseline: it consists of letters, digits, ".", "_" and "-",
// and does not begin with "." or "-".
bool IsBaselineName(std::string_view name);

class BaselineStore {
 public:
  explicit BaselineStore(std::string folder) : folder_(std::move(folder)) {}

  // Copies `files` into the store as a new baseline, and returns that. `runs` are the contents of
  // `files`.
  Result<Baseline> Save(const std::string& name, const std::string& commit,
                        const std::vector<std::string>& files,
                        const std::vector<compare::Run>& runs);

  // Returns all baselines, sorted by name and then by time. Fails if there is no store or it is
  // damaged.
  Result<std::vector<Baseline>> All() const;
  // Returns the baselines with this name, sorted by time. Fails if there are none.
  Result<std::vector<Baseline>> Named(const std::string& name) const;

  // Returns the paths of a baseline's profiles, after verifying their hashes.
  Result<std::vector<std::string>> FilesOf(const Baseline& baseline) const;

  // Prune() keeps the latest `keep` baselines of each name, and the files that they refer to.
  // Returns how many others it removed.
  struct Pruned {
    size_t baselines = 0, files = 0;
  };
  Result<Pruned> Prune(size_t keep);

 private:
  std::string ObjectOf(const std::string& sha256) const;

  std::string folder_;
};

// True if an operand of gprof-x diff has the form "baseline:NAME" or "baseline:FOLDER/NAME".
bool NamesBaseline(std::string_view operand);

// Returns the paths of the profiles of the latest baseline. `place` is NAME or FOLDER/NAME.
Result<std::vector<std::string>> BaselineFiles(const std::string& place);

}  // namespace gprofx
