// SPDX-License-Identifier: MIT
#include "ladder/program/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/device_card.hpp"
#include "ladder/program/results.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr const char* kQuestions = LADDER_SOURCE_DIR "/ladder/questions.json";
constexpr const char* kPeak = "FP32 peak";

Question question_from(const json& fields) {
  Question question{.id = fields.at("id"),
                    .name = fields.at("name"),
                    .text = fields.at("question"),
                    .unit = fields.at("unit"),
                    .figure = {}};
  if (fields.contains("speed")) {
    const json& speed = fields["speed"];
    const std::string over = speed.at("over");
    question.figure = SpeedRatio{.over = over == kPeak ? std::optional<int>() : std::stoi(over),
                                 .size = speed.at("size")};
  } else {
    const json& counter = fields.at("counter");
    question.figure =
        CounterRatio{.of = counter.at("of"), .per = counter.at("per"), .size = counter.at("size")};
  }
  return question;
}

/// TFLOP/s of a rung / those of another, or of an H200's FP32 lanes.
std::optional<double> recorded_ratio(const SpeedRatio& speed, const Rung& rung) {
  const std::optional<Recording> recording = recorded_climb();
  if (!recording || recording->size != speed.size) return std::nullopt;
  const RecordedFigure* figure = figure_of(*recording, rung);
  if (figure == nullptr) return std::nullopt;
  if (!speed.over) {
    static const double h200_tflops = load_card("h200").fp32_tflops;
    return figure->tflops / h200_tflops;
  }
  const auto other = std::ranges::find(recording->figures, *speed.over, &RecordedFigure::rung);
  return other == recording->figures.end() ? std::nullopt
                                           : std::optional(figure->tflops / other->tflops);
}

std::optional<double> recorded_ratio(const CounterRatio& ratio, const Rung& rung) {
  const auto counters = recorded_counters(rung.number, ratio.size);
  return value_of(ratio, rung.precision.stored, [&](const std::string& name) {
    const auto found = counters.find(name);
    return found == counters.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

std::vector<Question> questions_of(const Rung& rung) {
  std::ifstream file(kQuestions);
  std::vector<Question> questions;
  if (!file) return questions;
  try {
    const json all = json::parse(file);
    const auto asked = all.find(fmt::format("{:02}", rung.number));
    if (asked == all.end()) return questions;
    for (const json& fields : *asked)
      questions.push_back(question_from(fields));
  } catch (const std::exception& error) {  // of nlohmann::json or std::stoi
    throw std::runtime_error(fmt::format("cannot read the questions of {} in {}: {}", label(rung),
                                         kQuestions, error.what()));
  }
  return questions;
}

std::optional<double> shape_count(std::string_view name, int size, Format stored) {
  constexpr double kLanes = 32;
  constexpr double kSectorBytes = 32;
  const double area_bytes = bytes_of(stored) * static_cast<double>(size) * size;
  if (name == "warp_multiply_adds") return static_cast<double>(size) * size * size / kLanes;
  if (name == "bytes_of_a_and_b") return 2 * area_bytes;
  if (name == "sectors_of_c") return area_bytes / kSectorBytes;
  return std::nullopt;
}

std::optional<double> value_of(
    const CounterRatio& ratio, Format stored,
    const std::function<std::optional<double>(const std::string&)>& counter) {
  const auto count = [&](const std::string& name) {
    const std::optional<double> of_shape = shape_count(name, ratio.size, stored);
    return of_shape ? of_shape : counter(name);
  };
  const std::optional<double> of = count(ratio.of);
  const std::optional<double> per = count(ratio.per);
  return of && per && *per != 0 ? std::optional(*of / *per) : std::nullopt;
}

std::optional<double> recorded_answer(const Question& question, const Rung& rung) {
  const std::optional<double> ratio =
      std::visit([&](const auto& figure) { return recorded_ratio(figure, rung); }, question.figure);
  return ratio ? std::optional(in_unit_of(question, *ratio)) : std::nullopt;
}

double in_unit_of(const Question& question, double ratio) {
  return question.unit == "percent" ? 100 * ratio : ratio;
}

}  // namespace ladder
