// Serializes the names of a module, for the pipe from the sandbox and for the cache.
//
// A table of strings, then entries that refer to it by number. The bytes may come from a broken
// child or a damaged file: decoding checks every number against the available bytes, and returns
// false rather than half a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/model/resolve.h"

namespace gprofx {

// An address with an empty list of frames is valid and means "has no name".
std::string EncodeNames(const ModuleNames& names);

// Returns the approximate memory use of `frames`.
uint64_t BytesOf(const std::vector<SourceFrame>& frames);

// Limit for decoded names. A small input can expand greatly, because entries share strings.
inline constexpr uint64_t kMaxDecodedBytes = uint64_t{512} << 20;

// Decodes `bytes` into `names`; existing addresses are replaced. Returns false, without a change,
// if the bytes are invalid or the names exceed kMaxDecodedBytes.
bool DecodeNames(std::string_view bytes, ModuleNames& names);

}  // namespace gprofx
