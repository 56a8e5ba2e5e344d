#include "core/forecast/cases.h"

#include <map>
#include <memory>
#include <set>

#include "core/base/format.h"
#include "core/forecast/collective.h"
#include "core/forecast/device/csv.h"
#include "core/forecast/graph_forecast.h"
#include "core/forecast/kernel.h"

namespace gprofx::forecast {
namespace {

struct Times {
  double ms = 0, low_ms = 0, high_ms = 0;
};

std::string TimesText(const Times& times) {
  return Format(",%.9g,%.9g,%.9g\n", times.ms, times.low_ms, times.high_ms);
}

enum class RowKind { kGraph, kOperator, kProduct, kCollective };

class CaseReader {
 public:
  CaseReader(std::string_view csv, const std::string& file, const std::vector<Device>& devices,
             const ForecastTable& table, const ReadGraphText& read_graph)
      : reader_(csv, file),
        file_(file),
        devices_(devices),
        table_(table),
        read_graph_(read_graph) {}

  Result<CasesResult> Run() {
    auto first = reader_.Next();
    if (!first) return first.error();
    if (!*first) {
      return Error{ErrorId::kEmptyFile, "'" + file_ + "' is empty",
                   "write a first line that names the columns"};
    }
    header_ = CsvHeader(**first);
    if (Status kind = SetKind(); !kind) return kind.error();
    result_.csv = kind_ == RowKind::kGraph ? "device,case,e2e_ms,lo_ms,hi_ms\n"
                                           : "id,latency_ms,lo_ms,hi_ms\n";
    for (;;) {
      auto row = reader_.Next();
      if (!row) return row.error();
      if (!*row) break;
      row_ = std::move(**row);
      if (row_.size() != header_.size()) {
        return reader_.At("the line has " + std::to_string(row_.size()) + " columns instead of " +
                          std::to_string(header_.size()));
      }
      if (Status done = OneRow(); !done) return done.error();
      ++result_.rows;
    }
    AddNotes();
    return std::move(result_);
  }

 private:
  Status SetKind() {
    if (header_.HasAll({"device", "case", "graph"}))
      kind_ = RowKind::kGraph;
    else if (header_.HasAll({"id", "family", "op", "device", "B", "M", "N", "K", "H"}))
      kind_ = RowKind::kOperator;
    else if (header_.HasAll({"id", "gpu", "gemm_dtype", "m", "n", "k"}))
      kind_ = RowKind::kProduct;
    else if (header_.HasAll({"id", "gpu", "op", "dtype", "num_gpus", "elements"}))
      kind_ = RowKind::kCollective;
    else
      return reader_.At("the header of cases is missing",
                        "write device,case,graph or id,family,op,device,B,M,N,K,H or "
                        "id,gpu,gemm_dtype,m,n,k or id,gpu,op,dtype,num_gpus,elements");
    return Ok();
  }

  const std::string& Field(std::string_view name) const { return row_[*header_.Find(name)]; }

  // Parses the size in column `name`. Fails if it is less than 1. An empty cell means the size
  // `empty`; if `empty` is 0, it is an error.
  Result<double> Size(std::string_view name, double empty = 0) const {
    const std::string& text = Field(name);
    if (text.empty() && empty > 0) return empty;
    const std::optional<double> number = ParseNumber(text);
    if (number && *number >= 1 && *number <= 1e15) return *number;
    return reader_.At("'" + text.substr(0, 40) + "' is not a size for column " + std::string(name),
                      "write a number of 1 or more");
  }

  Result<const Forecaster*> ForecasterOf(const std::string& name) {
    std::unique_ptr<Forecaster>& known = forecasters_[name];
    if (known == nullptr) {
      const Result<const Device*> device = FindDevice(devices_, name);
      if (!device) return reader_.At(device.error().what, device.error().fix);
      known = std::make_unique<Forecaster>(table_, **device);
    }
    return known.get();
  }

