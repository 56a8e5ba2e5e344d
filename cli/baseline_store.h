// Stores recordings of program versions in a folder, by the hash of their content. A CI pipeline
// caches the folder:
//
//   objects/ab/ab12....gprofx     profiles, by SHA-256
//   names/NAME/TIME-RANDOM.json   one for each save of NAME: hashes, commit, machine
//   lock                          shared lock to save, exclusive lock to remove
//
// A save writes new files and renames them into place, so jobs may save concurrently. Content that
// is read is verified against its hash. A store may come from an untrusted source, so names in it
// are never used as paths unless they are hashes. Blocking; any process.
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
  std::string name;    // name of the saved file, for people
  uint64_t bytes = 0;
};

struct Baseline {
  std::string name;
  std::string commit;  // may be empty
  std::string saved;   // "2026-01-31T12:00:00Z"
  std::vector<BaselineFile> files;
  std::map<std::string, std::string> machine, workload;  // of its first run
  std::string metric;
  double mean_ns = 0;  // mean time of a run
};

// Pure. BaselineText formats an entry; ParseBaseline parses one and returns nothing if it is
// invalid.
std::string BaselineText(const Baseline& baseline);
std::optional<Baseline> ParseBaseline(std::string_view text);

// True if `name` consists of letters, digits, ".", "_" and "-", and does not begin with "." or "-".
bool IsBaselineName(std::string_view name);

class BaselineStore {
 public:
  explicit BaselineStore(std::string folder) : folder_(std::move(folder)) {}

  // Copies `files` into the store and returns the new baseline. `runs` are the parsed contents of
  // `files`.
  Result<Baseline> Save(const std::string& name, const std::string& commit,
                        const std::vector<std::string>& files,
                        const std::vector<compare::Run>& runs);

  // Sorted by name, then by time. Returns an Error if there is no store, or if it is damaged.
  Result<std::vector<Baseline>> All() const;
  Result<std::vector<Baseline>> Named(const std::string& name) const;  // by time; an Error if none

  // Returns the paths of the profiles of a baseline after verifying their hashes.
  Result<std::vector<std::string>> FilesOf(const Baseline& baseline) const;

  // Numbers of baselines and files that Prune removed. Prune keeps the latest `keep` baselines of
  // each name and the files that they refer to.
  struct Pruned {
    size_t baselines = 0, files = 0;
  };
  Result<Pruned> Prune(size_t keep);

 private:
  std::string ObjectOf(const std::string& sha256) const;

  std::string folder_;
};

// True for the operands "baseline:NAME" and "baseline:FOLDER/NAME" of gprof-x diff.
bool NamesBaseline(std::string_view operand);

// Returns the paths of the profiles of the latest baseline. `place` is NAME or FOLDER/NAME.
Result<std::vector<std::string>> BaselineFiles(const std::string& place);

}  // namespace gprofx
