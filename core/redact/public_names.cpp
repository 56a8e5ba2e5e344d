#include "core/redact/public_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/redact/public_words.h"

namespace gprofx {
namespace {

constexpr size_t kShapeDigits = 5;  // "s16816gemm"

bool IsWordLetter(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <size_t N>
bool BeginsWithOneOf(std::string_view word, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view start) { return word.starts_with(start); });
}

constexpr std::string_view kPackages[] = {"IPython",
                                          "PIL",
                                          "accelerate",
                                          "aiohttp",
                                          "anyio",
                                          "apex",
                                          "attr",
                                          "bitsandbytes",
                                          "bs4",
                                          "certifi",
                                          "cffi",
                                          "charset_normalizer",
                                          "click",
                                          "cupy",
                                          "cupy_backends",
                                          "cv2",
                                          "cython",
                                          "dask",
                                          "datasets",
                                          "deepspeed",
                                          "diffusers",
                                          "distributed",
                                          "django",
                                          "einops",
                                          "evaluate",
                                          "fastapi",
                                          "filelock",
                                          "flask",
                                          "flash_attn",
                                          "flax",
                                          "fsspec",
                                          "functorch",
                                          "google",
                                          "grpc",
                                          "gunicorn",
                                          "h5py",
                                          "httpx",
                                          "huggingface_hub",
                                          "idna",
                                          "ipykernel",
                                          "jax",
                                          "jaxlib",
                                          "jinja2",
                                          "joblib",
                                          "keras",
                                          "kiwisolver",
                                          "lightning",
                                          "llvmlite",
                                          "loky",
                                          "lxml",
                                          "matplotlib",
                                          "megatron",
                                          "mpi4py",
                                          "mpmath",
                                          "networkx",
                                          "nltk",
                                          "numba",
                                          "numpy",
                                          "numpy.libs",
                                          "nvidia",
                                          "onnx",
                                          "onnxruntime",
                                          "optax",
                                          "orjson",
                                          "packaging",
                                          "pandas",
                                          "peft",
                                          "pip",
                                          "pkg_resources",
                                          "pluggy",
                                          "polars",
                                          "psutil",
                                          "pyarrow",
                                          "pydantic",
                                          "pydantic_core",
                                          "pytest",
                                          "_pytest",
                                          "pytorch_lightning",
                                          "ray",
                                          "regex",
                                          "requests",
                                          "rich",
                                          "safetensors",
                                          "scipy",
                                          "scipy.libs",
                                          "seaborn",
                                          "sentencepiece",
                                          "setuptools",
                                          "skimage",
                                          "sklearn",
                                          "sqlalchemy",
                                          "starlette",
                                          "statsmodels",
                                          "sympy",
                                          "tensorboard",
                                          "tensorflow",
                                          "threadpoolctl",
                                          "tiktoken",
                                          "timm",
                                          "tokenizers",
                                          "torch",
                                          "torchaudio",
                                          "torchgen",
                                          "torchmetrics",
                                          "torchvision",
                                          "tornado",
                                          "tqdm",
                                          "transformer_engine",
                                          "transformers",
                                          "triton",
                                          "trl",
                                          "twisted",
                                          "typer",
                                          "urllib3",
                                          "uvicorn",
                                          "uvloop",
                                          "vllm",
                                          "werkzeug",
                                          "xformers",
                                          "xgboost",
                                          "yaml",
                                          "yarl",
                                          "zmq"};

constexpr std::string_view kStandardModules[] = {"__future__",
                                                 "_bootsubprocess",
                                                 "_collections_abc",
                                                 "_compression",
                                                 "_distutils_hack",
                                                 "_pydecimal",
                                                 "_pyio",
                                                 "_strptime",
                                                 "_threading_local",
                                                 "_weakrefset",
                                                 "abc",
                                                 "argparse",
                                                 "ast",
                                                 "asyncio",
                                                 "base64",
                                                 "bdb",
                                                 "bisect",
                                                 "calendar",
                                                 "code",
                                                 "codecs",
                                                 "codeop",
                                                 "collections",
                                                 "concurrent",
                                                 "configparser",
                                                 "contextlib",
                                                 "contextvars",
                                                 "copy",
                                                 "copyreg",
                                                 "cProfile",
                                                 "csv",
                                                 "ctypes",
                                                 "curses",
                                                 "dataclasses",
                                                 "datetime",
                                                 "dbm",
                                                 "decimal",
                                                 "difflib",
                                                 "dis",
                                                 "distutils",
                                                 "email",
                                                 "encodings",
                                                 "ensurepip",
                                                 "enum",
                                                 "filecmp",
                                                 "fileinput",
                                                 "fnmatch",
                                                 "fractions",
                                                 "ftplib",
                                                 "functools",
                                                 "genericpath",
                                                 "getpass",
                                                 "gettext",
                                                 "glob",
                                                 "graphlib",
                                                 "gzip",
                                                 "hashlib",
                                                 "heapq",
                                                 "hmac",
                                                 "html",
                                                 "http",
                                                 "imaplib",
                                                 "importlib",
                                                 "inspect",
                                                 "io",
                                                 "ipaddress",
                                                 "json",
                                                 "keyword",
                                                 "lib-dynload",
                                                 "linecache",
                                                 "locale",
                                                 "logging",
                                                 "lzma",
                                                 "mailbox",
                                                 "mimetypes",
                                                 "modulefinder",
                                                 "multiprocessing",
                                                 "netrc",
                                                 "ntpath",
                                                 "numbers",
                                                 "opcode",
                                                 "operator",
                                                 "optparse",
                                                 "os",
                                                 "pathlib",
                                                 "pdb",
                                                 "pickle",
                                                 "pickletools",
                                                 "pkgutil",
                                                 "platform",
                                                 "plistlib",
                                                 "posixpath",
                                                 "pprint",
                                                 "profile",
                                                 "pstats",
                                                 "py_compile",
                                                 "pyclbr",
                                                 "pydoc",
                                                 "pyexpat",
                                                 "queue",
                                                 "quopri",
                                                 "random",
                                                 "re",
                                                 "reprlib",
                                                 "runpy",
                                                 "sched",
                                                 "secrets",
                                                 "selectors",
                                                 "shelve",
                                                 "shlex",
                                                 "shutil",
                                                 "signal",
                                                 "site",
                                                 "smtplib",
                                                 "socket",
                                                 "socketserver",
                                                 "sqlite3",
                                                 "sre_compile",
                                                 "sre_parse",
                                                 "ssl",
                                                 "stat",
                                                 "statistics",
                                                 "string",
                                                 "stringprep",
                                                 "struct",
                                                 "subprocess",
                                                 "symtable",
                                                 "sysconfig",
                                                 "tabnanny",
                                                 "tarfile",
                                                 "tempfile",
                                                 "textwrap",
                                                 "this",
                                                 "threading",
                                                 "timeit",
                                                 "tkinter",
                                                 "token",
                                                 "tokenize",
                                                 "tomllib",
                                                 "trace",
                                                 "traceback",
                                                 "tracemalloc",
                                                 "types",
                                                 "typing",
                                                 "unittest",
                                                 "urllib",
                                                 "uuid",
                                                 "venv",
                                                 "warnings",
                                                 "wave",
                                                 "weakref",
                                                 "webbrowser",
                                                 "wsgiref",
                                                 "xml",
                                                 "xmlrpc",
                                                 "zipapp",
                                                 "zipfile",
                                                 "zipimport",
                                                 "zoneinfo"};

// File names of common libraries, without the version and without the hash that auditwheel adds.
constexpr std::string_view kLibraries[] = {"ld-linux-aarch64",
                                           "ld-linux-x86-64",
                                           "ld-musl-aarch64",
                                           "ld-musl-x86_64",
                                           "libBrokenLocale",
                                           "libamdhip64",
                                           "libanl",
                                           "libasan",
                                           "libatlas",
                                           "libblas",
                                           "libblis",
                                           "libbz2",
                                           "libc",
                                           "libc++",
                                           "libc++abi",
                                           "libc10",
                                           "libc10_cuda",
                                           "libc10_hip",
                                           "libcaffe2_nvrtc",
                                           "libcblas",
                                           "libcrypt",
                                           "libcrypto",
                                           "libcublas",
                                           "libcublasLt",
                                           "libcuda",
                                           "libcudart",
                                           "libcudnn",
                                           "libcudnn_adv",
                                           "libcudnn_adv_infer",
                                           "libcudnn_adv_train",
                                           "libcudnn_cnn",
                                           "libcudnn_cnn_infer",
                                           "libcudnn_cnn_train",
                                           "libcudnn_engines_precompiled",
                                           "libcudnn_engines_runtime_compiled",
                                           "libcudnn_graph",
                                           "libcudnn_heuristic",
                                           "libcudnn_ops",
                                           "libcudnn_ops_infer",
                                           "libcudnn_ops_train",
                                           "libcufft",
                                           "libcufftw",
                                           "libcufile",
                                           "libcufile_rdma",
                                           "libcupti",
                                           "libcurand",
                                           "libcusolver",
                                           "libcusolverMg",
                                           "libcusparse",
                                           "libcusparseLt",
                                           "libdl",
                                           "libdrm",
                                           "libexpat",
                                           "libffi",
                                           "libgcc_s",
                                           "libgfortran",
                                           "libglib",
                                           "libgomp",
                                           "libgprofx-agent",
                                           "libgprofx-cuda",
                                           "libgprofx-memory",
                                           "libgprofx-nvtx",
                                           "libhdf5",
                                           "libhdf5_hl",
                                           "libhsa-runtime64",
                                           "libiomp5",
                                           "libjemalloc",
                                           "liblapack",
                                           "liblapacke",
                                           "liblzma",
                                           "libm",
                                           "libmkl_avx2",
                                           "libmkl_avx512",
                                           "libmkl_core",
                                           "libmkl_def",
                                           "libmkl_gnu_thread",
                                           "libmkl_intel_lp64",
                                           "libmkl_intel_thread",
                                           "libmkl_rt",
                                           "libmpi",
                                           "libmvec",
                                           "libnccl",
                                           "libncurses",
                                           "libncursesw",
                                           "libnss_dns",
                                           "libnss_files",
                                           "libnuma",
                                           "libnvJitLink",
                                           "libnvToolsExt",
                                           "libnvidia-ml",
                                           "libnvperf_host",
                                           "libnvperf_target",
                                           "libnvidia-ptxjitcompiler",
                                           "libnvrtc",
                                           "libnvrtc-builtins",
                                           "libomp",
                                           "libopenblas",
                                           "libopenblas64_",
                                           "libopenblas64_p-r0",
                                           "libopenblasp-r0",
                                           "libpthread",
                                           "libpython",
                                           "libquadmath",
                                           "libreadline",
                                           "libresolv",
                                           "librccl",
                                           "librocblas",
                                           "librt",
                                           "libscipy_openblas",
                                           "libscipy_openblas64_",
                                           "libsqlite3",
                                           "libssl",
                                           "libstdc++",
                                           "libtbb",
                                           "libtcmalloc",
                                           "libtcmalloc_minimal",
                                           "libtinfo",
                                           "libtorch",
                                           "libtorch_cpu",
                                           "libtorch_cuda",
                                           "libtorch_cuda_linalg",
                                           "libtorch_global_deps",
                                           "libtorch_hip",
                                           "libtorch_python",
                                           "libtsan",
                                           "libubsan",
                                           "libunwind",
                                           "libuv",
                                           "libxml2",
                                           "libz",
                                           "libzstd"};

constexpr std::string_view kSystemFolders[] = {"/usr/lib",
                                               "/usr/lib64",
                                               "/lib",
                                               "/lib64",
                                               "/usr/bin",
                                               "/bin",
                                               "/usr/lib/x86_64-linux-gnu",
                                               "/usr/lib/aarch64-linux-gnu",
                                               "/lib/x86_64-linux-gnu",
                                               "/lib/aarch64-linux-gnu",
                                               "/usr/local/cuda/lib64",
                                               "/opt/rocm/lib"};

constexpr std::string_view kPseudoModules[] = {"[vdso]",
                                               "[vsyscall]",
                                               "[kernel]",
                                               "[kernel.kallsyms]",
                                               "[heap]",
                                               "[stack]",
                                               "[guest.kernel.kallsyms]",
                                               "[code made at run time]"};

constexpr std::string_view kPseudoFiles[] = {"<string>", "<stdin>", "<built-in>",
                                             "<__array_function__ internals>"};

// Removes a short number from the end of `text`. Returns false if there is none, or if nothing
// precedes it.
bool CutNumber(std::string_view& text) {
  const size_t end = text.find_last_not_of("0123456789") + 1;  // npos + 1 = 0
  if (!IsShortNumber(text.substr(end)) || end == 0) return false;
  text = text.substr(0, end);
  return true;
}

// Returns the name without its version, of at most three short numbers: "libc-2" for "libc-2.31",
// "libpython3" for "libpython3.11".
std::string_view WithoutVersion(std::string_view stem) {
  for (int part = 0; part < 3 && CutNumber(stem); ++part) {
    if (!stem.ends_with('.') && !stem.ends_with('-')) break;
    const bool last = stem.ends_with('-');
    stem.remove_suffix(1);
    if (last) break;
  }
  return stem;
}

// Returns the name without the hash that auditwheel adds: "libgomp" for "libgomp-a34b3233".
std::string_view WithoutWheelHash(std::string_view stem) {
  while (true) {
    const size_t dash = stem.rfind('-');
    if (dash == std::string_view::npos || stem.size() - dash != 9 ||
        stem.find_first_not_of("0123456789abcdef", dash + 1) != std::string_view::npos) {
      return stem;
    }
    stem = stem.substr(0, dash);
  }
}

// Returns the public part of a library's name: "libgomp.so.1" for "libgomp-a34b3233.so.1.0.0". No
// value if it is not a common library.
std::optional<std::string> PublicLibrary(std::string_view base) {
  const size_t so = base.find(".so");
  if (so == std::string_view::npos) return std::nullopt;
  std::string_view ending = base.substr(so + 3);
  for (int part = 0; part < 3 && !ending.empty(); ++part) {
    if (!CutNumber(ending) || !ending.ends_with('.')) return std::nullopt;
    ending.remove_suffix(1);
  }
  if (!ending.empty()) return std::nullopt;
  const std::string_view stem = base.substr(0, so), plain = WithoutWheelHash(stem);
  if (IsOneOf(stem, kLibraries) || IsOneOf(WithoutVersion(stem), kLibraries)) {
    return std::string(base);
  }
  // Return only the known name, because an installer may have added anything to it.
  for (const std::string_view known :
       {plain, WithoutVersion(plain), WithoutWheelHash(WithoutVersion(stem))}) {
    if (IsOneOf(known, kLibraries)) return std::string(known) + std::string(base.substr(so));
  }
  return std::nullopt;
}

// Returns the module of a file: "queue" for "queue.py", "_json" for
// "_json.cpython-311-x86_64-linux-gnu.so". A folder is returned unchanged.
std::string_view ModuleOf(std::string_view part) {
  if (part.ends_with(".py")) return part.substr(0, part.size() - 3);
  constexpr std::string_view kAbi = ".cpython-3",
                             kMachines[] = {"-x86_64-linux-gnu.so", "-aarch64-linux-gnu.so"};
  if (part.ends_with(".abi3.so")) return part.substr(0, part.size() - 8);
  for (const std::string_view machine : kMachines) {
    const size_t at = part.rfind(kAbi);
    if (!part.ends_with(machine) || at == std::string_view::npos) continue;
    std::string_view version = part.substr(at + kAbi.size());
    version.remove_suffix(machine.size());
    if (version.ends_with('t')) version.remove_suffix(1);
    if (IsShortNumber(version)) return part.substr(0, at);
  }
  return part;
}

// Returns `path` if its folders and its file name all occur in public packages. What an installer
// added to the name of a library is removed. Does not check the name of the package itself.
std::optional<std::string> KnownParts(std::string_view path) {
  std::string known;
  while (true) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (IsPublicWord(WordList::kPaths, ModuleOf(part))) {
      known += part;
    } else if (auto library = end == path.size() ? PublicLibrary(part) : std::nullopt) {
      known += *library;
    } else {
      return std::nullopt;
    }
    if (end == path.size()) return known;
    known += '/';
    path.remove_prefix(end + 1);
  }
}

