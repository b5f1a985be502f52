// SPDX-License-Identifier: MIT
#include "glassbox/runtime/orders.hpp"

#include <cstdlib>
#include <iterator>
#include <sstream>

#include "glassbox/runtime/program_start.hpp"

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

void add_names(Orders& orders, const std::string& text) {
  std::istringstream names(text);
  orders.device_variables.insert(std::istream_iterator<std::string>(names), {});
}

Orders& own_orders() {
  static Orders& given = *[] {
    auto* const orders = new Orders();  // used until the very end of the process
    orders->verb = verb_of(word(kVerbVariable));
    if (!word(kCardVariable).empty()) orders->card = word(kCardVariable);
    orders->kernel = word(kKernelVariable);
    orders->launch = std::strtoull(word(kLaunchVariable).c_str(), nullptr, 10);
    orders->device_heap = !word(kHeapVariable).empty();
    orders->addresses = !word(kAddressesVariable).empty();
    add_names(*orders, word(kDeviceVariablesVariable));
    orders->folder = word(kFolderVariable);
    return orders;
  }();
  return given;
}

}  // namespace

const Orders& orders() {
  return own_orders();
}

void add_facts(const ProgramFacts& facts) {
  add_names(own_orders(), facts.device_variables);
  if (facts.uses_device_heap != 0) own_orders().device_heap = true;
}

const DeviceCard& card() {
  static const DeviceCard& modelled = *new DeviceCard(load_card(orders().card));
  return modelled;
}

}  // namespace ladder::glassbox
