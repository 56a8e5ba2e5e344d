#include "formats/exporters/firefox_tables.h"

#include "core/base/path.h"
#include "core/views/naming/names.h"
#include "formats/exporters/text.h"

namespace gprofx::exporters::firefox {

const char kCategoriesJson[] =
    R"([{"name":"Other","color":"grey","subcategories":["Other"]},)"
    R"({"name":"Python","color":"yellow","subcategories":["Other"]},)"
    R"({"name":"Native","color":"blue","subcategories":["Other"]},)"
    R"({"name":"GPU","color":"green","subcategories":["Other"]},)"
    R"({"name":"Waiting","color":"transparent","subcategories":["Other"]},)"
    R"({"name":"CUDA call","color":"orange","subcategories":["Other"]}])";

Category CategoryOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kPython:
      return kPython;
    case FrameKind::kNative:
    case FrameKind::kInlined:
      return kNative;
    case FrameKind::kGpuKernel:
    case FrameKind::kGpuInstruction:
    case FrameKind::kGpuCopy:
      return kGpu;
    case FrameKind::kIdle:
      return kWaiting;
    case FrameKind::kCudaApi:
      return kCudaCall;
    default:
      return kOther;
  }
}

Strings::Strings(const Stacks& stacks) {
  for (const Stacks::Function& function : stacks.functions()) {
    texts_.push_back(stacks.Name(function));
  }
}

uint32_t Strings::Add(std::string_view text) {
  const auto [found, made] =
      index_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (made) texts_.emplace_back(text);
  return found->second;
}

void Strings::Write(std::string& out) const {
  out += '[';
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(out, texts_[i]);
  }
  out += ']';
}

uint32_t Libs::Add(std::string_view path) {
  const auto [found, made] =
      index_.try_emplace(std::string(path), static_cast<uint32_t>(paths_.size()));
  if (made) paths_.emplace_back(path);
  return found->second;
}

void Libs::Write(std::string& out) const {
  out += '[';
  for (size_t i = 0; i < paths_.size(); ++i) {
    std::string name, path;
    AppendJson(name, BaseName(paths_[i]));
    AppendJson(path, paths_[i]);
    out += i > 0 ? "," : "";
    out += R"({"arch":"","name":)" + name + R"(,"path":)" + path + R"(,"debugName":)" + name +
           R"(,"debugPath":)" + path + R"(,"breakpadId":"","codeId":null})";
  }
  out += ']';
}

uint32_t ThreadTables::Used::Add(uint32_t item, uint32_t now) {
  if (round[item] != now) {
    round[item] = now;
    place[item] = static_cast<uint32_t>(items.size());
    items.push_back(item);
  }
  return place[item];
}

ThreadTables::ThreadTables(const Stacks& stacks, Strings& strings, Libs& libs)
    : stacks_(stacks), strings_(strings), libs_(libs) {
  const auto size = [](Used& used, size_t count) {
    used.place.resize(count);
    used.round.resize(count);
  };
  size(used_stacks_, stacks.stacks().size());
  size(used_calls_, stacks.calls().size());
  size(used_functions_, stacks.functions().size());
}

void ThreadTables::Clear() {
  ++now_;
  used_stacks_.items.clear();
  used_calls_.items.clear();
  used_functions_.items.clear();
}

int64_t ThreadTables::Stack(uint32_t stack) {
  if (stack == 0) return -1;
  path_.clear();
  for (uint32_t at = stack; at != 0 && !used_stacks_.Has(at, now_);
       at = stacks_.stacks()[at].parent) {
    path_.push_back(at);
  }
  while (!path_.empty()) {
    used_stacks_.Add(path_.back(), now_);
    path_.pop_back();
  }
  return used_stacks_.place[stack];
}

