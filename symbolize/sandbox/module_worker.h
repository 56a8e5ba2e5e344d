// The work on one module: its file, its debug files, names and lines of its addresses.
//
// Meant for the sandbox (sandbox.h): it trusts the file with nothing but the process it runs in.
// Answers leave in stages, best effort first: what a later stage breaks was already said.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "symbolize/dwarf/debug_files.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// Where a worker puts what it finds. Names said again replace the earlier ones of the same address.
class NamesSink {
 public:
  virtual ~NamesSink() = default;
  virtual void Names(const ModuleNames& names) = 0;
  virtual void Problem(const std::string& text) = 0;
  virtual void Witnesses(const std::vector<Witness>& witnesses) = 0;
  // The path of a debug file from the network, which the worker itself has not.
  virtual Result<std::string> DebugFile(const std::string& build_id) = 0;
};

// Every address is answered, those without a name by an empty list, if a usable file was found;
// else one problem.
void SymbolizeModule(const SymbolRequest& request, const SymbolizeOptions& options,
                     NamesSink& sink);

// The same for files at hand; `debug` may be null. For tests and fuzzing.
void SymbolizeFiles(const ElfFile& module, const ElfFile* debug,
                    const std::vector<uint64_t>& addresses, int seconds, NamesSink& sink,
                    bool lines = true);

}  // namespace gprofx
