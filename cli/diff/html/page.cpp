#include "cli/diff/html/page.h"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "cli/report/html/assets.h"
#include "core/compare/key.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

constexpr size_t kMaxNodes = 20'000, kMinNodes = 500;
constexpr size_t kMaxBytes = 4'500'000;

using RenderTree = std::function<std::string(const compare::TreeDiff&)>;

// Renders the largest stacks, as many as fit into `most_bytes`.
std::string FitStacks(const compare::TreeMerge& trees, size_t most_bytes,
                      const RenderTree& render) {
  for (size_t nodes = kMaxNodes;; nodes /= 2) {
    compare::TreeMerge merge = trees;
    std::string text = render(merge.Finish(nodes));
    if (text.size() <= most_bytes || nodes <= kMinNodes) return text;
  }
}

Result<compare::TreeMerge> ReadTrees(const compare::Diff& diff, const DiffOptions& options,
                                     const DiffSurroundings& around) {
  ProgressLine progress(STDERR_FILENO);
  compare::TreeMerge trees(RenamedKeys(diff));
  // Times per step are those of the steady phase, which is the default range of a query.
  PartQuery part;
  part.all = diff.unit == compare::Unit::kRun || around.of_whole_runs;
  for (const auto& [files, side] : {std::pair(&around.base, compare::Side::kBase),
                                    std::pair(&around.head, compare::Side::kHead)}) {
    for (const std::string& file : *files) {
      progress.Show("making the page: " + file);
      const Result<Profile> profile = LoadPart(file, part);
      if (!profile) return profile.error();
      trees.Add(*profile, side, options.outputs.code);
    }
  }
  return trees;
}

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
  return FitStacks(trees, most_bytes, [&](const compare::TreeDiff& tree) {
    return MakeDocument(kDiffBody, kDiffScript, DiffPageData(diff, options, around, tree));
  });
}

Result<std::string> DiffPage(const compare::Diff& diff, const DiffOptions& options,
                             const DiffSurroundings& around) {
  const Result<compare::TreeMerge> trees = ReadTrees(diff, options, around);
  if (!trees) return trees.error();
  return RenderDiffPage(diff, options, around, *trees, kMaxBytes);
}

Result<std::string> DiffDataElement(const std::string& id, const compare::Diff& diff,
                                    const DiffOptions& options, const DiffSurroundings& around,
                                    size_t most_bytes) {
  const Result<compare::TreeMerge> trees = ReadTrees(diff, options, around);
  if (!trees) return trees.error();
  return FitStacks(*trees, std::min(most_bytes, kMaxBytes), [&](const compare::TreeDiff& tree) {
    return DataElement(id, DiffPageData(diff, options, around, tree));
  });
}

}  // namespace gprofx
