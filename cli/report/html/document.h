// A page as one HTML file that needs nothing else: its markup and scripts (assets.h) and its data,
// compressed, in base64, so that no name of a program is ever a part of the markup. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// What data.js reads: a JSON text, and the bytes of the columns that its "columns" speaks of.
struct PageData {
  std::string json, columns;
};

// The frame of all pages with `body` in it; `script` comes behind what pages share.
std::string MakeDocument(std::string_view body, std::string_view script, const PageData& contents);

}  // namespace gprofx
