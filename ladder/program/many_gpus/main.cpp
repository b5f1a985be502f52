// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/main.cpp
/// \brief The `many_gpus` program: one product over several GPUs, one process for each.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "common/terminal/run_command_line.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/many_gpus/report.hpp"
#include "ladder/program/many_gpus/timeline.hpp"

namespace ladder::many_gpus {
namespace {

using nlohmann::json;

/// What the command line asks for.
struct Options {
  std::optional<int> ranks, size, M, N, K;
  Problem problem;
  std::string precision = "fp32";
  std::string form = "both";
  std::string step = "all";
  std::string device = "auto";
  std::string protocol = "burst";
  std::string json;
  std::string stamps;
  bool no_timing = false;
  bool no_verification = false;
  double patience_s = 20.0;
};

void add_options(CLI::App& app, Options& options) {
  constexpr int kMostRanks = 4096;
  constexpr int kMostExtent = 1 << 30;
  CLI::Validator extent = CLI::Range(1, kMostExtent);
  extent.description("");
  app.add_option("--ranks", options.ranks, "start so many processes on this host, by mpirun")
      ->transform(decimal())
      ->check(CLI::Range(1, kMostRanks));
  app.add_option("--size", options.size, "M = N = K")->transform(decimal())->check(extent);
  app.add_option("--m,--M", options.M, "rows of A and C")->transform(decimal())->check(extent);
  app.add_option("--n,--N", options.N, "columns of B and C")->transform(decimal())->check(extent);
  app.add_option("--k,--K", options.K, "columns of A, rows of B")
      ->transform(decimal())
      ->check(extent);
  app.add_option("--alpha", options.problem.alpha, "factor of A*B")->capture_default_str();
  app.add_option("--beta", options.problem.beta, "factor of C")->capture_default_str();
  app.add_option("--seed", options.problem.seed, "of the random inputs")->capture_default_str();
  app.add_option("--precision", options.precision)
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  app.add_option("--form", options.form, "gather A, or scatter C")
      ->check(CLI::IsMember({"gather", "scatter", "both"}))
      ->capture_default_str();
  app.add_option("--step", options.step, "how copies and products come together")
      ->check(CLI::IsMember({"turn", "pieces", "kernel", "all"}))
      ->capture_default_str();
  app.add_option("--device", options.device)
      ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
      ->capture_default_str();
  app.add_option("--protocol", options.protocol, "burst or sustained")
      ->check(CLI::IsMember({"burst", "sustained"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "file for the results, - for standard output");
  app.add_option("--stamps", options.stamps,
                 "file for what each block was busy with during a product in the kernel");
  app.add_flag("--no-timing", options.no_timing, "verify only");
  app.add_flag("--no-verification", options.no_verification, "time only");
  app.add_option("--patience", options.patience_s, "seconds to wait for another rank")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

bool is_under_mpirun() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
}

/// \brief  Lets mpirun start this program again, once for each rank.
/// \return mpirun's exit code: that of the first rank that failed
int run_by_mpirun(int ranks, int argc, char** argv) {
  std::vector<std::string> words = {
      "mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none", "--quiet"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> pointers(words.size() + 1);  // the last is null
  for (std::size_t i = 0; i < words.size(); ++i)
    pointers[i] = words[i].data();
  pid_t child = 0;
  if (const int error =
          posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ)) {
    throw std::system_error(error, std::generic_category(),
                            "--ranks needs mpirun (on Debian: apt-get install openmpi-bin)");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kBySignal = 128;  // mpirun adds the signal that killed a rank
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
  if (code > kBySignal) {
    fmt::print(stderr,
               "many_gpus: a rank was killed by signal {} ({}), and mpirun has ended the "
               "others\n",
               code - kBySignal, strsignal(code - kBySignal));
  }
  return code;
}

Shape shape_of(const Options& options, bool on_gpu) {
  constexpr int kGpuSize = 4096;
  constexpr int kCpuSize = 256;
  const int size = options.size.value_or(on_gpu ? kGpuSize : kCpuSize);
  return {options.M.value_or(size), options.N.value_or(size), options.K.value_or(size)};
}

/// \brief This rank's machine: with `auto`, a GPU if every rank has one, else the emulator.
std::unique_ptr<Machine> machine_of(const Options& options, const Ranks& ranks) {
  if (options.device == "cpu") return make_cpu_machine();
  std::unique_ptr<Machine> machine;
  try {
    ranks.together([&] { machine = make_gpu_machine(ranks.rank_on_host()); });
  } catch (const RanksError& error) {
    if (options.device == "gpu") {
      throw RanksError(fmt::format(
          "{} ({} ranks on this host need a GPU each)\nRun with --device cpu to use the emulator",
          error.what(), ranks.ranks_on_host()));
    }
    return make_cpu_machine();
  }
  return machine;
}

/// The best rung of a precision that this program holds, of those that multiply on one GPU.
Rung rung_of(const std::string& precision, bool on_gpu) {
  const std::span<const Rung> table = on_gpu ? rungs() : emulated_rungs();
  if (precision == "fp32") return find_rung(table, "stream_k");
  const Rung* best = nullptr;
  for (const Rung& rung : table) {
    if (rung.number > 0 && rung.precision == kBf16) best = &rung;
  }
  if (best == nullptr) throw MachineError("this build has no rung for BF16");
  return *best;
}

/// \brief What a copy may take beside the rung's kernel. A BF16 product ends eight times sooner,
///        and its copy has half of the bytes: it needs more SMs. Its blocks come in pairs.
Beside beside(const Rung& rung) {
  if (rung.precision == kBf16) return {.blocks = 16, .cluster = 2};
  return {.blocks = 8, .cluster = 1};
}

template <class T>
FormReport report_form(Setting& setting, const Options& options, Form form,
                       const std::vector<Step>& steps, Stopwatch* stopwatch) {
  FormReport report = {.form = form, .verdicts = {}, .measured = {}};
  if (!options.no_verification) {
    report.verdicts = verify<T>(setting, options.problem, form, steps);
  }
  if (stopwatch != nullptr) {
    report.measured = measure_form<T>(setting, options.problem, form, steps,
                                      protocol_named(options.protocol), *stopwatch);
  }
  return report;
}

std::vector<Step> steps_of(const std::string& word) {
  if (word == "turn") return {Step::in_turn};
  if (word == "pieces") return {Step::in_pieces};
  if (word == "kernel") return {Step::in_kernel};
  return {std::begin(kSteps), std::end(kSteps)};
}

std::vector<Form> forms_of(const std::string& word) {
  if (word == "gather") return {Form::gather};
  if (word == "scatter") return {Form::scatter};
  return {Form::gather, Form::scatter};
}

/// What has to be the same on all ranks, as text.
void require_agreement(const Options& options, const Ranks& ranks) {
  const Problem& problem = options.problem;
  const auto [M, N, K] = problem.shape;
  ranks.require_same("shape", fmt::format("{} x {} x {}", M, N, K));
  ranks.require_same("factors and seed", fmt::format("alpha {}, beta {}, seed {}", problem.alpha,
                                                     problem.beta, problem.seed));
  ranks.require_same("precision, form and step",
                     fmt::format("{}, {}, {}{}", options.precision, options.form, options.step,
                                 options.stamps.empty() ? "" : ", stamps"));
  ranks.require_same("protocol and phases",
                     fmt::format("{}{}{}", options.protocol, options.no_timing ? ", untimed" : "",
                                 options.no_verification ? ", unverified" : ""));
}

int hosts_of(const Ranks& ranks) {
  return static_cast<int>(ranks.sum(ranks.rank_on_host() == 0 ? 1.0 : 0.0));
}

/// \brief Everything between MPI's beginning and end.
int run(Options options, const Ranks& ranks) {
  if (options.ranks && *options.ranks != ranks.ranks()) {
    throw RanksError(fmt::format("--ranks {} was asked for, and mpirun has started {}",
                                 *options.ranks, ranks.ranks()));
  }
  std::optional<OutputFile> file;
  std::optional<OutputFile> stamps;
  ranks.together([&] {
    if (ranks.rank() == 0 && !options.json.empty()) file.emplace(options.json);
    if (ranks.rank() == 0 && !options.stamps.empty()) stamps.emplace(options.stamps);
  });
  ranks.require_same("device", options.device);
  const std::unique_ptr<Machine> machine = machine_of(options, ranks);
  // The watchdog knows what a rank waits for; the emulator knows only that a loop has not ended.
  constexpr double kMuchLonger = 10.0;
  emulator::set_hang_limit(emulator::Seconds(kMuchLonger * options.patience_s));
  options.problem.shape = shape_of(options, machine->is_gpu());
  require_agreement(options, ranks);
  std::unique_ptr<Links> links;
  std::optional<Setting> setting;
  ranks.together([&] {
    const Rung rung = rung_of(options.precision, machine->is_gpu());
    links = machine->is_gpu() ? make_nccl_links(ranks, beside(rung)) : make_host_links(ranks);
    if (const auto refused = machine->is_gpu()
                                 ? why_not_on(rung, machine->compute_capability(), machine->name())
                                 : std::nullopt) {
      throw MachineError(*refused);
    }
    setting.emplace(
        Setting{ranks, *machine, *links, rung, machine->is_gpu() ? kernels() : emulated_kernels()});
  });
  ranks.require_same(machine->is_gpu() ? "NCCL" : "MPI", links->name());
  ranks.together([&] {
    const double bytes =
        bytes_needed(options.problem, setting->rung.precision.stored, ranks.ranks());
    const double share = machine->is_gpu() ? 1.0 : ranks.ranks_on_host();
    const double free = static_cast<double>(machine->free_bytes()) / share;
    if (bytes > free) {
      throw MachineError(
          fmt::format("too little memory on {}: {:.1f} GB are needed, and {:.1f} are "
                      "free for this rank",
                      machine->name(), bytes * 1e-9, free * 1e-9));
    }
  });

  std::unique_ptr<Stopwatch> stopwatch;
  if (!options.no_timing) stopwatch = machine->make_stopwatch();
  Report report = {.problem = options.problem,
                   .precision = std::string(setting->rung.precision.name),
                   .rung = folder(setting->rung),
                   .ranks = ranks.ranks(),
                   .hosts = hosts_of(ranks),
                   .links = links->name(),
                   .device = machine->name(),
                   .forms = {}};
  for (const Form form : forms_of(options.form)) {
    const std::vector<Step> steps = steps_of(options.step);
    report.forms.push_back(
        options.precision == "bf16"
            ? report_form<bfloat16>(*setting, options, form, steps, stopwatch.get())
            : report_form<float>(*setting, options, form, steps, stopwatch.get()));
  }
  json timelines = json::array();
  for (const Form form : options.stamps.empty() ? std::vector<Form>{} : forms_of(options.form)) {
    timelines.push_back(options.precision == "bf16"
                            ? record_timeline<bfloat16>(*setting, options.problem, form)
                            : record_timeline<float>(*setting, options.problem, form));
  }
  if (ranks.rank() == 0) {
    if (stamps) {
      stamps->write(file_text({{"context", results_context(report.device, std::nullopt, {}, {})},
                               {"benchmarks", timelines}}));
    }
    if (!file || !file->is_standard_output()) fmt::print("{}", text_of(report));
    if (file) {
      std::map<std::string, std::string> versions = machine->versions();
      versions.merge(links->versions());
      const std::optional<Protocol> protocol =
          stopwatch ? std::optional(protocol_named(options.protocol)) : std::nullopt;
      file->write(file_text(to_json(report, protocol, versions)));
    }
  }
  return all_right(report) ? kGood : kWrong;
}

/// \brief One rank from beginning to end. What fails on all ranks is said once, by rank 0; what
///        fails on one ends all.
int run_rank(const Options& options, int argc, char** argv) {
  const Ranks ranks(argc, argv, options.patience_s);
  try {
    return run(options, ranks);
  } catch (const RanksError& error) {
    if (ranks.rank() == 0) fmt::print(stderr, "many_gpus: {}\n", error.what());
    return kBadUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "many_gpus: rank {}: {}\n", ranks.rank(), error.what());
    std::fflush(stderr);
    ranks.abort(kBadUsage);
  }
}

}  // namespace
}  // namespace ladder::many_gpus

int main(int argc, char** argv) {
  using namespace ladder::many_gpus;
  CLI::App app(
      "Multiplies two matrices on several GPUs, one process for each: started by mpirun, or with "
      "--ranks. Without GPUs, on the emulator.",
      "many_gpus");
  Options options;
  add_options(app, options);
  return ladder::run_command_line(app, argc, argv, [&] {
    if (options.ranks && !is_under_mpirun()) return run_by_mpirun(*options.ranks, argc, argv);
    return run_rank(options, argc, argv);
  });
}
