// Makes JSON values of file names.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"

namespace gprofx {

inline Json FilesJson(const std::vector<std::string>& files) {
  Json list = Json::array();
  for (const std::string& file : files) list.push_back(Utf8(file));
  return list;
}

}  // namespace gprofx
