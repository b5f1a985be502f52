// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/kernel_launch.hpp
/// \brief What kernel<<<grid, block, shared, stream>>>(arguments) becomes.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "emulator/run/launch.hpp"
#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/launched_kernel.hpp"
#include "glassbox/runtime/stream_calls.hpp"

namespace ladder::glassbox {

/// A pointer that a kernel is given, or that a struct which it is given may hold.
struct PointerArgument {
  const void* address;
  std::size_t element_bytes;  ///< of what it points to; 0: not known
  unsigned number = 0;        ///< of the argument, from 1 on
};

/// A launch without its kernel's types.
struct LaunchRequest {
  const char* kernel;  ///< as the source names it
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes;
  bool cooperative;
  Here here;
  dim3 cluster = {0, 0, 0};       ///< blocks of a cluster that the launch asks for; 0: none
  const void* address = nullptr;  ///< of the kernel, where the launch has no name
  cudaStream_t stream = nullptr;
  bool overlaps_previous = false;  ///< it may start while the kernel before it still runs
  const char* function = nullptr;  ///< the kernel's own name, where the source names a pointer
};

/// What a kernel's `__cluster_dims__` says, for its launches.
class ClusterOfKernel {
 public:
  ClusterOfKernel(const char* kernel, const void* address, dim3 cluster);
};

/// Ends the kernel that launches another one: there is no dynamic parallelism.
void refuse_within_kernel(const LaunchRequest& request);

/// Ends a launch whose blocks have more threads than this before its first thread does anything.
void require_threads(long long limit);
/// What a kernel with `__launch_bounds__(threads, ...)` begins with.
template <class Threads, class... More>
[[gnu::no_sanitize("thread")]] inline void require_launch_bounds(Threads threads, More...) {
  require_threads(static_cast<long long>(threads));
}

/// \brief Runs it, traced if that is wanted. What CUDA refuses, or what ends the kernel, becomes
///        the last error.
/// \param code  the function that calls the kernel: names its library and its shared memory
cudaError_t run_launch(const LaunchRequest& request, const std::vector<PointerArgument>& arguments,
                       const void* code, const emulator::ThreadProgram& program);

/// \brief The error of a launch that goes into a graph: CUDA looks at its grid and block at once.
cudaError_t require_shape(const LaunchRequest& request);
/// \brief The error of a launch in the default stream while others are captured.
cudaError_t refusal_of(const LaunchRequest& request);

/// From now on kernels may ask for this much.
void allow_dynamic_shared(std::size_t bytes);

/// What a kernel is given for an argument: an array of the host's is a pointer to it.
template <class Argument>
using Given = std::conditional_t<std::is_array_v<std::remove_reference_t<Argument>>,
                                 std::decay_t<Argument>, std::remove_reference_t<Argument>>;

template <class T>
void add_pointers(const T& argument, unsigned number, std::vector<PointerArgument>& found) {
  if constexpr (std::is_array_v<T>) {
    add_pointers(static_cast<std::decay_t<const T>>(argument), number, found);
  } else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
    std::size_t bytes = 0;
    if constexpr (!std::is_void_v<std::remove_pointer_t<T>>) {
      bytes = sizeof(std::remove_pointer_t<T>);
    }
    found.push_back(
        {const_cast<const void*>(static_cast<const volatile void*>(argument)), bytes, number});
  } else if constexpr (std::is_class_v<T>) {
    for (std::size_t at = 0; at + sizeof(void*) <= sizeof(T); at += sizeof(void*)) {
      const void* word;
      __builtin_memcpy(&word, reinterpret_cast<const char*>(&argument) + at, sizeof word);
      found.push_back({word, 0, number});
    }
  }
}

/// A thread's own copy of an argument, as its bytes: a constructor would read the host's memory.
template <class T>
struct ArgumentBytes {
  alignas(T) unsigned char bytes[sizeof(T)];

  [[gnu::no_sanitize("thread")]] explicit ArgumentBytes(const volatile void* argument) {
    __builtin_memcpy(bytes, const_cast<const void*>(argument), sizeof bytes);
  }
  [[gnu::no_sanitize("thread")]] T&& value() { return reinterpret_cast<T&&>(bytes); }
};

/// Copies bytes to `slot`, and returns it. In machine code, this is what a function does that
/// returns an object of a class.
using ObjectMaker = void* (*)(void* slot, const void* bytes, std::size_t size);
extern const ObjectMaker object_maker;

/// \brief What a kernel gets for an argument. An object whose class has a copy constructor comes as
///        its bytes, as on a GPU: the constructor has run once, on the host.
template <class Argument>
[[gnu::no_sanitize("thread")]] decltype(auto) parameter(std::remove_reference_t<Argument>& bytes) {
  using T = std::remove_cvref_t<Argument>;
  if constexpr (std::is_class_v<T> && !std::is_trivially_copyable_v<T> &&
                std::is_rvalue_reference_v<Argument>) {
    using Make = T (*)(const void*, std::size_t);
    return reinterpret_cast<Make>(object_maker)(&bytes, sizeof(T));
  } else {
    return static_cast<Argument>(bytes);
  }
}

/// An array as the pointer that a kernel gets for it.
template <class T>
decltype(auto) no_array(T& argument) {
  if constexpr (std::is_array_v<T>) {
    return static_cast<std::decay_t<T>>(argument);
  } else {
    return (argument);
  }
}

/// The argument itself, or the copy that the host makes of it.
template <class T>
decltype(auto) on_host(T& argument) {
  if constexpr (std::is_array_v<T>) {
    return static_cast<std::decay_t<T>>(argument);
  } else if constexpr (std::is_class_v<T> && !std::is_trivially_copyable_v<T> &&
                       std::is_copy_constructible_v<T>) {
    return T(argument);
  } else {
    return (argument);
  }
}

