// SPDX-License-Identifier: MIT
#include "classroom/messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace ladder::grader {
namespace {

void write_all(int socket, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(socket, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw BrokenMessage("nobody reads the messages any more");
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void read_all(int socket, char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(socket, data, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw BrokenMessage("nobody sends messages any more");
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace

void send_message(int socket, const nlohmann::json& message) {
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto bytes = static_cast<std::uint32_t>(text.size());
  if (text.size() > kMostMessageBytes) throw BrokenMessage("a message is too long");
  write_all(socket, reinterpret_cast<const char*>(&bytes), sizeof bytes);
  write_all(socket, text.data(), text.size());
}

nlohmann::json receive_message(int socket) {
  std::uint32_t bytes = 0;
  read_all(socket, reinterpret_cast<char*>(&bytes), sizeof bytes);
  if (bytes > kMostMessageBytes) throw BrokenMessage("a message is too long");
  std::string text(bytes, '\0');
  read_all(socket, text.data(), bytes);
  nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object()) throw BrokenMessage("a message is not JSON");
  return message;
}

}  // namespace ladder::grader
