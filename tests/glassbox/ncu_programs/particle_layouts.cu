// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/particle_layouts.cu
/// \brief Moves particles that are an array of structures, and particles that are six arrays.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 96;

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float mass;
};

__global__ void move_structures(Particle* particles, int n, float dt) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  particles[i].x += particles[i].vx * dt;
  particles[i].y += particles[i].vy * dt;
  particles[i].z += particles[i].vz * dt;
}

__global__ void move_arrays(float* x, float* y, float* z, const float* vx, const float* vy,
                            const float* vz, int n, float dt) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  x[i] += vx[i] * dt;
  y[i] += vy[i] * dt;
  z[i] += vz[i] * dt;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 5003, blocks = (n + kThreads - 1) / kThreads;
  std::vector<Particle> particles(n);
  std::vector<float> arrays(6 * n);  // (6, n)
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<float>(i);
    particles[i] = {at, at + 1, at + 2, 2, 4, 6, 1};
    const float fields[] = {at, at + 1, at + 2, 2, 4, 6};
    for (int field = 0; field < 6; ++field)
      arrays[field * n + i] = fields[field];
  }
  Particle* d_particles;
  float* d_arrays;
  check(cudaMalloc(&d_particles, sizeof(Particle) * n));
  check(cudaMalloc(&d_arrays, sizeof(float) * 6 * n));
  check(cudaMemcpy(d_particles, particles.data(), sizeof(Particle) * n, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_arrays, arrays.data(), sizeof(float) * 6 * n, cudaMemcpyHostToDevice));
  move_structures<<<blocks, kThreads>>>(d_particles, n, 0.5f);
  move_arrays<<<blocks, kThreads>>>(d_arrays, d_arrays + n, d_arrays + 2 * n, d_arrays + 3 * n,
                                    d_arrays + 4 * n, d_arrays + 5 * n, n, 0.5f);
  check(cudaGetLastError());
  check(cudaMemcpy(particles.data(), d_particles, sizeof(Particle) * n, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(arrays.data(), d_arrays, sizeof(float) * 6 * n, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<float>(i);
    const Particle& p = particles[i];
    wrong += p.x != at + 1 || p.y != at + 3 || p.z != at + 5;
    wrong += arrays[i] != p.x || arrays[n + i] != p.y || arrays[2 * n + i] != p.z;
  }
  std::printf("the last particle is at %.0f, %.0f, %.0f\n", particles[n - 1].x, particles[n - 1].y,
              particles[n - 1].z);
  std::printf("%d of %d are wrong\n", wrong, 2 * n);
  check(cudaFree(d_particles));
  check(cudaFree(d_arrays));
  return wrong != 0;
}
