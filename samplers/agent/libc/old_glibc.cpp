// Supplies dlsym and the functions for thread keys where glibc is older than 2.34. There they are
// in libdl and libpthread, which a program need not load. The agent must not list these libraries
// as needed (DT_NEEDED): in a small root that lacks them, the program itself would not start. The
// references are therefore weak, and libdl is loaded when it is needed.
#include "samplers/old_glibc.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

GPROFX_OLD_NAME(dlerror);
GPROFX_OLD_NAME(dlsym);
GPROFX_OLD_NAME(pthread_key_create);
GPROFX_OLD_NAME(pthread_setspecific);

extern "C" {

__attribute__((weak)) char* gprofx_old_dlerror() noexcept;
__attribute__((weak)) void* gprofx_old_dlsym(void*, const char*) noexcept;
__attribute__((weak)) int gprofx_old_pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept;
__attribute__((weak)) int gprofx_old_pthread_setspecific(pthread_key_t, const void*) noexcept;

// glibc 2.17 to 2.33 exports these functions from libc for the internal use of its libraries.
__attribute__((weak)) void* __libc_dlopen_mode(const char*, int);
__attribute__((weak)) void* __libc_dlsym(void*, const char*);

}  // extern "C"

namespace {

using Dlsym = void* (*)(void*, const char*);

Dlsym DlsymOfLibdl() {
  constexpr int kAsDlopen = static_cast<int>(0x80000000u);  // __RTLD_DLOPEN
  if (__libc_dlopen_mode == nullptr || __libc_dlsym == nullptr) return nullptr;
  void* library = __libc_dlopen_mode("libdl.so.2", RTLD_NOW | kAsDlopen);
  return library == nullptr ? nullptr : reinterpret_cast<Dlsym>(__libc_dlsym(library, "dlsym"));
}

Dlsym g_dlsym = nullptr;

}  // namespace

extern "C" {

// The real dlsym resolves RTLD_NEXT relative to its caller. That is this library, to which all
// callers of this function belong.
void* dlsym(void* handle, const char* name) noexcept {
  if (g_dlsym == nullptr) g_dlsym = gprofx_old_dlsym;
  if (g_dlsym == nullptr) g_dlsym = DlsymOfLibdl();
  return g_dlsym == nullptr ? nullptr : g_dlsym(handle, name);
}

char* dlerror() noexcept { return gprofx_old_dlerror == nullptr ? nullptr : gprofx_old_dlerror(); }

// Returns ENOSYS if libpthread is not loaded. The program then has a single thread, which ends with
// the process, so no key is needed.
int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (gprofx_old_pthread_key_create == nullptr) return ENOSYS;
  return gprofx_old_pthread_key_create(key, destructor);
}
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (gprofx_old_pthread_setspecific == nullptr) return ENOSYS;
  return gprofx_old_pthread_setspecific(key, value);
}

}  // extern "C"
