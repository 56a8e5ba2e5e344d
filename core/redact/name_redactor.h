// Redacts names; each kind of name has its own function. Public names (core/redact/public_names.h)
// are kept. Other names are replaced by a word for their kind and a hash: "fn_3fa9c81b02d4".
//
// The hash is HMAC-SHA-256 under a key, truncated to 48 bits. Nobody can check a guess without the
// key. The same key gives a name the same hash in every profile. Pure. An object is not changed
// after construction, so any thread may use it.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

class NameRedactor {
 public:
  // If `again` is true, the names come from a redacted profile, and hashes in them are kept.
  explicit NameRedactor(std::string key, bool again = false);

  std::string Hash(std::string_view name) const;                      // "3fa9c81b02d4"
  std::string Hashed(const char* what, std::string_view name) const;  // "what_3fa9c81b02d4"

  // Returns "path/3fa9c81b02d4.py" or "site-packages/torch/3fa9c81b02d4.py". Keeps the extension if
  // it names a language.
  std::string Path(std::string_view path) const;
  std::string Kernel(std::string_view name) const;
  std::string Operator(std::string_view name) const;
  std::string Marker(std::string_view name) const;  // keeps a short number at the end
  // Redacts a layer path (core/model/layer_path.h).
  std::string Layers(std::string_view path) const;
  std::string Call(std::string_view name) const;  // "cudaLaunchKernel"
  std::string PythonName(std::string_view name) const;
  std::string Process(std::string_view name) const;
  std::string Thread(std::string_view name) const;
  // Redacts the name of a native function. `module` is the original path of its module. If the name
  // consists of the module and an address, the address is kept: "module_3fa9c81b02d4+0xc230".
  std::string Native(std::string_view name, std::string_view module) const;

 private:
  bool IsHash(std::string_view text) const;  // true for a hash of an earlier redaction
  std::string LayerName(std::string_view name) const;

  std::string inner_, outer_;  // the key, in the two padded forms of HMAC
  bool again_;
};

// True for the names in brackets that gprof-x itself makes, such as "[unknown]". Only listed names
// count, because a file may contain any text in brackets.
bool IsOwnWord(std::string_view name);

}  // namespace gprofx
