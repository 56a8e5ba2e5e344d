#include "samplers/cuda/cupti/cupti_api.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace gprofx::cuda {

CuptiApi g_cupti;

namespace {

// CUPTI 12.4, the first version whose records have the present form.
constexpr uint32_t kOldestVersion = 22;
// CUPTI 13.0, the first version whose leaving was tested with programs of many threads.
constexpr uint32_t kOldestThatLeaves = 130'000;

// Returns the path of a copy of CUPTI that the program has already mapped. Returns "" if there is
// none. Such a copy is preferred, because two copies in one process confuse each other.
std::string MappedCupti() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const char* slash = std::strrchr(info->dlpi_name, '/');
        if (slash == nullptr || std::strncmp(slash, "/libcupti.so", 12) != 0) return 0;
        *static_cast<std::string*>(data) = info->dlpi_name;
        return 1;
      },
      &found);
  return found;
}

// Returns the folders in `parent` whose names begin with `prefix`. The newest version comes first.
std::vector<std::string> FoldersIn(const std::string& parent, const char* prefix) {
  std::vector<std::string> found;
  if (DIR* dir = opendir(parent.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      if (std::strncmp(entry->d_name, prefix, std::strlen(prefix)) == 0)
        found.push_back(parent + "/" + entry->d_name);
    }
    closedir(dir);
  }
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) > 0;
  });
  return found;
}

// Adds paths at which CUPTI would be in Python wheels. They are derived from libraries that are
// mapped from the same site-packages (.../site-packages/torch/lib/...,
// .../site-packages/nvidia/...).
void AddWheels(std::vector<std::string>* out) {
  std::vector<std::string> roots;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const char* at = std::strstr(info->dlpi_name, "-packages/");
        if (at == nullptr) return 0;
        std::string root(info->dlpi_name, static_cast<size_t>(at - info->dlpi_name) + 9);
        auto* all = static_cast<std::vector<std::string>*>(data);
        for (const std::string& known : *all) {
          if (known == root) return 0;
        }
        all->push_back(root);
        return 0;
      },
      &roots);
  for (const std::string& root : roots) {
    out->push_back(root + "/nvidia/cu13/lib/libcupti.so.13");
    out->push_back(root + "/nvidia/cuda_cupti/lib/libcupti.so.12");
  }
}

std::vector<std::string> Candidates() {
  std::vector<std::string> all;
  if (const char* chosen = getenv("GPROFX_CUPTI"); chosen != nullptr && *chosen != 0)
    all.emplace_back(chosen);
  AddWheels(&all);
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = getenv(variable); home != nullptr && *home != 0)
      homes.emplace_back(home);
  }
  homes.emplace_back("/usr/local/cuda");
  for (const std::string& folder : FoldersIn("/usr/local", "cuda-")) homes.push_back(folder);
  for (const std::string& home : homes) {
    for (const char* file : {"/extras/CUPTI/lib64/libcupti.so", "/lib64/libcupti.so"})
      all.push_back(home + file);
  }
  all.emplace_back("libcupti.so.13");
  all.emplace_back("libcupti.so.12");
  return all;
}

void* OpenLibrary(std::string* path) {
  if (std::string mapped = MappedCupti(); !mapped.empty()) {
    if (void* handle = dlopen(mapped.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      *path = mapped;
      return handle;
    }
  }
  for (const std::string& candidate : Candidates()) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      *path = MappedCupti();
      if (path->empty()) *path = candidate;
      return handle;
    }
  }
  return nullptr;
}

}  // namespace

bool CuptiApi::Load(std::string* problem) {
  void* handle = OpenLibrary(&path);
  if (handle == nullptr) {
    *problem =
        "libcupti was not found: install the CUDA toolkit's CUPTI (or the wheel "
        "nvidia-cuda-cupti) or name the library in GPROFX_CUPTI";
    return false;
  }
  const char* missing = nullptr;
#define GPROFX_REQUIRED(name)                                            \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "cupti" #name)); \
  if (name == nullptr) missing = "cupti" #name;
#define GPROFX_OPTIONAL(name) name = reinterpret_cast<decltype(name)>(dlsym(handle, "cupti" #name));
  GPROFX_CUPTI_REQUIRED(GPROFX_REQUIRED)
  GPROFX_CUPTI_OPTIONAL(GPROFX_OPTIONAL)
#undef GPROFX_REQUIRED
#undef GPROFX_OPTIONAL
  if (missing == nullptr && GetVersion(&version) != CUPTI_SUCCESS) missing = "a version";
  if (missing == nullptr && version >= kOldestVersion) return true;
  *problem = path +
             (missing != nullptr ? std::string(" lacks ") + missing
                                 : " has version " + std::to_string(version)) +
             ": GPU profiling needs CUPTI of CUDA 12.4 or newer; name another one in GPROFX_CUPTI";
  return false;
}

bool CuptiApi::CanSamplePcs() const {
  return PCSamplingEnable != nullptr && PCSamplingDisable != nullptr &&
         PCSamplingGetData != nullptr && PCSamplingGetNumStallReasons != nullptr &&
         PCSamplingGetStallReasons != nullptr && PCSamplingSetConfigurationAttribute != nullptr &&
         PCSamplingGetConfigurationAttribute != nullptr && RegisterComputeCrcCallback != nullptr;
}

bool CuptiApi::CanLeave() const { return Finalize != nullptr && version >= kOldestThatLeaves; }

const char* CuptiApi::Text(CUptiResult result) const {
  const char* text = nullptr;
  if (GetResultString == nullptr || GetResultString(result, &text) != CUPTI_SUCCESS) return "?";
  return text;
}

}  // namespace gprofx::cuda
