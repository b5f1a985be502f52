// SPDX-License-Identifier: MIT
/// \file  bench/programs/kv_pipeline.cu
/// \brief One layer of a language model, token after token: products, whose weights pass through
///        L2, and attention over cached keys and values.
///
///     build/glassbox bench/programs/kv_pipeline.cu                              is it right?
///     nvcc -std=c++20 -O3 -arch=native -I . bench/programs/kv_pipeline.cu -o build/kv_pipeline
///     build/kv_pipeline 32                 MiB of keys and values; hidden 4096, as a model of 7B
///
/// Six ways: `plain`; `window`, in which the keys and values are marked as persisting before the
/// first product; `fused`, in which one kernel ends attention and does the product after it;
/// `staying`, in which one block per SM takes one part of attention after the other; `persistent`,
/// in which blocks stay for the whole layer; and that with the window.
#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <vector>

#include "bench/labs/instruments/kernels/clock.cuh"
#include "common/ptx/nanoseconds.cuh"
#include "ladder/07_wave_swizzle/kernel.cuh"

/// Ends the program where a call fails.
void check(cudaError_t error, std::source_location here = std::source_location::current()) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", here.file_name(), here.line(), cudaGetErrorString(error));
  std::exit(2);
}

constexpr int kHead = 128;  // floats of a head: one for each thread
constexpr int kSplits = 8;  // parts of the tokens of a head, each for one block
constexpr int kPerSm = 8;   // blocks that stay on an SM: enough loads in flight for the weights
constexpr size_t kMiB = size_t{1} << 20;

/// Sizes of the layer. All numbers are floats.
struct Layer {
  int hidden;  // a multiple of kHead
  int ffn;     // a multiple of kHead
  int tokens;  // in the cache; a multiple of kSplits

  int heads() const { return hidden / kHead; }
  int parts() const { return heads() * kSplits; }               // of attention
  size_t cache() const { return size_t{2} * tokens * hidden; }  // keys, then values
};

/// What a token passes through.
struct Arrays {
  float *x, *qkv, *parts, *mixed, *projected, *wide, *out;  // activations of one token
  float *to_qkv, *to_out, *to_wide, *from_wide;             // weights
  float* cache;                                             // keys, then values
};

// -- Kernels -------------------------------------------------------------------------------------

/// C = A B with rung 07 of the ladder. A has one row: the new token.
void multiply(const float* A, const float* B, float* C, int n, int k, cudaStream_t stream) {
  constexpr int kTile = 128, kBand = 16;
  ladder::wave_swizzle::kernel<kTile, kTile, 8, 8, 8, kBand>
      <<<dim3((n + kTile - 1) / kTile * kBand, 1), 256, 0, stream>>>(1, n, k, 1.0f, A, B, 0.0f, C);
  check(cudaGetLastError());
}

/// Sum over all threads of a block of kHead.
__device__ float block_sum(float value, float* shared) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  const float sum = shared[0] + shared[1] + shared[2] + shared[3];
  __syncthreads();
  return sum;
}

/// \brief  Attention of one head over one split of the tokens: sums that are not divided yet.
/// \param  parts  (heads, kSplits, kHead + 2)  weighted values, largest score, sum of weights
__device__ void attend_part(const float* q, const float* keys, const float* values, int hidden,
                            int tokens, int item, float* parts, float* shared) {
  const int head = item / kSplits, split = item % kSplits, dim = threadIdx.x;
  const int begin = tokens / kSplits * split, end = begin + tokens / kSplits;
  const size_t column = size_t(head) * kHead + dim;
  const float own = q[column] * rsqrtf(float(kHead));
  float largest = -INFINITY, weights = 0, sum = 0;
  for (int token = begin; token < end; ++token) {
    const float score = block_sum(own * keys[size_t(token) * hidden + column], shared);
    const float now = fmaxf(largest, score);
    const float before = expf(largest - now), weight = expf(score - now);
    sum = sum * before + weight * values[size_t(token) * hidden + column];
    weights = weights * before + weight;
    largest = now;
  }
  float* const part = parts + size_t(item) * (kHead + 2);
  part[dim] = sum;
  if (dim == 0) part[kHead] = largest, part[kHead + 1] = weights;
}

/// All parts of attention, over as many blocks as there are.
__device__ void attend_all(const Layer& layer, const Arrays& a, float* shared) {
  const float* const values = a.cache + size_t(layer.tokens) * layer.hidden;
  for (int item = blockIdx.x; item < layer.hidden / kHead * kSplits; item += gridDim.x)
    attend_part(a.qkv, a.cache, values, layer.hidden, layer.tokens, item, a.parts, shared);
}

