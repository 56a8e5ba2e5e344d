// Measures the rates that a GPU sustains, for `gprof-x doctor --measure-device`. It runs a
// streaming addition and, with the machine's cuBLAS, products of matrices with the shapes of
// transformers. Runs inside of gprofx-foreign.
//
// Method: many passes without a pause, timed by CUDA events. Measuring starts when the GPU is hot,
// because its clocks are higher in the first tenth of a second than it can sustain. The rate of
// products is the 95th percentile over the shapes. The numbers are random, because a GPU that
// multiplies zeros draws less power and is faster. Takes at most 15 seconds and 4 GB of GPU memory.
#include "cli/measure_device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// PTX code, which the driver compiles. No compiler is needed on this machine.
static const char kPtx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    // out[i] = a[i] + b[i]; each thread adds four numbers.
    ".visible .entry add(.param .u64 pa, .param .u64 pb, .param .u64 po, .param .u32 pn) {\n"
    ".reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<5>; .reg .f32 %f<12>;\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [pn];\n"
    "setp.ge.u32 %p, %r3, %r4; @%p ret;\n"
    "mul.wide.u32 %d0, %r3, 16;\n"
    "ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [po];\n"
    "add.u64 %d1, %d1, %d0; add.u64 %d2, %d2, %d0; add.u64 %d3, %d3, %d0;\n"
    "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];\n"
    "ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d2];\n"
    "add.f32 %f8, %f0, %f4; add.f32 %f9, %f1, %f5;\n"
    "add.f32 %f10, %f2, %f6; add.f32 %f11, %f3, %f7;\n"
    "st.global.v4.f32 [%d3], {%f8, %f9, %f10, %f11}; ret; }\n"
    // out[i] = a random number from -1 to 1. If pairs != 0, it is two bfloat16 numbers.
    ".visible .entry fill(.param .u64 po, .param .u32 pn, .param .u32 pairs) {\n"
    ".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<2>; .reg .f32 %f<2>;\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [pn];\n"
    "setp.ge.u32 %p, %r3, %r4; @%p ret;\n"
    "mul.lo.u32 %r5, %r3, 2654435761; shr.u32 %r6, %r5, 15; xor.b32 %r5, %r5, %r6;\n"
    "mul.lo.u32 %r5, %r5, 2246822519; shr.u32 %r6, %r5, 13; xor.b32 %r5, %r5, %r6;\n"
    "cvt.rn.f32.s32 %f0, %r5; mul.f32 %f0, %f0, 0f30000000;\n"
    "mov.b32 %r6, %f0; ld.param.u32 %r7, [pairs]; setp.eq.u32 %p, %r7, 0;\n"
    "@%p bra store; shr.u32 %r7, %r6, 16; xor.b32 %r7, %r7, 32768;\n"
    "and.b32 %r6, %r6, 4294901760; or.b32 %r6, %r6, %r7;\n"
    "store: ld.param.u64 %d0, [po]; mul.wide.u32 %d1, %r3, 4; add.u64 %d0, %d0, %d1;\n"
    "st.global.u32 [%d0], %r6; ret; }\n";

enum { kThreads = 256, kMostPasses = 100000 };
static const double kHeatSeconds = 0.2, kMeasureSeconds = 0.25;
enum { kMegabyte = 1 << 20 };
enum { kTransposed = 1, kAsIs = 0 };                  // cublasOperation_t
enum { kReal32 = 0, kBfloat16 = 14, kCompute32 = 68 };  // cudaDataType_t, cublasComputeType_t
enum { kNamed = -1 };  // cublasGemmAlgo_t: default
// Values of CUdevice_attribute.
enum { kClock = 13, kMultiprocessors = 16, kMemoryClock = 36, kBusWidth = 37, kL2 = 38 };
enum { kThreadsPerSm = 39, kMajor = 75, kMinor = 76 };

typedef uint64_t Pointer;

static struct {
  int (*init)(unsigned);
  int (*device)(int*, int);
  int (*name)(char*, int, int);
  int (*attribute)(int*, int, int);
  int (*total)(size_t*, int);
  int (*retain)(void**, int);
  int (*current)(void*);
  int (*free_memory)(size_t*, size_t*);
  int (*load)(void**, const void*);
  int (*function)(void**, void*, const char*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);
  int (*allocate)(Pointer*, size_t);
  int (*event)(void**, unsigned);
  int (*record)(void*, void*);
  int (*wait)(void*);
  int (*elapsed)(float*, void*, void*);
} cu;

static struct {
  int (*create)(void**);
  int (*single)(void*, int, int, int, int, int, const float*, Pointer, int, Pointer, int,
                const float*, Pointer, int);
  int (*mixed)(void*, int, int, int, int, int, const void*, Pointer, int, int, Pointer, int, int,
               const void*, Pointer, int, int, int, int);
} blas;

static void *g_add, *g_fill, *g_begin, *g_end;

