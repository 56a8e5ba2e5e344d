// Names of one kind each, as a redacted profile has them: public ones (core/redact/public_names.h)
// stay, any other becomes a hash with a word for what it was, "fn_3fa9c81b02d4".
//
// The hash is HMAC-SHA-256 under a key, cut to 48 bits. Without the key nobody can check a guess.
// The same key gives a name the same hash in every profile. Pure; an object is read-only after its
// construction, so any thread may use it.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

class NameRedactor {
 public:
  // `again`: the names come from a profile that was redacted before, so hashes in them stay.
  explicit NameRedactor(std::string key, bool again = false);

  std::string Hash(std::string_view name) const;                      // "3fa9c81b02d4"
  std::string Hashed(const char* what, std::string_view name) const;  // "what_3fa9c81b02d4"

  // "path/3fa9c81b02d4.py", "site-packages/torch/3fa9c81b02d4.py": endings of languages stay.
  std::string Path(std::string_view path) const;
  std::string Kernel(std::string_view name) const;
  std::string Operator(std::string_view name) const;
  std::string Marker(std::string_view name) const;  // a short number at its end stays
  std::string Layers(std::string_view path) const;  // core/model/layer_path.h
  std::string Call(std::string_view name) const;    // "cudaLaunchKernel"
  std::string PythonName(std::string_view name) const;
  std::string Process(std::string_view name) const;
  std::string Thread(std::string_view name) const;
  // A native function of `module`, its original path. Where only its address is known that stays:
  // "module_3fa9c81b02d4+0xc230".
  std::string Native(std::string_view name, std::string_view module) const;

 private:
  bool IsHash(std::string_view text) const;  // of an earlier redaction
  std::string LayerName(std::string_view name) const;

  std::string inner_, outer_;  // the key, as HMAC mixes it
  bool again_;
};

// In brackets stands what gprof-x says by itself; a file may say anything, so the words are known.
bool IsOwnWord(std::string_view name);

}  // namespace gprofx
