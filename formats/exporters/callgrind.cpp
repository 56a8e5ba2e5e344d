// Writes the callgrind format, https://valgrind.org/docs/manual/cl-format.html: self costs by
// function and line, and for each pair of caller and callee the inclusive cost of the callee.
//
// A pair is counted once per stack, at its outermost occurrence, so recursion counts no cost twice.
// The number of calls is not known; 1 is written for each pair. The name of a file, function or
// module is written once. After that, only its number is written, as the format allows.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/views/recording.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"

namespace gprofx::exporters {
namespace {

// The metrics to export. Only imported traces have "host".
constexpr const char* kEvents[] = {"wall",     "cpu",         "samples",      "host",
                                   kMetricGpu, kMetricGpuOps, kMetricGpuWait, kMetricPcSamples};
constexpr size_t kMaxEvents = std::size(kEvents);
using Costs = std::array<int64_t, kMaxEvents>;

void Add(Costs& to, const Costs& more) {
  for (size_t i = 0; i < to.size(); ++i) to[i] = AddSaturated(to[i], more[i]);
}

bool IsZero(const Costs& costs) {
  return std::all_of(costs.begin(), costs.end(), [](int64_t cost) { return cost == 0; });
}

struct Pair {
  uint32_t line = 0;  // line of the call in the caller
  uint32_t callee = 0;
  auto operator<=>(const Pair&) const = default;
};

struct FunctionCosts {
  std::map<uint32_t, Costs> self;  // by line
  std::map<Pair, Costs> calls;
};

class CallgrindWriter {
 public:
  CallgrindWriter(const ExportJob& job, ByteSink& sink)
      : profile_(job.profile),
        version_(job.version),
        sink_(sink),
        out_(sink.text()),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        functions_(stacks_.functions().size() + 1) {
    for (const char* name : kEvents) {
      if (const MetricId metric = profile_.FindMetric(name)) events_.push_back(metric);
    }
  }

  void Write() {
    AddCosts();
    WriteHead();
    for (uint32_t i = 0; i < functions_.size(); ++i) {
      if (!functions_[i].self.empty() || !functions_[i].calls.empty()) WriteFunction(i);
    }
  }

 private:
  // Returns the function of a stack's innermost call, as its position in functions_; 0 for the
  // empty stack.
  uint32_t FunctionOf(uint32_t stack) const {
    return stack == 0 ? 0 : stacks_.calls()[stacks_.stacks()[stack].call].function + 1;
  }
  uint32_t LineOf(uint32_t stack) const {
    return stack == 0 ? 0 : stacks_.Line(stacks_.calls()[stacks_.stacks()[stack].call]);
  }

  void AddCosts() {
    const size_t count = stacks_.stacks().size();
    std::vector<Costs> costs(count);
    for (const StackValue& value : ValuesByStack(profile_, stacks_)) {
      const auto event = std::find(events_.begin(), events_.end(), value.metric);
      if (event == events_.end()) continue;
      int64_t& cost = costs[value.stack][static_cast<size_t>(event - events_.begin())];
      cost = AddSaturated(cost, value.self);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (IsZero(costs[i])) continue;
      Add(functions_[FunctionOf(i)].self[LineOf(i)], costs[i]);
      Add(total_, costs[i]);
    }
    for (size_t i = count; i-- > 1;) Add(costs[stacks_.stacks()[i].parent], costs[i]);
    AddPairs(costs);
  }

