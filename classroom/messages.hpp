// SPDX-License-Identifier: MIT
/// \file  classroom/messages.hpp
/// \brief What judge and worker send each other: JSON behind its length, over a socket. The
///        matrices lie in a file in memory that both map.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ladder::grader {

/// The worker's descriptors; it has no others.
inline constexpr int kSocket = 3;
inline constexpr int kMatrices = 4;

/// Those of the device process beside them: launches from the host process, and answers to it. The
/// host process has its ends of both in the place of the worker's own.
inline constexpr int kLaunches = 5;
inline constexpr int kAnswers = 6;
inline constexpr int kToDevice = 3;
inline constexpr int kFromDevice = 4;

/// No answer is longer.
inline constexpr std::uint32_t kMostMessageBytes = 1 << 20;

/// The other process has ended, or sends what is no message.
class BrokenMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws BrokenMessage  nobody reads
void send_message(int socket, const nlohmann::json& message);

/// \brief  Waits for the next message.
/// \throws BrokenMessage  the other process has closed the socket, or sends something else
nlohmann::json receive_message(int socket);

}  // namespace ladder::grader
