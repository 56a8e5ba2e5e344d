// A view holds everything that its faces print: sums, remainders and codes agree with the profile.
#include "core/views/view.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/views/row_number.h"
#include "gpu_profile.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

View Built(const Profile& profile, const Query& query, const Room& room = {}) {
  Result<View> view = BuildView(profile, query, room);
  REQUIRE(view);
  return std::move(*view);
}

Error WhyNot(const Profile& profile, const Query& query) {
  const Result<View> view = BuildView(profile, query);
  REQUIRE_FALSE(view);
  return view.error();
}

// A face of its own: it adds up nothing but what it printed, to be compared.
template <class Rows, class Value>
int64_t SumOfFirst(const Rows& rows, size_t shown, const Value& value) {
  int64_t sum = 0;
  for (size_t i = 0; i < shown; ++i) sum += value(rows[i]);
  return sum;
}

bool Has(const DataQuality& quality, Flaw flaw) {
  return std::count(quality.flaws.begin(), quality.flaws.end(), flaw) == 1;
}

}  // namespace

TEST_CASE("what is shown and what is left out are the whole, however much room there is") {
  const Profile profile = TrainingProfile();
  for (const ViewKind kind : {ViewKind::kTop, ViewKind::kLines}) {
    for (const RowsBy by : {RowsBy::kDefault, RowsBy::kLine, RowsBy::kModule}) {
      for (const size_t room : {size_t{0}, size_t{1}, size_t{3}, SIZE_MAX}) {
        const View view = Built(profile, {.kind = kind, .by = by}, {.rows = room});
        const RowTable& table = *view.rows;
        CHECK(table.shown == std::min(room, table.rows.size()));
        CHECK(table.rest.rows == table.rows.size() - table.shown);
        CHECK(SumOfFirst(table.rows, table.shown, [](const Row& row) { return row.self; }) +
                  table.rest.together ==
              view.base);
        CHECK(table.whole == view.base);
        if (table.shown > 0) CHECK(table.rest.largest <= table.rows[table.shown - 1].self);
      }
    }
  }
}

TEST_CASE("a limit of the query goes before the room of the face") {
  const Profile profile = GpuProfile();
  const Room room = {.rows = 20, .picture_rows = 10, .waits = 1};
  const View view = Built(profile, {.limit = 2}, room);
  REQUIRE(view.is_picture);
  CHECK(view.rows->shown == 2);
  CHECK(view.kernels->shown == 2);
  CHECK(view.waits->shown == 1);
  CHECK(Built(profile, {}, room).kernels->shown == view.kernels->rows.size());
}

TEST_CASE("threads that are left out count once, with their process or without it") {
  const Profile profile = TrainingProfile();
  for (const RowsBy by : {RowsBy::kDefault, RowsBy::kThread, RowsBy::kProcess}) {
    const View view = Built(profile, {.kind = ViewKind::kThreads, .by = by}, {.threads = 0});
    CHECK(view.threads->rest.together == view.base);
    CHECK(view.threads->rest.rows == view.threads->rows.size());
    CHECK_FALSE(view.rows);
    CHECK_FALSE(view.tree);
  }
}

TEST_CASE("tables of a GPU hold the whole of their metrics") {
  const Profile profile = GpuProfile();
  const View view = Built(profile, {});
  CHECK(SumOfFirst(view.kernels->rows, view.kernels->rows.size(),
                   [](const GpuRow& row) { return row.self_ns; }) == view.Sum(kMetricGpu));
  CHECK(view.kernels->whole.calls == view.Sum(kMetricGpuOps));
  CHECK(SumOfFirst(view.waits->rows, view.waits->rows.size(),
                   [](const Row& row) { return row.self; }) == view.waits->whole);
  CHECK(view.waits->whole == view.Sum(kMetricGpuWait));
  CHECK(view.wall.busy.ns + view.wall.idle.ns == view.wall.total_ns);
  CHECK(view.recording.devices.size() == 1);
  REQUIRE_FALSE(view.sampled.empty());
  CHECK(view.sampled[0].name == "flash_fwd_kernel");
  const View lines = Built(profile, {.kind = ViewKind::kLines});
  CHECK(SumOfFirst(lines.gpu_lines->rows, lines.gpu_lines->shown,
                   [](const GpuRow& row) { return row.samples; }) == view.Sum(kMetricPcSamples));
  CHECK(lines.sampled == view.sampled);
  CHECK_FALSE(lines.kernels);
}

TEST_CASE("numbers of rows find what the rows show") {
  const Profile profile = GpuProfile();
  const View view = Built(profile, {});
  REQUIRE(view.is_numbered);
  for (size_t i = 0; i < view.kernels->rows.size(); ++i) {
    const Result<FrameId> frame = FrameOfRow(profile, {true, i + 1});
    REQUIRE(frame);
    CHECK(*frame == view.kernels->rows[i].frame);
  }
  for (const GpuRow& row : view.kernels->rows) {
    const std::string shown = view.kernel_labels.Short(profile, row.frame);
    const View callers =
        Built(profile, {.kind = ViewKind::kCallers, .callers_of = shown, .metric = "gpu"});
    CHECK(callers.tree->tree.nodes[0].total == row.self_ns);
  }
  for (size_t i = 0; i < view.rows->rows.size(); ++i) {
    const Row& row = view.rows->rows[i];
    const std::string handle = "#" + std::to_string(i + 1);
    const View callers = Built(profile, {.kind = ViewKind::kCallers, .callers_of = handle});
    // The root of the callers' tree has all of the function's time, recursion counted once.
    CHECK(callers.tree->tree.nodes[0].total == row.total);
  }
  CHECK_FALSE(FrameOfRow(profile, {true, view.kernels->rows.size() + 1}));
  CHECK_FALSE(FrameOfRow(profile, {false, SIZE_MAX}));
  CHECK(ParseRowNumber("#g12")->number == 12);
  CHECK(ParseRowNumber("#g12")->gpu);
  CHECK_FALSE(ParseRowNumber("#1")->gpu);
  for (const char* bad : {"", "#", "#0", "#g", "#-1", "#1x", "1", "##1", "#99999999999999999999"}) {
    CHECK_FALSE(ParseRowNumber(bad));
  }
  // With a filter or in another metric, rows are others than those that a number means.
  CHECK_FALSE(Built(profile, {.focus = "model"}).is_numbered);
  CHECK_FALSE(Built(profile, {.metric = kMetricGpu}).is_numbered);
  CHECK_FALSE(Built(profile, {.all_frames = true}).is_numbered);
}

