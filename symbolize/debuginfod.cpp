#include "symbolize/debuginfod.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace gprofx {
namespace {

// The four functions we use, by the signatures of elfutils/debuginfod.h; resolved at run time.
struct Library {
  void* (*begin)() = nullptr;
  void (*end)(void*) = nullptr;
  int (*find)(void*, const unsigned char*, int, char**) = nullptr;

  bool complete() const { return begin != nullptr && end != nullptr && find != nullptr; }
};

Library Load() {
  Library library;
  void* handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  library.begin = reinterpret_cast<void* (*)()>(dlsym(handle, "debuginfod_begin"));
  library.end = reinterpret_cast<void (*)(void*)>(dlsym(handle, "debuginfod_end"));
  library.find = reinterpret_cast<int (*)(void*, const unsigned char*, int, char**)>(
      dlsym(handle, "debuginfod_find_debuginfo"));
  return library;
}

}  // namespace

Result<ElfFile> FetchDebugFile(const std::string& build_id) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0') {
    return Error{"no debuginfod server is set", "set DEBUGINFOD_URLS"};
  }
  static const Library library = Load();
  if (!library.complete())
    return Error{"libdebuginfod.so.1 cannot be loaded", "install libdebuginfod1"};
  void* client = library.begin();
  if (client == nullptr) return Error{"libdebuginfod cannot start", ""};
  char* path = nullptr;
  // Length 0: the build-id is a text of hexadecimal digits.
  const int fd =
      library.find(client, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, &path);
  library.end(client);
  if (fd < 0) return Error{std::string("no debug file from debuginfod: ") + std::strerror(-fd), ""};
  const FileHandle handle(fd);
  const std::string name = path == nullptr ? "" : path;
  std::free(path);
  Result<ElfFile> file = ElfFile::Open(name);
  if (file && file->BuildId() != build_id)
    return Error{"debuginfod sent the file of another build-id", ""};
  return file;
}

}  // namespace gprofx