__global__ void attend(Layer layer, Arrays a) {
  __shared__ float shared[kHead / 32];
  attend_all(layer, a, shared);
}

/// The output of a head from the parts of its splits.
__device__ float joined(const float* parts, int head, int dim) {
  const float* const first = parts + size_t(head) * kSplits * (kHead + 2);
  float largest = -INFINITY, weights = 0, sum = 0;
  for (int split = 0; split < kSplits; ++split)
    largest = fmaxf(largest, first[split * (kHead + 2) + kHead]);
  for (int split = 0; split < kSplits; ++split) {
    const float* const part = first + split * (kHead + 2);
    const float scale = expf(part[kHead] - largest);
    sum += scale * part[dim];
    weights += scale * part[kHead + 1];
  }
  return sum / weights;
}

__global__ void join(const float* parts, float* out) {
  out[blockIdx.x * kHead + threadIdx.x] = joined(parts, blockIdx.x, threadIdx.x);
}

/// \brief  Adds to kHead columns of a product what kHead elements of its row give.
/// \param  row      (kHead)  in shared memory
/// \param  weights  (kHead, n)  the rows that belong to them
__device__ void add_rows(const float* row, const float* weights, int n, int column, float* out) {
  if (column >= n) return;
  float sum = 0;
  for (int i = 0; i < kHead; ++i)
    sum += row[i] * weights[size_t(i) * n + column];
  atomicAdd(&out[column], sum);
}

/// \brief  Attention's last step and the product after it in one kernel: nothing comes in between.
///         A block adds what one head gives to kHead columns.
/// \param  out  (hidden)  0 before
__global__ void join_and_project(const float* parts, const float* weights, int hidden, float* out) {
  __shared__ float row[kHead];
  const int head = blockIdx.x, column = blockIdx.y * kHead + threadIdx.x;
  row[threadIdx.x] = joined(parts, head, threadIdx.x);
  __syncthreads();
  add_rows(row, weights + size_t(head) * kHead * hidden, hidden, column, out);
}

/// \brief  A product in a kernel whose blocks stay.
/// \param  element  of the row, by its number
/// \param  out      (n)  0 before
template <typename Element>
__device__ void product(Element element, const float* weights, int k, int n, float* out,
                        float* row) {
  const int across = (n + kHead - 1) / kHead;
  for (int item = blockIdx.x; item < k / kHead * across; item += gridDim.x) {
    const int first = item / across * kHead, column = item % across * kHead + threadIdx.x;
    row[threadIdx.x] = element(first + threadIdx.x);
    __syncthreads();
    add_rows(row, weights + size_t(first) * n, n, column, out);
    __syncthreads();
  }
}

__device__ void clear(float* data, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = 0;
}

/// \brief  The whole layer in one kernel: the blocks stay, and wait for all after each stage.
/// \param  times  (2)  when attention begins, and when it ends, in ns
__global__ void __launch_bounds__(kHead, kPerSm)
    whole_layer(Layer layer, Arrays a, unsigned long long* times) {
  __shared__ float row[kHead];
  const auto grid = cooperative_groups::this_grid();
  const int h = layer.hidden;
  clear(a.qkv, 3 * h);
  clear(a.projected, h);
  clear(a.wide, layer.ffn);
  clear(a.out, h);
  grid.sync();
  product([&](int i) { return a.x[i]; }, a.to_qkv, h, 3 * h, a.qkv, row);
  grid.sync();
  if (grid.thread_rank() == 0) times[0] = ladder::ptx::nanoseconds();
  attend_all(layer, a, row);
  grid.sync();
  if (grid.thread_rank() == 0) times[1] = ladder::ptx::nanoseconds();
  product([&](int i) { return joined(a.parts, i / kHead, i % kHead); }, a.to_out, h, h, a.projected,
          row);
  grid.sync();
  product([&](int i) { return a.projected[i]; }, a.to_wide, h, layer.ffn, a.wide, row);
  grid.sync();
  product([&](int i) { return a.wide[i]; }, a.from_wide, layer.ffn, h, a.out, row);
}

/// Small numbers of both signs that depend on their place.
__global__ void fill(float* data, size_t count, float scale) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    data[i] = (float(i * 2654435761u % 1024) / 512 - 1) * scale;
}

