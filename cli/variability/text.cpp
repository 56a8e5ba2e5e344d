#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cli/report/number.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "cli/variability/variability.h"
#include "core/base/format.h"
#include "core/views/wall.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr double kMinShare = 0.01;  // smaller shares of a variance are not named

std::string Time(double ns) { return Duration(static_cast<int64_t>(std::llround(ns))); }

std::string Excess(double ns) { return (ns < 0 ? "-" : "+") + Time(std::abs(ns)); }

std::string Ratio(double value) { return Format(value >= 100 ? "%.0fx" : "%.2fx", value); }

std::string Share(double value) { return Percent(value, 1); }

std::string Count(uint64_t n, const char* what) {
  return Grouped(static_cast<int64_t>(n)) + " " + what + (n == 1 ? "" : "s");
}

std::string Chance(double p) { return Format(p < 1e-4 ? "%.0e" : "%.4f", p); }

class Printer {
 public:
  Printer(const Model& model, const Screen& screen, size_t most_rows)
      : model_(model), screen_(screen), most_rows_(most_rows) {}

  std::string Run() {
    Head();
    Causes();
    Findings();
    Late();
    Effects();
    Groups();
    Shards();
    Events();
    Steps();
    Notes();
    return out_;
  }

 private:
  void Line(const std::string& text, int indent = 2) {
    out_ += WrapWords(text, screen_.columns, indent) + "\n";
  }
  void Title(const std::string& text) { out_ += "\n" + Paint(screen_, Ink::kBold, text) + "\n"; }
  void More(size_t all, const char* what) {
    if (all <= most_rows_) return;
    Line("... " + Grouped(static_cast<int64_t>(all - most_rows_)) + " more " + what +
         "; --limit N shows more");
  }
  bool has_steps() const { return model_.steps.steps > 0; }

  void Head() {
    std::string devices;
    for (const std::string& device : model_.devices) {
      if (device.empty()) continue;
      devices += (devices.empty() ? " (" : ", ") + Printable(device);
    }
    if (!devices.empty()) devices += ")";
    Line("gprof-x variability: " + Count(model_.files, "file") + ", " +
         Count(model_.lanes.size(), "GPU") + devices + ", " + Count(model_.kernels, "kernel") +
         " in " + Time(static_cast<double>(model_.end) - static_cast<double>(model_.begin)) + ", " +
         Count(model_.shards.size(), "shard") + " by " + std::string(AxisWord(model_.axis)));
    if (model_.partial) Line(Paint(screen_, Ink::kBad, "partial: some of the files are missing"));
    for (const std::string& problem : model_.problems) Line(Printable(problem));
    for (size_t i = 0; i < model_.clocks.size(); ++i) {
      const ClockNote& clock = model_.clocks[i];
      Line("clock of " + Printable(model_.clock_files[i]) + ": " +
           (clock.residual >= 0 ? "corrected by " + Excess(static_cast<double>(clock.moved)) +
                                      " from " + Count(clock.pairs, "collective") + ", residual " +
                                      Time(static_cast<double>(clock.residual))
            : clock.moved != 0
                ? "moved so that all files begin together, because no collectives can check it"
                : "not corrected, because no collectives can check it"));
    }
  }

  void Causes() {
    if (!has_steps()) return;
    Title("Why steps take longer");
    Table table({{"per step", Align::kRight},
                 {"by", Align::kRight},
                 {"95%", Align::kRight},
                 {"steps", Align::kRight},
                 {"cause", Align::kLeft, 1}});
    for (const CauseRow& row : model_.causes) {
      table.Add({Excess(row.excess_per_step_ns), Ratio(row.ratio),
                 Ratio(row.low) + ".." + Ratio(row.high), Grouped(static_cast<int64_t>(row.steps)),
                 StepCauseInWords(row, model_)});
    }
    if (!model_.causes.empty()) out_ += table.Render(screen_, false);
    const Unexplained& rest = model_.unexplained;
    if (rest.steps > 0) {
      Line(Count(rest.steps, "longer step") + " of " + Excess(rest.excess_ns) +
           ": unexplained, most of it " + rest.part);
    } else if (model_.causes.empty()) {
      Line("No step takes clearly longer than the others.");
    }
  }

