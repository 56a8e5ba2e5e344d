// The driver API by dlopen, so that the programs start on a machine without a driver.
#pragma once

#include <cuda.h>

#include "common.h"

class Driver {
 public:
  Driver() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library_) NoGpu(dlerror());
    Find(init_, "cuInit");
    Find(error_name_, "cuGetErrorName");
    Find(context_create_, "cuCtxCreate_v2");
    Find(context_destroy_, "cuCtxDestroy_v2");
    Find(synchronize_, "cuCtxSynchronize");
    Find(module_load_, "cuModuleLoadData");
    Find(module_unload_, "cuModuleUnload");
    Find(function_, "cuModuleGetFunction");
    Find(launch_, "cuLaunchKernel");
    Find(allocate_, "cuMemAlloc_v2");
    Find(free_, "cuMemFree_v2");
    Find(set_, "cuMemsetD32_v2");
    Find(copy_out_, "cuMemcpyDtoH_v2");
    const CUresult result = init_(0);
    if (result != CUDA_SUCCESS) NoGpu(ErrorName(result));
  }

  CUcontext CreateContext() {
    CUcontext context = nullptr;
    Check(context_create_(&context, 0, 0), "cuCtxCreate");
    return context;
  }
  void DestroyContext(CUcontext context) { Check(context_destroy_(context), "cuCtxDestroy"); }
  void Synchronize() { Check(synchronize_(), "cuCtxSynchronize"); }
  CUmodule Load(const char* image) {
    CUmodule module = nullptr;
    Check(module_load_(&module, image), "cuModuleLoadData");
    return module;
  }
  void Unload(CUmodule module) { Check(module_unload_(module), "cuModuleUnload"); }
  CUfunction Function(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    Check(function_(&function, module, name), "cuModuleGetFunction");
    return function;
  }
  void Launch(CUfunction function, unsigned blocks, unsigned threads, void** arguments) {
    Check(launch_(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
  }
  CUdeviceptr AllocateZeros(size_t words) {
    CUdeviceptr memory = 0;
    Check(allocate_(&memory, 4 * words), "cuMemAlloc");
    Check(set_(memory, 0, words), "cuMemsetD32");
    return memory;
  }
  void Free(CUdeviceptr memory) { Check(free_(memory), "cuMemFree"); }
  uint32_t Word(CUdeviceptr memory) {
    uint32_t word = 0;
    Check(copy_out_(&word, memory, 4), "cuMemcpyDtoH");
    return word;
  }

 private:
  template <class F>
  void Find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    if (!function) NoGpu(name);
  }
  const char* ErrorName(CUresult result) {
    const char* name = nullptr;
    error_name_(result, &name);
    return name ? name : "unknown error";
  }
  void Check(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, ErrorName(result));
    exit(1);
  }

  void* library_ = nullptr;
  CUresult (*init_)(unsigned);
  CUresult (*error_name_)(CUresult, const char**);
  CUresult (*context_create_)(CUcontext*, unsigned, CUdevice);
  CUresult (*context_destroy_)(CUcontext);
  CUresult (*synchronize_)();
  CUresult (*module_load_)(CUmodule*, const void*);
  CUresult (*module_unload_)(CUmodule);
  CUresult (*function_)(CUfunction*, CUmodule, const char*);
  CUresult (*launch_)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CUstream, void**, void**);
  CUresult (*allocate_)(CUdeviceptr*, size_t);
  CUresult (*free_)(CUdeviceptr);
  CUresult (*set_)(CUdeviceptr, unsigned, size_t);
  CUresult (*copy_out_)(void*, CUdeviceptr, size_t);
};
