// Classifies matrix products and convolutions whose names consist of codes:
//   nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_bias_TNT        cuBLAS of CUDA 12.8 and newer
//   cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8
//   sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize256x64x8_...  cuBLAS; cuDNN with "fprop"
//   volta_sgemm_32x128_tn, ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_nn, volta_scudnn_128x64_...
//   cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_...
//   Cijk_Alik_Bljk_BBS_BH_..._MT256x192x64_...                  rocBLAS and hipBLASLt
#include "core/base/text.h"
#include "core/kernels/kernel_family_parts.h"

namespace gprofx {
namespace {

bool IsCoded(std::string_view word) {
  for (const std::string_view prefix : {"nvjet_", "Cijk_", "cudnn_generated_"}) {
    if (word.starts_with(prefix)) return true;
  }
  for (const std::string_view part : {"xmma_", "scudnn", "hcudnn", "icudnn"}) {
    if (Contains(word, part)) return true;
  }
  const bool work = Contains(word, "gemm") || Contains(word, "grad_") || Contains(word, "fprop");
  for (const std::string_view prefix :
       {"cutlass", "volta_", "turing_", "ampere_", "hopper_", "maxwell_", "pascal_", "sm70_",
        "sm75_", "sm80_", "sm86_", "sm89_", "sm90_", "sm100_"}) {
    if (word.starts_with(prefix)) return work && Contains(word, "x");
  }
  return false;
}

std::string_view CodedWord(std::string_view bare) {
  for (size_t i = 0; i < bare.size();) {
    size_t end = i;
    while (end < bare.size() && IsWordChar(bare[end])) ++end;
    if (end > i && IsCoded(bare.substr(i, end - i))) return bare.substr(i, end - i);
    i = std::max(end, i + 1);
  }
  return {};
}

std::vector<std::string_view> Parts(std::string_view word) {
  std::vector<std::string_view> parts;
  while (!word.empty()) {
    const size_t end = word.find('_');
    if (end != 0) parts.push_back(word.substr(0, end));
    word.remove_prefix(end == std::string_view::npos ? word.size() : end + 1);
  }
  return parts;
}

// Returns the size of a tile, "128x64" or "128x64x32", without the prefix "tilesize" or "MT". "" if
// `part` is not a size.
std::string_view TileOf(std::string_view part) {
  for (const std::string_view prefix : {"tilesize", "MT"}) {
    if (part.starts_with(prefix)) part.remove_prefix(prefix.size());
  }
  int numbers = 0;
  bool digit = false;
  for (const char c : part) {
    if (c >= '0' && c <= '9') {
      numbers += digit ? 0 : 1;
      digit = true;
    } else if (c == 'x' && digit) {
      digit = false;
    } else {
      return {};
    }
  }
  return digit && numbers >= 2 ? part : std::string_view();
}

bool IsLayout(std::string_view part, std::string_view letters) {
  return (part.size() == 2 || part.size() == 3) &&
         part.find_first_not_of(letters) == std::string_view::npos;
}

std::string TypeOfLetter(char letter) {
  switch (letter) {
    case 't':
    case 'B':
      return "bf16";
    case 'h':
    case 'H':
      return "f16";
    case 's':
    case 'S':
      return "f32";
    case 'd':
    case 'D':
      return "f64";
    case 'c':
    case 'C':
      return "c64";
    case 'z':
    case 'Z':
      return "c128";
    case 'q':
      return "e4m3";
    case 'i':
    case 'I':
      return "i8";
    default:
      return "?";
  }
}

// Returns the number type of a matrix product. "sgemm" is f32. "s1688gemm" without a type is tf32,
// because tensor cores with f32 input compute in tf32.
std::string TypeOfProduct(std::string_view part) {
  for (const std::string_view word : {"gemm", "cudnn", "fprop", "dgrad", "wgrad"}) {
    if (const size_t at = part.find(word); at != std::string_view::npos && at > 0) {
      if (part[0] == 's' && at > 1) return "tf32";
      if (part[at - 1] == 'c') return "c64";  // "cgemm", "gcgemm"
      return TypeOfLetter(part[0]);
    }
  }
  return "";
}

// True for words that occur in all kernels of a library and therefore say nothing about one of
// them.
bool TellsNothing(std::string_view part) {
  for (const std::string_view word :
       {"cutlass", "tensorop", "cudnn", "xmma", "execute", "kernel", "implicit", "gemm"}) {
    if (part == word) return true;
  }
  return false;
}

struct Codes {
  std::string type, tile, layout, epilogue, rest;
};

void AddWord(std::string& text, std::string_view word) {
  if (word.empty()) return;
  if (!text.empty()) text += ' ';
  text += word;
}

Codes ReadNvjet(const std::vector<std::string_view>& parts) {
  Codes codes;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part.starts_with("sm")) continue;
    if (codes.type.empty() && codes.tile.empty() && part.size() >= 3 && TileOf(part).empty()) {
      const std::string in = TypeOfLetter(part.front()), out = TypeOfLetter(part.back());
      codes.type = in == out ? in : in + ">" + out;
    } else if (codes.tile.empty() && !TileOf(part).empty()) {
      codes.tile = TileOf(part);
    } else if (IsLayout(part, "NT")) {
      codes.layout = AsciiLower(part.substr(0, 2));
      AddWord(codes.rest, part.substr(2));
    } else if (part == "bias" || part == "gelu" || part == "relu") {
      AddWord(codes.epilogue, part);
    } else {
      AddWord(codes.rest, part);
    }
  }
  return codes;
}

