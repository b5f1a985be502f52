// SPDX-License-Identifier: MIT
#include "ladder/program/predict_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "ladder/program/command_line.hpp"
#include "ladder/program/prediction_table.hpp"
#include "ladder/program/print.hpp"

namespace ladder {
namespace {

/// "gain over rung 02", and what was there before
std::string kept_text(const Question& question, double answer, const Answers& before) {
  const auto earlier = before.find(question.id);
  return fmt::format(
      "  {:<32} {:>10}{}\n", question.name, figure_text(question, answer),
      earlier == before.end() ? "" : "   before: " + figure_text(question, earlier->second));
}

}  // namespace

void add_predict_options(CLI::App& command, PredictArguments& arguments) {
  command.add_option("rung", arguments.rung, "number or name, e.g. 03 or shared_tile")->required();
  command.add_option("--answers", arguments.answers,
                     "your answers, e.g. 1.5,32; or 1.5, to skip one");
}

Answers ask(const std::vector<Question>& questions, std::istream& in, std::ostream& out,
            bool terminal) {
  Answers answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& question = questions[i];
    out << fmt::format("\n{}", wrapped(fmt::format("{}. {}", i + 1, asked_text(question)), 3));
    for (bool answered = false; !answered;) {
      out << fmt::format("   {} > ", question.unit) << std::flush;
      std::string line;
      if (!std::getline(in, line)) {
        out << "\n";
        return answers;
      }
      if (!terminal) out << line << "\n";
      try {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
          const double answer = prediction_from(line);
          require_possible(question, answer);
          answers[question.id] = answer;
        }
        answered = true;
      } catch (const std::invalid_argument& error) {
        if (!terminal) throw;
        out << wrapped(fmt::format("   {}.", error.what()), 3);
      }
    }
  }
  return answers;
}

Answers answers_from(const std::vector<Question>& questions, const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != questions.size()) {
    throw std::invalid_argument(
        fmt::format("--answers {}: there are {} questions, and {} answer{}; leave a place empty to "
                    "skip a question, as in 1.5,",
                    list, questions.size(), parts.size(), parts.size() == 1 ? "" : "s"));
  }
  Answers answers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].find_first_not_of(' ') == std::string::npos) continue;
    const double answer = prediction_from(parts[i]);
    require_possible(questions[i], answer);
    answers[questions[i].id] = answer;
  }
  return answers;
}

int predict_command(const PredictArguments& arguments) {
  const Rung& rung = find_rung(emulated_rungs(), arguments.rung);
  const std::vector<Question> questions = questions_of(rung);
  if (questions.empty()) {
    throw std::invalid_argument(fmt::format(
        "there are no questions about {} in ladder/questions.json: choose a rung with a kernel of "
        "its own, such as 03",
        label(rung)));
  }
  Predictions predictions;
  Answers answers;
  if (!arguments.answers.empty()) {
    answers = answers_from(questions, arguments.answers);
  } else {
    fmt::print("{}: what do you expect? A number each; an empty line skips one.\n", label(rung));
    std::fflush(stdout);
    answers = ask(questions, std::cin, std::cout, isatty(STDIN_FILENO) != 0);
  }
  if (answers.empty()) {
    fmt::print("\nNo prediction was kept.\n");
    return kGood;
  }
  const Answers before = predictions.of(rung.number);
  predictions.keep(rung.number, answers);
  std::cout << std::flush;
  fmt::print("\nYour predictions for {}:\n", label(rung));
  for (const Question& question : questions) {
    const auto answer = answers.find(question.id);
    if (answer != answers.end()) fmt::print("{}", kept_text(question, answer->second, before));
  }
  fmt::print("\nNext: make run RUNG={:02}\n", rung.number);
  return kGood;
}

}  // namespace ladder
