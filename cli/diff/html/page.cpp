#include "cli/diff/html/page.h"

#include <unistd.h>

#include "cli/report/html/assets.h"
#include "core/compare/key.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

constexpr size_t kMaxNodes = 20'000, kMinNodes = 500;
constexpr size_t kMaxBytes = 4'500'000;

}  // namespace

std::map<std::string, std::string> RenamedKeys(const compare::Diff& diff) {
  std::map<std::string, std::string> keys;
  for (const auto* list : {&diff.functions, &diff.kernels}) {
    for (const compare::Change& change : *list) {
      if (change.fate != compare::Change::kRenamed) continue;
      const compare::Part& part = change.part;
      keys[compare::KeyOf(part.kind, change.other, part.file, part.module)] =
          compare::KeyOf(part.kind, part.name, part.file, part.module);
    }
  }
  return keys;
}

std::string RenderDiffPage(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around, const compare::TreeMerge& trees,
                           size_t most_bytes) {
  for (size_t nodes = kMaxNodes;; nodes /= 2) {
    compare::TreeMerge merge = trees;
    std::string page = MakeDocument(kDiffBody, kDiffScript,
                                    DiffPageData(diff, options, around, merge.Finish(nodes)));
    if (page.size() <= most_bytes || nodes <= kMinNodes) return page;
  }
}

Result<std::string> DiffPage(const compare::Diff& diff, const DiffOptions& options,
                             const DiffSurroundings& around) {
  ProgressLine progress(STDERR_FILENO);
  compare::TreeMerge trees(RenamedKeys(diff));
  // Times per step are those of the steady phase, which is the default range of a query. Times per
  // run need the whole recording.
  PartQuery part;
  part.all = diff.unit == compare::Unit::kRun;
  for (const auto& [files, side] : {std::pair(&around.base, compare::Side::kBase),
                                    std::pair(&around.head, compare::Side::kHead)}) {
    for (const std::string& file : *files) {
      progress.Show("making the page: " + file);
      const Result<Profile> profile = LoadPart(file, part);
      if (!profile) return profile.error();
      trees.Add(*profile, side, options.outputs.code);
    }
  }
  return RenderDiffPage(diff, options, around, trees, kMaxBytes);
}

}  // namespace gprofx