  void Findings() {
    const size_t most = std::min(most_rows_, model_.findings.size());
    if (model_.findings.empty()) {
      Line(
          "No shard differs from the others (5% false findings allowed, effects below 2% left "
          "out).");
      return;
    }
    Title("Shards that differ, by excess time");
    std::vector<Column> columns = {{"excess", Align::kRight}};
    if (has_steps()) columns.push_back({"per step", Align::kRight});
    for (const Column& column :
         {Column{"by", Align::kRight}, Column{"n", Align::kRight}, Column{"p", Align::kRight},
          Column{"shard", Align::kLeft, 1}, Column{"group", Align::kLeft, 3, &FitMiddle},
          Column{"why", Align::kLeft, 2}}) {
      columns.push_back(column);
    }
    Table table(std::move(columns));
    for (size_t i = 0; i < most; ++i) {
      const Finding& finding = model_.findings[i];
      std::vector<std::string> cells = {Excess(finding.excess_ns)};
      if (has_steps()) cells.push_back(Excess(finding.excess_per_step_ns));
      for (const std::string& cell :
           {Ratio(finding.ratio), Grouped(static_cast<int64_t>(finding.n)), Chance(finding.p),
            ShardName(finding.shard),
            finding.group ? GroupInWords(model_.groups[*finding.group], false) : "most kernels",
            CauseInWords(finding.why)}) {
        cells.push_back(cell);
      }
      table.Add(std::move(cells));
    }
    out_ += table.Render(screen_, false);
    More(model_.findings.size(), "findings");
  }

  std::string LaneName(uint32_t lane) const {
    return FitStart(Printable(model_.lanes[lane].name), 24);
  }
  std::string ShardName(uint32_t shard) const {
    return std::to_string(shard) + ": " + Printable(model_.shards[shard].name);
  }

  void Late() {
    if (model_.late.empty()) return;
    Title("Collectives: " + Time(model_.waiting_ns) + " waiting for the last rank, " +
          Time(model_.transfer_ns) + " transfer");
    Table table({{"late by", Align::kRight},
                 {"last in", Align::kRight},
                 {"of", Align::kRight},
                 {"waited", Align::kRight},
                 {"p", Align::kRight},
                 {"rank"},
                 {"what it did before", Align::kLeft, 1}});
    bool any_late = false;
    for (size_t i = 0; i < std::min(most_rows_, model_.late.size()); ++i) {
      const LateRow& row = model_.late[i];
      std::string before = "no more than others";
      if (row.is_finding) {
        const bool idle = row.more_idle_ns >= row.more_busy_ns;
        before = idle ? "idle +" + Time(row.more_idle_ns) : "busy +" + Time(row.more_busy_ns);
        any_late = true;
        if (std::max(row.more_idle_ns, row.more_busy_ns) <= 0) before = "not known";
      }
      table.Add({Time(row.caused_ns), Grouped(static_cast<int64_t>(row.last)),
                 Grouped(static_cast<int64_t>(row.collectives)), Time(row.waited_ns), Chance(row.p),
                 LaneName(row.lane), row.is_finding ? "LATE: " + before : before});
    }
    out_ += table.Render(screen_, false);
    More(model_.late.size(), "ranks");
    if (any_late) {
      Line("busy: its GPU worked longer than those of the others; idle: its host gave it no work.");
    }
  }

  void Effects() {
    Title("Cost of other work at the same time (matched pairs)");
    std::vector<const EffectRow*> rows;
    uint64_t treated = 0;
    for (const EffectRow& effect : model_.effects) {
      treated += effect.treated;
      if (effect.is_finding) rows.push_back(&effect);
    }
    if (rows.empty()) {
      Line(treated == 0
               ? "No execution overlapped other work for more than half of its time."
               : Count(treated, "execution") + " overlapped other work; no effect is certain.");
      return;
    }
    Table table({{"excess", Align::kRight},
                 {"by", Align::kRight},
                 {"95% from", Align::kRight},
                 {"to", Align::kRight},
                 {"pairs", Align::kRight},
                 {"beside", Align::kLeft, 1},
                 {"group", Align::kLeft, 3, &FitMiddle}});
    for (size_t i = 0; i < std::min(most_rows_, rows.size()); ++i) {
      const EffectRow& effect = *rows[i];
      table.Add({Excess(effect.excess_ns), Ratio(effect.ratio), Ratio(effect.low),
                 Ratio(effect.high), Grouped(static_cast<int64_t>(effect.pairs)),
                 BesideInWords(effect.beside), GroupInWords(model_.groups[effect.group], false)});
    }
    out_ += table.Render(screen_, false);
    More(rows.size(), "effects");
  }

