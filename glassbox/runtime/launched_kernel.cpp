// SPDX-License-Identifier: MIT
#include "glassbox/runtime/launched_kernel.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/kernel_launch.hpp"

namespace ladder::glassbox {
namespace {

/// "sums::reduce<256>" of "void sums::(anonymous namespace)::reduce<256>(float*, int)": the name of
/// a template begins with what it returns.
std::string without_parameters(std::string name) {
  if (const std::size_t clone = name.find(" [clone"); clone != std::string::npos) name.erase(clone);
  if (name.ends_with(')')) {
    int open = 0;
    std::size_t i = name.size();
    do {
      --i;
      open += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    } while (open > 0 && i > 0);
    name.erase(i);
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  constexpr std::string_view kNoName = "(anonymous namespace)::";
  for (std::size_t at = name.find(kNoName); at != std::string::npos; at = name.find(kNoName))
    name.erase(at, kNoName.size());
  return name;
}

}  // namespace

std::string name_of_function(const void* address) {
  const std::string symbol = emulator::function_at(address);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return text == nullptr ? symbol : without_parameters(text.get());
}

LaunchRequest identified(LaunchRequest request, const void* address) {
  if (address == nullptr) return request;
  static std::mutex mutex;
  static std::map<const void*, std::string> names;  // which stay where they are
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = names.try_emplace(address);
  if (is_new) known->second = name_of_function(address);
  if (known->second.empty()) return request;
  request.address = address;
  request.function = known->second.c_str();
  return request;
}

const char* name_of(const LaunchRequest& request) {
  return request.function != nullptr ? request.function : request.kernel;
}

}  // namespace ladder::glassbox
