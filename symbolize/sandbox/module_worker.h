// Finds the names and lines of addresses of one module, in its file and its debug files.
//
// It is meant for the sandbox (sandbox.h): a hostile file endangers only the process that runs this
// code. Answers are sent in stages, basic ones first. A failure in a later stage loses nothing that
// was sent before.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "symbolize/dwarf/debug_files.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// Receives the results of the worker. Names for an address replace earlier ones.
class NamesSink {
 public:
  virtual ~NamesSink() = default;
  virtual void Names(const ModuleNames& names) = 0;
  virtual void Problem(const std::string& text) = 0;
  virtual void Witnesses(const std::vector<Witness>& witnesses) = 0;
  // Returns the path of a debug file. It is fetched from the network, which the worker itself
  // cannot access.
  virtual Result<std::string> DebugFile(const std::string& build_id) = 0;
};

// Symbolizes one module. If it finds a usable file, it reports every address; those without a name
// get an empty list. Otherwise it reports one problem.
void SymbolizeModule(const SymbolRequest& request, const SymbolizeOptions& options,
                     NamesSink& sink);

// Like SymbolizeModule, but for files that are already open. `debug` may be null. Used by tests and
// fuzzing.
void SymbolizeFiles(const ElfFile& module, const ElfFile* debug,
                    const std::vector<uint64_t>& addresses, int seconds, NamesSink& sink,
                    bool lines = true);

}  // namespace gprofx
