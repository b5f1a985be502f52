// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/sparse_product.cu
/// \brief A sparse matrix in compressed rows (CSR), times a vector: a thread for each row.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 64;

__global__ void multiply(int rows, const int* begins, const int* columns, const float* values,
                         const float* x, float* y) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = begins[row]; i < begins[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
T* copy_of(const std::vector<T>& values) {
  T* copy;
  check(cudaMalloc(&copy, sizeof(T) * values.size()));
  check(cudaMemcpy(copy, values.data(), sizeof(T) * values.size(), cudaMemcpyHostToDevice));
  return copy;
}

int main() {
  const int rows = 2001;
  std::vector<int> begins{0}, columns;
  std::vector<float> values, x(rows), y(rows);
  for (int row = 0; row < rows; ++row) {
    x[row] = static_cast<float>(row % 13);
    for (int i = 0; i < 1 + row * 5 % 9; ++i) {
      columns.push_back((row * 31 + i * 67) % rows);
      values.push_back(static_cast<float>(i + 1));
    }
    begins.push_back(static_cast<int>(columns.size()));
  }
  int *d_begins = copy_of(begins), *d_columns = copy_of(columns);
  float *d_values = copy_of(values), *d_x = copy_of(x), *d_y = copy_of(y);
  multiply<<<(rows + kThreads - 1) / kThreads, kThreads>>>(rows, d_begins, d_columns, d_values, d_x,
                                                           d_y);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), d_y, sizeof(float) * rows, cudaMemcpyDeviceToHost));
  int wrong = 0;
  double total = 0;
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int i = begins[row]; i < begins[row + 1]; ++i)
      sum += values[i] * x[columns[i]];
    wrong += y[row] != sum;
    total += y[row];
  }
  std::printf("the product adds up to %.0f, %d of %d rows are wrong\n", total, wrong, rows);
  check(cudaFree(d_begins));
  check(cudaFree(d_columns));
  check(cudaFree(d_values));
  check(cudaFree(d_x));
  check(cudaFree(d_y));
  return wrong != 0;
}
