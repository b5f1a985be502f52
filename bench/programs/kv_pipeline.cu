// SPDX-License-Identifier: MIT
/// \file  bench/programs/kv_pipeline.cu
/// \brief One layer of a language model, token after token: products, whose weights pass through
///        L2, and attention over cached keys and values.
///
///     build/glassbox bench/programs/kv_pipeline.cu                              is it right?
///     nvcc -std=c++20 -O3 -arch=native -I . bench/programs/kv_pipeline.cu -o build/kv_pipeline
///     build/kv_pipeline 32                 MiB of keys and values; hidden 4096, as a model of 7B
///
/// Three ways: `plain`; `window`, in which the keys and values are marked as persisting before the
/// first product; and `fused`, in which one kernel does attention and the product after it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>
#include <vector>

#include "ladder/07_wave_swizzle/kernel.cuh"

/// Ends the program where a call fails.
void check(cudaError_t error, std::source_location here = std::source_location::current()) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", here.file_name(), here.line(), cudaGetErrorString(error));
  std::exit(2);
}

constexpr int kHead = 128;  // floats of a head: one for each thread
constexpr int kSplits = 8;  // blocks that share the tokens of a head
constexpr size_t kMiB = size_t{1} << 20;

/// Sizes of the layer. All numbers are floats.
struct Layer {
  int hidden;  // a multiple of kHead
  int ffn;     // a multiple of 4
  int tokens;  // in the cache; a multiple of kSplits

  int heads() const { return hidden / kHead; }
  size_t cache() const { return size_t{2} * tokens * hidden; }  // keys, then values
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
__global__ void attend(const float* q, const float* keys, const float* values, int hidden,
                       int tokens, float* parts) {
  __shared__ float shared[kHead / 32];
  const int head = blockIdx.x, split = blockIdx.y, dim = threadIdx.x;
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
  float* const part = parts + (size_t(head) * kSplits + split) * (kHead + 2);
  part[dim] = sum;
  if (dim == 0) part[kHead] = largest, part[kHead + 1] = weights;
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

/// \brief  Attention's last step and the product after it in one kernel: nothing comes in between.
///         A block adds what one head gives to kHead columns.
/// \param  out  (hidden)  0 before
__global__ void join_and_project(const float* parts, const float* weights, int hidden, float* out) {
  __shared__ float row[kHead];
  const int head = blockIdx.x, column = blockIdx.y * kHead + threadIdx.x;
  row[threadIdx.x] = joined(parts, head, threadIdx.x);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kHead; ++i)
    sum += row[i] * weights[(size_t(head) * kHead + i) * hidden + column];
  atomicAdd(&out[column], sum);
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

struct Arrays {
  float *x, *qkv, *parts, *mixed, *projected, *wide, *out;  // activations of one token
  float *to_qkv, *to_out, *to_wide, *from_wide;             // weights
  float* cache;                                             // keys, then values
};

struct Times {
  std::vector<float> attention, others;  // ms of each token
};

void step(const Layer& layer, const Arrays& a, bool fused, cudaStream_t stream,
          const std::vector<cudaEvent_t>& events) {
  const int h = layer.hidden;
  const float* const values = a.cache + size_t(layer.tokens) * h;
  check(cudaEventRecord(events[0], stream));
  multiply(a.x, a.to_qkv, a.qkv, 3 * h, h, stream);
  check(cudaEventRecord(events[1], stream));
  attend<<<dim3(layer.heads(), kSplits), kHead, 0, stream>>>(a.qkv, a.cache, values, h,
                                                             layer.tokens, a.parts);
  if (fused) {
    check(cudaMemsetAsync(a.projected, 0, h * sizeof(float), stream));
    join_and_project<<<dim3(layer.heads(), h / kHead), kHead, 0, stream>>>(a.parts, a.to_out, h,
                                                                           a.projected);
  } else {
    join<<<layer.heads(), kHead, 0, stream>>>(a.parts, a.mixed);
  }
  check(cudaEventRecord(events[2], stream));
  if (!fused) multiply(a.mixed, a.to_out, a.projected, h, h, stream);
  multiply(a.projected, a.to_wide, a.wide, layer.ffn, h, stream);
  multiply(a.wide, a.from_wide, a.out, h, layer.ffn, stream);
  check(cudaEventRecord(events[3], stream));
  check(cudaStreamSynchronize(stream));
}

Times run(const Layer& layer, const Arrays& arrays, bool fused, cudaStream_t stream, int tokens) {
  std::vector<cudaEvent_t> events(4);
  for (cudaEvent_t& event : events)
    check(cudaEventCreate(&event));
  Times times;
  for (int token = -1; token < tokens; ++token) {
    step(layer, arrays, fused, stream, events);
    if (token < 0) continue;  // the first one warms up
    float before = 0, attention = 0, behind = 0;
    check(cudaEventElapsedTime(&before, events[0], events[1]));
    check(cudaEventElapsedTime(&attention, events[1], events[2]));
    check(cudaEventElapsedTime(&behind, events[2], events[3]));
    times.attention.push_back(attention);
    times.others.push_back(before + behind);
  }
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
  double largest = 0, wrong = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    wrong = std::max(wrong, std::abs(wanted[i] - found[i]));
  }
  return wrong <= 1e-4 * largest && largest > 0;
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

/// \brief  All three ways.
/// \return whether all are right
bool compare(const Layer& layer, bool timed, cudaStream_t stream) {
  const size_t h = layer.hidden;
  const float scale = 1 / std::sqrt(float(h));
  const Arrays a = {.x = filled(h, 1),
                    .qkv = filled(3 * h, 0),
                    .parts = filled(h / kHead * kSplits * (kHead + 2), 0),
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
  for (const std::string way : {"plain", "window", "fused"}) {
    size_t aside = 0;
    if (way == "window") aside = keep_in_l2(stream, a.cache, layer.cache() * sizeof(float));
    check(cudaMemset(a.out, 0, h * sizeof(float)));
    const Times times = run(layer, a, way == "fused", stream, timed ? 21 : 1);
    const bool good = is_right(to_host(a.out, h), wanted);
    right = right && good;
    std::printf("%-6s  %s", way.c_str(), good ? "right" : "WRONG");
    if (way == "window") std::printf(", %zu KiB set aside", aside / 1024);
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

/// What another array of so many bytes gets of L2 while a part of it is set aside and full.
void starve(size_t bytes, cudaStream_t stream) {
  int most = 0, sms = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
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
    std::printf("%.1f MiB set aside: another array of %.1f MiB is read at %.0f GB/s\n",
                double(aside) / kMiB, double(bytes) / kMiB, kTimes * double(bytes) / ms / 1e6);
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
      mib == 0 ? Layer{.hidden = 2 * kHead, .ffn = 192, .tokens = 16}
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