void ThreadTables::Write(std::string& out) {
  const std::vector<Stacks::Stack>& all = stacks_.stacks();
  const std::vector<uint32_t>& used = used_stacks_.items;
  out += "\"stackTable\":{";
  Column(out, "frame", used.size(),
         [&](size_t i) { AppendNumber(out, used_calls_.Add(all[used[i]].call, now_)); });
  Column(out, "prefix", used.size(), [&](size_t i) {
    const uint32_t parent = all[used[i]].parent;
    if (parent == 0) {
      out += "null";
    } else {
      AppendNumber(out, used_stacks_.place[parent]);
    }
  });
  out += "\"length\":" + std::to_string(used.size()) + "},";
  WriteFrames(out);
  WriteFunctions(out);
  out += R"("nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0})";
}

void ThreadTables::WriteFrames(std::string& out) {
  const std::vector<uint32_t>& used = used_calls_.items;
  const size_t count = used.size();
  const auto call = [&](size_t i) -> const Stacks::Call& { return stacks_.calls()[used[i]]; };
  out += "\"frameTable\":{";
  Column(out, "address", count, [&](size_t) { out += "-1"; });
  Column(out, "inlineDepth", count, [&](size_t) { out += '0'; });
  Column(out, "category", count, [&](size_t i) {
    AppendNumber(out, static_cast<uint32_t>(
                          CategoryOf(stacks_.Kind(stacks_.functions()[call(i).function]))));
  });
  Column(out, "subcategory", count, [&](size_t) { out += '0'; });
  Column(out, "func", count,
         [&](size_t i) { AppendNumber(out, used_functions_.Add(call(i).function, now_)); });
  Column(out, "nativeSymbol", count, [&](size_t) { out += "null"; });
  Column(out, "innerWindowID", count, [&](size_t) { out += '0'; });
  Column(out, "line", count, [&](size_t i) {
    const uint32_t line = stacks_.Line(call(i));
    if (line == 0) {
      out += "null";
    } else {
      AppendNumber(out, line);
    }
  });
  Column(out, "column", count, [&](size_t) { out += "null"; });
  out += "\"length\":" + std::to_string(count) + "},";
}

void ThreadTables::WriteFunctions(std::string& out) {
  const std::vector<uint32_t>& used = used_functions_.items;
  const size_t count = used.size();
  const auto function = [&](size_t i) -> const Stacks::Function& {
    return stacks_.functions()[used[i]];
  };
  std::vector<uint32_t> libs;  // index in libs_, by position in the resourceTable
  std::unordered_map<uint32_t, size_t> resource_of;
  out += "\"funcTable\":{";
  Column(out, "name", count, [&](size_t i) { AppendNumber(out, used[i]); });
  Column(out, "isJS", count, [&](size_t) { out += "false"; });
  Column(out, "relevantForJS", count, [&](size_t) { out += "false"; });
  Column(out, "resource", count, [&](size_t i) {
    const std::string_view module = stacks_.Module(function(i));
    if (module.empty()) {
      out += "-1";
      return;
    }
    const uint32_t lib = libs_.Add(module);
    const auto [found, made] = resource_of.try_emplace(lib, libs.size());
    if (made) libs.push_back(lib);
    AppendNumber(out, found->second);
  });
  Column(out, "fileName", count, [&](size_t i) {
    const std::string_view file = stacks_.File(function(i));
    if (file.empty()) {
      out += "null";
    } else {
      AppendNumber(out, strings_.Add(file));
    }
  });
  Column(out, "lineNumber", count, [&](size_t i) {
    const uint32_t line = stacks_.FirstLine(function(i));
    if (line == 0) {
      out += "null";
    } else {
      AppendNumber(out, line);
    }
  });
  Column(out, "columnNumber", count, [&](size_t) { out += "null"; });
  out += "\"length\":" + std::to_string(count) + "},\"resourceTable\":{";
  Column(out, "lib", libs.size(), [&](size_t i) { AppendNumber(out, libs[i]); });
  Column(out, "name", libs.size(),
         [&](size_t i) { AppendNumber(out, strings_.Add(BaseName(libs_.Path(libs[i])))); });
  Column(out, "host", libs.size(), [&](size_t) { out += "null"; });
  Column(out, "type", libs.size(), [&](size_t) { out += '1'; });  // type 1: a library
  out += "\"length\":" + std::to_string(libs.size()) + "},";
}

}  // namespace gprofx::exporters::firefox
