// SPDX-License-Identifier: MIT
#include "bench/benchmark/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <random>
#include <stdexcept>

#include "common/verify.hpp"

namespace ladder::bench {
namespace {

// M is the number of tokens in a batch; K and N come from the model's published configuration.
const auto kKnownShapes = std::to_array<KnownShape>({
    {"squares", {512, 512, 512}, "16 tiles of 128 x 128: most SMs have nothing to do"},
    {"squares", {768, 768, 768}, "between two powers of two"},
    {"squares", {1024, 1024, 1024}, "64 tiles of 128 x 128: half an H200"},
    {"squares", {1536, 1536, 1536}, "144 tiles of 128 x 128: one wave of an H200 and a bit"},
    {"squares", {2048, 2048, 2048}, "128 tiles of 128 x 256: just under one wave"},
    {"squares", {3072, 3072, 3072}, "288 tiles of 128 x 256: 2.2 waves"},
    {"squares", {4096, 4096, 4096}, "the size that everybody quotes"},
    {"squares", {6144, 6144, 6144}, "A and B are larger than any L2"},
    {"squares", {8192, 8192, 8192}, "many waves: the last one hardly counts"},
    {"squares", {12288, 12288, 12288}, "block order decides what stays in L2"},
    {"squares", {16384, 16384, 16384}, "1 GiB a matrix: the power limit shows"},
    {"small", {128, 128, 128}, "one tile: launch and latency alone"},
    {"small", {256, 256, 256}, "four tiles"},
    {"small", {384, 384, 384}, "nine tiles"},
    {"small", {640, 640, 640}, "25 tiles"},
    {"small", {128, 512, 512}, "a small batch through a small layer"},
    {"off_by_four", {508, 508, 508}, "512 less 4: the same tiles, ragged"},
    {"off_by_four", {516, 516, 516}, "512 and 4: one more row and column of tiles, almost empty"},
    {"off_by_four", {1020, 1020, 1020}, "1024 less 4"},
    {"off_by_four", {1028, 1028, 1028}, "1024 and 4"},
    {"off_by_four", {2044, 2044, 2044}, "2048 less 4"},
    {"off_by_four", {2052, 2052, 2052}, "2048 and 4"},
    {"off_by_four", {4092, 4092, 4092}, "4096 less 4"},
    {"off_by_four", {4100, 4100, 4100}, "4096 and 4"},
    {"off_by_four", {8188, 8188, 8188}, "8192 less 4"},
    {"off_by_four", {8196, 8196, 8196}, "8192 and 4"},
    {"tall", {65536, 128, 1024}, "one column of tiles: B is read again and again"},
    {"tall", {16384, 512, 2048}, "M is 32 times N"},
    {"tall", {32768, 256, 4096}, "M is 128 times N, K deep"},
    {"wide", {128, 65536, 1024}, "one row of tiles: A is read again and again"},
    {"wide", {512, 16384, 2048}, "N is 32 times M"},
    {"wide", {256, 32768, 4096}, "N is 128 times M, K deep"},
    {"deep", {128, 128, 65536}, "one tile: only a cut along K fills a GPU"},
    {"deep", {512, 512, 16384}, "16 tiles, K is 32 times M"},
    {"deep", {1024, 1024, 32768}, "64 tiles, K is 32 times M"},
    {"llm", {512, 6144, 4096}, "Llama 3 8B and Mistral 7B: queries, keys and values"},
    {"llm", {512, 28672, 4096}, "Llama 3 8B and Mistral 7B: gate and up"},
    {"llm", {512, 4096, 14336}, "Llama 3 8B and Mistral 7B: down"},
    {"llm", {512, 32000, 4096}, "Mistral 7B: output head"},
    {"llm", {512, 10240, 8192}, "Llama 3 70B: queries, keys and values"},
    {"llm", {512, 8192, 28672}, "Llama 3 70B: down"},
    {"llm", {512, 36864, 12288}, "GPT-3 175B: queries, keys and values"},
    {"llm", {512, 12288, 49152}, "GPT-3 175B: second layer of the MLP"},
    {"llm", {512, 37888, 3584}, "Qwen2.5 7B: gate and up"},
    {"llm", {512, 3584, 18944}, "Qwen2.5 7B: down"},
    {"llm", {4096, 6144, 4096}, "Llama 3 8B and Mistral 7B: queries, keys and values"},
    {"llm", {4096, 28672, 4096}, "Llama 3 8B and Mistral 7B: gate and up"},
    {"llm", {4096, 4096, 14336}, "Llama 3 8B and Mistral 7B: down"},
    {"llm", {4096, 10240, 8192}, "Llama 3 70B: queries, keys and values"},
    {"llm", {4096, 8192, 8192}, "Llama 3 70B: attention output"},
    {"llm", {4096, 4608, 3584}, "Qwen2.5 7B: queries, keys and values"},
    {"llm", {4096, 37888, 3584}, "Qwen2.5 7B: gate and up"},
    {"llm", {4096, 3584, 18944}, "Qwen2.5 7B: down"},
});

std::string set_names() {
  std::string names = "all";
  std::string_view last;
  for (const KnownShape& known : kKnownShapes) {
    if (known.set == last) continue;
    last = known.set;
    names += fmt::format(", {}", last);
  }
  names += ", drawn, drawn:SEED";
  return names;
}

constexpr std::string_view kDrawn = "drawn";

/// The seed in "drawn:SEED"
std::uint64_t seed_in(std::string_view set) {
  const std::string_view text = set.substr(kDrawn.size() + 1);
  std::uint64_t seed = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || rest != text.data() + text.size()) {
    throw std::invalid_argument(
        fmt::format("'{}': a seed is a whole number below 2^64, as in drawn:7", set));
  }
  return seed;
}

std::vector<Shape> shapes_of_set(std::string_view set) {
  if (set == kDrawn) return drawn_shapes(kDrawnSeed, kDrawnShapes);
  if (set.starts_with(fmt::format("{}:", kDrawn))) return drawn_shapes(seed_in(set), kDrawnShapes);
  std::vector<Shape> shapes;
  for (const KnownShape& known : kKnownShapes) {
    if (set == "all" || set == known.set) shapes.push_back(known.shape);
  }
  return shapes;
}

/// "4096x4096x512"
Shape parse_shape(std::string_view text) {
  std::array<int, 3> extents = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto [rest, error] = std::from_chars(at, end, extents[i]);
    const bool last = i + 1 == extents.size();
    const bool right_end = last ? rest == end : rest != end && *rest == 'x';
    if (error == std::errc::result_out_of_range ||
        (error == std::errc() && right_end && (extents[i] < 1 || extents[i] > kMaxExtent))) {
      throw std::invalid_argument(
          fmt::format("shape '{}': M, N and K go from 1 to {}", text, kMaxExtent));
    }
    if (error != std::errc() || !right_end) {
      throw std::invalid_argument(
          fmt::format("'{}' is no shape and no set: write MxNxK, as in 4096x4096x512, or one of {}",
                      text, set_names()));
    }
    at = rest + 1;
  }
  return {.M = extents[0], .N = extents[1], .K = extents[2]};
}

}  // namespace

std::span<const KnownShape> known_shapes() {
  return kKnownShapes;
}

std::vector<Shape> drawn_shapes(std::uint64_t seed, int count) {
  std::mt19937_64 engine(seed);
  constexpr double kLargest = 16384;
  const auto draw = [&](int step) {
    const double uniform = (engine() >> 11) * 0x1p-53;  // [0, 1)
    const double extent = step * std::pow(kLargest / step, uniform);
    return step * static_cast<int>(std::lround(extent / step));
  };
  std::vector<Shape> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    const int M = draw(1);
    const int N = draw(4);
    const int K = draw(4);
    shapes.push_back({.M = M, .N = N, .K = K});
  }
  return shapes;
}

std::vector<Shape> parse_shapes(std::string_view list) {
  std::vector<Shape> shapes;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view item = list.substr(begin, end - begin);
    std::vector<Shape> more = shapes_of_set(item);
    if (more.empty()) more = {parse_shape(item)};
    for (const Shape& shape : more) {
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
    }
    begin = end + 1;
  }
  return shapes;
}

std::string name_of(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.M, shape.N, shape.K);
}

}  // namespace ladder::bench
