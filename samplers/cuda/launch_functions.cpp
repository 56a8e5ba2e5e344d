#include "samplers/cuda/launch_functions.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string_view>

#include "samplers/cuda/fork_pause.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

struct Part {  // of a library's data, in whole words
  uint64_t begin, end;
};

// Those that hold the driver's functions for their own use.
bool IsOfDriver(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view start :
       {"libcuda.so", "libcupti.so", "libnvidia-", "libnvperf_", "libcudadebugger", "libgprofx-"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// Of what begins as zeros, so much is looked at: static arrays may have gigabytes.
constexpr uint64_t kMostZeros = 256 << 20;

// Writable memory of a library, without what is read-only once it is loaded.
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
    const uint64_t end = begin + header.p_memsz - zeros + std::min(zeros, kMostZeros);
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

// Calls take(library) for each that is loaded, under the loader's lock. `of_library`: as in
// ReplacePointers.
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

void FindIn(const Part& part, std::span<const Replacement> replacements,
            std::vector<uint64_t>& words, std::vector<Place>& found) {
  for (uint64_t at = part.begin; at < part.end; at += words.size() * 8) {
    const uint64_t some = std::min<uint64_t>(words.size(), (part.end - at) / 8);
    if (!g_state.agent->copy(at, words.data(), some * 8)) continue;
    for (uint64_t i = 0; i < some; ++i) {
      for (const Replacement& each : replacements) {
        if (words[i] == each.from) found.push_back({at + i * 8, each});
      }
    }
  }
}

}  // namespace

std::vector<LaunchFunction> FindLaunchFunctions() {
  std::vector<LaunchFunction> found;
  const auto add = [&](LaunchFunction::Form form, void* function) {
    const auto address = reinterpret_cast<uint64_t>(function);
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const LaunchFunction& each) {
      return each.address == address;
    });
    if (address != 0 && !is_known) found.push_back({form, address});
  };
  const ForkPause pause;
  void* driver = pause ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (driver == nullptr) return found;
  for (const char* name : {"cuLaunchKernel", "cuLaunchKernel_ptsz"})
    add(LaunchFunction::kPlain, dlsym(driver, name));
  for (const char* name : {"cuLaunchKernelEx", "cuLaunchKernelEx_ptsz"})
    add(LaunchFunction::kWithConfig, dlsym(driver, name));
  // What it hands out for each version of CUDA, and for both kinds of default stream.
  const auto ask = reinterpret_cast<CUresult (*)(const char*, void**, int, cuuint64_t, void*)>(
      dlsym(driver, "cuGetProcAddress_v2"));
  if (ask == nullptr) return found;
  for (const int version : {4000, 7000, 11000, 11060, 12000, 13000}) {
    for (const cuuint64_t flags : {CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                                   CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) {
      CUdriverProcAddressQueryResult status;
      void* function = nullptr;
      if (ask("cuLaunchKernel", &function, version, flags, &status) == CUDA_SUCCESS)
        add(LaunchFunction::kPlain, function);
      function = nullptr;
      if (ask("cuLaunchKernelEx", &function, version, flags, &status) == CUDA_SUCCESS)
        add(LaunchFunction::kWithConfig, function);
    }
  }
  return found;
}

int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library) {
  constexpr size_t kWords = 8192;
  std::vector<Part> parts;
  ForEachLibrary(of_library, [&](const dl_phdr_info& library) { AddParts(library, parts); });
  std::vector<uint64_t> words(kWords);
  std::vector<Place> places;
  for (const Part& part : parts) FindIn(part, replacements, words, places);
  int count = 0;
  // Only where they still are: nobody unloads a library meanwhile.
  ForEachLibrary(of_library, [&](const dl_phdr_info& library) {
    parts.clear();
    AddParts(library, parts);
    for (const Part& part : parts) {
      for (const Place& place : places) {
        const bool inside = place.address >= part.begin && place.address < part.end;
        if (inside && g_state.agent->replace(place.address, place.what.from, place.what.to)) ++count;
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
