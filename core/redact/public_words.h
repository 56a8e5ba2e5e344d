// Looks up words in the exact lists of public names. The lists are in core/redact/public_words.txt,
// sorted, one section per list. The words come from the sources and headers of CPython 3.8 to 3.13,
// PyTorch, torchvision, NumPy and transformers, from headers of CUDA and NCCL, and from recorded
// kernels of cuBLAS and PyTorch.
//
// A name that is in no list belongs to the user, whatever its prefix. Any thread.
#pragma once

#include <string_view>

namespace gprofx {

extern const std::string_view kPublicWords;  // the text of public_words.txt

enum class WordList {
  kPaths,      // folders and files of public packages, without .py or .so
  kOperators,  // operators of aten:: such as "mm"
  kCalls,      // "cudaLaunchKernel", without suffixes such as _v12000 and _ptsz
  kKernels,    // pieces of kernel names between '_', with '#' for digits: "s#gemm"
  kPackages,   // of Python, below site-packages: "torch"
  kModules,    // of Python's standard library, first parts of their names: "asyncio"
  // File names of common libraries, without the version and without the hash that auditwheel adds:
  // "libgomp".
  kLibraries,
  // Words in names of kernel libraries. A kernel's name is public if all its words without a
  // namespace are in this list.
  kKernelWords
};

bool IsPublicWord(WordList list, std::string_view word);

}  // namespace gprofx
