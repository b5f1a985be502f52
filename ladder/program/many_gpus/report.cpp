// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/results_context.hpp"
#include "common/terminal/text_table.hpp"

namespace ladder::many_gpus {
namespace {

using nlohmann::json;

std::string outcome_of(const StepVerdict& verdict) {
  if (!verdict.ran) return verdict.why_not;
  if (verdict.outside_written) return "wrong: wrote outside of C";
  if (verdict.wrong_elements > 0 || verdict.wrong_integers > 0) {
    return fmt::format("wrong: {} elements, {} of integers", verdict.wrong_elements,
                       verdict.wrong_integers);
  }
  std::string right = fmt::format("right, {:.2f} of the bound", verdict.error_over_bound);
  if (verdict.same_bits) {
    right += *verdict.same_bits ? ", bit by bit as on one GPU" : ", sums in another order";
  }
  return right;
}

std::string text_of(const Measurement& measured) {
  const double one = median(measured.one.ms);
  TextTable table({-22, 10, 10, 0});
  table.heading({"", "ms", "speed-up", ""});
  table.row({"one GPU", fmt::format("{:.3f}", one), "1.00", ""});
  const auto add = [&](const std::string& name, const Samples& samples, const std::string& note) {
    table.row({name, fmt::format("{:.3f}", median(samples.ms)),
               fmt::format("{:.2f}", paired_ratio(samples, measured.one)), note});
  };
  add("compute alone", measured.compute, "");
  table.row({"communication alone", fmt::format("{:.3f}", median(measured.communication.ms)), "",
             fmt::format("{:.0f} GB/s to each rank", measured.link_gbps())});
  for (std::size_t i = 0; i < measured.steps.size(); ++i) {
    const double ratio = paired_ratio(measured.of_steps[i], measured.one);
    add(std::string(name_of(measured.steps[i])), measured.of_steps[i],
        fmt::format("{:.0f} % of the possible", 100 * ratio / measured.possible()));
  }
  table.row({"possible", "", fmt::format("{:.2f}", measured.possible()), ""});
  return table.text();
}

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json to_json(const StepVerdict& verdict) {
  json fields = {{"step", name_of(verdict.step)}, {"ran", verdict.ran}};
  if (!verdict.ran) {
    fields["why_not"] = verdict.why_not;
    return fields;
  }
  fields.update(
      {{"verified", verdict.right()},
       {"error_over_bound", number(verdict.error_over_bound)},
       {"wrong_elements", verdict.wrong_elements},
       {"wrong_integers", verdict.wrong_integers},
       {"outside_written", verdict.outside_written},
       {"same_bits_as_one_gpu", verdict.same_bits ? json(*verdict.same_bits) : json(nullptr)}});
  return fields;
}

json to_json(const Samples& samples) {
  return {{"time_ms", median(samples.ms)},
          {"spread", spread(samples.ms)},
          {"samples_ms", samples.ms},
          {"launches_per_sample", samples.launches_per_sample},
          {"sm_clock_mhz", clock_fields(samples.clocks.sm_mhz)},
          {"power_w", clock_fields(samples.clocks.power_w)}};
}

json to_json(const Measurement& measured) {
  json fields = {{"one_gpu", to_json(measured.one)},
                 {"compute", to_json(measured.compute)},
                 {"communication", to_json(measured.communication)},
                 {"received_bytes", measured.received_bytes},
                 {"link_gbps", measured.link_gbps()},
                 {"possible", measured.possible()},
                 {"steps", json::array()}};
  for (std::size_t i = 0; i < measured.steps.size(); ++i) {
    json step = to_json(measured.of_steps[i]);
    const double ratio = paired_ratio(measured.of_steps[i], measured.one);
    step.update({{"step", name_of(measured.steps[i])},
                 {"speed_up", ratio},
                 {"share_of_possible", ratio / measured.possible()}});
    fields["steps"].push_back(step);
  }
  return fields;
}

/// Readings of all samples.
ClockLog clocks_of(const Report& report) {
  ClockLog all;
  const auto add = [&](const Samples& samples) {
    const auto& [sm_mhz, power_w] = samples.clocks;
    all.sm_mhz.insert(all.sm_mhz.end(), sm_mhz.begin(), sm_mhz.end());
    all.power_w.insert(all.power_w.end(), power_w.begin(), power_w.end());
  };
  for (const FormReport& form : report.forms) {
    if (!form.measured) continue;
    for (const Samples* samples :
         {&form.measured->one, &form.measured->compute, &form.measured->communication}) {
      add(*samples);
    }
    for (const Samples& samples : form.measured->of_steps)
      add(samples);
  }
  return all;
}

}  // namespace

bool all_right(const Report& report) {
  return std::ranges::all_of(report.forms, [](const FormReport& form) {
    return std::ranges::all_of(
        form.verdicts, [](const StepVerdict& verdict) { return !verdict.ran || verdict.right(); });
  });
}

std::string text_of(const Report& report) {
  const auto& [M, N, K] = report.problem.shape;
  std::string text = fmt::format("{} {}, M = {}, N = {}, K = {}: {} rank{} of {}, {}\n",
                                 report.rung, report.precision, M, N, K, report.ranks,
                                 report.ranks == 1 ? "" : "s", report.device, report.links);
  for (const FormReport& form : report.forms) {
    text += fmt::format("\n{}\n", name_of(form.form));
    for (const StepVerdict& verdict : form.verdicts) {
      text += fmt::format("  {:<14} {}\n", name_of(verdict.step), outcome_of(verdict));
    }
    if (form.measured) text += "\n" + text_of(*form.measured);
  }
  return text;
}

json to_json(const Report& report, std::optional<Protocol> protocol,
             const std::map<std::string, std::string>& versions) {
  const Problem& problem = report.problem;
  json entries = json::array();
  for (const FormReport& form : report.forms) {
    json entry = {{"name", name_of(form.form)},
                  {"m", problem.shape.M},
                  {"n", problem.shape.N},
                  {"k", problem.shape.K},
                  {"alpha", problem.alpha},
                  {"beta", problem.beta},
                  {"seed", problem.seed},
                  {"precision", report.precision},
                  {"rung", report.rung},
                  {"ranks", report.ranks},
                  {"hosts", report.hosts},
                  {"links", report.links},
                  {"verdicts", json::array()},
                  {"measured", form.measured ? to_json(*form.measured) : json(nullptr)}};
    for (const StepVerdict& verdict : form.verdicts)
      entry["verdicts"].push_back(to_json(verdict));
    entries.push_back(entry);
  }
  return {{"context", results_context(report.device, protocol, clocks_of(report), versions)},
          {"benchmarks", entries}};
}

}  // namespace ladder::many_gpus