static int Load(void* library, const char* name, void* function) {
  *(void**)function = dlsym(library, name);
  return *(void**)function != NULL;
}

static int LoadDriver(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != NULL && Load(library, "cuInit", &cu.init) &&
         Load(library, "cuDeviceGet", &cu.device) && Load(library, "cuDeviceGetName", &cu.name) &&
         Load(library, "cuDeviceGetAttribute", &cu.attribute) &&
         Load(library, "cuDeviceTotalMem_v2", &cu.total) &&
         Load(library, "cuDevicePrimaryCtxRetain", &cu.retain) &&
         Load(library, "cuCtxSetCurrent", &cu.current) &&
         Load(library, "cuMemGetInfo_v2", &cu.free_memory) &&
         Load(library, "cuModuleLoadData", &cu.load) &&
         Load(library, "cuModuleGetFunction", &cu.function) &&
         Load(library, "cuLaunchKernel", &cu.launch) &&
         Load(library, "cuMemAlloc_v2", &cu.allocate) &&
         Load(library, "cuEventCreate", &cu.event) && Load(library, "cuEventRecord", &cu.record) &&
         Load(library, "cuEventSynchronize", &cu.wait) &&
         Load(library, "cuEventElapsedTime", &cu.elapsed);
}

static const char* LoadBlas(char** candidates) {
  for (; *candidates != NULL; ++candidates) {
    void* library = dlopen(*candidates, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL && Load(library, "cublasCreate_v2", &blas.create) &&
        Load(library, "cublasSgemm_v2", &blas.single) &&
        Load(library, "cublasGemmEx", &blas.mixed))
      return *candidates;
  }
  return NULL;
}

static int Ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Returns the time in seconds that `passes` successive passes take. Returns 0 if a pass fails.
static double Time(int (*run)(void*), void* work, int passes) {
  float milliseconds = 0;
  if (cu.record(g_begin, NULL) != 0) return 0;
  for (int i = 0; i < passes; ++i) {
    if (run(work) != 0) return 0;
  }
  if (cu.record(g_end, NULL) != 0 || cu.wait(g_end) != 0 ||
      cu.elapsed(&milliseconds, g_begin, g_end) != 0)
    return 0;
  return milliseconds / 1e3;
}

static int Passes(double seconds, double pass) {
  const double passes = seconds / pass;
  return passes < 2 ? 2 : passes > kMostPasses ? kMostPasses : (int)passes;
}

// Returns the time in seconds of one of many passes. Returns 0 if a pass fails.
static double Sustained(int (*run)(void*), void* work) {
  if (Time(run, work, 2) <= 0) return 0;  // the first pass loads the kernel
  const double pass = Time(run, work, 2) / 2;
  if (pass <= 0 || Time(run, work, Passes(kHeatSeconds, pass)) <= 0) return 0;
  const int passes = Passes(kMeasureSeconds, pass);
  return Time(run, work, passes) / passes;
}

static int Fill(Pointer out, size_t bytes, unsigned pairs) {
  unsigned n = (unsigned)(bytes / 4);
  void* arguments[] = {&out, &n, &pairs};
  return cu.launch(g_fill, (n + kThreads - 1) / kThreads, 1, 1, kThreads, 1, 1, 0, NULL, arguments,
                   NULL);
}

struct Addition {
  Pointer a, b, out;
  unsigned quads;
};

static int RunAddition(void* work) {
  struct Addition* w = work;
  void* arguments[] = {&w->a, &w->b, &w->out, &w->quads};
  return cu.launch(g_add, (w->quads + kThreads - 1) / kThreads, 1, 1, kThreads, 1, 1, 0, NULL,
                   arguments, NULL);
}

// The product y = x * transpose(w), as in a linear layer. x has rows * inner numbers, w has outer *
// inner.
struct Product {
  void* handle;
  Pointer x, w, y;
  int rows, inner, outer, is_bfloat;
};

static int RunProduct(void* work) {
  const struct Product* p = work;
  const float one = 1, zero = 0;
  if (!p->is_bfloat) {
    return blas.single(p->handle, kTransposed, kAsIs, p->outer, p->rows, p->inner, &one, p->w,
                       p->inner, p->x, p->inner, &zero, p->y, p->outer);
  }
  return blas.mixed(p->handle, kTransposed, kAsIs, p->outer, p->rows, p->inner, &one, p->w,
                    kBfloat16, p->inner, p->x, kBfloat16, p->inner, &zero, p->y, kBfloat16,
                    p->outer, kCompute32, kNamed);
}