/// Another kernel's array, read again and again past L1.
__global__ void read_again(const float4* data, size_t count, int times, float* sink) {
  float sum = 0;
  for (int time = 0; time < times; ++time)
    for (size_t i = size_t((blockIdx.x + time) % gridDim.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
      const float4 value = __ldcg(data + i);
      sum += value.x + value.y + value.z + value.w;
    }
  if (sum == 0.12345f) *sink = sum;
}

/// \brief  One thread reads lines past L1, one after the other: all over the array.
/// \param  cycles  (count)  of each load
__global__ void time_lines(const float* data, size_t lines, int count, unsigned* cycles) {
  constexpr int kFloats = 32;  // of a line
  for (int i = 0; i < count; ++i) {
    const size_t line = i * (lines / count) + i * size_t{2654435761u} % (lines / count);
    const long long begin = ladder::labs::kernels::clock_after(data + line * kFloats);
    const float value = __ldcg(data + line * kFloats);
    const float* const after = data + (value == 0.12345f);
    cycles[i] = unsigned(ladder::labs::kernels::clock_after(after) - begin);
  }
}

// -- The window ----------------------------------------------------------------------------------

/// Sets L2 aside, and marks an array on a stream. What kernels of the stream read there persists.
size_t keep_in_l2(cudaStream_t stream, void* data, size_t bytes) {
  int most = 0, largest = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  check(cudaDeviceGetAttribute(&largest, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  const size_t aside = std::min(bytes, size_t(most));
  const size_t window = std::min(bytes, size_t(largest));
  if (aside == 0) return 0;  // compute capability 7.5 and below, or MIG
  check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside));
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = data;
  value.accessPolicyWindow.num_bytes = window;
  value.accessPolicyWindow.hitRatio = std::min(1.0f, float(aside) / float(window));
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  check(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  return aside;
}

/// Gives L2 back to everybody.
void forget_l2(cudaStream_t stream) {
  cudaStreamAttrValue value = {};  // a window of 0 bytes
  check(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  check(cudaCtxResetPersistingL2Cache());
  check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
}

// -- One token through the layer -----------------------------------------------------------------

/// How the layer is run.
struct Way {
  const char* name;
  bool window = false;      // over the keys and values
  bool fused = false;       // attention's end and the product after it
  bool staying = false;     // attention's blocks: one per SM
  bool persistent = false;  // all blocks, for the whole layer
};

constexpr Way kWays[] = {{.name = "plain"},
                         {.name = "window", .window = true},
                         {.name = "fused", .fused = true},
                         {.name = "staying", .staying = true},
                         {.name = "persistent", .persistent = true},
                         {.name = "persistent_window", .window = true, .persistent = true}};

struct Times {
  std::vector<float> attention, others;  // ms of each token
};

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

/// One kernel after the other. Attention begins with the second event and ends with the third.
void launch_kernels(const Layer& layer, const Arrays& a, const Way& way, cudaStream_t stream,
                    const std::vector<cudaEvent_t>& events) {
  const int h = layer.hidden, parts = layer.parts();
  multiply(a.x, a.to_qkv, a.qkv, 3 * h, h, stream);
  check(cudaEventRecord(events[1], stream));
  const int blocks =
      way.staying ? std::min(parts, attribute(cudaDevAttrMultiProcessorCount)) : parts;
  attend<<<blocks, kHead, 0, stream>>>(layer, a);
  if (way.fused) {
    check(cudaMemsetAsync(a.projected, 0, h * sizeof(float), stream));
    join_and_project<<<dim3(layer.heads(), h / kHead), kHead, 0, stream>>>(a.parts, a.to_out, h,
                                                                           a.projected);
  } else {
    join<<<layer.heads(), kHead, 0, stream>>>(a.parts, a.mixed);
  }
  check(cudaEventRecord(events[2], stream));
  if (!way.fused) multiply(a.mixed, a.to_out, a.projected, h, h, stream);
  multiply(a.projected, a.to_wide, a.wide, layer.ffn, h, stream);
  multiply(a.wide, a.from_wide, a.out, h, layer.ffn, stream);
}

/// As many blocks as can wait for each other.
void launch_persistent(Layer layer, Arrays a, unsigned long long* times, cudaStream_t stream) {
  int fit = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, whole_layer, kHead, 0));
  const int blocks = std::min(fit, kPerSm) * attribute(cudaDevAttrMultiProcessorCount);
  void* arguments[] = {&layer, &a, &times};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(whole_layer), blocks, kHead, arguments,
                                    0, stream));
}