Codes ReadTensile(const std::vector<std::string_view>& parts) {
  Codes codes;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part == "Ailk" || part == "Alik") {
      codes.layout += part == "Alik" ? 't' : 'n';
    } else if (part == "Bljk" || part == "Bjlk") {
      codes.layout += part == "Bjlk" ? 't' : 'n';
      if (i + 1 < parts.size()) codes.type = TypeOfLetter(parts[i + 1].front());
    } else if (part.starts_with("MT") && codes.tile.empty() && !TileOf(part).empty()) {
      codes.tile = TileOf(part);
    } else if (part == "Bias") {
      AddWord(codes.epilogue, "bias");
    } else if (part.starts_with("SK") || part.starts_with("GSU") || part.starts_with("WG")) {
      AddWord(codes.rest, part);
    }
  }
  return codes;
}

Codes ReadOther(const std::vector<std::string_view>& parts, bool conv) {
  Codes codes;
  std::string product_type;
  for (const std::string_view part : parts) {
    const std::string_view tile = TileOf(part);
    const std::string type = tile.empty() ? TypeOf(part) : "";
    if (codes.tile.empty() && !tile.empty()) {
      codes.tile = tile;
    } else if (codes.type.empty() && !type.empty()) {
      codes.type = type;
    } else if (product_type.empty() && !TypeOfProduct(part).empty()) {
      product_type = TypeOfProduct(part);
    } else if (!conv && codes.layout.empty() && IsLayout(part, "nt")) {
      codes.layout = part.substr(0, 2);
    } else if (conv && codes.layout.empty() &&
               (part.starts_with("nhwc") || part.starts_with("nchw"))) {
      codes.layout = part.substr(0, 4);
    } else if (!conv && (part == "relu" || part == "gelu" || part == "bias")) {
      AddWord(codes.epilogue, part);
    } else if (type.empty() && !TellsNothing(part)) {
      AddWord(codes.rest, part);
    }
  }
  if (codes.type.empty()) codes.type = product_type;
  return codes;
}

}  // namespace

std::optional<KernelWhat> CodedProduct(std::string_view bare) {
  const std::string_view word = CodedWord(bare);
  if (word.empty()) return std::nullopt;
  KernelWhat out{KernelFamily::kGemm, "gemm", ""};
  const std::string lower = AsciiLower(word);
  if (Contains(lower, "sdpa")) {
    const bool backward = Contains(lower, "bprop");
    out = {KernelFamily::kAttention, backward ? "flash attention bwd" : "flash attention", ""};
  } else if (Contains(lower, "dgrad") || Contains(lower, "wgrad")) {
    out = {KernelFamily::kConvolution, Contains(lower, "dgrad") ? "conv dgrad" : "conv wgrad", ""};
  } else if (Contains(lower, "winograd")) {
    out = {KernelFamily::kConvolution, "conv winograd", ""};
  } else if (Contains(lower, "cudnn_") || Contains(lower, "fprop") || Contains(lower, "conv")) {
    out = {KernelFamily::kConvolution, "conv", ""};
  }
  const std::vector<std::string_view> parts = Parts(word);
  const bool product = out.family == KernelFamily::kGemm;
  const Codes codes = word.starts_with("nvjet_")  ? ReadNvjet(parts)
                      : word.starts_with("Cijk_") ? ReadTensile(parts)
                                                  : ReadOther(parts, !product);
  for (const std::string* part : {&codes.type, &codes.tile, &codes.layout, &codes.epilogue}) {
    AddWord(out.what, *part);
  }
  out.variant = codes.rest;
  return out;
}

}  // namespace gprofx