// Returns the rate of products in FLOP/s. Returns 0 if products do not run on this GPU.
static double RateOfProducts(struct Product product, size_t bytes) {
  static const int kShapes[][2] = {{1024, 4096}, {4096, 1024},  {2048, 8192}, {3072, 12288},
                                   {12288, 3072}, {5120, 5120}, {8192, 8192}};
  static const int kRows[] = {2048, 8192};
  enum { kCases = sizeof(kShapes) / sizeof(kShapes[0]) * sizeof(kRows) / sizeof(kRows[0]) };
  double rates[kCases];
  int n = 0;
  if (Fill(product.x, bytes, (unsigned)product.is_bfloat) != 0 ||
      Fill(product.w, bytes, (unsigned)product.is_bfloat) != 0)
    return 0;
  for (size_t r = 0; r < sizeof(kRows) / sizeof(kRows[0]); ++r) {
    for (size_t s = 0; s < sizeof(kShapes) / sizeof(kShapes[0]); ++s) {
      product.rows = kRows[r];
      product.inner = kShapes[s][0];
      product.outer = kShapes[s][1];
      const double seconds = Sustained(RunProduct, &product);
      if (seconds <= 0) return 0;
      rates[n++] = 2.0 * product.rows * product.inner * product.outer / seconds;
    }
  }
  qsort(rates, kCases, sizeof(rates[0]), Ascending);
  return rates[(int)(0.95 * (kCases - 1))];
}

static void PrintFacts(int device) {
  static const struct {
    const char* name;
    int attribute;
  } kFacts[] = {{"clock_khz", kClock},        {"sms", kMultiprocessors}, {"memory_khz", kMemoryClock},
                {"bus_bits", kBusWidth},      {"l2_bytes", kL2},         {"threads", kThreadsPerSm},
                {"compute_major", kMajor},    {"compute_minor", kMinor}};
  for (size_t i = 0; i < sizeof(kFacts) / sizeof(kFacts[0]); ++i) {
    int value = 0;
    if (cu.attribute(&value, kFacts[i].attribute, device) == 0)
      printf("%s %d\n", kFacts[i].name, value);
  }
  size_t bytes = 0;
  if (cu.total(&bytes, device) == 0) printf("memory_bytes %zu\n", bytes);
}

static int Prepare(int ordinal, int* device) {
  char name[256] = "";
  void *context = NULL, *module = NULL;
  if (!LoadDriver()) return puts("error libcuda.so.1 cannot be loaded, or is too old"), 0;
  if (cu.init(0) != 0 || cu.device(device, ordinal) != 0) return puts("error there is no such GPU"), 0;
  if (cu.name(name, sizeof(name), *device) != 0 || cu.retain(&context, *device) != 0 ||
      cu.current(context) != 0)
    return puts("error the GPU cannot be used"), 0;
  printf("name %s\n", name);
  PrintFacts(*device);
  if (cu.load(&module, kPtx) != 0 || cu.function(&g_add, module, "add") != 0 ||
      cu.function(&g_fill, module, "fill") != 0 || cu.event(&g_begin, 0) != 0 ||
      cu.event(&g_end, 0) != 0)
    return puts("error the driver cannot compile the kernels"), 0;
  return 1;
}

void MeasureDevice(int ordinal, char** cublas) {
  int device = 0;
  if (!Prepare(ordinal, &device)) return;
  // Use three arrays that are far larger than any cache. They are smaller if the GPU has too little
  // free memory.
  size_t bytes = (size_t)1024 * kMegabyte, free_bytes = 0, total = 0;
  if (cu.free_memory(&free_bytes, &total) != 0) free_bytes = 0;
  while (bytes > (size_t)64 * kMegabyte && 4 * bytes > free_bytes) bytes /= 2;
  struct Addition addition = {0, 0, 0, (unsigned)(bytes / 16)};
  if (cu.allocate(&addition.a, bytes) != 0 || cu.allocate(&addition.b, bytes) != 0 ||
      cu.allocate(&addition.out, bytes) != 0 || Fill(addition.a, bytes, 0) != 0 ||
      Fill(addition.b, bytes, 0) != 0) {
    puts("error the GPU has too little free memory");
    return;
  }
  const double pass = Sustained(RunAddition, &addition);
  if (pass > 0) printf("copy_bytes_per_s %.0f\n", 3.0 * (double)bytes / pass);
  const char* library = LoadBlas(cublas);
  struct Product product = {NULL, addition.a, addition.b, addition.out, 0, 0, 0, 0};
  if (library == NULL) {
    puts("no_products libcublas was not found");
    return;
  }
  // The largest matrix has 8192 * 12288 numbers.
  const size_t matrix = (size_t)8192 * 12288 * 4;
  if (bytes < matrix || blas.create(&product.handle) != 0) {
    puts(bytes < matrix ? "no_products the GPU has too little free memory"
                        : "no_products cuBLAS cannot start");
    return;
  }
  printf("cublas %s\n", library);
  printf("gemm32_flop_per_s %.0f\n", RateOfProducts(product, matrix));
  product.is_bfloat = 1;
  printf("gemm16_flop_per_s %.0f\n", RateOfProducts(product, matrix / 2));
}
