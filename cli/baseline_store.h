// Recordings of versions, kept by the hash of their content in a folder that a pipeline caches:
//
//   objects/ab/ab12....gprofx     profiles, by SHA-256
//   names/NAME/TIME-RANDOM.json   one for each time NAME was saved: hashes, commit, machine
//   lock                          held shared by who saves, alone by who removes
//
// Whoever saves writes files of its own and gives them their name by rename, so jobs may save at
// the same time. What is read is held against its hash; a store may come from anywhere, so names
// that it contains are never used as paths unless they are hashes. Blocking; any process.
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
  std::string name;    // of the file that was saved; for people
  uint64_t bytes = 0;
};

struct Baseline {
  std::string name;
  std::string commit;  // may be empty
  std::string saved;   // "2026-01-31T12:00:00Z"
  std::vector<BaselineFile> files;
  std::map<std::string, std::string> machine, workload;  // of its first run
  std::string metric;
  double mean_ns = 0;  // of a run
};

// Pure: an entry as text, and back; nothing where it is no entry.
std::string BaselineText(const Baseline& baseline);
std::optional<Baseline> ParseBaseline(std::string_view text);

// Letters, digits, ".", "_" and "-", not beginning with "." or "-".
bool IsBaselineName(std::string_view name);

class BaselineStore {
 public:
  explicit BaselineStore(std::string folder) : folder_(std::move(folder)) {}

  // `runs` are what `files` hold.
  Result<Baseline> Save(const std::string& name, const std::string& commit,
                        const std::vector<std::string>& files,
                        const std::vector<compare::Run>& runs);

  // By name, then by time. An Error if there is no store, or something in it is damaged.
  Result<std::vector<Baseline>> All() const;
  Result<std::vector<Baseline>> Named(const std::string& name) const;  // by time; at least one

  // The files of one, each proven to be what was saved.
  Result<std::vector<std::string>> FilesOf(const Baseline& baseline) const;

  // Keeps the latest `keep` of each name, and the files that they need.
  struct Pruned {
    size_t baselines = 0, files = 0;
  };
  Result<Pruned> Prune(size_t keep);

 private:
  std::string ObjectOf(const std::string& sha256) const;

  std::string folder_;
};

// "baseline:NAME" and "baseline:FOLDER/NAME" as operands of gprof-x diff.
bool NamesBaseline(std::string_view operand);

// NAME or FOLDER/NAME: the files of what was saved last.
Result<std::vector<std::string>> BaselineFiles(const std::string& place);

}  // namespace gprofx
