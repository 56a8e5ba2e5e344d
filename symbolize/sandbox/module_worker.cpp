#include "symbolize/sandbox/module_worker.h"

#include <elfutils/version.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/model/address_name.h"
#include "symbolize/dwarf/dwarf_names.h"
#include "symbolize/dwarf/mini_debug_info.h"
#include "symbolize/elf/function_starts.h"
#include "symbolize/elf/plt_names.h"
#include "symbolize/elf/vdso.h"
#include "symbolize/names/demangle.h"
#include "symbolize/names/symbol_names.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<uint64_t> Sorted(std::vector<uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

// Returns the name of the function at each address; empty if there is none.
std::vector<std::string> NamesBySymbol(const ElfFile& module, const ElfFile* debug,
                                       const std::vector<uint64_t>& addresses) {
  SymbolNames symbols(addresses);
  symbols.AddTables(module);
  const std::optional<ElfFile> mini = OpenMiniDebugInfo(module);
  if (mini) symbols.AddTables(*mini);
  if (debug != nullptr) symbols.AddTables(*debug);
  const std::vector<SymbolMatch> matches = symbols.Finish();
  std::vector<std::string> names(addresses.size());
  for (size_t i = 0; i < names.size(); i++) {
    // Consecutive addresses often belong to the same function, whose name needs to be demangled
    // only once.
    const bool same = i > 0 && !matches[i].name.empty() && matches[i].name == matches[i - 1].name;
    names[i] = same ? names[i - 1] : Demangle(matches[i].name);
  }
  for (const auto& [address, name] : PltNames(module, addresses)) {
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), address);
    names[static_cast<size_t>(at - addresses.begin())] = name;
  }
  return names;
}

// Returns names for addresses without a symbol, made from the start of their function. `names`
// holds the known names, one for each of `addresses`.
std::map<uint64_t, std::string> NamesByPlace(const ElfFile& module,
                                             const std::vector<uint64_t>& addresses,
                                             const std::vector<std::string>& names) {
  std::vector<uint64_t> nameless;
  for (size_t i = 0; i < addresses.size(); i++) {
    if (names[i].empty()) nameless.push_back(addresses[i]);
  }
  std::map<uint64_t, std::string> places;
  for (const auto& [address, start] : FunctionStarts(module, nameless)) {
    places[address] = AddressName(module.path(), start);
  }
  return places;
}

// Replaces the outermost name by `name`, if that is better. `name` may be empty. Returns false if
// no function is known.
bool Improve(DwarfFrames& dwarf, const std::string& name) {
  if (dwarf.frames.empty()) return false;
  std::string& outer = dwarf.frames.front().function;
  if (dwarf.prefer_symbol && !name.empty()) outer = name;
  return !outer.empty();
}

Result<ElfFile> FromServer(const std::string& build_id, NamesSink& sink) {
  const Result<std::string> path = sink.DebugFile(build_id);
  if (!path) return path.error();
  Result<ElfFile> file = ElfFile::Open(*path);
  if (file && file->BuildId() != build_id) {
    return Error{ErrorId::kOtherFormat, "debuginfod sent the file of another build-id"};
  }
  return file;
}

std::optional<ElfFile> FindDebugFile(const SymbolRequest& request, const SymbolizeOptions& options,
                                     const ElfFile* module, const std::string& build_id,
                                     NamesSink& sink) {
  std::vector<Witness> witnesses;
  DebugFileFinder finder(options.debug_folders, witnesses);
  std::optional<ElfFile> debug = finder.ByBuildId(build_id);
  if (!debug && module != nullptr && !module->HasDwarf())
    debug = finder.ByDebugLink(*module, build_id);
  const bool needs_server = !debug && (module == nullptr || !module->HasDwarf());
  if (needs_server && options.use_debuginfod && request.reader) {
    // debuginfod would answer us, with our rights, what the user of that program may not be allowed
    // to read.
    sink.Problem(request.path + ": debuginfod is not asked for a program of another user");
  } else if (needs_server && options.use_debuginfod && IsBuildId(build_id)) {
    Result<ElfFile> fetched = FromServer(build_id, sink);
    if (fetched) {
      debug = std::move(*fetched);
    } else {
      sink.Problem(request.path + ": " + fetched.error().Text());
    }
  }
  sink.Witnesses(witnesses);
  return debug;
}

