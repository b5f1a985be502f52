// SPDX-License-Identifier: MIT
/// \file  ladder/program/predictions.hpp
/// \brief Figures that a learner wrote down before seeing them, kept in a file.
#pragma once

#include <map>
#include <string>

namespace ladder {

/// Predicted figures of one rung, by the id of the question.
using Answers = std::map<std::string, double>;

/// Where predictions are kept: .predictions.json beside the sources that this program was built
/// from, or what the environment variable LADDER_PREDICTIONS names.
std::string predictions_path();

/// \brief The kept predictions: {"03": {"gain": 1.5}}.
class Predictions {
 public:
  /// \brief  Reads the file; without one there are no predictions.
  /// \throws std::runtime_error that names the file: it cannot be read, or holds something else
  explicit Predictions(std::string path = predictions_path());

  /// What was predicted of a rung; empty if nothing was.
  Answers of(int rung) const;

  /// \brief  Keeps predictions, in place of earlier ones for the same questions. Others stay.
  /// \throws std::runtime_error that names the file: it cannot be written, and is as it was
  void keep(int rung, const Answers& answers);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, Answers> all_;  // by rung: "03"
};

/// \brief  A prediction as a person writes it.
/// \throws std::invalid_argument that says what is wrong: no number, negative, infinite
double prediction_from(const std::string& text);

}  // namespace ladder
