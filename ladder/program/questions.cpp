// SPDX-License-Identifier: MIT
#include "ladder/program/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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
constexpr const char* kDramPossible = "dram_bytes_possible";  // in the time that was counted

/// M = N = K of a figure.
int size_of(const json& figure) {
  constexpr double kLargest = 1 << 20;
  const double size = positive_figure(figure.at("size"), "size");
  if (size > kLargest) throw std::invalid_argument(fmt::format("size is {}", size));
  return static_cast<int>(size);
}

int rung_from(const std::string& text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("\"over\" is \"{}\", and should be a rung", text));
  }
  return number;
}

CounterRatio counter_from(const json& fields) {
  CounterRatio ratio{.of = fields.at("of"), .size = size_of(fields)};
  if (fields.contains("per")) ratio.per = fields["per"];
  if (fields.contains("over")) ratio.over = rung_from(fields["over"]);
  ratio.profiled = fields.value("profiled", false);
  return ratio;
}

Fullest fullest_from(const json& fields) {
  Fullest fullest{.names = {}, .counters = {}, .size = size_of(fields)};
  for (const json& resource : fields.at("among")) {
    fullest.names.push_back(resource.at("name"));
    fullest.counters.push_back(resource.at("counter"));
  }
  if (fullest.names.size() < 2) throw std::invalid_argument("\"among\" leaves no choice");
  return fullest;
}

Question question_from(const json& fields) {
  Question question{.id = fields.at("id"),
                    .name = fields.at("name"),
                    .text = fields.at("question"),
                    .unit = fields.at("unit"),
                    .figure = {}};
  if (fields.contains("speed")) {
    const json& speed = fields["speed"];
    question.figure = SpeedRatio{.over = rung_from(speed.at("over")), .size = size_of(speed)};
  } else if (fields.contains("fullest")) {
    question.figure = fullest_from(fields["fullest"]);
  } else {
    question.figure = counter_from(fields.at("counter"));
  }
  return question;
}

/// TFLOP/s of a rung / those of another.
std::optional<double> recorded_ratio(const SpeedRatio& speed, const Rung& rung) {
  const std::optional<Recording> recording = recorded_climb_at(speed.size);
  if (!recording || recording->size != speed.size) return std::nullopt;
  const RecordedFigure* figure = figure_of(*recording, rung);
  const auto other = std::ranges::find(recording->figures, speed.over, &RecordedFigure::rung);
  if (figure == nullptr || other == recording->figures.end()) return std::nullopt;
  return figure->tflops / other->tflops;
}

/// A counter of a rung on an H200.
std::optional<double> recorded_counter(int rung, int size, const std::string& name) {
  const auto counters = recorded_counters(rung, size);
  const auto found = counters.find(name);
  if (found != counters.end()) return found->second;
  const auto time = counters.find("gpu__time_duration.sum");
  if (name != kDramPossible || time == counters.end()) return std::nullopt;
  static const double h200_bytes_per_ns = load_card("h200").dram_bytes_per_second * 1e-9;
  return time->second * h200_bytes_per_ns;
}

std::optional<double> recorded_ratio(const CounterRatio& ratio, int rung, Format stored) {
  return value_of(ratio, stored, [&](const std::string& name) {
    return recorded_counter(rung, ratio.size, name);
  });
}

std::optional<double> recorded_ratio(const CounterRatio& ratio, const Rung& rung) {
  const std::optional<double> own = recorded_ratio(ratio, rung.number, rung.precision.stored);
  if (!ratio.over || !own) return own;
  const std::optional<double> other = recorded_ratio(ratio, *ratio.over, rung.precision.stored);
  return other && *other != 0 ? std::optional(*own / *other) : std::nullopt;
}

/// The number of the fullest resource, counted from 1.
std::optional<double> recorded_ratio(const Fullest& fullest, const Rung& rung) {
  std::vector<double> busy;
  for (const std::string& name : fullest.counters) {
    const std::optional<double> percent = recorded_counter(rung.number, fullest.size, name);
    if (!percent) return std::nullopt;
    busy.push_back(*percent);
  }
  return static_cast<double>(std::ranges::max_element(busy) - busy.begin() + 1);
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
  if (name == "one") return 1;
  if (name == "hundred") return 100;
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

std::string asked_text(const Question& question) {
  std::string text = question.text;
  if (const auto* fullest = std::get_if<Fullest>(&question.figure)) {
    for (std::size_t i = 0; i < fullest->names.size(); ++i)
      text += fmt::format("{}{} {}", i == 0 ? " " : ", ", i + 1, fullest->names[i]);
    text += ".";
  }
  return text;
}

void require_possible(const Question& question, double answer) {
  if (question.unit == "percent" && answer > 100) {
    throw std::invalid_argument(fmt::format("{} % is more than all of it", answer));
  }
  const auto* fullest = std::get_if<Fullest>(&question.figure);
  if (fullest == nullptr) return;
  const auto numbers = static_cast<double>(fullest->names.size());
  if (answer < 1 || answer > numbers || answer != std::floor(answer)) {
    throw std::invalid_argument(
        fmt::format("{} is not in the list: choose a number from 1 to {}", answer, numbers));
  }
}

double in_unit_of(const Question& question, double ratio) {
  return question.unit == "percent" ? 100 * ratio : ratio;
}

}  // namespace ladder
