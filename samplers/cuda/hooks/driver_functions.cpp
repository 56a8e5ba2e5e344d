#include "samplers/cuda/hooks/driver_functions.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/fork_pause.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

struct Part {  // a range of a library's data, in whole words
  uint64_t begin, end;
};

// True for libraries of the driver, of CUPTI and of gprof-x. They keep pointers to driver functions
// for their own use.
bool IsOfDriver(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view start :
       {"libcuda.so", "libcupti.so", "libnvidia-", "libnvperf_", "libcudadebugger", "libgprofx-"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// Maximum number of bytes of zero-initialised data that is searched per library. Static arrays may
// have gigabytes.
constexpr uint64_t kMaxZeros = 256 << 20;

// Appends the writable memory of a library to `parts`, except the range that becomes read-only
// after loading.
void AddParts(const dl_phdr_info& library, std::vector<Part>& parts) {
  constexpr uint64_t kPage = 4096;
  uint64_t fixed_begin = 0, fixed_end = 0;
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = library.dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    fixed_begin = (library.dlpi_addr + header.p_vaddr) & ~(kPage - 1);
    fixed_end = (library.dlpi_addr + header.p_vaddr + header.p_memsz) & ~(kPage - 1);
  }
  const auto add = [&](uint64_t begin, uint64_t end) {
    begin = (begin + 7) & ~uint64_t{7};
    if (begin + 8 <= end) parts.push_back({begin, end & ~uint64_t{7}});
  };
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = library.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const uint64_t zeros = header.p_memsz - std::min(header.p_memsz, header.p_filesz);
    const uint64_t begin = library.dlpi_addr + header.p_vaddr;
    const uint64_t end = begin + header.p_memsz - zeros + std::min(zeros, kMaxZeros);
    add(begin, std::clamp(fixed_begin, begin, end));
    add(std::clamp(fixed_end, begin, end), end);
  }
}

bool Holds(const dl_phdr_info& library, uint64_t address) {
  return std::any_of(library.dlpi_phdr, library.dlpi_phdr + library.dlpi_phnum,
                     [&](const ElfW(Phdr) & header) {
                       return header.p_type == PT_LOAD &&
                              address - library.dlpi_addr - header.p_vaddr < header.p_memsz;
                     });
}

// Calls take(library) for each loaded library, with the loader's lock held. `of_library` selects
// the libraries as in ReplacePointers.
template <class Take>
void ForEachLibrary(uint64_t of_library, Take take) {
  const ForkPause pause;
  if (!pause) return;
  auto use = [&](const dl_phdr_info& library) {
    if (of_library != 0 ? Holds(library, of_library) : !IsOfDriver(library.dlpi_name))
      take(library);
  };
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* of) {
        (*static_cast<decltype(use)*>(of))(*library);
        return 0;
      },
      &use);
}

struct Place {
  uint64_t address;
  Replacement what;
};

// The addresses that are searched for. A lookup is so fast that each word of gigabytes of memory
// can be looked up.
class Wanted {
 public:
  explicit Wanted(std::span<const Replacement> replacements)
      : sorted_(replacements.begin(), replacements.end()) {
    std::sort(sorted_.begin(), sorted_.end(), IsBefore);
  }
  // Returns the replacement for `word`, or null if `word` is not an address to be replaced.
  const Replacement* Find(uint64_t word) const {
    if (sorted_.empty() || word < sorted_.front().from || word > sorted_.back().from)
      return nullptr;
    const auto at =
        std::lower_bound(sorted_.begin(), sorted_.end(), Replacement{word, 0}, IsBefore);
    return at->from == word ? &*at : nullptr;
  }

 private:
  static bool IsBefore(const Replacement& a, const Replacement& b) { return a.from < b.from; }
  std::vector<Replacement> sorted_;
};

void FindIn(const Part& part, const Wanted& wanted, std::vector<uint64_t>& words,
            std::vector<Place>& found) {
  for (uint64_t at = part.begin; at < part.end; at += words.size() * 8) {
    const uint64_t some = std::min<uint64_t>(words.size(), (part.end - at) / 8);
    if (!g_state.agent->copy(at, words.data(), some * 8)) continue;
    for (uint64_t i = 0; i < some; ++i) {
      if (const Replacement* what = wanted.Find(words[i])) found.push_back({at + i * 8, *what});
    }
  }
}

