// Exact lists of the words of public names: core/redact/public_words.txt, sorted, by section. The
// words come from the sources and headers of CPython 3.8 to 3.13, PyTorch, torchvision, NumPy and
// transformers, from CUDA's and NCCL's headers, and from recorded kernels of cuBLAS and PyTorch.
//
// A name that is not in a list is the user's, whatever its prefix. Any thread.
#pragma once

#include <string_view>

namespace gprofx {

extern const std::string_view kPublicWords;  // the file's text

enum class WordList {
  kPaths,      // folders and files (without .py or .so) of the packages above
  kOperators,  // "mm": of aten::
  kCalls,      // "cudaLaunchKernel": without _v12000, _ptsz
  kKernels,    // "s#gemm": pieces of kernel names between '_', with '#' for digits
};

bool IsPublicWord(WordList list, std::string_view word);

}  // namespace gprofx
