#include "samplers/collector/processes/arena_text.h"

#include <algorithm>
#include <cstring>

#include "samplers/collector/drain/region.h"

namespace gprofx {
namespace {

constexpr uint32_t kMaxChars = 4096, kMaxTableBytes = 1u << 20;

void AppendUtf8(std::string& out, uint32_t c) {
  if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

bool ValidWidth(uint32_t width) { return width == 1 || width == 2 || width == 4; }

}  // namespace

std::string PythonText(std::span<const std::byte> bytes, uint32_t width) {
  std::string out;
  if (!ValidWidth(width)) return out;
  out.reserve(bytes.size());
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint32_t c = 0;  // assumes little-endian: the low bytes come first
    std::memcpy(&c, bytes.data() + at, width);
    AppendUtf8(out, c);
  }
  return out;
}

std::optional<CodeObject> CopyCode(std::span<const std::byte> record) {
  if (record.size() < wire::kCodeHeaderBytes) return std::nullopt;
  const auto* shared = reinterpret_cast<const wire::CodeRecord*>(record.data());
  if (shared->ready.load(std::memory_order_acquire) == 0) return std::nullopt;
  // Read each field once, because the target may change it between two reads.
  wire::CodeRecord head;
  head.first_line = shared->first_line;
  head.line_format = shared->line_format;
  head.name_width = shared->name_width;
  head.file_width = shared->file_width;
  head.name_chars = shared->name_chars;
  head.file_chars = shared->file_chars;
  head.table_bytes = shared->table_bytes;
  if (!ValidWidth(head.name_width) || !ValidWidth(head.file_width)) return std::nullopt;
  if (head.table_bytes > kMaxTableBytes) return std::nullopt;
  if (wire::CodeRecordBytes(head) > record.size()) return std::nullopt;

  const size_t name_bytes = size_t{std::min(head.name_chars, kMaxChars)} * head.name_width;
  const size_t file_bytes = size_t{std::min(head.file_chars, kMaxChars)} * head.file_width;
  CodeObject code;
  code.first_line = head.first_line;
  code.line_format = head.line_format;
  code.name = PythonText(record.subspan(wire::CodeNameOffset(head), name_bytes), head.name_width);
  code.file = PythonText(record.subspan(wire::CodeFileOffset(head), file_bytes), head.file_width);
  const auto table = record.subspan(wire::CodeTableOffset(head), head.table_bytes);
  code.table.assign(table.begin(), table.end());
  return code;
}

}  // namespace gprofx
