#include "samplers/nvtx/texts.h"

#include <catch2/catch.hpp>
#include <string>

namespace gprofx::nvtx {
namespace {

std::string String(Text text) { return {text.data, text.bytes}; }

Attributes Of(int32_t type) {
  Attributes attributes{};
  attributes.size = sizeof attributes;
  attributes.message_type = type;
  return attributes;
}

TEST_CASE("Names are cut between characters") {
  CHECK(String(TextOf("short")) == "short");
  CHECK(String(TextOf(static_cast<const char*>(nullptr))).empty());
  const std::string full(wire::kMaxMarkerText, 'x');
  CHECK(String(TextOf(full.c_str())) == full);
  CHECK(String(TextOf((full + "y").c_str())) == full);
  // A character of three bytes across the cut goes as a whole.
  const std::string across = full.substr(1) + "\xe4\xb8\xad";
  CHECK(String(TextOf(across.c_str())) == full.substr(1));
  const std::string no_utf8(300, '\x80');
  CHECK(TextOf(no_utf8.c_str()).bytes == wire::kMaxMarkerText);
}

TEST_CASE("Wide names become UTF-8") {
  Scratch scratch;
  CHECK(String(TextOf(L"a\u00e9\u4e2d\U0001f600", &scratch)) == "a\u00e9\u4e2d\U0001f600");
  const wchar_t bad[] = {L'a', static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x7fffffff),
                         static_cast<wchar_t>(-1), 0};
  CHECK(String(TextOf(bad, &scratch)) == "a\ufffd\ufffd\ufffd");
  const std::wstring many(1000, L'\u4e2d');
  const std::string cut = String(TextOf(many.c_str(), &scratch));
  CHECK(cut.size() == wire::kMaxMarkerText / 3 * 3);
}

TEST_CASE("The message of an event is what its type says") {
  Scratch scratch;
  Attributes ascii = Of(kMessageAscii);
  ascii.message.ascii = "ascii";
  CHECK(String(TextOf(&ascii, &scratch)) == "ascii");
  Attributes wide = Of(kMessageWide);
  wide.message.wide = L"wide";
  CHECK(String(TextOf(&wide, &scratch)) == "wide");
  Attributes registered = Of(kMessageRegistered);
  registered.message.registered = Keep(TextOf("registered"), 0);
  CHECK(String(TextOf(&registered, &scratch)) == "registered");

  CHECK(String(TextOf(static_cast<const Attributes*>(nullptr), &scratch)).empty());
  Attributes none = Of(0);
  none.message.ascii = reinterpret_cast<const char*>(8);
  CHECK(String(TextOf(&none, &scratch)).empty());
  ascii.size = 16;  // of a version that we do not know
  CHECK(String(TextOf(&ascii, &scratch)).empty());
}

TEST_CASE("A handle that is none of ours is not followed") {
  const Kept* kept = Keep(TextOf("domain"), 7);
  CHECK(KeptAt(kept) == kept);
  CHECK(KeptAt(nullptr) == nullptr);
  CHECK(KeptAt(reinterpret_cast<const void*>(0x10)) == nullptr);
  CHECK(KeptAt(reinterpret_cast<const char*>(kept) + 4) == nullptr);
  CHECK(KeptAt(reinterpret_cast<const char*>(kept) + (64 << 20)) == nullptr);
  CHECK(KeptAt(&kept) == nullptr);
}

TEST_CASE("Where there is no more room, registered strings share a text that says so") {
  const std::string name(200, 'n');
  const Kept* last = nullptr;
  for (int i = 0; i < 30'000; ++i) last = Keep(TextOf(name.c_str()), 0);
  for (int i = 0; i < 100; ++i) Keep(TextOf("x"), 0);  // what the last one left
  CHECK(std::string(last->text, last->bytes) == "[too many strings]");
  CHECK(KeptAt(last) == last);
  CHECK(Keep(TextOf("x"), 1)->number >= 16);  // counts no depth
}

}  // namespace
}  // namespace gprofx::nvtx
