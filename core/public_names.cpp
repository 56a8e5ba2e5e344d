#include "core/public_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/base/path.h"

namespace gprofx {
namespace {

bool IsWordLetter(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <size_t N>
bool IsOneOf(std::string_view word, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

template <size_t N>
bool BeginsWithOneOf(std::string_view word, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view start) { return word.starts_with(start); });
}

constexpr std::string_view kPackages[] = {
    "IPython",     "PIL",          "accelerate",   "aiohttp",     "anyio",      "apex",
    "attr",        "bitsandbytes", "bs4",          "certifi",     "cffi",       "charset_normalizer",
    "click",       "cupy",         "cupy_backends", "cv2",        "cython",     "dask",
    "datasets",    "deepspeed",    "diffusers",    "distributed", "django",     "einops",
    "evaluate",    "fastapi",      "filelock",     "flask",       "flash_attn", "flax",
    "fsspec",      "functorch",    "google",       "grpc",        "gunicorn",   "h5py",
    "httpx",       "huggingface_hub", "idna",      "ipykernel",   "jax",        "jaxlib",
    "jinja2",      "joblib",       "keras",        "kiwisolver",  "lightning",  "llvmlite",
    "loky",        "lxml",         "matplotlib",   "megatron",    "mpi4py",     "mpmath",
    "networkx",    "nltk",         "numba",        "numpy",       "numpy.libs", "nvidia",
    "onnx",        "onnxruntime",  "optax",        "orjson",      "packaging",  "pandas",
    "peft",        "pip",          "pkg_resources", "pluggy",     "polars",     "psutil",
    "pyarrow",     "pydantic",     "pydantic_core", "pytest",     "_pytest",    "pytorch_lightning",
    "ray",         "regex",        "requests",     "rich",        "safetensors", "scipy",
    "scipy.libs",  "seaborn",      "sentencepiece", "setuptools", "skimage",    "sklearn",
    "sqlalchemy",  "starlette",    "statsmodels",  "sympy",       "tensorboard", "tensorflow",
    "threadpoolctl", "tiktoken",   "timm",         "tokenizers",  "torch",      "torchaudio",
    "torchgen",    "torchmetrics", "torchvision",  "tornado",     "tqdm",       "transformer_engine",
    "transformers", "triton",      "trl",          "twisted",     "typer",      "urllib3",
    "uvicorn",     "uvloop",       "vllm",         "werkzeug",    "xformers",   "xgboost",
    "yaml",        "yarl",         "zmq"};

constexpr std::string_view kStandardModules[] = {
    "__future__",   "_bootsubprocess", "_collections_abc", "_compression", "_distutils_hack",
    "_pydecimal",   "_pyio",       "_strptime",  "_threading_local", "_weakrefset", "abc",
    "argparse",     "ast",         "asyncio",    "base64",     "bdb",         "bisect",
    "calendar",     "code",        "codecs",     "codeop",     "collections", "concurrent",
    "configparser", "contextlib",  "contextvars", "copy",      "copyreg",     "cProfile",
    "csv",          "ctypes",      "curses",     "dataclasses", "datetime",   "dbm",
    "decimal",      "difflib",     "dis",        "distutils",  "email",       "encodings",
    "ensurepip",    "enum",        "filecmp",    "fileinput",  "fnmatch",     "fractions",
    "ftplib",       "functools",   "genericpath", "getpass",   "gettext",     "glob",
    "graphlib",     "gzip",        "hashlib",    "heapq",      "hmac",        "html",
    "http",         "imaplib",     "importlib",  "inspect",    "io",          "ipaddress",
    "json",         "keyword",     "lib-dynload", "linecache", "locale",      "logging",
    "lzma",         "mailbox",     "mimetypes",  "modulefinder", "multiprocessing", "netrc",
    "ntpath",       "numbers",     "opcode",     "operator",   "optparse",    "os",
    "pathlib",      "pdb",         "pickle",     "pickletools", "pkgutil",    "platform",
    "plistlib",     "posixpath",   "pprint",     "profile",    "pstats",      "py_compile",
    "pyclbr",       "pydoc",       "pyexpat",    "queue",      "quopri",      "random",
    "re",           "reprlib",     "runpy",      "sched",      "secrets",     "selectors",
    "shelve",       "shlex",       "shutil",     "signal",     "site",        "smtplib",
    "socket",       "socketserver", "sqlite3",   "sre_compile", "sre_parse",  "ssl",
    "stat",         "statistics",  "string",     "stringprep", "struct",      "subprocess",
    "symtable",     "sysconfig",   "tabnanny",   "tarfile",    "tempfile",    "textwrap",
    "this",         "threading",   "timeit",     "tkinter",    "token",       "tokenize",
    "tomllib",      "trace",       "traceback",  "tracemalloc", "types",      "typing",
    "unittest",     "urllib",      "uuid",       "venv",       "warnings",    "wave",
    "weakref",      "webbrowser",  "wsgiref",    "xml",        "xmlrpc",      "zipapp",
    "zipfile",      "zipimport",   "zoneinfo"};

// By the start of their file's name.
constexpr std::string_view kLibraries[] = {
    "ld-linux",      "ld-musl",      "libBrokenLocale", "libanl.",      "libasan.",   "libatlas",
    "libblas",       "libblis",      "libbz2.",      "libc++",       "libc-2.",    "libc.",
    "libc10",        "libcaffe2",    "libcblas",     "libcrypt.",    "libcrypto.", "libcublas",
    "libcuda.",      "libcudart",    "libcudnn",     "libcufft",     "libcufile",  "libcupti",
    "libcurand",     "libcusolver",  "libcusparse",  "libdl.",       "libdl-2.",   "libdrm",
    "libexpat.",     "libffi.",      "libgcc_s",     "libgfortran",  "libglib-2.", "libgomp",
    "libgprofx-",    "libhdf5",      "libhip",       "libhsa-runtime64", "libiomp5", "libjemalloc",
    "liblapack",     "liblzma.",     "libm-2.",      "libm.",        "libmkl_",    "libmpi.",
    "libmusl",       "libmvec",      "libnccl",      "libncurses",   "libnss_",    "libnuma.",
    "libnvJitLink",  "libnvToolsExt", "libnvidia-",  "libnvrtc",     "libomp",     "libopenblas",
    "libpthread",    "libpython2.",  "libpython3",   "libquadmath",  "libreadline", "libresolv",
    "librccl",       "librocblas",   "librt.",       "librt-2.",     "libsqlite3.", "libssl.",
    "libstdc++",     "libtbb",       "libtcmalloc",  "libtinfo.",    "libtorch",   "libtsan.",
    "libubsan.",     "libunwind",    "libuv.",       "libxml2",      "libz.",      "libzstd."};

constexpr std::string_view kSystemFolders[] = {"/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/",
                                               "/usr/local/cuda", "/opt/rocm", "/usr/bin/",
                                               "/bin/"};

constexpr std::string_view kPseudoModules[] = {
    "[vdso]",     "[vsyscall]",         "[kernel]", "[kernel.kallsyms]", "[heap]",
    "[stack]",    "[guest.kernel.kallsyms]", "[code made at run time]"};

constexpr std::string_view kPseudoFiles[] = {"<string>", "<stdin>", "<built-in>",
                                             "<__array_function__ internals>"};

// "queue.py" and "queue/__init__.py" -> "queue"
std::string_view FirstModule(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return first.size() != path.size() ? first : first.substr(0, first.find('.'));
}

bool IsPackage(std::string_view rest) {
  const std::string_view folder = rest.substr(0, rest.find('/'));
  return IsOneOf(folder, kPackages) || IsOneOf(FirstModule(rest), kPackages);
}

// Behind "/python3.12/" in `path`; where it is installed is the user's business.
std::optional<std::string> StandardPath(std::string_view path) {
  constexpr std::string_view kPython = "/lib/python";
  const size_t at = path.find(kPython);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view versioned = path.substr(at + kPython.size() - 6);
  const size_t slash = versioned.find('/');
  if (slash == std::string_view::npos ||
      versioned.substr(6, slash - 6).find_first_not_of("0123456789.t") != std::string_view::npos ||
      !IsOneOf(FirstModule(versioned.substr(slash + 1)), kStandardModules)) {
    return std::nullopt;
  }
  return std::string(versioned);
}

bool IsPython(std::string_view base) {
  return base.starts_with("python") &&
         base.substr(6).find_first_not_of("0123456789.") == std::string_view::npos;
}

// Words that kernel libraries make their names of. A name is public if all the words in it that
// nothing qualifies are.
constexpr std::string_view kKernelWords[] = {
    "void",     "bool",      "char",       "short",     "int",        "long",       "float",
    "double",   "unsigned",  "signed",     "const",     "volatile",   "true",       "false",
    "operator", "lambda",    "half",       "__half",    "__half2",    "half2",      "bfloat16",
    "__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "float2",
    "float4",   "double2",   "int2",       "int4",      "uint4",      "size_t",     "int64_t",
    "int32_t",  "uint8_t",   "uint32_t",   "uint64_t",  "std",        "at",         "c10",
    "cub",      "thrust",    "cuda",       "cutlass",   "cute",       "cublasLt",   "cublas",
    "cudnn",    "flash",     "pytorch_flash", "fmha",   "torch",      "xmma",       "native",
    "internal", "gemv2T_kernel_val", "gemv2N_kernel", "gemvNSP_kernel", "splitKreduce_kernel",
    "dot_kernel", "reduce_1Block_kernel", "cudnnTensorStruct", "cublasGemvParams",
    "cublasGemvParamsEx", "cublasGemvTensorStridedBatched", "cublasGemvTensor", "ncclDevKernelArgs",
    "ncclDevKernelArgsStorage", "ncclDevComm", "ncclWork", "sm70", "sm75", "sm80", "sm86", "sm89",
    "sm90", "sm100", "kernel", "kernel2", "multi_tensor_apply_kernel"};

// What is called so comes from no user's compiler.
constexpr std::string_view kKernelStarts[] = {
    "ncclDevKernel_", "ncclKernel_", "nvjet_",        "ampere_",     "volta_",     "turing_",
    "maxwell_",       "hopper_",     "sm70_xmma",     "sm75_xmma",   "sm80_xmma",  "sm86_xmma",
    "sm89_xmma",      "sm90_xmma",   "sm100_xmma",    "cudnn_",      "cutlass_",   "Cijk_",
    "implicit_convolve_", "cask_",   "cupy_copy__",   "cupy_multiply__", "cupy_add__",
    "cupy_subtract__", "cupy_true_divide__", "cupy_sqrt__", "CUB_", "THRUST_", "gemmSN_", "gemmk1_"};

bool IsNumber(std::string_view word) {
  return isdigit(static_cast<unsigned char>(word.front())) != 0;
}

}  // namespace

std::optional<std::string> PublicPath(std::string_view path) {
  if (path.starts_with("<frozen ") || IsOneOf(path, kPseudoFiles) || IsOneOf(path, kPseudoModules)) {
    return std::string(path);
  }
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = path.substr(at + folder.size());
    if (!IsPackage(rest)) return std::nullopt;
    return "site-packages/" + std::string(rest);
  }
  if (auto standard = StandardPath(path)) return standard;
  const std::string_view base = BaseName(path);
  const bool is_system = BeginsWithOneOf(path, kSystemFolders);
  if (IsPython(base)) return std::string(is_system ? path : base);
  if (BeginsWithOneOf(base, kLibraries) && base.find(".so") != std::string_view::npos) {
    return std::string(is_system ? path : base);
  }
  // As PyTorch's profiler writes files of packages.
  if (!path.starts_with('/') && path.find('/') != std::string_view::npos && IsPackage(path)) {
    return std::string(path);
  }
  return std::nullopt;
}

