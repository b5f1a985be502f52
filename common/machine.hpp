// SPDX-License-Identifier: MIT
/// \file  common/machine.hpp
/// \brief What verification and timing need from a machine that runs rungs: a GPU, or the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/error_bound.hpp"
#include "common/gemm.hpp"
#include "common/random.hpp"
#include "common/refusal.hpp"
#include "common/roofline.hpp"
#include "common/timing.hpp"

namespace ladder {

/// Thrown when there is no such machine, or a problem does not fit it; says what to do.
class MachineError : public std::runtime_error {
 public:
  explicit MachineError(const std::string& reason)
      : MachineError({RefusalKind::kMachine, {{"reason", reason}}}) {}
  explicit MachineError(Refusal refusal)
      : std::runtime_error(text_of(refusal)), refusal_(std::move(refusal)) {}

  const Refusal& refusal() const noexcept { return refusal_; }

 private:
  Refusal refusal_;
};

/// Thrown when CUDA or cuBLAS reports an error, often that of a kernel launched earlier.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The compute capability of a machine that runs every rung.
inline constexpr int kEveryComputeCapability = std::numeric_limits<int>::max();

/// A matrix on a machine, of either type that rungs take.
using Elements = std::variant<float*, bfloat16*>;
using ConstElements = std::variant<const float*, const bfloat16*>;

/// Exact results of one problem's A*B, in FP64, on the machine.
struct Reference {
  const double* product;  ///< (M, N)  A*B
  const double* scale;    ///< (M, N)  sqrt of the sum over k of (a*b)^2
};

/// Everything that decides what C has to be.
struct Expectation {
  Shape shape;
  float alpha;
  float beta;
  Reference reference;
  RandomArray initial_c;  ///< C before the call; not used when beta == 0
  ErrorBound bound;
};

/// Outcome of comparing C with its expectation, element by element.
struct Comparison {
  double error_over_bound =
      0.0;  ///< largest |c - expected| / bound; infinity where c is not finite
  std::int64_t wrong_elements = 0;  ///< elements with !(error <= bound)
  std::int64_t first_wrong = -1;    ///< row-major index of the first of them
};

/// \brief One machine: its memory, and the numerics of verification, done where the data is.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual bool is_gpu() const = 0;
  /// "NVIDIA H200" or "CPU emulator (2 cores)"
  virtual std::string name() const = 0;
  virtual std::size_t free_bytes() const = 0;
  /// Compute capability, 90 means 9.0. The emulator runs all rungs: kEveryComputeCapability.
  virtual int compute_capability() const = 0;
  virtual std::size_t l2_bytes() const = 0;
  /// Empty on a machine whose times mean nothing.
  virtual std::optional<Roof> roof() const = 0;
  /// Driver, toolkit and whatever else should be recorded with a figure.
  virtual std::map<std::string, std::string> versions() const = 0;

  /// \throws MachineError when there is not enough memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// The pattern that fills memory before its first write: 16 bits that are a NaN in BF16 and, two
  /// of them, a NaN in FP32. No arithmetic here gives it.
  virtual std::uint16_t unwritten_half() const = 0;
  /// \param  bytes  a multiple of 2
  virtual void fill_unwritten(void* memory, std::size_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* memory, std::size_t bytes) = 0;
  virtual void copy_from_host(void* memory, const void* host, std::size_t bytes) = 0;
  /// Waits for all work.
  /// \throws GpuError when a kernel failed
  virtual void synchronize() = 0;

  /// Random numbers, rounded to what the array holds.
  virtual void fill_random(Elements array, std::size_t count, RandomArray random) = 0;
  /// \return number of elements that are no longer what fill_random wrote
  virtual std::int64_t changed_elements(ConstElements array, std::size_t count,
                                        RandomArray random) = 0;
  /// Computes A*B and its scale in FP64 with the vendor's DGEMM.
  virtual void compute_reference(const Shape& shape, ConstElements A, ConstElements B,
                                 double* product, double* scale) = 0;
  virtual Comparison compare(ConstElements C, const Expectation& expected) = 0;
  /// nullptr on a machine whose times mean nothing
  virtual std::unique_ptr<Stopwatch> make_stopwatch() = 0;
  /// \brief  The vendor's fastest GEMM for a shape, found by trying what the library proposes.
  /// \param  gemm_of  buffers to try on, in turn; C is overwritten
  virtual Run tuned_vendor_gemm(const Precision& precision, const GemmOf& gemm_of,
                                Stopwatch& stopwatch) = 0;

  /// \return ||C - D|| / ||D|| in the Frobenius norm, 0 when they are equal bit by bit
  virtual double relative_difference(ConstElements C, ConstElements D, std::size_t count) = 0;
};

/// The machine that runs emulated rungs on this computer's cores.
std::unique_ptr<Machine> make_cpu_machine();

/// \brief  A GPU, the first one if you do not name another. CUDA's calls of this thread go to it.
/// \throws MachineError with the reason when there is none: not built in, no driver, no such
///         device, driver older than the toolkit
std::unique_ptr<Machine> make_gpu_machine(int device = 0);

/// Whether this program was built with GPU code.
bool has_gpu_code();

/// \brief An array in a machine's memory between two guard bands that no kernel may write.
/// \tparam T element type
template <class T>
class MachineArray {
 public:
  static constexpr std::size_t kGuardBytes = std::size_t{64} * 1024;

  /// \param count  elements; they and the guard bands hold unwritten_half()
  MachineArray(Machine& machine, std::size_t count)
      : machine_(&machine), count_(count), memory_(machine.allocate(bytes() + 2 * kGuardBytes)) {
    machine.fill_unwritten(memory_, bytes() + 2 * kGuardBytes);
  }
  ~MachineArray() {
    if (memory_ != nullptr) machine_->release(memory_);
  }
  MachineArray(const MachineArray&) = delete;
  MachineArray& operator=(const MachineArray&) = delete;
  MachineArray(MachineArray&& other) noexcept
      : machine_(other.machine_), count_(other.count_), memory_(other.memory_) {
    other.memory_ = nullptr;
  }

  T* data() const { return reinterpret_cast<T*>(static_cast<char*>(memory_) + kGuardBytes); }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  /// True while both guard bands hold what the constructor wrote.
  bool guards_intact() const;

 private:
  Machine* machine_;
  std::size_t count_;
  void* memory_;
};

template <class T>
bool MachineArray<T>::guards_intact() const {
  constexpr std::size_t kHalves = kGuardBytes / sizeof(std::uint16_t);
  const std::vector<std::uint16_t> untouched(kHalves, machine_->unwritten_half());
  std::vector<std::uint16_t> band(kHalves);
  const char* memory = static_cast<const char*>(memory_);
  machine_->copy_to_host(band.data(), memory, kGuardBytes);
  if (band != untouched) return false;
  machine_->copy_to_host(band.data(), memory + kGuardBytes + bytes(), kGuardBytes);
  return band == untouched;
}

}  // namespace ladder