/// A kernel and its arguments, as all threads of a launch share them.
template <class Kernel, class... Arguments>
struct KernelCall {
  const Kernel& kernel;
  const volatile void* arguments[sizeof...(Arguments) + 1];  ///< their addresses

  /// One thread's work. Its own accesses are not the kernel's, so they are not traced.
  [[gnu::noinline, gnu::no_sanitize("thread")]] static void run(const void* call) {
    const auto& self = *static_cast<const KernelCall*>(call);
    self.expand(std::index_sequence_for<Arguments...>());
  }
  template <std::size_t... I>
  [[gnu::no_sanitize("thread")]] void expand(std::index_sequence<I...>) const {
    if constexpr (std::is_invocable_v<const Kernel&, std::remove_cv_t<Arguments>...>) {
      kernel(ArgumentBytes<std::remove_cv_t<Arguments>>(arguments[I]).value()...);
    } else {
      static_assert(std::is_invocable_v<const Kernel&, Arguments&...>,
                    "the kernel does not take arguments of these types");
      kernel(*(Arguments*)arguments[I]...);  // by reference
    }
  }
};

/// An argument's type without __restrict__, which g++ deduces with it, and which no trait knows.
template <class Argument>
struct Unrestricted {
  using Type = Argument;
};
template <class T>
struct Unrestricted<T* __restrict__&> {
  using Type = T*&;
};
template <class T>
struct Unrestricted<T* const __restrict__&> {
  using Type = T* const&;
};

/// A launch that waits for its arguments. They stay where they are until the kernel has ended.
struct PendingLaunch {
  LaunchRequest request;

  template <class Kernel, class... Arguments>
  cudaError_t operator()(const Kernel& kernel, Arguments&&... arguments) const {
    return PendingLaunch{identified(request, address_in(kernel))}.begin(
        kernel, (typename Unrestricted<Arguments>::Type &&) arguments...);
  }

  template <class Kernel, class... Arguments>
  cudaError_t begin(const Kernel& kernel, Arguments&&... arguments) const {
    refuse_within_kernel(request);  // before anything here touches memory of the host
    if constexpr ((std::is_copy_constructible_v<std::decay_t<Arguments>> && ...)) {
      if (is_captured(request.stream)) {
        if (const cudaError_t wrong = require_shape(request); wrong != cudaSuccess) return wrong;
        return submit(request.stream, cudaGraphNodeTypeKernel, name_of(request), request.here,
                      as_work(kernel, no_array(arguments)...));
      }
    }
    const cudaError_t error = refusal_of(request);
    return error == cudaSuccess ? run_now(kernel, std::forward<Arguments>(arguments)...) : error;
  }

  template <class Kernel, class... Arguments>
  cudaError_t run_now(const Kernel& kernel, Arguments&&... arguments) const {
    std::vector<PointerArgument> pointers;
    unsigned number = 0;
    (add_pointers(arguments, ++number, pointers), ...);
    using Call = KernelCall<Kernel, Given<Arguments>...>;
    const auto run = [&](auto&&... copies) {
      const Call call = {kernel, {std::addressof(copies)...}};
      return run_launch(request, pointers, reinterpret_cast<const void*>(&Call::run),
                        {&Call::run, &call, [] { return &ladder_dynamic_shared[0]; }});
    };
    if constexpr (std::is_invocable_v<const Kernel&, std::remove_cvref_t<Arguments>...>) {
      return run(on_host(arguments)...);
    } else {
      return run(arguments...);  // by reference
    }
  }

  /// The launch as a graph keeps it, with copies of all that it is given.
  template <class Kernel, class... Arguments>
  Work as_work(const Kernel& kernel, const Arguments&... arguments) const {
    // No tuple: in one, g++ 12 calls a lambda not trivially copyable, and passes it in another way.
    return [launch = *this, kernel, ... copies = arguments]() mutable {
      return launch.run_now(kernel, copies...);
    };
  }
};

inline PendingLaunch launch(const char* kernel, dim3 grid, dim3 block,
                            std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr,
                            Here here = Here::current()) {
  return {{.kernel = kernel,
           .grid = grid,
           .block = block,
           .dynamic_shared_bytes = dynamic_shared_bytes,
           .cooperative = false,
           .here = here,
           .stream = stream}};
}

/// A launch by the kernel's address.
template <class... Parameters>
LaunchRequest request_of(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                         std::size_t dynamic_shared_bytes, cudaStream_t stream, bool cooperative,
                         Here here) {
  return {.kernel = name,
          .grid = grid,
          .block = block,
          .dynamic_shared_bytes = dynamic_shared_bytes,
          .cooperative = cooperative,
          .here = here,
          .address = reinterpret_cast<const void*>(kernel),
          .stream = stream};
}

template <class... Parameters, std::size_t... I>
cudaError_t launch_with_array(const LaunchRequest& request, void (*kernel)(Parameters...),
                              void** arguments, std::index_sequence<I...>) {
  return PendingLaunch{request}(
      kernel,
      *static_cast<std::remove_cv_t<std::remove_reference_t<Parameters>>*>(arguments[I])...);
}

}  // namespace ladder::glassbox

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr,
                             ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::launch_with_array(
      ladder::glassbox::request_of("kernel of cudaLaunchKernel", kernel, grid, block,
                                   dynamic_shared_bytes, stream, false, here),
      kernel, arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(
    void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
    std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::launch_with_array(
      ladder::glassbox::request_of("kernel of cudaLaunchCooperativeKernel", kernel, grid, block,
                                   dynamic_shared_bytes, stream, true, here),
      kernel, arguments, std::index_sequence_for<Parameters...>());
}
