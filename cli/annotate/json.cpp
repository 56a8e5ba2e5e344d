// Prints an annotation as JSON with the schema "gprof-x.annotate/1". The format is stable; see
// "JSON" in gprof-x-annotate(1).
#include <algorithm>

#include "cli/annotate/json.h"

#include "core/base/format.h"

namespace gprofx {
namespace {

void AddCounts(Json& row, const StallCounts& counts) {
  row["samples"] = counts.samples;
  row["latency"] = counts.latency;
  Json stalls = Json::object();
  for (const auto& [name, count] : counts.stalls) stalls[Utf8(name)] = count;
  row["stalls"] = std::move(stalls);
}

Json PlacesJson(const std::vector<CubinLine>& places) {
  Json list = Json::array();
  for (const CubinLine& place : places) {
    list.push_back(
        {{"function", Utf8(place.function)}, {"file", Utf8(place.file)}, {"line", place.line}});
  }
  return list;
}

Json LinesJson(const Annotation& annotation, size_t limit) {
  Json list = Json::array();
  for (const AnnotatedLine& line : annotation.lines) {
    if (list.size() == limit) break;
    Json row = {{"file", Utf8(line.file)}, {"line", line.line}, {"text", Utf8(line.text)}};
    AddCounts(row, line.counts);
    Json inlined = Json::array();
    for (const AnnotatedLine::Inlined& at : line.inlined) {
      inlined.push_back({{"samples", at.samples}, {"places", PlacesJson(at.places)}});
    }
    row["inlined"] = std::move(inlined);
    list.push_back(std::move(row));
  }
  return list;
}

Json InstructionsJson(const AnnotatedModule& module) {
  Json list = Json::array();
  for (const AnnotatedInstruction& instruction : module.instructions) {
    Json row = {{"offset", instruction.offset},
                {"text", Utf8(instruction.text)},
                {"function", Utf8(instruction.function)}};
    AddCounts(row, instruction.counts);
    row["places"] = PlacesJson(instruction.places);
    list.push_back(std::move(row));
  }
  return list;
}

std::string Hash(uint64_t hash) {  // as text, because many readers lose precision above 2^53
  return HexText(hash, 16);
}

}  // namespace

Json AnnotateValue(const Annotation& annotation, const AnnotateOptions& options,
                   const AnnotateSurroundings& around) {
  Json json = {{"schema", "gprof-x.annotate/1"},
               {"file", Utf8(around.file)},
               {"kernel", Utf8(annotation.kernel)}};
  AddCounts(json, annotation.counts);
  if (options.lines) {
    json["lines_total"] = annotation.lines.size();
    json["lines"] = LinesJson(annotation, options.limit.value_or(annotation.lines.size()));
  }
  Json modules = Json::array();
  for (const AnnotatedModule& module : annotation.modules) {
    Json row = {{"hash", Hash(module.hash)},
                {"architecture", module.architecture},
                {"has_code", module.has_code},
                {"has_lines", module.has_lines},
                {"has_sass", module.has_sass}};
    AddCounts(row, module.counts);
    if (options.instructions) row["instructions"] = InstructionsJson(module);
    modules.push_back(std::move(row));
  }
  json["modules"] = std::move(modules);
  return json;
}

std::string AnnotateJson(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around) {
  return PrintedJson(AnnotateValue(annotation, options, around), 1);
}

}  // namespace gprofx
