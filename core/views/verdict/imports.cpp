#include "core/views/verdict/imports.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/model/python_files.h"
#include "core/views/code/owners.h"
#include "core/views/naming/names.h"
#include "core/views/naming/seen_as.h"
#include "core/views/verdict/own_code.h"

namespace gprofx {
namespace {

struct Path {
  SeenAs::Lines lines;
  FrameId importer;        // the program's line that executes the outermost import; 0 = none
  StringId imported;       // file that it imports; 0 = not known yet
  bool importing = false;  // an import statement is on the path
};

std::vector<Path> PathsOf(const Profile& profile) {
  SeenAs seen(profile);
  const bool only_user = HasUserCode(profile);
  return InheritDown<Path>(profile.nodes, [&](const Path& above, FrameId frame) {
    Path here = above;
    here.lines = seen(above.lines, frame);
    const bool runs_import = frame && RunsImport(profile, profile.frame(frame));
    if (runs_import && !above.importing) {
      here.importing = true;
      here.importer = only_user ? above.lines.user : above.lines.best();
    } else if (here.importing && !here.imported && !runs_import && frame &&
               profile.frame(frame).kind == FrameKind::kPython) {
      const StringId file = FileOf(profile, profile.frame(frame));
      // A file whose name begins with '<' is frozen code of the import machinery and not what is
      // imported.
      if (!profile.Text(file).starts_with('<')) here.imported = file;
    }
    return here;
  });
}

}  // namespace

Imports SumImports(const Profile& profile, MetricId metric) {
  const std::vector<Path> paths = PathsOf(profile);
  std::map<std::pair<FrameId, StringId>, int64_t> files;  // by own line and imported file
  Imports imports;
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || value.self <= 0) continue;
    const Path& path = paths[value.node.index()];
    if (!path.importing) continue;
    imports.ns = AddSaturated(imports.ns, value.self);
    if (!path.importer || !path.imported) continue;
    int64_t& sum = files[{path.importer, path.imported}];
    sum = AddSaturated(sum, value.self);
  }
  std::map<std::pair<FrameId, std::string>, int64_t> libraries;
  for (const auto& [key, ns] : files) {
    const std::string_view file = profile.Text(key.second);
    const std::string library = IsUserPythonFile(file) ? "" : LibraryOf(file);
    int64_t& sum = libraries[{key.first, library}];
    sum = AddSaturated(sum, ns);
  }
  for (const auto& [key, ns] : libraries) {
    if (ns <= imports.library_ns) continue;
    std::tie(imports.line, imports.library) = key;
    imports.library_ns = ns;
  }
  return imports;
}

}  // namespace gprofx
