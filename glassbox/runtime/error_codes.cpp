// SPDX-License-Identifier: MIT
#include "glassbox/runtime/error_codes.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"

namespace {

struct ErrorText {
  cudaError code;
  const char* name;
  const char* text;
};

/// Of a number that is no code.
constexpr ErrorText kUnknown = {cudaErrorUnknown, "unrecognized error code",
                                "unrecognized error code"};

constexpr std::array kTexts = {
#define LADDER_ERROR(name, value, text) ErrorText{name, #name, text},
    LADDER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
};

const ErrorText& text_of(cudaError_t error) {
  const auto* const found = std::ranges::find(kTexts, error, &ErrorText::code);
  return found == kTexts.end() ? kUnknown : *found;
}

std::atomic<cudaError_t> last = cudaSuccess;
std::atomic<cudaError_t> sticky = cudaSuccess;

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  return text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error).text;
}

cudaError_t cudaGetLastError() {
  return last.exchange(sticky);
}

cudaError_t cudaPeekAtLastError() {
  return last;
}

namespace ladder::glassbox {

cudaError_t failed(cudaError_t error, const CallProblem& problem, const std::string& function,
                   const Here& here) {
  set_last_error(error);
  Findings::instance().add(CallFinding{.reason = problem.reason,
                                       .error = cudaGetErrorName(error),
                                       .function = function,
                                       .place = place_of(here),
                                       .fields = problem.fields});
  return error;
}

void set_last_error(cudaError_t error) {
  last = error;
}

void make_sticky(cudaError_t error) {
  sticky = error;
  last = error;
}

cudaError_t sticky_error() {
  return sticky;
}

}  // namespace ladder::glassbox
