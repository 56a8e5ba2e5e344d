#include "samplers/old_glibc.h"

#include <dlfcn.h>
#include <link.h>

GPROFX_OLD(__pthread_key_create);
GPROFX_OLD(dlclose);
GPROFX_OLD(dlopen);
GPROFX_OLD(dlsym);
GPROFX_OLD(pthread_create);
GPROFX_OLD(pthread_detach);
GPROFX_OLD(pthread_key_create);
GPROFX_OLD(pthread_once);
GPROFX_OLD(pthread_setspecific);
GPROFX_OLD(pthread_sigmask);

extern "C" {

// libstdc++ reads this variable, which exists since glibc 2.32. Nonzero would allow it to count
// references without atomic operations. 0 never allows that.
char __libc_single_threaded = 0;

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// New versions of libgcc find unwind tables through this function, which exists since glibc 2.35.
// This replacement finds them as older versions of libgcc did. It is used only when std::bad_alloc
// is thrown, so it need not be fast.
int _dl_find_object(void* pc, dl_find_object* found) noexcept {
  struct Search {
    ElfW(Addr) pc;
    dl_find_object* found;
  } search{reinterpret_cast<ElfW(Addr)>(pc), found};
  const auto look = [](dl_phdr_info* info, size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    const ElfW(Phdr)* tables = nullptr;
    bool here = false;
    for (const ElfW(Phdr)* p = info->dlpi_phdr; p != info->dlpi_phdr + info->dlpi_phnum; ++p) {
      if (p->p_type == PT_GNU_EH_FRAME) tables = p;
      here |= p->p_type == PT_LOAD && wanted.pc - info->dlpi_addr - p->p_vaddr < p->p_memsz;
    }
    if (!here || tables == nullptr) return 0;
    *wanted.found = {};
    wanted.found->dlfo_eh_frame = reinterpret_cast<void*>(info->dlpi_addr + tables->p_vaddr);
    return 1;
  };
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
