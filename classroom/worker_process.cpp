// SPDX-License-Identifier: MIT
#include "classroom/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>
#include <thread>

#include "classroom/messages.hpp"
#include "emulator/run/waits/ended_thread.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// Room for A, B and C with their guard bands; pages that nobody touches take no memory.
constexpr std::size_t kRoomBytes = std::size_t{1} << 30;

/// Behind them, the workspace.
constexpr std::size_t kWorkspaceBytes = std::size_t{512} << 20;

/// For one answer. The clock of the wall also runs while others use the machine.
constexpr double kCpuSeconds = 20;
double wall_seconds = 120;
/// Looks in a row, ten a second, that found nobody who computes or waits for a CPU.
constexpr int kMostIdle = 100;

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

/// Shared memory of kernels is thread-local storage, for which a library that is loaded late finds
/// room only if the C library has set it aside.
constexpr std::array<const char*, 3> kEnvironment = {
    "OPENBLAS_NUM_THREADS=1",  // linked with the rungs of this build, and never called
    "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=3145728", nullptr};

double seconds_of(clockid_t clock) {
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double own_cpu_seconds(pid_t process) {
  clockid_t clock = 0;
  return clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0;
}

/// Of a process and those of its children that have ended.
double cpu_seconds_of_calls(pid_t process) {
  std::string text;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), text);
  const std::size_t name_ends = text.rfind(") ");
  if (name_ends == std::string::npos) return 0;
  std::istringstream words(text.substr(name_ends + 2));
  std::string skipped;
  for (int word = 0; word < 11; ++word)
    words >> skipped;
  double ticks = 0;
  double part = 0;  // user and system, then the children's
  for (int word = 0; word < 4 && words >> part; ++word)
    ticks += part;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Does one of a process's threads, or a process that it has started, compute or wait for a CPU?
bool wants_cpu(pid_t process) {
  namespace fs = std::filesystem;
  std::error_code gone;
  for (const auto& thread : fs::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    std::string text;
    std::getline(std::ifstream(thread.path() / "stat"), text);
    const std::size_t name_ends = text.rfind(") ");
    if (name_ends != std::string::npos && text.find_first_of("RD", name_ends) == name_ends + 2)
      return true;
    std::ifstream children(thread.path() / "children");
    for (pid_t child = 0; children >> child;)
      if (wants_cpu(child)) return true;
  }
  return false;
}

