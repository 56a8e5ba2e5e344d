// Replaces dlopen() and related functions (by ld's --wrap) with functions that fail. gprof-x is
// linked statically and loads no library, and SQLite must not load extensions.
extern "C" {

void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return 0; }
char* __wrap_dlerror() {
  static char text[] = "gprof-x loads no libraries";
  return text;
}

}  // extern "C"