// Collects functions. Keeps each address once, with the first FollowedCall that was given for it.
class Functions {
 public:
  void Add(const FollowedCall& what, void* function) {
    const auto address = reinterpret_cast<uint64_t>(function);
    if (address != 0 && known_.insert(address).second) all_.push_back({what, address});
  }
  std::vector<DriverFunction> Take() { return std::move(all_); }

 private:
  std::unordered_set<uint64_t> known_;
  std::vector<DriverFunction> all_;
};

bool IsOfInterest(const FollowedCall& what) {
  return what.is_heard() || what.hands_out || what.needs_cupti;
}

// Returns the names under which the driver exports the functions that we follow.
std::vector<std::string> FollowedNames() {
  constexpr CUpti_CallbackId kMaxCalls = 2048;
  std::vector<std::string> names;
  for (CUpti_CallbackId id = 1; id < kMaxCalls; ++id) {
    const char* name = nullptr;
    if (g_cupti.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && IsOfInterest(FollowedCallOfName(name)))
      names.emplace_back(name);
  }
  return names;
}

// Returns a name without its variant: "cuMemAlloc_v2_ptds" gives "cuMemAlloc". cuGetProcAddress
// knows all variants by that name.
std::string WithoutVariant(std::string name) {
  for (const std::string_view tail : {"_ptsz", "_ptds", "_v2", "_v3"}) {
    if (name.ends_with(tail)) name.resize(name.size() - tail.size());
  }
  return name;
}

// Looks a function up by its name without variant. A memory call is also found by the name of its
// second variant (_v2), because the driver hands out no older one.
FollowedCall FollowedCallOfBase(const std::string& base) {
  FollowedCall what = FollowedCallOfName(base.c_str());
  if (!what.is_memory()) what.memory = FollowedCallOfName((base + "_v2").c_str()).memory;
  return what;
}

// Adds the functions that the driver hands out for the names `bases`: for each version of CUDA, and
// for both kinds of default stream.
void AddHandedOut(void* driver, const std::set<std::string>& bases, Functions& functions) {
  const auto ask = reinterpret_cast<CUresult (*)(const char*, void**, int, cuuint64_t, void*)>(
      dlsym(driver, "cuGetProcAddress_v2"));
  if (ask == nullptr) return;
  for (const std::string& base : bases) {
    const FollowedCall what = FollowedCallOfBase(base);
    for (const int version : {4000, 7000, 11000, 11060, 12000, 13000}) {
      for (const cuuint64_t flags : {CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                                     CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) {
        CUdriverProcAddressQueryResult status;
        void* function = nullptr;
        if (ask(base.c_str(), &function, version, flags, &status) == CUDA_SUCCESS)
          functions.Add(what, function);
      }
    }
  }
}

}  // namespace

std::vector<DriverFunction> FindDriverFunctions() {
  Functions functions;
  const ForkPause pause;
  void* driver = pause ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (driver == nullptr) return {};
  std::set<std::string> bases;
  for (const std::string& name : FollowedNames()) {
    functions.Add(FollowedCallOfName(name.c_str()), dlsym(driver, name.c_str()));
    bases.insert(WithoutVariant(name));
  }
  AddHandedOut(driver, bases, functions);
  return functions.Take();
}

int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library) {
  constexpr size_t kWords = 8192;
  std::vector<Part> parts;
  ForEachLibrary(of_library, [&](const dl_phdr_info& library) { AddParts(library, parts); });
  std::vector<uint64_t> words(kWords);
  std::vector<Place> places;
  const Wanted wanted(replacements);
  for (const Part& part : parts) FindIn(part, wanted, words, places);
  int count = 0;
  // Write only to memory of libraries that are still loaded. The loader's lock keeps them loaded
  // meanwhile.
  ForEachLibrary(of_library, [&](const dl_phdr_info& library) {
    parts.clear();
    AddParts(library, parts);
    for (const Part& part : parts) {
      for (const Place& place : places) {
        const bool inside = place.address >= part.begin && place.address < part.end;
        if (inside && g_state.agent->replace(place.address, place.what.from, place.what.to))
          ++count;
      }
    }
  });
  return count;
}

uint64_t LibraryChanges() {
  const ForkPause pause;
  uint64_t changes = 0;
  if (!pause) return changes;
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* out) {
        *static_cast<uint64_t*>(out) = library->dlpi_adds + library->dlpi_subs;
        return 1;
      },
      &changes);
  return changes;
}

}  // namespace gprofx::cuda
