// Serializes the names of a module, for the socket of the sandbox and for the cache.
//
// The bytes are a table of strings, then entries that refer to it by number. They may come from a
// broken child or a damaged file. Decoding checks every number against the available bytes. On
// failure it returns false and no part of the names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/model/resolve.h"

namespace gprofx {

// Returns the bytes of `names`. An address may have an empty list of frames, which means "has no
// name".
std::string EncodeNames(const ModuleNames& names);

// Returns the approximate memory use of `frames`.
uint64_t BytesOf(const std::vector<SourceFrame>& frames);

// Maximum memory of decoded names. A small input can become large, because entries share strings.
inline constexpr uint64_t kMaxDecodedBytes = uint64_t{512} << 20;

// Decodes `bytes` and adds the names to `names`, replacing those of addresses that it already
// contains. Returns false, without a change, if the bytes are invalid or the names exceed
// kMaxDecodedBytes.
bool DecodeNames(std::string_view bytes, ModuleNames& names);

}  // namespace gprofx
