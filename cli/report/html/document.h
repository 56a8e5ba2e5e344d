// Makes a page: one HTML file that needs no other files. It contains markup and scripts (assets.h)
// and the data, compressed and in base64. Names in a profile therefore never become part of the
// markup. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// The data of a page. `json` is a JSON text; its member "columns" describes the contents of
// `columns`.
struct PageData {
  std::string json, columns;
};

// Returns an element with data that the script of a page reads by `id`. Append it to the markup.
std::string DataElement(std::string_view id, const PageData& data);

// Returns the HTML of a page. `body` is the markup of the page, and `script` its own script, which
// runs after the script that all pages share.
std::string MakeDocument(std::string_view body, std::string_view script, const PageData& contents);

}  // namespace gprofx