  void Groups() {
    const size_t all = model_.groups.size() - model_.silent_groups;
    Title("Groups, by excess time over their medians");
    Table table({{"excess", Align::kRight},
                 {"n", Align::kRight},
                 {"median", Align::kRight},
                 {"IQR", Align::kRight},
                 {"p95", Align::kRight},
                 {"p99", Align::kRight},
                 {"max", Align::kRight},
                 {"trend", Align::kRight},
                 {"lag-1", Align::kRight},
                 {"group", Align::kLeft, 1, &FitMiddle}});
    for (size_t i = 0; i < std::min(most_rows_, all); ++i) {
      const GroupRow& row = model_.groups[i];
      const auto by_median = [&](double value) {
        return row.median > 0 ? Ratio(value / row.median) : "-";
      };
      table.Add({Excess(row.excess_ns), Grouped(static_cast<int64_t>(row.n)), Time(row.median),
                 Share(row.relative_iqr), by_median(row.p95), by_median(row.p99),
                 by_median(row.most), Format("%+.1f%%", 100 * row.trend),
                 Format("%.2f", row.lag1 + 0.0), GroupInWords(row, false)});
    }
    out_ += table.Render(screen_, false);
    More(all, "groups");
    if (model_.silent_groups > 0) {
      Line(Count(model_.silent_groups, "group") + " with fewer than 8 executions " +
           (model_.silent_groups == 1 ? "says" : "say") + " nothing.");
    }
  }

