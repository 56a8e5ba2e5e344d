#include "cli/mcp/fit.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace gprofx {
namespace {

constexpr size_t kLongestText = 2000;  // maximum bytes of one name or line
constexpr size_t kShortestText = 80;   // shorter texts are not cut
// An object with more members than this counts as a table, not as a record.
constexpr size_t kManyMembers = 12;
constexpr size_t kMaxNotes = 40;
constexpr int kMaxRounds = 400;

// Returns the number of bytes that a text takes in ASCII JSON, without the quotes.
size_t TextBytes(const std::string& text) {
  size_t bytes = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xF0) {
      bytes += 12;  // a surrogate pair: two escapes such as "\ud83d"
    } else if (byte >= 0xC0 || byte < 0x20) {
      bytes += 6;
    } else if (byte < 0x80) {
      bytes += c == '"' || c == '\\' ? 2 : 1;
    }
  }
  return bytes;
}

size_t Digits(uint64_t number) {
  size_t digits = 1;
  while (number >= 10) number /= 10, ++digits;
  return digits;
}

size_t Bytes(const Json& node) {
  size_t bytes = 2;
  if (node.is_number_unsigned()) return Digits(node.get<uint64_t>());
  if (node.is_number_integer()) {
    const auto number = node.get<int64_t>();
    return number < 0 ? 1 + Digits(uint64_t{0} - static_cast<uint64_t>(number))
                      : Digits(static_cast<uint64_t>(number));
  }
  if (node.is_string()) return bytes + TextBytes(node.get_ref<const std::string&>());
  if (node.is_array()) {
    for (const Json& item : node) bytes += Bytes(item) + 1;
    return bytes;
  }
  if (node.is_object()) {
    for (const auto& [name, value] : node.items()) bytes += TextBytes(name) + 4 + Bytes(value);
    return bytes;
  }
  return node.dump().size();
}

// Returns `name` as a component of a JSON pointer.
std::string Step(const std::string& name) {
  std::string out = "/";
  for (const char c : name.substr(0, 100)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return Utf8(out);
}

// True for the rows of a call tree, which have a parent. The total of a parent is usually at least
// that of its children.
bool IsTree(const Json& list) {
  return !list.empty() && list.front().is_object() && list.front().contains("parent") &&
         list.front().contains("total") && list.front().contains("id");
}

Json LargestNodes(Json& list, size_t keep) {
  std::vector<size_t> order(list.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> totals;
  for (const Json& node : list) {
    totals.push_back(node["parent"].is_null() ? INT64_MAX : node["total"].get<int64_t>());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return totals[a] > totals[b]; });
  order.resize(keep);
  std::sort(order.begin(), order.end());
  std::vector<int64_t> kept;  // ids, ascending
  Json out = Json::array();
  for (const size_t i : order) {
    const Json& parent = list[i]["parent"];
    // Drop a node that was selected without its parent. The total of freed memory is negative, so a
    // node may have a larger total than its parent.
    if (!parent.is_null() && !std::binary_search(kept.begin(), kept.end(), parent.get<int64_t>())) {
      continue;
    }
    kept.push_back(list[i]["id"].get<int64_t>());
    out.push_back(std::move(list[i]));
  }
  return out;
}

}  // namespace

std::string AsciiJson(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

void Fitted::Note(const std::string& where, const char* unit, size_t shown, size_t of) {
  const auto [cut, is_new] = cuts_.try_emplace(where, Cut{unit, shown, of});
  if (!is_new) cut->second.shown = shown;
}

void Fitted::Empty(const std::string& where) {
  const Json::json_pointer pointer(where);
  if (!answer_.contains(pointer)) return;
  Json& node = answer_[pointer];
  if (!node.is_structured() || node.empty()) return;
  Note(where, "entries", 0, node.size());
  node.clear();
}

void Fitted::WasCut(const std::string& where, size_t of) {
  const Json::json_pointer pointer(where);
  if (answer_.contains(pointer)) Note(where, "entries", answer_[pointer].size(), of);
}

size_t Fitted::MostEntries(size_t most_bytes) { return std::max<size_t>(20, most_bytes / 40); }

void Fitted::CutList(Json& list, const std::string& where, size_t keep) {
  const size_t of = list.size();
  if (IsTree(list)) {
    list = LargestNodes(list, keep);
  } else {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(keep), list.end());
  }
  // Remove the entries about shortened lists that were inside of the removed rows.
  for (auto cut = cuts_.lower_bound(where + "/");
       cut != cuts_.end() && cut->first.starts_with(where + "/");) {
    const size_t index = strtoul(cut->first.c_str() + where.size() + 1, nullptr, 10);
    cut = index >= list.size() ? cuts_.erase(cut) : std::next(cut);
  }
  Note(where, "entries", list.size(), of);
}

