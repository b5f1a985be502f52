// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/measurement.hpp"

#include <algorithm>
#include <memory>

namespace ladder::many_gpus {

double Measurement::possible() const {
  return median(one.ms) / std::max(median(compute.ms), median(communication.ms));
}

double Measurement::link_gbps() const {
  return received_bytes / (median(communication.ms) * 1e6);
}

double RanksStopwatch::time_ms(const std::function<void()>& work) {
  ranks_.barrier();
  const Watchdog::Wait wait(ranks_.watchdog(), "launches that are timed");
  return ranks_.largest(own_.time_ms(work));
}

template <class T>
Measurement measure_form(Setting& setting, const Problem& problem, Form form,
                         const std::vector<Step>& steps, Protocol protocol, Stopwatch& stopwatch) {
  Machine& machine = setting.machine;
  const auto [M, N, K] = problem.shape;
  const MachineArray<T> a(machine, static_cast<std::size_t>(M) * K);
  const MachineArray<T> b(machine, static_cast<std::size_t>(K) * N);
  const MachineArray<T> c(machine, static_cast<std::size_t>(M) * N);
  machine.fill_random(a.data(), a.size(), {problem.seed, 0});
  machine.fill_random(b.data(), b.size(), {problem.seed, 1});
  std::unique_ptr<Product<T>> product;
  setting.ranks.together([&] { product = std::make_unique<Product<T>>(setting, problem, form); });
  product->fill(a.data(), b.data());

  Measurement found;
  found.form = form;
  const Cut& cut = product->cut();
  found.received_bytes =
      sizeof(T) * static_cast<double>(cut.ranks - 1) * cut.rows() * (form == Form::gather ? K : N);
  RanksStopwatch together(stopwatch, setting.ranks);
  const Stream stream = stopwatch.stream();
  std::vector<Candidate> candidates;
  candidates.push_back({"one GPU", [&](int) {
                          setting.rung.run(
                              Gemm<T>{problem.shape.M, problem.shape.N, problem.shape.K,
                                      problem.alpha, a.data(), b.data(), problem.beta, c.data()},
                              stream);
                        }});
  candidates.push_back({"compute", [&](int) { start_compute(*product, stream); }});
  candidates.push_back({"communication", [&](int) { start_communication(*product, stream); }});
  for (const Step step : steps) {
    if (step == Step::in_kernel && !product->why_not_in_kernel().empty()) continue;
    found.steps.push_back(step);
    candidates.push_back({std::string(name_of(step)),
                          [&product, step, stream](int) { start(step, *product, stream); }});
  }
  std::vector<Samples> samples = measure(together, candidates, protocol);
  found.one = samples[0];
  found.compute = samples[1];
  found.communication = samples[2];
  found.of_steps.assign(samples.begin() + 3, samples.end());
  machine.synchronize();
  setting.ranks.barrier();
  return found;
}

template Measurement measure_form<float>(Setting&, const Problem&, Form, const std::vector<Step>&,
                                         Protocol, Stopwatch&);
template Measurement measure_form<bfloat16>(Setting&, const Problem&, Form,
                                            const std::vector<Step>&, Protocol, Stopwatch&);

}  // namespace ladder::many_gpus