/// Looked at for a second.
bool is_busy(pid_t process) {
  for (int times = 0; times < 20; ++times) {
    if (wants_cpu(process)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

}  // namespace

void set_wall_seconds(double seconds) {
  wall_seconds = seconds;
}

WorkerProcess::WorkerProcess(Machine& machine, std::string program, std::string library, int number,
                             std::vector<std::string> folders)
    : machine_(machine),
      program_(std::move(program)),
      library_(std::move(library)),
      number_(number),
      folders_(std::move(folders)),
      file_(memfd_create("matrices", MFD_CLOEXEC)) {
  require(file_ >= 0, "memfd_create");
  require(ftruncate(file_, kRoomBytes + kWorkspaceBytes) == 0, "ftruncate");
  void* const mapped =
      mmap(nullptr, kRoomBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  require(mapped != MAP_FAILED, "mmap");
  matrices_ = static_cast<char*>(mapped);
}

WorkerProcess::~WorkerProcess() {
  stop();
  munmap(matrices_, kRoomBytes);
  close(file_);
}

void WorkerProcess::stop() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  wait_for_end();
}

/// \return its status
int WorkerProcess::wait_for_end() {
  int status = 0;
  rusage used = {};
  wait4(process_, &status, 0, &used);
  for (const timeval& time : {used.ru_utime, used.ru_stime})
    ended_seconds_ += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  close(socket_);
  process_ = 0;
  return status;
}

double WorkerProcess::cpu_seconds() const {
  return ended_seconds_ + (process_ == 0 ? 0 : cpu_seconds_of_calls(process_));
}

void WorkerProcess::start() {
  if (geteuid() != 0 || !start_as(true)) {
    if (!start_as(false)) ended();
  }
}

/// \return false: the other user cannot read the libraries
bool WorkerProcess::start_as(bool other_user) {
  stop();
  std::array<int, 2> ends = {};
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "socketpair");
  const std::string number = std::to_string(number_);
  std::vector<const char*> words = {program_.c_str(), number.c_str(), other_user ? "yes" : "no",
                                    library_.c_str()};
  for (const std::string& folder : folders_)
    words.push_back(folder.c_str());
  words.push_back(nullptr);
  const pid_t child = fork();
  require(child >= 0, "fork");
  if (child == 0) {
    // Only what may be called between fork and exec.
    const int nothing = open("/dev/null", O_RDWR);
    const int socket = fcntl(ends[1], F_DUPFD, 30);
    const int matrices = fcntl(file_, F_DUPFD, 30);
    const bool ready = dup2(nothing, 0) == 0 && dup2(nothing, 1) == 1 && dup2(nothing, 2) == 2 &&
                       dup2(socket, kSocket) == kSocket && dup2(matrices, kMatrices) == kMatrices;
    if (!ready) _exit(1);
    execve(program_.c_str(), const_cast<char* const*>(words.data()),
           const_cast<char* const*>(kEnvironment.data()));
    _exit(1);
  }
  close(ends[1]);
  socket_ = ends[0];
  process_ = child;
  const json hello = receive();
  if (hello.contains("unreadable") && other_user) return false;
  if (hello.contains("broken")) {
    stop();
    throw WorkerEnded(WorkerEnded::Why::killed, hello["broken"].get<std::string>());
  }
  if (!hello.contains("holds")) return false;
  holds_ = hello["holds"];
  return true;
}

void WorkerProcess::ended() {
  tell_end(wait_for_end());
}

/// \param  status  of the worker, or of a process in which it ran a call
void WorkerProcess::tell_end(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
    throw WorkerEnded(WorkerEnded::Why::forbidden,
                      "the kernel's code asked the system for something that it may not have: a "
                      "file, a process, the network. It was ended");
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    throw WorkerEnded(WorkerEnded::Why::timeout,
                      "no end after " + std::to_string(int(kCpuSeconds)) +
                          " s of computing, where the reference takes less than one");
  }
  if (WIFSIGNALED(status)) {
    throw WorkerEnded(
        WorkerEnded::Why::killed,
        std::string("the process that ran the kernel ended: ") + strsignal(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == emulator::kThreadEndedStatus) {
    throw WorkerEnded(WorkerEnded::Why::forbidden,
                      "the kernel ended its thread; a kernel ends by returning");
  }
  throw WorkerEnded(WorkerEnded::Why::forbidden,
                    "the kernel's code ended the process it runs in, with status " +
                        std::to_string(WEXITSTATUS(status)));
}

void WorkerProcess::wait_for_answer() {
  const double cpu_before = own_cpu_seconds(process_);
  const double before = seconds_of(CLOCK_MONOTONIC);
  int idle = 0;
  pollfd answer = {.fd = socket_, .events = POLLIN, .revents = 0};
  while (true) {
    const int ready = poll(&answer, 1, 100);
    if (ready > 0) return;
    require(ready == 0 || errno == EINTR, "poll");
    idle = wants_cpu(process_) ? 0 : idle + 1;
    const bool late = seconds_of(CLOCK_MONOTONIC) - before > wall_seconds;
    const bool waits = idle >= kMostIdle;
    if (!late && !waits && own_cpu_seconds(process_) - cpu_before <= kCpuSeconds) continue;
    const bool busy = !waits && late && is_busy(process_);
    stop();
    if (!late && !waits) tell_end(SIGXCPU);
    // A limit of the CPU's time has not ended it: others have used the machine.
    if (busy) {
      throw std::runtime_error(
          fmt::format("this machine is too busy: a kernel that is given {} s of CPU time was still "
                      "computing after {} s. Grade again when less runs beside it",
                      kCpuSeconds, wall_seconds));
    }
    throw WorkerEnded(WorkerEnded::Why::timeout,
                      "nothing computes, and there is no answer: the kernel's code waits for "
                      "something that does not come");
  }
}

json WorkerProcess::receive() {
  wait_for_answer();
  try {
    return receive_message(socket_);
  } catch (const BrokenMessage& broken) {
    kill(process_, SIGKILL);
    ended();
  }
}

json WorkerProcess::ask(const json& message) {
  if (process_ == 0) start();
  try {
    send_message(socket_, message);
  } catch (const BrokenMessage&) {
    ended();
  }
  return answer();
}

json WorkerProcess::answer() {
  json answer = receive();
  if (answer.contains("broken")) {
    stop();
    throw WorkerEnded(WorkerEnded::Why::protocol, answer["broken"].dump());
  }
  if (answer.contains("ended")) tell_end(answer["ended"].get<int>());
  return answer;
}

template <class T>
RunReport WorkerProcess::run_any(const Gemm<T>& gemm, const RunOrder& order) {
  constexpr std::size_t kGuard = MachineArray<T>::kGuardBytes;
  json message = to_json(order);
  message["do"] = "run";
  message["shape"] = {gemm.M, gemm.N, gemm.K};
  message["alpha"] = gemm.alpha;
  message["beta"] = gemm.beta;
  message["workspace"] = kRoomBytes;
  struct Place {
    char* here;  ///< of the first guard band
    std::size_t bytes;
    std::size_t offset;
  };
  std::array<Place, 3> places = {};
  const auto area = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(T);
  };
  const auto place = [](const T* data, std::size_t bytes) {
    return Place{reinterpret_cast<char*>(const_cast<T*>(data)) - kGuard, bytes + 2 * kGuard, 0};
  };
  places = {place(gemm.A, area(gemm.M, gemm.K)), place(gemm.B, area(gemm.K, gemm.N)),
            place(gemm.C, area(gemm.M, gemm.N))};
  // Never the same addresses twice, in the file or in the worker.
  std::mt19937 random(std::random_device{}());
  std::size_t offset = 4096 * (random() % 16);
  constexpr std::array kNames = {"A", "B", "C"};
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].offset = offset;
    offset += whole_pages(places[i].bytes) + 4096 * (random() % 16);
    message[kNames[i]] = {{"offset", places[i].offset},
                          {"bytes", places[i].bytes},
                          {"pages", ++calls_ % 1024 * 4 + random() % 4}};
  }
  if (offset > kRoomBytes) throw std::invalid_argument("the matrices are larger than their room");
  for (const Place& p : places)
    machine_.copy_to_host(matrices_ + p.offset, p.here, p.bytes);
  RunReport report;
  try {
    ask(message);  // it has the matrices, and waits
    const double before = seconds_of(CLOCK_MONOTONIC);
    ask({{"do", "go"}});
    const double seconds = seconds_of(CLOCK_MONOTONIC) - before;
    report = run_report(answer());
    report.seconds = seconds;
  } catch (const json::exception& error) {
    stop();
    throw WorkerEnded(WorkerEnded::Why::protocol, error.what());
  } catch (const std::invalid_argument& error) {
    stop();
    throw WorkerEnded(WorkerEnded::Why::protocol, error.what());
  }
  // From here on, nobody who runs a student's code can change them.
  for (const Place& p : places)
    machine_.copy_from_host(p.here, matrices_ + p.offset, p.bytes);
  return report;
}

RunReport WorkerProcess::run(const Gemm<float>& gemm, const RunOrder& order) {
  return run_any(gemm, order);
}

RunReport WorkerProcess::run(const Gemm<bfloat16>& gemm, const RunOrder& order) {
  return run_any(gemm, order);
}

json WorkerProcess::plans(const Shape& shape, const RunOrder& order) {
  json message = to_json(order);
  message["do"] = "plans";
  message["shape"] = {shape.M, shape.N, shape.K};
  return ask(message).value("plans", json::array());
}

}  // namespace ladder::grader