  Status OneRow() {
    switch (kind_) {
      case RowKind::kGraph:
        return GraphRow();
      case RowKind::kOperator:
        return OperatorRow();
      case RowKind::kProduct:
        return ProductRow();
      case RowKind::kCollective:
        break;
    }
    return CollectiveRow();
  }

  Status GraphRow() {
    const std::string names = CsvField(Field("device")) + "," + CsvField(Field("case"));
    // Cache the times of each case, because cases are often repeated and a graph may have thousands
    // of nodes.
    Times& known = graph_times_[names + "," + Field("graph")];
    if (known.ms > 0) return Write(names, known);
    const Result<const Forecaster*> forecaster = ForecasterOf(Field("device"));
    if (!forecaster) return forecaster.error();
    const Result<CaseName> name = ParseCaseName(Field("case"));
    if (!name) return reader_.At(name.error().what, name.error().fix);
    const std::string& path = Field("graph");
    auto graph = graphs_.find(path);
    if (graph == graphs_.end()) {
      const Result<std::string> text = read_graph_(path);
      if (!text) return reader_.At(text.error().what, text.error().fix);
      Result<ModelGraph> parsed = ParseGraph(*text, path);
      if (!parsed) return parsed.error();
      graph = graphs_.emplace(path, std::move(*parsed)).first;
    }
    if (graph->second.has_layer && !name->known_model) {
      notes_.insert("the number of layers of " + name->model + " is unknown, so one was counted");
    }
    const GraphForecast forecast =
        ForecastGraph(graph->second, PlanOf(*name, graph->second), **forecaster);
    for (const std::string& note : forecast.notes) notes_.insert(Field("device") + ": " + note);
    if (!forecast.unknown.empty()) {
      notes_.insert(path + ": " + std::to_string(forecast.unknown.size()) +
                    " nodes belong to no known family, the first is " + forecast.unknown[0]);
    }
    if (!IsPlausible(forecast)) return TooLong();
    known = {forecast.ms, forecast.low_ms, forecast.high_ms};
    return Write(names, known);
  }

  Status KernelRow(const std::string& device, const KernelWork& work) {
    const Result<const Forecaster*> forecaster = ForecasterOf(device);
    if (!forecaster) return forecaster.error();
    const KernelForecast forecast = (*forecaster)->Kernel(work, true);
    Count((*forecaster)->rates(work.type).measured, forecast.extrapolated, device);
    return Write(CsvField(Field("id")), {forecast.ms, forecast.low_ms, forecast.high_ms});
  }

  Status OperatorRow() {
    std::optional<WorkFamily> family = ParseWorkFamily(Field("family"));
    if (!family) family = ParseWorkFamily(Field("op"));
    if (!family) {
      return reader_.At("unknown family '" + Field("family").substr(0, 40) + "'",
                        "use linear, bmm, elementwise, softmax or ln");
    }
    const bool product = *family == WorkFamily::kLinear || *family == WorkFamily::kBatchedProduct;
    if (product) {
      const Result<double> b = Size("B", 1), m = Size("M"), n = Size("N"), k = Size("K");
      for (const Result<double>* size : {&b, &m, &n, &k}) {
        if (!*size) return size->error();
      }
      return KernelRow(Field("device"), ProductWork(*family, NumberType::kFp32, *b, *m, *n, *k));
    }
    const Result<double> rows = Size("B"), length = Size("H");
    for (const Result<double>* size : {&rows, &length}) {
      if (!*size) return size->error();
    }
    if (*family == WorkFamily::kElementwise) {
      std::string_view op = Field("op");
      if (op.starts_with("VEC")) op.remove_prefix(3);
      return KernelRow(Field("device"), ElementwiseWork(op, *rows, *length));
    }
    if (*family == WorkFamily::kCopy) return KernelRow(Field("device"), CopyWork(*rows * *length));
    return KernelRow(Field("device"), RowWork(*family, *rows, *length));
  }

