// Names of a module as bytes: for the pipe from the sandbox and for the cache.
//
// A table of strings, then entries that refer to it by number. The bytes may come from a broken
// child or a damaged file: decoding checks every number against the bytes that are there, and
// answers false instead of half a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/model/resolve.h"

namespace gprofx {

// An address with no frames is an answer too: "has no name".
std::string EncodeNames(const ModuleNames& names);

// What `frames` take in memory, about.
uint64_t BytesOf(const std::vector<SourceFrame>& frames);

// Few bytes can stand for many: entries share strings. More than kMaxDecodedBytes are refused.
inline constexpr uint64_t kMaxDecodedBytes = uint64_t{512} << 20;

// Adds to `names`; existing addresses are replaced.
bool DecodeNames(std::string_view bytes, ModuleNames& names);

}  // namespace gprofx
