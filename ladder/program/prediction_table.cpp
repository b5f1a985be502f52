// SPDX-License-Identifier: MIT
#include "ladder/program/prediction_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"

namespace ladder {
namespace {

constexpr const char* kRow = "{:<32} {:>5} {:>10} {:>17} {:>12}\n";

/// What a cell says, and what the notes below the tables then explain.
struct Cell {
  std::string text;
  bool edited = false;       ///< no figure, because the source is another one now
  bool other_shape = false;  ///< a figure of another shape than was asked for
  bool needs_rung = false;   ///< no figure, because the rung to compare with was not timed
};

/// The notes that the tables need.
struct Notes {
  bool edited = false;
  bool other_shape = false;
  bool needs_rung = false;
  std::set<std::string> gpus;  ///< that recorded figures are of

  void add(const Cell& cell) {
    edited |= cell.edited;
    other_shape |= cell.other_shape;
    needs_rung |= cell.needs_rung;
  }
};

bool is_square(const Shape& shape, int size) {
  return shape.M == size && shape.N == size && shape.K == size;
}

/// The line of a rung in this climb, among those that are shown or those to compare with.
const Entry* entry_of(const Climb& climb, int rung) {
  for (const std::vector<Entry>* entries : {&climb.entries, &climb.compared}) {
    for (const Entry& entry : *entries) {
      if (entry.rung.number == rung) return &entry;
    }
  }
  return nullptr;
}

/// What this run says of a speed. `*` marks one of another shape than was asked for.
Cell own_speed(const Question& question, const SpeedRatio& speed, const Entry& entry,
               const Climb& climb) {
  if (!entry.timing) return {.text = "needs a GPU"};
  const Entry* other = entry_of(climb, speed.over);
  if (other == nullptr) {
    return {.text = fmt::format("needs rung {:02}", speed.over), .needs_rung = true};
  }
  if (!other->timing) return {.text = fmt::format("{:02} was not timed", speed.over)};
  const double ratio = other->timing->time_ms / entry.timing->time_ms;
  const bool other_shape = !is_square(climb.problem.shape, speed.size);
  return {.text = figure_text(question, in_unit_of(question, ratio)) + (other_shape ? " *" : ""),
          .other_shape = other_shape};
}

Cell own_cell(const Question& question, const Entry& entry, const Climb& climb,
              const CountRatio& count) {
  if (const auto* speed = std::get_if<SpeedRatio>(&question.figure)) {
    return own_speed(question, *speed, entry, climb);
  }
  const auto* ratio = std::get_if<CounterRatio>(&question.figure);
  if (ratio == nullptr || ratio->profiled) return {.text = "not counted here"};
  const std::optional<double> counted = count(entry.rung, *ratio);
  return {.text = counted ? figure_text(question, in_unit_of(question, *counted)) : "not counted"};
}

/// What this run's column holds: a GPU measures speeds, and the emulator counts everywhere.
const char* own_title(const Climb& climb) {
  return climb.protocol ? "counted, measured" : "counted";
}

Cell recorded_cell(const Question& question, const Rung& rung,
                   const std::optional<Recording>& recording) {
  const auto* speed = std::get_if<SpeedRatio>(&question.figure);
  const auto is_edited = [&](int number) {
    return recording && recording->edited.contains(number);
  };
  const auto* ratio = std::get_if<CounterRatio>(&question.figure);
  int other = rung.number;  // what it is compared with
  if (speed != nullptr) other = speed->over;
  if (ratio != nullptr) other = ratio->over.value_or(other);
  if (is_edited(rung.number) || is_edited(other)) {
    return {.text = "edited", .edited = true};
  }
  const std::optional<double> recorded = recorded_answer(question, rung);
  return {.text = recorded ? figure_text(question, *recorded) : "not recorded"};
}

/// The GPU that a recorded figure is of; empty if it is not known.
std::string recorded_on(const Question& question, const Rung& rung,
                        const std::optional<Recording>& recording) {
  if (const auto* ratio = std::get_if<CounterRatio>(&question.figure)) {
    return profiled_on(rung.number, ratio->size);
  }
  if (const auto* fullest = std::get_if<Fullest>(&question.figure)) {
    return profiled_on(rung.number, fullest->size);
  }
  return recording ? recording->device : "";
}

/// The rows of one rung; empty if nothing was predicted. Adds the notes that they need.
std::string rows_of(const Entry& entry, const Answers& answers, const Climb& climb,
                    const CountRatio& count, const std::optional<Recording>& recording,
                    Notes& notes) {
  std::string rows;
  for (const Question& question : questions_of(entry.rung)) {
    const auto answer = answers.find(question.id);
    if (answer == answers.end()) continue;
    const int size = std::visit([](const auto& figure) { return figure.size; }, question.figure);
    const Cell own = own_cell(question, entry, climb, count);
    const Cell recorded = recorded_cell(question, entry.rung, recording);
    rows += fmt::format(kRow, question.name, size, figure_text(question, answer->second), own.text,
                        recorded.text);
    notes.add(own);
    notes.add(recorded);
    const std::string gpu = recorded_on(question, entry.rung, recording);
    if (!gpu.empty()) notes.gpus.insert(gpu);
  }
  if (rows.empty()) return rows;
  return "\n" +
         fmt::format(kRow, label(entry.rung), "at", "predicted", own_title(climb), "recorded") +
         rows;
}

std::string notes_text(const Notes& notes, const Climb& climb) {
  std::string text = fmt::format(
      "at: M = N = K. counted: by the emulator, now.{}{}",
      climb.protocol ? " measured: speed on this GPU, now." : "",
      notes.gpus.empty() ? "" : fmt::format(" recorded: {}.", fmt::join(notes.gpus, ", ")));
  if (notes.edited) {
    text += " edited: the source is not the one that was recorded.";
  }
  if (notes.other_shape) text += " *: at the shape of this run.";
  if (notes.needs_rung) {
    text += " `make run` also times the rung that a gain is taken over.";
  }
  return wrapped(text, 0);
}

}  // namespace

std::string figure_text(const Question& question, double figure) {
  if (std::holds_alternative<Fullest>(question.figure)) return fmt::format("{:.0f}", figure);
  const auto digits = [&] {
    if (figure >= 1e6 || (figure > 0 && figure < 0.01)) return fmt::format("{:.3g}", figure);
    return fmt::format("{:.{}f}", figure, figure < 1 ? 3 : figure < 100 ? 2 : 0);
  };
  return digits() + (question.unit == "percent" ? " %" : "");
}

std::vector<Rung> rungs_to_compare_with(const Predictions& predictions,
                                        std::span<const Rung> ladder,
                                        const std::vector<Rung>& chosen) {
  std::vector<Rung> others;
  const auto holds = [](std::span<const Rung> rungs, int number) {
    return std::ranges::find(rungs, number, &Rung::number) != rungs.end();
  };
  for (const Rung& rung : chosen) {
    const Answers answers = predictions.of(rung.number);
    for (const Question& question : questions_of(rung)) {
      const auto* speed = std::get_if<SpeedRatio>(&question.figure);
      if (speed == nullptr || !answers.contains(question.id)) continue;
      if (holds(chosen, speed->over) || holds(others, speed->over)) continue;
      const auto other = std::ranges::find(ladder, speed->over, &Rung::number);
      if (other != ladder.end()) others.push_back(*other);
    }
  }
  return others;
}

std::string predictions_text(const Predictions& predictions, const Climb& climb,
                             const CountRatio& count, const std::optional<Recording>& recording) {
  std::string tables;
  Notes notes;
  for (const Entry& entry : climb.entries) {
    if (entry.outcome != Outcome::right) continue;
    const Answers answers = predictions.of(entry.rung.number);
    if (answers.empty()) {
      if (climb.entries.size() > 1 || questions_of(entry.rung).empty()) continue;
      return fmt::format("\nPredict first: make predict RUNG={:02}\n", entry.rung.number);
    }
    tables += rows_of(entry, answers, climb, count, recording, notes);
  }
  return tables.empty() ? "" : tables + notes_text(notes, climb);
}

}  // namespace ladder