  Status ProductRow() {
    const std::optional<NumberType> type = ParseNumberType(Field("gemm_dtype"));
    if (!type) {
      return reader_.At("unknown type '" + Field("gemm_dtype").substr(0, 40) + "'",
                        "use bfloat16, float16, fp8, int8, nvfp4 or float32");
    }
    const Result<double> m = Size("m"), n = Size("n"), k = Size("k");
    for (const Result<double>* size : {&m, &n, &k}) {
      if (!*size) return size->error();
    }
    const WorkFamily family =
        *type == NumberType::kFp32 ? WorkFamily::kLinear : WorkFamily::kTensorProduct;
    return KernelRow(Field("gpu"), ProductWork(family, *type, 1, *m, *k, *n));
  }

  Status CollectiveRow() {
    const Result<const Forecaster*> forecaster = ForecasterOf(Field("gpu"));
    if (!forecaster) return forecaster.error();
    const std::optional<NumberType> type = ParseNumberType(Field("dtype"));
    if (!type) {
      return reader_.At("unknown type '" + Field("dtype").substr(0, 40) + "'",
                        "use half, bfloat16, float32, int8 or fp8");
    }
    const Result<double> gpus = Size("num_gpus"), elements = Size("elements");
    for (const Result<double>* size : {&gpus, &elements}) {
      if (!*size) return size->error();
    }
    const CollectiveForecast forecast =
        ForecastCollective(table_, (*forecaster)->device(), Field("op"),
                           static_cast<int>(std::min(*gpus, 1e6)), *elements * BytesOf(*type));
    if (!forecast.known) {
      notes_.insert("operation '" + Field("op").substr(0, 40) +
                    "' was never measured, so its time is that of a ring");
    }
    const std::string beyond = BeyondNodeNote((*forecaster)->device(), *gpus);
    if (!beyond.empty()) notes_.insert(Field("gpu") + ": " + beyond);
    const bool measured = forecast.known && !forecast.extrapolated;
    const Interval interval = Wider(table_.IntervalOf("collective"), forecast.spread);
    const double widen = measured ? 1 : 1.5;
    Count(true, forecast.extrapolated, Field("gpu"));
    return Write(CsvField(Field("id")), {forecast.ms, forecast.ms * interval.low / widen,
                                         forecast.ms * interval.high * widen});
  }

  Error TooLong() const {
    return reader_.At("the forecast is out of range", "check for a size that is too large");
  }

  Status Write(const std::string& names, const Times& times) {
    // Written in this form, the condition also rejects NaN.
    if (!(times.ms <= kMaxMs && times.high_ms <= kMaxMs)) return TooLong();
    result_.csv += names + TimesText(times);
    return Ok();
  }

  void Count(bool measured, bool extrapolated, const std::string& device) {
    if (!measured) {
      notes_.insert(device +
                    ": the sustained rates were not measured; they are estimated from GPUs of the "
                    "same class");
    }
    extrapolated_ += extrapolated ? 1 : 0;
  }

  void AddNotes() {
    if (extrapolated_ > 0) {
      notes_.insert(
          std::to_string(extrapolated_) + " of " + std::to_string(result_.rows) +
          " rows lie outside all measured sizes; they are extrapolated, with wider intervals");
    }
    result_.notes.assign(notes_.begin(), notes_.end());
  }

  CsvReader reader_;
  std::string file_;
  const std::vector<Device>& devices_;
  const ForecastTable& table_;
  const ReadGraphText& read_graph_;
  CsvHeader header_{{}};
  RowKind kind_ = RowKind::kGraph;
  std::vector<std::string> row_;
  std::map<std::string, std::unique_ptr<Forecaster>> forecasters_;
  std::map<std::string, ModelGraph> graphs_;
  std::map<std::string, Times> graph_times_;
  std::set<std::string> notes_;
  size_t extrapolated_ = 0;
  CasesResult result_;
};

}  // namespace

Result<CasesResult> ForecastCases(std::string_view csv, const std::string& file,
                                  const std::vector<Device>& devices, const ForecastTable& table,
                                  const ReadGraphText& read_graph) {
  return CaseReader(csv, file, devices, table, read_graph).Run();
}

}  // namespace gprofx::forecast
