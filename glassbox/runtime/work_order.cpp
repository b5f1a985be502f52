// SPDX-License-Identifier: MIT
#include "glassbox/runtime/work_order.hpp"

#include <algorithm>
#include <ranges>
#include <tuple>

#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/remembered_work.hpp"
#include "glassbox/runtime/stream_capture.hpp"

namespace ladder::glassbox {

thread_local std::optional<WorkPosition> current_work;

// -- Clocks --------------------------------------------------------------------------------------

void Clock::join(const Clock& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t lane = 0; lane < other.counts_.size(); ++lane)
    counts_[lane] = std::max(counts_[lane], other.counts_[lane]);
}

void Clock::set(std::size_t lane, std::uint64_t count) {
  if (counts_.size() <= lane) counts_.resize(lane + 1);
  counts_[lane] = count;
}

// -- Who comes before whom -----------------------------------------------------------------------

bool WorkOrder::is_before(const WorkPosition& a, const WorkPosition& b) {
  // Within the graph that both are in, its edges decide.
  const GraphRun* own = a.run.get();
  const GraphRun* its = b.run.get();
  std::size_t own_node = a.node, its_node = b.node;
  while (own != nullptr && its != nullptr && own != its) {
    const bool own_is_deeper = own->depth >= its->depth;
    const bool its_is_deeper = its->depth >= own->depth;
    if (own_is_deeper) {
      own_node = own->node;
      own = own->outer.get();
    }
    if (its_is_deeper) {
      its_node = its->node;
      its = its->outer.get();
    }
  }
  if (own != nullptr && own == its) return (*own->before)[its_node][own_node];
  return b.clock.covers(a.lane, a.count);
}

bool WorkOrder::is_until(const WorkPosition& a, const WorkPosition& b) {
  const bool is_same = a.lane == b.lane && a.count == b.count && a.run == b.run && a.node == b.node;
  return is_same || is_before(a, b);
}

bool WorkOrder::is_unordered(const WorkPosition& a, const WorkPosition& b) {
  return !is_before(a, b) && !is_before(b, a);
}

WorkOrder& WorkOrder::instance() {
  static auto* const order = new WorkOrder();  // used until the very end of the process
  return *order;
}

bool WorkOrder::is_kept() {
  return orders().verb != Verb::kRun;
}

void WorkOrder::add(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  if (free_lanes_.empty()) {
    stream.lane = lanes_++;
  } else {
    std::tie(stream.lane, stream.count) = free_lanes_.back();
    free_lanes_.pop_back();
  }
  if (stream.is_legacy) {
    legacy_ = &stream;
  } else {
    has_streams_ = true;
  }
  const std::string name = stream.name;
  const auto is_taken = [&](const StreamPosition* other) { return other->name == stream.name; };
  for (int i = 2; !name.empty() && std::ranges::any_of(streams_, is_taken); ++i)
    stream.name = name + "#" + std::to_string(i);
  streams_.insert(&stream);
}

void WorkOrder::remove(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
  free_lanes_.emplace_back(stream.lane, stream.count);
}

/// What is done before the stream's next work, without the stream's own work.
Clock WorkOrder::of_others(const StreamPosition& stream) const {
  Clock clock = stream.awaited;
  if (stream.is_legacy) {
    for (const StreamPosition* const other : streams_) {
      if (other->is_blocking && other != &stream) clock.join(other->clock);
    }
  } else if (stream.is_blocking && legacy_ != nullptr) {
    clock.join(legacy_->clock);
  }
  return clock;
}

Clock WorkOrder::record(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  stream.clock.join(of_others(stream));
  return stream.clock;
}

WorkPosition WorkOrder::begin(StreamPosition& stream) {
  WorkPosition position = {.stream = stream.name, .lane = stream.lane, .clock = record(stream)};
  const std::lock_guard lock(mutex_);
  position.clock.join(host_);
  position.others = of_others(stream);
  position.others.join(host_);
  position.count = ++stream.count;
  stream.clock = position.clock;
  stream.clock.set(stream.lane, stream.count);
  all_.join(stream.clock);
  return position;
}

void WorkOrder::wait(StreamPosition& stream, const Clock& event) {
  const std::lock_guard lock(mutex_);
  stream.clock.join(event);
  stream.awaited.join(event);
}

void WorkOrder::host_waits_for(StreamPosition& stream) {
  host_waits_for(record(stream));
}

void WorkOrder::host_waits_for(const Clock& event) {
  const std::lock_guard lock(mutex_);
  host_.join(event);
  forget_what_is_done();
}

void WorkOrder::host_waits_for_all() {
  const std::lock_guard lock(mutex_);
  host_.join(all_);
  forget_what_is_done();
}

// -- Turns ---------------------------------------------------------------------------------------

StreamTurn::StreamTurn(cudaStream_t stream) : is_outermost_(!current_work && WorkOrder::is_kept()) {
  if (is_outermost_) current_work = WorkOrder::instance().begin(stream_at(stream)->position);
}

StreamTurn::~StreamTurn() {
  if (is_outermost_) current_work.reset();
}

GraphTurn::GraphTurn(std::shared_ptr<const GraphRun::Before> before) {
  if (!current_work) return;
  outer_ = current_work->run;
  node_ = current_work->node;
  current_work->run =
      std::make_shared<GraphRun>(GraphRun{.before = std::move(before),
                                          .outer = outer_,
                                          .node = node_,
                                          .depth = outer_ == nullptr ? 0 : outer_->depth + 1});
}

GraphTurn::~GraphTurn() {
  if (!current_work) return;
  current_work->run = outer_;
  current_work->node = node_;
}

void GraphTurn::go_to(std::size_t node) {
  if (current_work) current_work->node = node;
}

void host_waits_for_work() {
  if (!current_work || current_work->run != nullptr) return;
  Clock done = current_work->clock;
  done.set(current_work->lane, current_work->count);
  WorkOrder::instance().host_waits_for(done);
}

}  // namespace ladder::glassbox