// Returns the first folder of `rest`, a path below site-packages, if it is a common package;
// otherwise "".
std::string_view PackageOf(std::string_view rest) {
  const std::string_view folder = rest.substr(0, rest.find('/'));
  return folder.size() != rest.size() && IsOneOf(folder, kPackages) ? folder : "";
}

std::optional<std::string> PackagePath(std::string_view rest) {
  const std::string_view package = PackageOf(rest);
  if (package.empty()) return std::nullopt;
  auto known = KnownParts(rest.substr(package.size() + 1));
  if (!known) return std::nullopt;
  return std::string(package) + "/" + *known;
}

// Returns the path below site-packages or dist-packages; "" if `path` is not in such a folder.
std::string_view BelowPackages(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  return path.starts_with("site-packages/") ? path.substr(14) : "";
}

bool IsPythonVersion(std::string_view version) {
  if (version.ends_with('t')) version.remove_suffix(1);
  const size_t dot = version.find('.');
  const std::string_view minor = dot == std::string_view::npos ? "0" : version.substr(dot + 1);
  return (version.starts_with("2") || version.starts_with("3")) &&
         (version.size() == 1 || dot == 1) && IsShortNumber(minor) && minor.size() <= 2;
}

// For a file in "/lib/python3.12/...", returns the path below "/lib/". Folders above may be
// private.
std::optional<std::string> StandardPath(std::string_view path) {
  constexpr std::string_view kPython = "/lib/python", kRedacted = "python";
  const size_t at = path.find(kPython);
  std::string_view versioned = path;
  if (at != std::string_view::npos) {
    versioned = path.substr(at + kPython.size() - kRedacted.size());
  } else if (!path.starts_with(kRedacted)) {
    return std::nullopt;
  }
  const size_t slash = versioned.find('/');
  if (slash == std::string_view::npos ||
      !IsPythonVersion(versioned.substr(kRedacted.size(), slash - kRedacted.size()))) {
    return std::nullopt;
  }
  const std::string_view rest = versioned.substr(slash + 1);
  const std::string_view first = ModuleOf(rest.substr(0, rest.find('/')));
  if (!IsOneOf(first, kStandardModules) || !KnownParts(rest)) return std::nullopt;
  return std::string(versioned);
}

