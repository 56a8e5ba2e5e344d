// Redacts names, with a function for each kind: public names (core/redact/public_names.h) stay,
// others become a hash with a word for their kind, "fn_3fa9c81b02d4".
//
// The hash is HMAC-SHA-256 under a key, truncated to 48 bits. Without the key, guesses cannot be
// checked. The same key gives a name the same hash in every profile. Pure; an object is read-only
// after construction, so any thread may use it.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

class NameRedactor {
 public:
  // `again`: the names come from a redacted profile; hashes in them stay.
  explicit NameRedactor(std::string key, bool again = false);

  std::string Hash(std::string_view name) const;                      // "3fa9c81b02d4"
  std::string Hashed(const char* what, std::string_view name) const;  // "what_3fa9c81b02d4"

  // "path/3fa9c81b02d4.py", "site-packages/torch/3fa9c81b02d4.py": extensions of languages stay.
  std::string Path(std::string_view path) const;
  std::string Kernel(std::string_view name) const;
  std::string Operator(std::string_view name) const;
  std::string Marker(std::string_view name) const;  // a short number at the end stays
  std::string Layers(std::string_view path) const;  // core/model/layer_path.h
  std::string Call(std::string_view name) const;    // "cudaLaunchKernel"
  std::string PythonName(std::string_view name) const;
  std::string Process(std::string_view name) const;
  std::string Thread(std::string_view name) const;
  // A native function of `module`, its original path. An address without a name stays:
  // "module_3fa9c81b02d4+0xc230".
  std::string Native(std::string_view name, std::string_view module) const;

 private:
  bool IsHash(std::string_view text) const;  // of an earlier redaction
  std::string LayerName(std::string_view name) const;

  std::string inner_, outer_;  // the key, as HMAC uses it
  bool again_;
};

// True for names in brackets that gprof-x itself makes, such as "[unknown]". Compares with a list,
// because a file may contain any text in brackets.
bool IsOwnWord(std::string_view name);

}  // namespace gprofx