  void Shards() {
    Title("Shards");
    Table table({{"#", Align::kRight},
                 {"kernels", Align::kRight},
                 {"expected", Align::kRight},
                 {"by median", Align::kRight},
                 {"IQR", Align::kRight},
                 {"excess", Align::kRight},
                 {"waiting", Align::kRight},
                 {"shard", Align::kLeft, 1},
                 {""}});
    // If there are too many shards, show those with the most excess or waiting. They keep their
    // order.
    const size_t most = std::min(most_rows_, model_.shards.size());
    std::vector<size_t> shown(model_.shards.size());
    std::iota(shown.begin(), shown.end(), size_t{0});
    const auto weight = [this](size_t i) {
      return std::max(std::abs(model_.shards[i].excess_ns), model_.shards[i].waiting_ns);
    };
    std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
      return std::pair(!model_.shards[a].is_finding, -weight(a)) <
             std::pair(!model_.shards[b].is_finding, -weight(b));
    });
    shown.resize(most);
    std::sort(shown.begin(), shown.end());
    size_t empty = 0;
    for (const ShardRow& row : model_.shards) empty += row.kernels == 0 ? 1 : 0;
    for (const size_t i : shown) {
      const ShardRow& row = model_.shards[i];
      table.Add({std::to_string(i), Grouped(static_cast<int64_t>(row.kernels)),
                 Grouped(static_cast<int64_t>(std::llround(row.expected))),
                 row.voting == 0 ? "-" : Ratio(row.ratio),
                 row.voting == 0 ? "-" : Share(row.relative_iqr),
                 row.voting == 0 ? "-" : Excess(row.excess_ns), Time(row.waiting_ns),
                 Printable(row.name),
                 row.kernels == 0 ? "empty"
                 : row.is_finding ? "differs"
                                  : ""});
    }
    out_ += table.Render(screen_, false);
    if (model_.shards.size() > most) {
      Line("... " + Grouped(static_cast<int64_t>(model_.shards.size() - most)) +
           " more shards with less excess and waiting; --limit N shows more");
    }
    if (empty > 0) Line(Count(empty, "shard") + (empty == 1 ? " is" : " are") + " empty.");
    if (model_.outside > 0)
      Line(Count(model_.outside, "kernel") + (model_.outside == 1 ? " begins" : " begin") +
           " outside of all steps.");
  }

  void Events() {
    if (!model_.listed) return;
    Title("Executions with the most excess in shard " + ShardName(*model_.listed));
    Table table({{"begin", Align::kRight},
                 {"took", Align::kRight},
                 {"excess", Align::kRight},
                 {"stream", Align::kRight},
                 {"rank"},
                 {"beside", Align::kLeft, 1},
                 {"group", Align::kLeft, 3, &FitMiddle}});
    for (const EventRow& event : model_.events) {
      std::string beside;
      for (uint8_t i = 0; i < kBesides; ++i) {
        if ((event.beside >> i & 1) == 0) continue;
        beside += (beside.empty() ? "" : ", ") + std::string(BesideWord(static_cast<Beside>(i)));
      }
      table.Add({SecondsText(event.start, 6), Time(static_cast<double>(event.duration)),
                 Excess(event.excess_ns), std::to_string(event.stream), LaneName(event.lane),
                 beside, GroupInWords(model_.groups[event.group], false)});
    }
    out_ += table.Render(screen_, false);
  }

  void Steps() {
    const StepModel& steps = model_.steps;
    if (steps.steps == 0) return;
    Title(Count(steps.steps, "step") + " of " + Time(steps.median_ns) + " (p25 " + Time(steps.p25) +
          ", p75 " + Time(steps.p75) + ", p95 " + Time(steps.p95) + ", max " + Time(steps.most) +
          ")");
    Table table({{"median", Align::kRight}, {"of the variance", Align::kRight}, {"part"}});
    for (const StepPart& part : steps.parts) {
      table.Add({Time(part.median_ns), Share(part.share), PartInWords(part.name)});
    }
    out_ += table.Render(screen_, false);
    LaneSteps();
  }

  // Prints the steps of each GPU. Prints nothing if there is only one GPU, because the table above
  // has the same content.
  void LaneSteps() {
    const std::vector<variability::LaneSteps>& lanes = model_.steps.lanes;
    if (lanes.size() < 2) return;
    Title("Steps of each GPU, with shares of their variance");
    const bool has_causes = model_.steps.parts.back().name != "idle";
    Table table({{"median", Align::kRight},
                 {"deviation", Align::kRight},
                 {"compute", Align::kRight},
                 {"comm.", Align::kRight},
                 {"copies", Align::kRight},
                 {"idle", Align::kRight},
                 {"rank", Align::kLeft, 1},
                 {has_causes ? "idle by" : "", Align::kLeft, 2}});
    for (size_t i = 0; i < std::min(most_rows_, lanes.size()); ++i) {
      const variability::LaneSteps& row = lanes[i];
      const bool varies = row.variance_ns2 > 0;
      std::vector<std::string> cells = {Time(row.median_ns), Time(std::sqrt(row.variance_ns2))};
      for (size_t part = 0; part < kParts; ++part) {
        cells.push_back(varies ? Share(row.shares[part]) : "-");
      }
      const double idle = std::accumulate(row.shares.begin() + kParts, row.shares.end(), 0.0);
      cells.push_back(varies ? Share(idle) : "-");
      cells.push_back(LaneName(row.lane));
      cells.push_back(has_causes ? IdleShares(row) : "");
      table.Add(std::move(cells));
    }
    out_ += table.Render(screen_, false);
    More(lanes.size(), "GPUs");
  }

  // Returns the causes of idle time with their shares of the variance, largest first: "61.3% data
  // loading, 3.2% waiting for Python".
  std::string IdleShares(const variability::LaneSteps& row) const {
    std::vector<size_t> order(row.shares.size() - kParts);
    std::iota(order.begin(), order.end(), kParts);
    std::stable_sort(order.begin(), order.end(), [&row](size_t a, size_t b) {
      return std::abs(row.shares[a]) > std::abs(row.shares[b]);
    });
    std::string text;
    for (const size_t part : order) {
      if (std::abs(row.shares[part]) < kMinShare) break;
      text += (text.empty() ? "" : ", ") + Share(row.shares[part]) + " " +
              Printable(IdleCause(model_.steps.parts[part].name));
    }
    return text;
  }

  void Notes() {
    std::vector<std::string> notes = model_.notes;
    if (model_.warm_up > 0) {
      notes.push_back(Count(model_.warm_up, "execution") + " of warm-up steps are not compared");
    }
    if (!has_steps()) {
      notes.push_back(
          "no steps are known, so step times are not shown (gprof-x import finds the steps of "
          "traces)");
    }
    if (notes.empty()) return;
    out_ += "\n";
    for (const std::string& note : notes) Line("note: " + Printable(note), 6);
  }

  const Model& model_;
  const Screen& screen_;
  const size_t most_rows_;
  std::string out_;
};

}  // namespace

std::string VariabilityText(const Model& model, const Screen& screen, size_t most_rows) {
  return Printer(model, screen, most_rows).Run();
}

}  // namespace gprofx
