// gprofx-foreign: examines libraries of this machine for gprof-x.
//
// gprof-x is linked statically, so that it runs with any C library. A static program cannot load
// libraries, and a process that records must not crash in them. This program is started by the
// machine's own loader and needs no symbol newer than GLIBC_2.17. It prints its answer on standard
// output and exits with 0, or with 1 if there is none.
//   gprofx-foreign libc                      prints the version of glibc
//   gprofx-foreign cupti LIBRARY...          prints the first library that can be loaded and, on the
//                                            next line, the result of its cuptiGetVersion (0 = none)
//   gprofx-foreign device N LIBRARY...       prints the rates that GPU N sustains (measure_device.h);
//                                            for products, uses the first cuBLAS that can be loaded
//   gprofx-foreign debuginfod BUILDID        prints the path of a debug file from $DEBUGINFOD_URLS;
//                                            if there is none, exits with 1 and prints why
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure_device.h"
#include "samplers/old_glibc.h"

GPROFX_OLD(__libc_start_main);
GPROFX_OLD(dlopen);
GPROFX_OLD(dlsym);

// Replaces crt1.o, because that of a new glibc would require that glibc. Nothing needs to be
// initialized, so there are no functions for init and fini.
__asm__(
    ".globl _start\n.type _start, @function\n_start:\n"
    ".cfi_startproc\n.cfi_undefined " GPROFX_CALLER_OF_START "\n" GPROFX_START ".cfi_endproc\n");

static int AskCupti(char** libraries) {
  for (; *libraries != NULL; ++libraries) {
    void* library = dlopen(*libraries, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) continue;
    unsigned version = 0;
    int (*ask)(unsigned*) = (int (*)(unsigned*))dlsym(library, "cuptiGetVersion");
    if (ask == NULL || ask(&version) != 0) version = 0;
    printf("%s\n%u\n", *libraries, version);
    return 0;
  }
  return 1;
}

static int AskDebuginfod(const char* build_id) {
  void* library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    puts("libdebuginfod.so.1 cannot be loaded; install libdebuginfod1");
    return 1;
  }
  void* (*begin)(void) = (void* (*)(void))dlsym(library, "debuginfod_begin");
  int (*find)(void*, const unsigned char*, int, char**) =
      (int (*)(void*, const unsigned char*, int, char**))dlsym(library,
                                                               "debuginfod_find_debuginfo");
  void* client = begin == NULL || find == NULL ? NULL : begin();
  if (client == NULL) {
    puts("libdebuginfod.so.1 cannot start");
    return 1;
  }
  char* path = NULL;
  // Length 0 means that the build ID is a text of hexadecimal digits.
  const int fd = find(client, (const unsigned char*)build_id, 0, &path);
  puts(fd < 0 ? strerror(-fd) : path);
  return fd < 0;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "libc") == 0) return puts(gnu_get_libc_version()) < 0;
  if (argc > 2 && strcmp(argv[1], "cupti") == 0) return AskCupti(argv + 2);
  if (argc > 2 && strcmp(argv[1], "device") == 0) {
    MeasureDevice(atoi(argv[2]), argv + 3);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "debuginfod") == 0) return AskDebuginfod(argv[2]);
  fputs("gprofx-foreign is a part of gprof-x\n", stderr);
  return 1;
}