TEST_CASE("a view holds what its query asks for and no more") {
  const Profile profile = GpuProfile();
  const View kernels = Built(profile, {.by = RowsBy::kKernel});
  CHECK(kernels.kernels);
  CHECK_FALSE(kernels.is_picture);
  CHECK_FALSE(kernels.rows);
  const View one_metric = Built(profile, {.metric = "cpu"});
  CHECK(one_metric.rows);
  CHECK_FALSE(one_metric.kernels);
  const Profile training = TrainingProfile();
  const View host = Built(training, {});
  CHECK_FALSE(host.is_picture);
  CHECK_FALSE(host.kernels);
  CHECK(host.wall.total_ns == 0);
}

TEST_CASE("a tree keeps its sums, filtered or not, and has an outline where there is no room") {
  const Profile profile = TrainingProfile();
  const View whole = Built(profile, {.kind = ViewKind::kTree});
  const View kept = Built(profile, {.kind = ViewKind::kTree, .focus = "Mlp"});
  const View rest = Built(profile, {.kind = ViewKind::kTree, .ignore = "Mlp"});
  CHECK(whole.kept == whole.base);
  CHECK(kept.kept == kept.tree->tree.nodes[0].total);
  CHECK(kept.kept + rest.kept == whole.base);
  CHECK(kept.base == whole.base);
  CHECK(whole.tree->outline.empty());
  const View outlined = Built(profile, {.kind = ViewKind::kTree, .limit = 4}, {.outline = 60});
  CHECK(outlined.tree->most_lines == 4);
  REQUIRE(outlined.tree->outline.size() == 5);
  CHECK(outlined.tree->outline[0].total == outlined.base);
}

TEST_CASE("quality is codes; the numbers that they are about stand beside them") {
  Profile profile = GpuProfile();
  CHECK(Built(profile, {}).quality.flaws.empty());
  profile.meta.erase("complete");
  profile.meta["rate_asked_hz"] = "1000";
  profile.meta["rate_reached_hz"] = "100";
  profile.quality["lost_ns"] = Built(profile, {}).quality.measured / 10;
  profile.quality["gpu_launches_lost"] = 4'100;  // 1.02 %
  const View view = Built(profile, {});
  CHECK(view.quality.flaws.size() >= 4);
  for (const Flaw flaw : {Flaw::kUnfinished, Flaw::kLost, Flaw::kLowRate, Flaw::kLaunchesLost}) {
    CHECK(Has(view.quality, flaw));
  }
  CHECK(std::is_sorted(view.quality.flaws.begin(), view.quality.flaws.end()));
  profile.quality["not_sampled"] = 1;
  CHECK_FALSE(Has(Built(profile, {}).quality, Flaw::kNothingSampled));
  Profile none;
  CHECK_FALSE(Has(Built(none, {}).quality, Flaw::kNothingSampled));
  none.quality["not_sampled"] = 1;
  CHECK(Has(Built(none, {}).quality, Flaw::kNothingSampled));
  CHECK(view.quality.rate_reached_hz == 100);
  CHECK(view.gpu.launches_lost == 4'100);
}

TEST_CASE("samples that the budget left out are no flaw") {
  Profile profile = GpuProfile();
  const auto is_low = [&profile] { return Has(Built(profile, {}).quality, Flaw::kLowRate); };
  profile.meta["rate_asked_hz"] = "997";
  profile.meta["rate_reached_hz"] = "150";
  CHECK(is_low());
  profile.quality["sparse_samples_periods"] = 4;
  CHECK_FALSE(is_low());
  profile.meta["rate_reached_hz"] = "40";
  CHECK(is_low());
}

TEST_CASE("what does not fit the profile is an error with the way out") {
  const Profile profile = TrainingProfile();
  CHECK(WhyNot(profile, {.metric = "nosuch"}).fix.find("cpu, samples") != std::string::npos);
  const Profile empty;
  CHECK(WhyNot(empty, {.metric = "cpu"}).fix == "it has no metrics");
  const Query callers = {.kind = ViewKind::kCallers, .callers_of = std::string(100, 'x')};
  CHECK(WhyNot(profile, callers).what ==
        "there is no function '" + std::string(58, 'x') + "..' in this profile");
  CHECK(WhyNot(profile, {.focus = "("}).what.find("--focus '('") == 0);
  CHECK(WhyNot(profile, {.ignore = "a{9999}{9999}"}).what.find("--ignore") == 0);
}

TEST_CASE("an empty profile has an empty view of every kind") {
  const Profile profile;
  for (const ViewKind kind :
       {ViewKind::kTop, ViewKind::kTree, ViewKind::kLines, ViewKind::kThreads}) {
    const View view = Built(profile, {.kind = kind}, {.outline = 60});
    CHECK(view.base == 0);
    CHECK(view.kept == 0);
    if (view.rows) CHECK(view.rows->rows.empty());
  }
}

}  // namespace gprofx::testing