Times run(const Layer& layer, const Arrays& arrays, const Way& way, cudaStream_t stream,
          int tokens) {
  std::vector<cudaEvent_t> events(4);
  for (cudaEvent_t& event : events)
    check(cudaEventCreate(&event));
  unsigned long long *clock = nullptr, read[2] = {};  // of the persistent kernel
  check(cudaMalloc(&clock, sizeof read));
  Times times;
  for (int token = -1; token < tokens; ++token) {
    check(cudaEventRecord(events[0], stream));
    if (way.persistent)
      launch_persistent(layer, arrays, clock, stream);
    else
      launch_kernels(layer, arrays, way, stream, events);
    check(cudaEventRecord(events[3], stream));
    check(cudaStreamSynchronize(stream));
    if (token < 0) continue;  // the first one warms up
    float all = 0, attention = 0;
    check(cudaEventElapsedTime(&all, events[0], events[3]));
    if (way.persistent) {
      check(cudaMemcpy(read, clock, sizeof read, cudaMemcpyDeviceToHost));
      attention = 1e-6f * float(read[1] - read[0]);
    } else {
      check(cudaEventElapsedTime(&attention, events[1], events[2]));
    }
    times.attention.push_back(attention);
    times.others.push_back(all - attention);
  }
  check(cudaFree(clock));
  for (const cudaEvent_t event : events)
    check(cudaEventDestroy(event));
  return times;
}

// -- On the host ---------------------------------------------------------------------------------

std::vector<float> to_host(const float* data, size_t count) {
  std::vector<float> values(count);
  check(cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost));
  return values;
}

std::vector<double> product(const std::vector<double>& row, const std::vector<float>& weights) {
  const size_t n = weights.size() / row.size();
  std::vector<double> out(n, 0.0);
  for (size_t k = 0; k < row.size(); ++k)
    for (size_t i = 0; i < n; ++i)
      out[i] += row[k] * weights[k * n + i];
  return out;
}

/// The layer in double precision.
std::vector<double> expected(const Layer& layer, const Arrays& a) {
  const size_t h = layer.hidden;
  const std::vector<float> x = to_host(a.x, h), cache = to_host(a.cache, layer.cache());
  const std::vector<double> qkv = product({x.begin(), x.end()}, to_host(a.to_qkv, 3 * h * h));
  std::vector<double> mixed(h, 0.0);
  for (size_t head = 0; head < h / kHead; ++head) {
    std::vector<double> scores(layer.tokens, 0.0);
    for (size_t token = 0; token < scores.size(); ++token)
      for (size_t i = head * kHead; i < (head + 1) * kHead; ++i)
        scores[token] += qkv[i] * cache[token * h + i] / std::sqrt(double(kHead));
    double sum = 0;
    for (const double score : scores)
      sum += std::exp(score);
    for (size_t token = 0; token < scores.size(); ++token)
      for (size_t i = head * kHead; i < (head + 1) * kHead; ++i)
        mixed[i] += std::exp(scores[token]) / sum * cache[(layer.tokens + token) * h + i];
  }
  const std::vector<double> wide =
      product(product(mixed, to_host(a.to_out, h * h)), to_host(a.to_wide, h * layer.ffn));
  return product(wide, to_host(a.from_wide, h * layer.ffn));
}

bool is_right(const std::vector<float>& found, const std::vector<double>& wanted) {
  double largest = 0;
  for (const double value : wanted)
    largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!(std::abs(wanted[i] - found[i]) <= 1e-4 * largest)) return false;  // NaN, too
  return largest > 0;
}

