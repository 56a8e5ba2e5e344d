// A page as one self-contained HTML file: its markup and scripts (assets.h) and its data,
// compressed, in base64, so that names in a profile never become part of the markup. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// The input of data.js: a JSON text, and the bytes of the columns that its "columns" describes.
struct PageData {
  std::string json, columns;
};

// Returns the frame of all pages with `body` in it. `script` follows the shared script.
std::string MakeDocument(std::string_view body, std::string_view script, const PageData& contents);

}  // namespace gprofx
