#include "formats/redaction/redaction_key.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr size_t kFewestBytes = 16, kMaxBytes = 4096;

// Returns 32 random bytes, or "" on an error. For up to 256 bytes, getrandom(2) never returns fewer
// than requested.
std::string MakeKey() {
  std::string key(32, '\0');
  const ssize_t got = getrandom(key.data(), key.size(), 0);
  return got == static_cast<ssize_t>(key.size()) ? key : "";
}

}  // namespace

Result<std::string> RandomKey() {
  static const auto* const kKey = new std::string(MakeKey());
  if (kKey->empty()) {
    return Error{ErrorId::kNoResources, "cannot read random numbers: getrandom(2) failed",
                 "name a key with --key FILE"};
  }
  return *kKey;
}

Result<std::string> ReadKey(const std::string& path) {
  const std::string way = "head -c 32 /dev/urandom > FILE makes one";
  const auto text = ReadRegularFile(path, kMaxBytes + 1);
  if (!text) {
    return Error{ErrorId::kCannotRead,
                 "cannot read the key '" + path + "': " + std::strerror(errno), way};
  }
  if (text->size() < kFewestBytes || text->size() > kMaxBytes) {
    return Error{ErrorId::kOtherFormat, "the key '" + path + "' is not 16 to 4096 bytes long", way};
  }
  return *text;
}

}  // namespace gprofx