void SymbolizeVdso(const SymbolRequest& request, const SymbolizeOptions& options, NamesSink& sink) {
  Result<ElfFile> vdso = ElfFile::FromView(OwnVdso(), request.path);
  if (!vdso) return sink.Problem(request.path + ": this kernel gives the profiler no vdso");
  if (!request.build_id.empty() && vdso->BuildId() != request.build_id) {
    return sink.Problem(request.path +
                        ": was recorded under another kernel; its functions have no names");
  }
  SymbolizeFiles(*vdso, nullptr, request.addresses, options.module_seconds, sink, options.lines);
}

// True if libdw can read sections that are compressed with zstd, as elfutils 0.189 and later can.
bool LibdwReadsZstd() {
#if _ELFUTILS_PREREQ(0, 189)
  return true;
#else
  return false;
#endif
}

bool IsDeleted(const std::string& path) { return path.ends_with(" (deleted)"); }

}  // namespace

void SymbolizeFiles(const ElfFile& module, const ElfFile* debug,
                    const std::vector<uint64_t>& unsorted, int seconds, NamesSink& sink,
                    bool lines) {
  const Clock::time_point start = Clock::now();
  const std::vector<uint64_t> addresses = Sorted(unsorted);
  const std::vector<std::string> names = NamesBySymbol(module, debug, addresses);
  ModuleNames answer;
  for (size_t i = 0; i < addresses.size(); i++) {
    std::vector<SourceFrame>& frames = answer[addresses[i]];
    if (!names[i].empty()) frames.push_back({names[i], "", 0, "", 0});
  }
  for (auto& [address, name] : NamesByPlace(module, addresses, names)) {
    answer[address].push_back({name, "", 0, "", 0});
  }
  sink.Names(answer);
  if (!lines) return;

  // Debug information is far more complex than symbol tables. If reading it fails, the names from
  // the symbol tables have already been sent. The deadline leaves time to send a partial result.
  const ElfFile* dwarf_file = debug != nullptr && debug->HasDwarf() ? debug : &module;
  if (!dwarf_file->HasDwarf()) return;
  if (dwarf_file->IsCompressedByZstd() && !LibdwReadsZstd()) {
    return sink.Problem(dwarf_file->path() +
                        ": its debug information is compressed by zstd, which is not read; "
                        "lines and inlined functions are missing");
  }
  const auto deadline = start + std::chrono::milliseconds(int64_t{seconds} * 800);
  DwarfAnswer dwarf = DwarfNames(*dwarf_file, addresses, deadline);
  ModuleNames better;
  for (size_t i = 0; i < addresses.size(); i++) {
    if (Improve(dwarf.of[i], names[i])) better[addresses[i]] = std::move(dwarf.of[i].frames);
  }
  sink.Names(better);
  if (dwarf.lacks_split) {
    sink.Problem(module.path() +
                 ": its debug information lies in .dwo files that are not there, or in a .dwp "
                 "package, which is not read; inlined functions are missing");
  }
  if (dwarf.out_of_time) {
    sink.Problem(module.path() + ": debug information took longer than " + std::to_string(seconds) +
                 " s; some lines are missing");
  }
}

void SymbolizeModule(const SymbolRequest& request, const SymbolizeOptions& options,
                     NamesSink& sink) {
  if (IsVdsoPath(request.path)) return SymbolizeVdso(request, options, sink);
  if (request.path.empty() || request.path.front() == '[') {
    return sink.Problem((request.path.empty() ? "(no path)" : request.path) +
                        ": is not a file, so its functions have no names");
  }
  Result<ElfFile> module =
      IsDeleted(request.path)
          ? Error{ErrorId::kCannotRead,
                  request.path + ": the file was deleted or replaced while it ran"}
          : ElfFile::Open(request.path);
  std::string why = module ? "" : module.error().Text();
  std::string build_id = request.build_id;
  if (module) {
    const std::string found = module->BuildId();
    if (!request.build_id.empty() && found != request.build_id) {
      why = request.path + ": the file on disk has another build-id than the one that ran";
    }
    build_id = request.build_id.empty() ? found : request.build_id;
  }
  const ElfFile* usable = why.empty() ? &*module : nullptr;
  const std::optional<ElfFile> debug = FindDebugFile(request, options, usable, build_id, sink);
  if (usable != nullptr) {
    SymbolizeFiles(*usable, debug ? &*debug : nullptr, request.addresses, options.module_seconds,
                   sink, options.lines);
  } else if (debug) {
    // The module cannot be used. Its debug file can: the build-id proves that it is the right one.
    SymbolizeFiles(*debug, nullptr, request.addresses, options.module_seconds, sink, options.lines);
  } else {
    sink.Problem(why + "; its functions have no names");
  }
}

}  // namespace gprofx
