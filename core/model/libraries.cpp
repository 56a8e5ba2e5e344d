#include "core/model/libraries.h"

#include <algorithm>
#include <iterator>

#include "core/base/path.h"

namespace gprofx {
namespace {

bool StartsWithAny(std::string_view text, const auto& starts) {
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](std::string_view start) { return text.starts_with(start); });
}

constexpr std::string_view kRuntimes[] = {
    "libc.so",   "libc-2.",  "libm.so",  "libm-2.",    "libpthread", "libdl.so",     "libdl-2.",
    "librt.so",  "librt-2.", "ld-linux", "ld-2.",      "ld-musl",    "libstdc++.so", "libc++.so",
    "libc++abi", "libgcc_s", "[vdso]",   "linux-vdso", "libmvec",
};

constexpr std::string_view kSystemFolders[] = {
    "/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/nix/store/",
};

constexpr struct {
  std::string_view start, title;
} kTitles[] = {
    {"libopenblas", "OpenBLAS"},
    {"libscipy_openblas", "OpenBLAS"},
    {"libgomp", "GNU OpenMP"},
    {"libiomp5", "Intel OpenMP"},
    {"libomp", "LLVM OpenMP"},
    {"libmkl", "MKL"},
    {"libblis", "BLIS"},
    {"libtbb", "oneTBB"},
    {"libtorch", "PyTorch"},
    {"libc10", "PyTorch"},
    {"libtensorflow", "TensorFlow"},
    {"xla_extension", "XLA"},
    {"libnccl", "NCCL"},
    {"libcuda.so", "CUDA driver"},
    {"libcupti", "CUPTI"},
    {"libarrow", "Arrow"},
    {"libjvm", "Java VM"},
};

}  // namespace

bool IsCRuntime(std::string_view path) { return StartsWithAny(BaseName(path), kRuntimes); }

bool IsSystemLibrary(std::string_view path) {
  if (IsCRuntime(path)) return true;
  // Considers only libraries, because a user's program may be anywhere, even in /usr/lib/git-core.
  const bool library = BaseName(path).find(".so") != std::string_view::npos;
  return library && StartsWithAny(path, kSystemFolders);
}

std::string LibraryTitle(std::string_view path) {
  const std::string_view name = BaseName(path);
  for (const auto& [start, title] : kTitles) {
    if (name.starts_with(start)) return std::string(title);
  }
  return std::string(name);
}

std::string LibraryStem(std::string_view path) {
  std::string stem = LibraryTitle(path);
  if (stem != BaseName(path)) return stem;
  const size_t suffix = stem.find(".so");
  if (suffix != std::string::npos && suffix != 0) stem.resize(suffix);
  return stem.starts_with("lib") && stem.size() > 3 ? stem.substr(3) : stem;
}

}  // namespace gprofx