float median(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

float* filled(size_t count, float scale) {
  float* data = nullptr;
  check(cudaMalloc(&data, count * sizeof(float)));
  fill<<<256, 256>>>(data, count, scale);
  check(cudaGetLastError());
  return data;
}

/// What the way before has left would hide what this one leaves out.
void forget_results(const Layer& layer, const Arrays& a) {
  const size_t h = layer.hidden;
  check(cudaMemset(a.qkv, 0, 3 * h * sizeof(float)));
  check(cudaMemset(a.parts, 0, layer.parts() * (kHead + 2) * sizeof(float)));
  check(cudaMemset(a.wide, 0, layer.ffn * sizeof(float)));
  for (float* const row : {a.mixed, a.projected, a.out})
    check(cudaMemset(row, 0, h * sizeof(float)));
}

/// \brief  All ways.
/// \return whether all are right
bool compare(const Layer& layer, bool timed, cudaStream_t stream) {
  const size_t h = layer.hidden;
  const float scale = 1 / std::sqrt(float(h));
  const Arrays a = {.x = filled(h, 1),
                    .qkv = filled(3 * h, 0),
                    .parts = filled(size_t(layer.parts()) * (kHead + 2), 0),
                    .mixed = filled(h, 0),
                    .projected = filled(h, 0),
                    .wide = filled(layer.ffn, 0),
                    .out = filled(h, 0),
                    .to_qkv = filled(3 * h * h, scale),
                    .to_out = filled(h * h, scale),
                    .to_wide = filled(h * layer.ffn, scale),
                    .from_wide = filled(h * layer.ffn, scale),
                    .cache = filled(layer.cache(), 1)};
  check(cudaDeviceSynchronize());
  const std::vector<double> wanted = expected(layer, a);
  bool right = true;
  for (const Way& way : kWays) {
    size_t aside = 0;
    if (way.window) aside = keep_in_l2(stream, a.cache, layer.cache() * sizeof(float));
    forget_results(layer, a);
    const Times times = run(layer, a, way, stream, timed ? 21 : 1);
    const bool good = is_right(to_host(a.out, h), wanted);
    right = right && good;
    std::printf("%-6s  %s", way.name, good ? "right" : "WRONG");
    if (way.window) std::printf(", %zu KiB set aside", aside / 1024);
    if (timed)
      std::printf("  attention %.1f us, products %.1f us", 1e3 * median(times.attention),
                  1e3 * median(times.others));
    std::printf("\n");
    if (aside != 0) forget_l2(stream);
  }
  for (float* data : {a.x, a.qkv, a.parts, a.mixed, a.projected, a.wide, a.out, a.to_qkv, a.to_out,
                      a.to_wide, a.from_wide, a.cache})
    check(cudaFree(data));
  return right;
}

/// How long a line of an array takes that all SMs have read: sorted.
std::vector<unsigned> line_cycles(const float* data, size_t bytes, cudaStream_t stream) {
  std::vector<unsigned> found(4096);
  unsigned* cycles = nullptr;
  check(cudaMalloc(&cycles, found.size() * sizeof(unsigned)));
  time_lines<<<1, 1, 0, stream>>>(data, bytes / 128, int(found.size()), cycles);
  check(cudaGetLastError());
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(found.data(), cycles, found.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  check(cudaFree(cycles));
  std::sort(found.begin(), found.end());
  return found;
}

/// What another array of so many bytes gets of L2 while a part of it is set aside and full.
void starve(size_t bytes, cudaStream_t stream) {
  const int most = attribute(cudaDevAttrMaxPersistingL2CacheSize);
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  float* const kept = filled(std::max<size_t>(most, kMiB) / sizeof(float), 1);
  float* const other = filled(bytes / sizeof(float), 1);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto read = [&](const float* data, size_t size, int times) {
    read_again<<<2 * sms, 1024, 0, stream>>>(reinterpret_cast<const float4*>(data), size / 16,
                                             times, kept);
    check(cudaGetLastError());
  };
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const size_t aside = quarter == 0 ? 0 : keep_in_l2(stream, kept, size_t(most) / 4 * quarter);
    if (aside != 0) read(kept, aside, 4);  // now it is full
    read(other, bytes, 2);
    constexpr int kTimes = 50;
    check(cudaEventRecord(begin, stream));
    read(other, bytes, kTimes);
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    const std::vector<unsigned> cycles = line_cycles(other, bytes, stream);
    std::printf(
        "%.1f MiB set aside: another array of %.1f MiB is read at %.0f GB/s, a line of it "
        "in %u, %u, %u cycles\n",
        double(aside) / kMiB, double(bytes) / kMiB, kTimes * double(bytes) / ms / 1e6,
        cycles[cycles.size() / 10], cycles[cycles.size() / 2], cycles[cycles.size() * 9 / 10]);
    if (aside != 0) forget_l2(stream);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(kept));
  check(cudaFree(other));
}

int main(int argc, char** argv) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::fprintf(stderr, "There is no GPU here. Run it in the glass box: build/glassbox %s\n",
                 __FILE__);
    return 2;
  }
  const int mib = argc > 1 ? std::atoi(argv[1]) : 0;
  if (argc > 2 || (argc == 2 && mib < 1)) {
    std::fprintf(stderr, "usage: kv_pipeline [MiB of keys and values; without: a small check]\n");
    return 2;
  }
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  constexpr int kHidden = 4096, kFfn = 11008;  // of a model of 7B
  const Layer layer =
      mib == 0 ? Layer{.hidden = 2 * kHead, .ffn = 3 * kHead, .tokens = 16}
               : Layer{.hidden = kHidden,
                       .ffn = kFfn,
                       .tokens = std::max(kSplits,
                                          int(mib * kMiB / 4 / 2 / kHidden / kSplits * kSplits))};
  const bool right = compare(layer, mib != 0, stream);
  for (int size = 8; mib != 0 && size <= 32; size *= 2)
    starve(size * kMiB, stream);
  check(cudaStreamDestroy(stream));
  return right ? 0 : 1;
}
