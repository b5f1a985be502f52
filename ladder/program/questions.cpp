// SPDX-License-Identifier: MIT
#include "ladder/program/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/device_card.hpp"
#include "common/json_file.hpp"
#include "emulator/run/own_files.hpp"
#include "ladder/program/results.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr const char* kQuestions = "ladder/questions.json";
constexpr const char* kPeak = "FP32 peak";

/// M = N = K of a figure.
int size_of(const json& figure) {
  constexpr double kLargest = 1 << 20;
  const double size = positive_figure(figure.at("size"), "size");
  if (size > kLargest) throw std::invalid_argument(fmt::format("size is {}", size));
  return static_cast<int>(size);
}

Question question_from(const json& fields) {
  Question question{.id = fields.at("id"),
                    .name = fields.at("name"),
                    .text = fields.at("question"),
                    .unit = fields.at("unit"),
                    .figure = {}};
  if (fields.contains("speed")) {
    const json& speed = fields["speed"];
    const std::string over = speed.at("over");
    int number = 0;
    const auto [rest, error] = std::from_chars(over.data(), over.data() + over.size(), number);
    if (over != kPeak && (error != std::errc() || rest != over.data() + over.size())) {
      throw std::invalid_argument(
          fmt::format("\"over\" is \"{}\", and should be a rung or \"{}\"", over, kPeak));
    }
    question.figure =
        SpeedRatio{.over = over == kPeak ? std::optional<int>() : number, .size = size_of(speed)};
  } else {
    const json& counter = fields.at("counter");
    question.figure =
        CounterRatio{.of = counter.at("of"), .per = counter.at("per"), .size = size_of(counter)};
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
  const auto read = [&](const json& all) {
    std::vector<Question> questions;
    if (!all.is_object()) throw std::invalid_argument("it is no JSON object");
    const auto asked = all.find(fmt::format("{:02}", rung.number));
    if (asked == all.end()) return questions;
    if (!asked->is_array()) throw std::invalid_argument("the questions of a rung are no list");
    for (const json& fields : *asked)
      questions.push_back(question_from(fields));
    return questions;
  };
  return from_json_file(emulator::source_tree() / kQuestions, read)
      .value_or(std::vector<Question>());
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
