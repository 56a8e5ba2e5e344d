#include "core/redact/public_paths.h"

#include <algorithm>
#include <iterator>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/redact/public_names.h"
#include "core/redact/public_words.h"

namespace gprofx {
namespace {

constexpr std::string_view kSystemFolders[] = {"/usr/lib",
                                               "/usr/lib64",
                                               "/lib",
                                               "/lib64",
                                               "/usr/bin",
                                               "/bin",
                                               "/usr/lib/x86_64-linux-gnu",
                                               "/usr/lib/aarch64-linux-gnu",
                                               "/lib/x86_64-linux-gnu",
                                               "/lib/aarch64-linux-gnu",
                                               "/usr/local/cuda/lib64",
                                               "/opt/rocm/lib"};

constexpr std::string_view kPseudoModules[] = {"[vdso]",
                                               "[vsyscall]",
                                               "[kernel]",
                                               "[kernel.kallsyms]",
                                               "[heap]",
                                               "[stack]",
                                               "[guest.kernel.kallsyms]",
                                               "[code made at run time]"};

constexpr std::string_view kPseudoFiles[] = {"<string>", "<stdin>", "<built-in>",
                                             "<__array_function__ internals>"};

// Removes a short number from the end of `text`. Returns false if there is none, or if nothing
// precedes it.
bool CutNumber(std::string_view& text) {
  const size_t end = text.find_last_not_of("0123456789") + 1;  // npos + 1 = 0
  if (!IsShortNumber(text.substr(end)) || end == 0) return false;
  text = text.substr(0, end);
  return true;
}

// Returns the name without its version, of at most three short numbers: "libc-2" for "libc-2.31",
// "libpython3" for "libpython3.11".
std::string_view WithoutVersion(std::string_view stem) {
  for (int part = 0; part < 3 && CutNumber(stem); ++part) {
    if (!stem.ends_with('.') && !stem.ends_with('-')) break;
    const bool last = stem.ends_with('-');
    stem.remove_suffix(1);
    if (last) break;
  }
  return stem;
}

// Returns the name without the hash that auditwheel adds: "libgomp" for "libgomp-a34b3233".
std::string_view WithoutWheelHash(std::string_view stem) {
  while (true) {
    const size_t dash = stem.rfind('-');
    if (dash == std::string_view::npos || stem.size() - dash != 9 ||
        stem.find_first_not_of("0123456789abcdef", dash + 1) != std::string_view::npos) {
      return stem;
    }
    stem = stem.substr(0, dash);
  }
}

// Returns the public part of a library's name: "libgomp.so.1" for "libgomp-a34b3233.so.1.0.0". No
// value if it is not a common library.
std::optional<std::string> PublicLibrary(std::string_view base) {
  const size_t so = base.find(".so");
  if (so == std::string_view::npos) return std::nullopt;
  std::string_view ending = base.substr(so + 3);
  for (int part = 0; part < 3 && !ending.empty(); ++part) {
    if (!CutNumber(ending) || !ending.ends_with('.')) return std::nullopt;
    ending.remove_suffix(1);
  }
  if (!ending.empty()) return std::nullopt;
  const std::string_view stem = base.substr(0, so), plain = WithoutWheelHash(stem);
  if (IsPublicWord(WordList::kLibraries, stem) ||
      IsPublicWord(WordList::kLibraries, WithoutVersion(stem))) {
    return std::string(base);
  }
  // Return only the known name, because an installer may have added anything to it.
  for (const std::string_view known :
       {plain, WithoutVersion(plain), WithoutWheelHash(WithoutVersion(stem))}) {
    if (IsPublicWord(WordList::kLibraries, known))
      return std::string(known) + std::string(base.substr(so));
  }
  return std::nullopt;
}

// Returns the module of a file: "queue" for "queue.py", "_json" for
// "_json.cpython-311-x86_64-linux-gnu.so". A folder is returned unchanged.
std::string_view ModuleOf(std::string_view part) {
  if (part.ends_with(".py")) return part.substr(0, part.size() - 3);
  constexpr std::string_view kAbi = ".cpython-3",
                             kMachines[] = {"-x86_64-linux-gnu.so", "-aarch64-linux-gnu.so"};
  if (part.ends_with(".abi3.so")) return part.substr(0, part.size() - 8);
  for (const std::string_view machine : kMachines) {
    const size_t at = part.rfind(kAbi);
    if (!part.ends_with(machine) || at == std::string_view::npos) continue;
    std::string_view version = part.substr(at + kAbi.size());
    version.remove_suffix(machine.size());
    if (version.ends_with('t')) version.remove_suffix(1);
    if (IsShortNumber(version)) return part.substr(0, at);
  }
  return part;
}

// Returns `path` if its folders and its file name all occur in public packages. What an installer
// added to the name of a library is removed. Does not check the name of the package itself.
std::optional<std::string> KnownParts(std::string_view path) {
  std::string known;
  while (true) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (IsPublicWord(WordList::kPaths, ModuleOf(part))) {
      known += part;
    } else if (auto library = end == path.size() ? PublicLibrary(part) : std::nullopt) {
      known += *library;
    } else {
      return std::nullopt;
    }
    if (end == path.size()) return known;
    known += '/';
    path.remove_prefix(end + 1);
  }
}

// Returns the first folder of `rest`, a path below site-packages, if it is a common package;
// otherwise "".
std::string_view PackageOf(std::string_view rest) {
  const std::string_view folder = rest.substr(0, rest.find('/'));
  return folder.size() != rest.size() && IsPublicWord(WordList::kPackages, folder) ? folder : "";
}

std::optional<std::string> PackagePath(std::string_view rest) {
  const std::string_view package = PackageOf(rest);
  if (package.empty()) return std::nullopt;
  auto known = KnownParts(rest.substr(package.size() + 1));
  if (!known) return std::nullopt;
  return std::string(package) + "/" + *known;
}

// Returns the path below site-packages or dist-packages; "" if `path` is not in such a folder.
std::string_view BelowPackages(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  return path.starts_with("site-packages/") ? path.substr(14) : "";
}

bool IsPythonVersion(std::string_view version) {
  if (version.ends_with('t')) version.remove_suffix(1);
  const size_t dot = version.find('.');
  const std::string_view minor = dot == std::string_view::npos ? "0" : version.substr(dot + 1);
  return (version.starts_with("2") || version.starts_with("3")) &&
         (version.size() == 1 || dot == 1) && IsShortNumber(minor) && minor.size() <= 2;
}

// For a file in "/lib/python3.12/...", returns the path below "/lib/". Folders above may be
// private.
std::optional<std::string> StandardPath(std::string_view path) {
  constexpr std::string_view kPython = "/lib/python", kRedacted = "python";
  const size_t at = path.find(kPython);
  std::string_view versioned = path;
  if (at != std::string_view::npos) {
    versioned = path.substr(at + kPython.size() - kRedacted.size());
  } else if (!path.starts_with(kRedacted)) {
    return std::nullopt;
  }
  const size_t slash = versioned.find('/');
  if (slash == std::string_view::npos ||
      !IsPythonVersion(versioned.substr(kRedacted.size(), slash - kRedacted.size()))) {
    return std::nullopt;
  }
  const std::string_view rest = versioned.substr(slash + 1);
  const std::string_view first = ModuleOf(rest.substr(0, rest.find('/')));
  if (!IsPublicWord(WordList::kModules, first) || !KnownParts(rest)) return std::nullopt;
  return std::string(versioned);
}

bool IsPython(std::string_view base) {
  return base == "python" || (base.starts_with("python") && IsPythonVersion(base.substr(6)));
}

// True for frozen modules of the standard library: "<frozen importlib._bootstrap>".
bool IsFrozen(std::string_view file) {
  constexpr std::string_view kFrozen = "<frozen ";
  if (!file.starts_with(kFrozen) || !file.ends_with('>')) return false;
  std::string_view name = file.substr(kFrozen.size(), file.size() - kFrozen.size() - 1);
  if (!IsPublicWord(WordList::kModules, name.substr(0, name.find('.')))) return false;
  while (true) {
    const size_t end = std::min(name.find('.'), name.size());
    if (!IsPublicWord(WordList::kPaths, name.substr(0, end))) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> PublicPath(std::string_view path) {
  if (IsFrozen(path) || IsOneOf(path, kPseudoFiles) || IsOneOf(path, kPseudoModules)) {
    return std::string(path);
  }
  if (const std::string_view rest = BelowPackages(path); !rest.empty()) {
    auto known = PackagePath(rest);
    if (!known) return std::nullopt;
    return "site-packages/" + *known;
  }
  if (auto standard = StandardPath(path)) return standard;
  const std::string_view base = BaseName(path);
  const bool is_system = base.size() < path.size() &&
                         IsOneOf(path.substr(0, path.size() - base.size() - 1), kSystemFolders);
  if (IsPython(base)) return std::string(is_system ? path : base);
  if (auto library = PublicLibrary(base)) {
    return is_system ? std::string(path.substr(0, path.size() - base.size())) + *library : library;
  }
  // In traces of PyTorch's profiler, paths of installed packages are relative to site-packages.
  if (!path.starts_with('/')) return PackagePath(path);
  return std::nullopt;
}

std::string_view PublicPackage(std::string_view path) { return PackageOf(BelowPackages(path)); }

std::string_view InterpreterFolder(std::string_view file) {
  constexpr std::string_view kFolders[] = {"Include", "Modules", "Objects", "Parser", "Python"};
  std::string_view last;
  for (size_t at = 0; at < file.size();) {
    const size_t end = std::min(file.find('/', at), file.size());
    if (end == file.size()) break;  // the file name itself
    const auto known =
        std::find(std::begin(kFolders), std::end(kFolders), file.substr(at, end - at));
    if (known != std::end(kFolders)) last = *known;
    at = end + 1;
  }
  return last;
}

bool IsInterpreterFile(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libpython") || name.starts_with("python");
}

}  // namespace gprofx
