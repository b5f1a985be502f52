// SPDX-License-Identifier: MIT
#include "glassbox/runtime/orders.hpp"

#include <cstdlib>
#include <iterator>
#include <sstream>

namespace ladder::glassbox {
namespace {

std::string word(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Verb verb_of(const std::string& name) {
  if (name == "check") return Verb::kCheck;
  return name == "trace" ? Verb::kTrace : Verb::kRun;
}

}  // namespace

const Orders& orders() {
  static const Orders& given = *[] {
    auto* const orders = new Orders();  // used until the very end of the process
    orders->verb = verb_of(word(kVerbVariable));
    if (!word(kCardVariable).empty()) orders->card = word(kCardVariable);
    orders->kernel = word(kKernelVariable);
    orders->launch = std::strtoull(word(kLaunchVariable).c_str(), nullptr, 10);
    orders->device_heap = !word(kHeapVariable).empty();
    orders->addresses = !word(kAddressesVariable).empty();
    std::istringstream names(word(kDeviceVariablesVariable));
    orders->device_variables.insert(std::istream_iterator<std::string>(names), {});
    orders->folder = word(kFolderVariable);
    return orders;
  }();
  return given;
}

const DeviceCard& card() {
  static const DeviceCard& modelled = *new DeviceCard(load_card(orders().card));
  return modelled;
}

}  // namespace ladder::glassbox