bool IsPython(std::string_view base) {
  return base == "python" || (base.starts_with("python") && IsPythonVersion(base.substr(6)));
}

// True for frozen modules of the standard library: "<frozen importlib._bootstrap>".
bool IsFrozen(std::string_view file) {
  constexpr std::string_view kFrozen = "<frozen ";
  if (!file.starts_with(kFrozen) || !file.ends_with('>')) return false;
  std::string_view name = file.substr(kFrozen.size(), file.size() - kFrozen.size() - 1);
  if (!IsOneOf(name.substr(0, name.find('.')), kStandardModules)) return false;
  while (true) {
    const size_t end = std::min(name.find('.'), name.size());
    if (!IsPublicWord(WordList::kPaths, name.substr(0, end))) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

// Words in names of kernel libraries. A kernel's name is public if all its words without a
// namespace are in this list.
constexpr std::string_view kKernelWords[] = {"void",
                                             "bool",
                                             "char",
                                             "short",
                                             "int",
                                             "long",
                                             "float",
                                             "double",
                                             "unsigned",
                                             "signed",
                                             "const",
                                             "volatile",
                                             "true",
                                             "false",
                                             "operator",
                                             "lambda",
                                             "half",
                                             "__half",
                                             "__half2",
                                             "half2",
                                             "bfloat16",
                                             "__nv_bfloat16",
                                             "nv_bfloat16",
                                             "__nv_bfloat162",
                                             "__nv_fp8_e4m3",
                                             "__nv_fp8_e5m2",
                                             "float2",
                                             "float4",
                                             "double2",
                                             "int2",
                                             "int4",
                                             "uint4",
                                             "size_t",
                                             "int64_t",
                                             "int32_t",
                                             "uint8_t",
                                             "uint32_t",
                                             "uint64_t",
                                             "std",
                                             "at",
                                             "c10",
                                             "cub",
                                             "thrust",
                                             "cuda",
                                             "cutlass",
                                             "cute",
                                             "cublasLt",
                                             "cublas",
                                             "cudnn",
                                             "flash",
                                             "pytorch_flash",
                                             "fmha",
                                             "torch",
                                             "xmma",
                                             "native",
                                             "internal",
                                             "gemv2T_kernel_val",
                                             "gemv2N_kernel",
                                             "gemvNSP_kernel",
                                             "splitKreduce_kernel",
                                             "dot_kernel",
                                             "reduce_1Block_kernel",
                                             "cudnnTensorStruct",
                                             "cublasGemvParams",
                                             "cublasGemvParamsEx",
                                             "cublasGemvTensorStridedBatched",
                                             "cublasGemvTensor",
                                             "ncclDevKernelArgs",
                                             "ncclDevKernelArgsStorage",
                                             "ncclDevComm",
                                             "ncclWork",
                                             "sm70",
                                             "sm75",
                                             "sm80",
                                             "sm86",
                                             "sm89",
                                             "sm90",
                                             "sm100",
                                             "kernel",
                                             "kernel2",
                                             "multi_tensor_apply_kernel"};

// Prefixes that no compiler gives to a user's kernels.
constexpr std::string_view kKernelStarts[] = {"ncclDevKernel_",
                                              "ncclKernel_",
                                              "nvjet_",
                                              "ampere_",
                                              "volta_",
                                              "turing_",
                                              "maxwell_",
                                              "hopper_",
                                              "sm70_xmma",
                                              "sm75_xmma",
                                              "sm80_xmma",
                                              "sm86_xmma",
                                              "sm89_xmma",
                                              "sm90_xmma",
                                              "sm100_xmma",
                                              "cudnn_",
                                              "cutlass_",
                                              "Cijk_",
                                              "implicit_convolve_",
                                              "cask_",
                                              "cupy_copy__",
                                              "cupy_multiply__",
                                              "cupy_add__",
                                              "cupy_subtract__",
                                              "cupy_true_divide__",
                                              "cupy_sqrt__",
                                              "CUB_",
                                              "THRUST_",
                                              "gemmSN_",
                                              "gemmk1_"};

// True if `word`, split at each '_', consists of words from names in kernel libraries and of sizes
// of tiles. In the list of words, '#' stands for a number.
bool HasPublicPieces(std::string_view word) {
  while (true) {
    const size_t end = std::min(word.find('_'), word.size());
    std::string shape;
    size_t digits = 0;
    for (const char c : word.substr(0, end)) {
      const bool digit = c >= '0' && c <= '9';
      digits = digit ? digits + 1 : 0;
      if (digits > kShapeDigits) return false;
      if (!digit || digits == 1) shape += digit ? '#' : c;
    }
    // A size of a tile, such as "128x64", needs no list.
    const bool tile = shape.find_first_not_of("#x") == std::string::npos;
    if (!tile && !IsPublicWord(WordList::kKernels, shape)) return false;
    if (end == word.size()) return true;
    word.remove_prefix(end + 1);
  }
}

}  // namespace

bool IsShortNumber(std::string_view text) {
  return !text.empty() && text.size() <= 4 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::string> PublicPath(std::string_view path) {
  if (IsFrozen(path) || IsOneOf(path, kPseudoFiles) || IsOneOf(path, kPseudoModules)) {
    return std::string(path);
  }
  if (const std::string_view rest = BelowPackages(path); !rest.empty()) {
    auto known = PackagePath(rest);
    if (!known) return std::nullopt;
    return "site-packages/" + *known;
  }
  if (auto standard = StandardPath(path)) return standard;
  const std::string_view base = BaseName(path);
  const bool is_system = base.size() < path.size() &&
                         IsOneOf(path.substr(0, path.size() - base.size() - 1), kSystemFolders);
  if (IsPython(base)) return std::string(is_system ? path : base);
  if (auto library = PublicLibrary(base)) {
    return is_system ? std::string(path.substr(0, path.size() - base.size())) + *library : library;
  }
  // In traces of PyTorch's profiler, paths of installed packages are relative to site-packages.
  if (!path.starts_with('/')) return PackagePath(path);
  return std::nullopt;
}

std::string_view PublicPackage(std::string_view path) { return PackageOf(BelowPackages(path)); }

std::string_view InterpreterFolder(std::string_view file) {
  constexpr std::string_view kFolders[] = {"Include", "Modules", "Objects", "Parser", "Python"};
  std::string_view last;
  for (size_t at = 0; at < file.size();) {
    const size_t end = std::min(file.find('/', at), file.size());
    if (end == file.size()) break;  // the file name itself
    const auto known =
        std::find(std::begin(kFolders), std::end(kFolders), file.substr(at, end - at));
    if (known != std::end(kFolders)) last = *known;
    at = end + 1;
  }
  return last;
}

bool IsInterpreterFile(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libpython") || name.starts_with("python");
}

bool IsPublicKernel(std::string_view name) {
  if (name == "[unknown kernel]") return true;
  bool any = false;
  for (size_t i = 0; i < name.size();) {
    if (!IsWordLetter(name[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < name.size() && IsWordLetter(name[end])) ++end;
    const std::string_view word = name.substr(i, end - i), before = name.substr(0, i);
    i = end;
    if (!HasPublicPieces(word)) return false;
    if (isdigit(static_cast<unsigned char>(word.front())) != 0) continue;
    any = true;
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (before.ends_with(kAnonymous)) {
      // An anonymous namespace belongs to the namespaces before it. Without any, it may be the
      // user's.
      if (before.substr(0, before.size() - kAnonymous.size()).ends_with("::")) continue;
      return false;
    }
    if (word == "anonymous" || word == "namespace") {
      if (before.ends_with('(') || before.ends_with("(anonymous ")) continue;
      return false;
    }
    if (before.ends_with("::") || (word == "unnamed" && before.ends_with("::<"))) continue;
    if (!IsOneOf(word, kKernelWords) && !BeginsWithOneOf(word, kKernelStarts)) return false;
  }
  return any;
}

bool IsDriverCall(std::string_view name) {
  // Removes the version of a call, "_v12000" or "_ptsz".
  if (const size_t version = name.rfind("_v"); version != std::string_view::npos) {
    const std::string_view number = name.substr(version + 2);
    if (number.size() <= 5 && number.find_first_not_of("0123456789") == std::string_view::npos) {
      name = name.substr(0, version);
    }
  }
  for (const std::string_view threads : {"_ptsz", "_ptds"}) {
    if (name.ends_with(threads)) name.remove_suffix(threads.size());
  }
  if (IsPublicWord(WordList::kCalls, name)) return true;
  // HIP's functions are named like CUDA's.
  if (!name.starts_with("hip")) return false;
  const std::string rest(name.substr(3));
  return IsPublicWord(WordList::kCalls, "cuda" + rest) ||
         IsPublicWord(WordList::kCalls, "cu" + rest);
}

bool IsPublicOperator(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "ProfilerStep",        "DistributedDataParallel.forward", "Optimizer.step",
      "Optimizer.zero_grad", "TorchDynamo Cache Lookup",        "record_param_comms"};
  static constexpr std::string_view kOptimizers[] = {
      "SGD", "Adam", "AdamW", "Adagrad", "Adamax", "RMSprop", "LBFGS", "NAdam", "RAdam"};
  static constexpr std::string_view kCollectives[] = {"allgather_",
                                                      "_allgather_base_",
                                                      "allreduce_",
                                                      "allreduce_coalesced_",
                                                      "alltoall_",
                                                      "alltoall_base_",
                                                      "barrier",
                                                      "broadcast_",
                                                      "gather_",
                                                      "recv_",
                                                      "reduce_",
                                                      "reduce_scatter_",
                                                      "_reduce_scatter_base_",
                                                      "scatter_",
                                                      "send"};
  const size_t number = name.find('#');
  if (IsOneOf(name.substr(0, number), kNames)) {
    if (number == std::string_view::npos) return true;
    const std::string_view rest = name.substr(number + 1);
    const size_t dot = rest.find('.');
    const std::string_view method = dot == std::string_view::npos ? "" : rest.substr(dot);
    return IsShortNumber(rest) || (IsOneOf(rest.substr(0, dot), kOptimizers) &&
                                   (method.empty() || method == ".step" || method == ".zero_grad"));
  }
  constexpr std::string_view kAten = "aten::", kC10d = "c10d::";
  if (name.starts_with(kC10d)) return IsOneOf(name.substr(kC10d.size()), kCollectives);
  if (!name.starts_with(kAten)) return false;
  name.remove_prefix(kAten.size());
  if (IsPublicWord(WordList::kOperators, name)) return true;
  // The name of an in-place operator is that of the operator with "_" appended.
  return name.ends_with('_') && IsPublicWord(WordList::kOperators, name.substr(0, name.size() - 1));
}

bool IsPublicLayer(std::string_view name) {
  static constexpr std::string_view kNames[] = {"AdaptiveAvgPool2d",
                                                "AvgPool2d",
                                                "BatchNorm1d",
                                                "BatchNorm2d",
                                                "BatchNorm3d",
                                                "Bilinear",
                                                "Conv1d",
                                                "Conv2d",
                                                "Conv3d",
                                                "ConvTranspose1d",
                                                "ConvTranspose2d",
                                                "CrossEntropyLoss",
                                                "DataParallel",
                                                "DistributedDataParallel",
                                                "Dropout",
                                                "Embedding",
                                                "EmbeddingBag",
                                                "Flatten",
                                                "GELU",
                                                "GRU",
                                                "GroupNorm",
                                                "Identity",
                                                "InstanceNorm2d",
                                                "LSTM",
                                                "LayerNorm",
                                                "Linear",
                                                "LogSoftmax",
                                                "MSELoss",
                                                "MaxPool2d",
                                                "ModuleDict",
                                                "ModuleList",
                                                "MultiheadAttention",
                                                "OptimizedModule",
                                                "RMSNorm",
                                                "ReLU",
                                                "Sequential",
                                                "SiLU",
                                                "Sigmoid",
                                                "Softmax",
                                                "Tanh",
                                                "Transformer",
                                                "TransformerDecoder",
                                                "TransformerDecoderLayer",
                                                "TransformerEncoder",
                                                "TransformerEncoderLayer",
                                                "Upsample",
                                                "_orig_mod",
                                                "module"};
  return IsOneOf(name, kNames);
}

}  // namespace gprofx