void Fitted::CutMembers(Json& object, const std::string& where, size_t keep) {
  const size_t of = object.size();
  Json kept = Json::object();
  for (auto& [name, value] : object.items()) {
    if (kept.size() == keep) break;
    kept[name] = std::move(value);
  }
  object = std::move(kept);
  Note(where, "entries", keep, of);
}

void Fitted::CutText(Json& text, const std::string& where, size_t keep) {
  std::string value = text.get<std::string>();
  const size_t of = value.size();
  while (keep > 0 && (static_cast<unsigned char>(value[keep]) & 0xC0) == 0x80) --keep;
  value.resize(keep);
  text = std::move(value);
  Note(where, "bytes", keep, of);
}

void Fitted::ShortenTexts(Json& node, const std::string& where) {
  if (node.is_string()) {
    if (node.get_ref<const std::string&>().size() > kLongestText) {
      CutText(node, where, kLongestText);
    }
  } else if (node.is_array()) {
    size_t i = 0;
    for (Json& item : node) {
      if (item.is_structured() || item.is_string()) {
        ShortenTexts(item, where + "/" + std::to_string(i));
      }
      ++i;
    }
  } else if (node.is_object()) {
    for (auto& [name, value] : node.items()) {
      if (value.is_structured() || value.is_string()) ShortenTexts(value, where + Step(name));
    }
  }
}

// Shortens each list to the number of entries that `most_bytes` can hold at all.
void Fitted::CapLists(Json& node, const std::string& where, size_t most_bytes) {
  if (node.is_array()) {
    const size_t most = MostEntries(most_bytes);
    if (node.size() > most) CutList(node, where, most);
    size_t i = 0;
    for (Json& item : node) {
      if (item.is_structured()) CapLists(item, where + "/" + std::to_string(i), most_bytes);
      ++i;
    }
    size_t bytes = 0, fit = 0;
    while (fit < node.size() && bytes <= most_bytes) bytes += Bytes(node[fit++]);
    if (fit < node.size() && !IsTree(node)) CutList(node, where, fit);
  } else if (node.is_object()) {
    for (auto& [name, value] : node.items()) {
      if (value.is_structured()) CapLists(value, where + Step(name), most_bytes);
    }
  }
}

// Finds the list, object or text that takes the most bytes, and shortens it. Returns false if
// nothing is left to shorten.
bool Fitted::CutLargest() {
  Json* node = &answer_;
  Json* last_list = nullptr;
  std::string where, last_where;
  while (node->is_structured() && !node->empty()) {
    size_t all = 0, largest = 0;
    Json* heaviest = nullptr;
    std::string step;
    size_t i = 0;
    for (auto& [name, value] : node->items()) {
      const size_t bytes = Bytes(value);
      all += bytes;
      if (bytes > largest) {
        largest = bytes;
        heaviest = &value;
        step = node->is_array() ? "/" + std::to_string(i) : Step(name);
      }
      ++i;
    }
    const size_t count = node->size();
    const bool is_even = largest * 2 <= all || !heaviest->is_structured();
    if (node->is_array() && count >= 2 && is_even) {
      CutList(*node, where, count - std::max<size_t>(1, count / 6));
      return true;
    }
    if (node->is_object() && count >= kManyMembers && largest * kManyMembers / 2 < all) {
      CutMembers(*node, where, count - std::max<size_t>(1, count / 6));
      return true;
    }
    if (node->is_array()) last_list = node, last_where = where;
    node = heaviest;
    where += step;
  }
  if (node->is_string()) {
    const size_t size = node->get_ref<const std::string&>().size();
    if (size > kShortestText) {
      CutText(*node, where, size / 2);
      return true;
    }
  }
  if (last_list == nullptr) return false;
  CutList(*last_list, last_where, last_list->size() - 1);
  return true;
}

Json Fitted::LeftOut() const {
  Json list = Json::array();
  for (const auto& [where, cut] : cuts_) {
    if (list.size() == kMaxNotes) {
      list.push_back(
          {{"where", "and " + std::to_string(cuts_.size() - kMaxNotes) + " more places"}});
      break;
    }
    list.push_back({{"where", where}, {"shown", cut.shown}, {"of", cut.of}, {"unit", cut.unit}});
  }
  return list;
}

Result<std::string> Fitted::Text(Json head, size_t most_bytes) {
  ShortenTexts(answer_, "");
  CapLists(answer_, "", most_bytes);
  for (int round = 0; round < kMaxRounds; ++round) {
    head["left_out"] = LeftOut();
    if (Bytes(head) + Bytes(answer_) + sizeof(",\"answer\":") <= most_bytes) {
      head["answer"] = std::move(answer_);
      return AsciiJson(head);
    }
    if (!CutLargest()) break;
  }
  return Error{ErrorId::kBadRequest,
               "the answer cannot be cut to " + std::to_string(most_bytes) + " bytes",
               "use a larger max_bytes"};
}

}  // namespace gprofx
