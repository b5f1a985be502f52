// SPDX-License-Identifier: MIT
/// \file  ladder/program/predict_command.hpp
/// \brief The command `predict`: asks what a learner expects of a rung, and keeps the answers.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>
#include <vector>

#include "ladder/program/predictions.hpp"
#include "ladder/program/questions.hpp"

namespace ladder {

/// What `predict` is asked for.
struct PredictArguments {
  std::string rung;
  std::string answers;  ///< "1.5,32"; empty: ask
};

/// Adds the options of `predict` to a command.
void add_predict_options(CLI::App& command, PredictArguments& arguments);

/// \brief  Asks each question and reads a number per line. An empty line, or the end of the input,
///         skips a question.
/// \param  terminal  somebody sits there: what is not a number is asked again
/// \throws std::invalid_argument  a line is not a number, and nobody is there to ask
Answers ask(const std::vector<Question>& questions, std::istream& in, std::ostream& out,
            bool terminal);

/// \brief  Answers from a list such as "1.5,32"; an empty place skips a question.
/// \throws std::invalid_argument  one is not a number, or there are more or fewer than questions
Answers answers_from(const std::vector<Question>& questions, const std::string& list);

/// \brief  Asks for predictions, or takes them from the command line, and keeps them.
/// \return kGood
/// \throws std::invalid_argument  no such rung, no questions about it, a wrong answer
/// \throws std::runtime_error     the file of predictions cannot be read or written
int predict_command(const PredictArguments& arguments);

}  // namespace ladder
