// SPDX-License-Identifier: MIT
/// \file  ladder/program/questions.hpp
/// \brief What a learner predicts before a rung is run: ladder/questions.json, and the answers that
///        are recorded.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ladder/ladder.hpp"

namespace ladder {

/// Time of another rung / time of the rung.
struct SpeedRatio {
  int over;
  int size;  ///< M = N = K
};

/// \brief One counter over another. Both are Nsight Compute's names, or counts that follow from the
///        shape: see shape_count().
struct CounterRatio {
  std::string of;
  std::string per = "one";
  std::optional<int> over = {};  ///< of this rung / of another one
  int size;                      ///< M = N = K
  bool profiled = false;         ///< only a GPU counts it
};

/// Which of some resources is busy for the largest share of the time; the answer is its number.
struct Fullest {
  std::vector<std::string> names;
  std::vector<std::string> counters;  ///< one of each, in percent
  int size;                           ///< M = N = K
};

/// One question about a rung.
struct Question {
  std::string id;    ///< "gain"; predictions are kept by it
  std::string name;  ///< "gain over rung 02", for tables
  std::string text;
  std::string unit;  ///< "times"; the figure of a question in "percent" is a ratio times 100
  std::variant<SpeedRatio, CounterRatio, Fullest> figure;
};

/// A question as it is asked: its text, and the resources to choose from.
std::string asked_text(const Question& question);

/// \throws std::invalid_argument that says why no such answer is possible: a share of more than
///         all, a number that is not in the list
void require_possible(const Question& question, double answer);

/// \brief  The questions of a rung, in the order in which they are asked.
/// \return nothing for a rung without questions, and where the file is not there, as in a copied
///         program without its sources
/// \throws std::runtime_error that names the file: it cannot be understood
std::vector<Question> questions_of(const Rung& rung);

/// \brief  What follows from M = N = K = size: "warp_multiply_adds" (of 32 lanes),
///         "bytes_of_a_and_b", "sectors_of_c" (of 32 bytes); and "one", and "hundred" for counters
///         in percent.
/// \return nothing for another name
std::optional<double> shape_count(std::string_view name, int size, Format stored);

/// \brief  A ratio of counters.
/// \param  stored  format of the rung's matrices
/// \param  counter  the value of a counter by Nsight Compute's name, nothing where it was not
///                  counted
/// \return nothing where one of the two is missing, or the lower one is 0
std::optional<double> value_of(
    const CounterRatio& ratio, Format stored,
    const std::function<std::optional<double>(const std::string&)>& counter);

/// \brief  What an H200 gave, from bench/results, in the unit of the question.
/// \return nothing where it was not recorded
std::optional<double> recorded_answer(const Question& question, const Rung& rung);

/// A ratio in the unit of a question.
double in_unit_of(const Question& question, double ratio);

}  // namespace ladder