  // Adds the costs of the pairs of caller and callee. Walks the tree from the root and counts how
  // often each pair is on the current stack, because only its outermost occurrence is added.
  void AddPairs(const std::vector<Costs>& inclusive) {
    const std::vector<Stacks::Stack>& all = stacks_.stacks();
    std::vector<uint32_t> begin(all.size() + 1), children(all.size());
    for (size_t i = 1; i < all.size(); ++i) ++begin[all[i].parent + 1];
    for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<uint32_t> next(begin);
    for (uint32_t i = 1; i < all.size(); ++i) children[next[all[i].parent]++] = i;

    std::unordered_map<uint64_t, uint32_t> open;
    const auto key = [&](uint32_t stack) {
      return uint64_t{FunctionOf(all[stack].parent)} << 32 | FunctionOf(stack);
    };
    std::vector<uint32_t> path{0};
    next = begin;
    while (!path.empty()) {
      const uint32_t top = path.back();
      if (next[top] == begin[top + 1]) {
        if (top != 0) --open[key(top)];
        path.pop_back();
        continue;
      }
      const uint32_t child = children[next[top]++];
      const bool outermost = open[key(child)]++ == 0;
      if (top != 0 && outermost && !IsZero(inclusive[child])) {
        const Pair pair{LineOf(top), FunctionOf(child)};
        Add(functions_[FunctionOf(top)].calls[pair], inclusive[child]);
      }
      path.push_back(child);
    }
  }

  void WriteHead() {
    out_ += "# callgrind format\nversion: 1\ncreator: gprof-x " + version_ +
            "\ncmd: " + LineText(MetaText(profile_, "command")) + "\npositions: line\n";
    for (const MetricId id : events_) {
      const Metric& metric = profile_.metrics[id.index()];
      out_ += "event: " + metric.name + " : " + metric.name + ", " + metric.unit + "\n";
    }
    out_ += "events:";
    for (const MetricId id : events_) out_ += " " + profile_.metrics[id.index()].name;
    if (events_.empty()) out_ += " nothing";
    out_ += "\nsummary:";
    WriteCosts(total_);
    out_ += '\n';
  }

  void WriteCosts(const Costs& costs) {
    for (size_t i = 0; i < std::max<size_t>(events_.size(), 1); ++i) {
      out_ += ' ';
      AppendNumber(out_, costs[i]);
    }
    out_ += '\n';
  }

  // Writes a name with its number the first time, "fn=(7) name", and only the number after that,
  // "fn=(7)".
  void WriteName(const char* key, std::unordered_map<std::string, size_t>& known,
                 const std::string& name) {
    const auto [found, made] = known.try_emplace(name, known.size() + 1);
    out_ += key;
    out_ += "=(";
    AppendNumber(out_, found->second);
    out_ += made ? ") " + name + "\n" : ")\n";
  }

  void WritePlace(uint32_t function, bool called) {
    if (function == 0) {
      WriteName(called ? "cfi" : "fl", files_, "???");
      WriteName(called ? "cfn" : "fn", names_, "[outside of any function]");
      return;
    }
    const Stacks::Function& about = stacks_.functions()[function - 1];
    const auto shown = [](std::string_view text) {
      return text.empty() ? std::string("???") : LineText(text);
    };
    WriteName(called ? "cob" : "ob", modules_, shown(stacks_.Module(about)));
    WriteName(called ? "cfi" : "fl", files_, shown(stacks_.File(about)));
    WriteName(called ? "cfn" : "fn", names_, shown(stacks_.Name(about)));
  }

  void WriteFunction(uint32_t function) {
    out_ += '\n';
    WritePlace(function, false);
    for (const auto& [line, costs] : functions_[function].self) {
      AppendNumber(out_, line);
      WriteCosts(costs);
    }
    for (const auto& [pair, costs] : functions_[function].calls) {
      WritePlace(pair.callee, true);
      out_ += "calls=1 ";
      const uint32_t first =
          pair.callee == 0 ? 0 : stacks_.FirstLine(stacks_.functions()[pair.callee - 1]);
      AppendNumber(out_, first);
      out_ += '\n';
      AppendNumber(out_, pair.line);
      WriteCosts(costs);
    }
    sink_.Step();
  }

  const Profile& profile_;
  const std::string& version_;
  ByteSink& sink_;
  std::string& out_;
  Stacks stacks_;
  std::vector<MetricId> events_;
  std::vector<FunctionCosts> functions_;
  Costs total_{};
  std::unordered_map<std::string, size_t> modules_, files_, names_;
};

}  // namespace

Status WriteCallgrind(const ExportJob& job, ByteSink& out) {
  CallgrindWriter(job, out).Write();
  return Ok();
}

}  // namespace gprofx::exporters