std::string_view InterpreterFolder(std::string_view file) {
  constexpr std::string_view kFolders[] = {"Include", "Modules", "Objects", "Parser", "Python"};
  std::string_view last;
  for (size_t at = 0; at < file.size();) {
    const size_t end = std::min(file.find('/', at), file.size());
    if (end == file.size()) break;  // the file's own name
    const auto known = std::find(std::begin(kFolders), std::end(kFolders), file.substr(at, end - at));
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
    if (IsNumber(word)) continue;
    any = true;
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (before.ends_with(kAnonymous)) {
      // Whose namespace it is, its own qualification says.
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
  for (const std::string_view start : {"cuda", "cu", "hip", "nccl"}) {
    if (!name.starts_with(start) || name.size() == start.size()) continue;
    const bool is_call = isupper(static_cast<unsigned char>(name[start.size()])) != 0;
    if (is_call && std::all_of(name.begin(), name.end(), IsWordLetter)) return true;
  }
  return false;
}

bool IsPublicOperator(std::string_view name) {
  static constexpr std::string_view kNames[] = {"ProfilerStep", "DistributedDataParallel.forward",
                                                "Optimizer.step", "Optimizer.zero_grad",
                                                "TorchDynamo Cache Lookup"};
  static constexpr std::string_view kOptimizers[] = {"SGD", "Adam", "AdamW", "Adagrad", "Adamax",
                                                     "RMSprop", "LBFGS", "NAdam", "RAdam"};
  const size_t number = name.find('#');
  if (IsOneOf(name.substr(0, number), kNames)) {
    if (number == std::string_view::npos) return true;
    std::string_view rest = name.substr(number + 1);
    rest = rest.substr(0, rest.find('.'));
    return !rest.empty() &&
           (rest.find_first_not_of("0123456789") == std::string_view::npos ||
            IsOneOf(rest, kOptimizers));
  }
  for (const std::string_view space : {"aten::", "prim::", "c10d::", "record_param_comms"}) {
    if (name.starts_with(space)) return true;
  }
  return false;
}

bool IsPublicLayer(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "AdaptiveAvgPool2d", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear",
      "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "CrossEntropyLoss",
      "DataParallel", "DistributedDataParallel", "Dropout", "Embedding", "EmbeddingBag", "Flatten",
      "GELU", "GRU", "GroupNorm", "Identity", "InstanceNorm2d", "LSTM", "LayerNorm", "Linear",
      "LogSoftmax", "MSELoss", "MaxPool2d", "ModuleDict", "ModuleList", "MultiheadAttention",
      "OptimizedModule", "RMSNorm", "ReLU", "Sequential", "SiLU", "Sigmoid", "Softmax", "Tanh",
      "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
      "TransformerEncoderLayer", "Upsample", "_orig_mod", "module"};
  return IsOneOf(name, kNames);
}

}  // namespace gprofx
