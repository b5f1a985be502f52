"""Clusters: by `__cluster_dims__` or by cudaLaunchKernelEx; and which launches are refused."""

import unittest

from tests.glassbox.own_program import fault, fault_codes, faults, in_main, outcome

KERNELS = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    // Each block adds up what the blocks of its cluster have in shared memory.
    __device__ void add(int* out, int first) {
      __shared__ int mine;
      cg::cluster_group cluster = cg::this_cluster();
      if (threadIdx.x == 0) mine = blockIdx.x + first;
      cluster.sync();
      int sum = 0;
      for (int r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(&mine, r);
      if (threadIdx.x == 0) out[blockIdx.x] = sum + 100 * cluster.block_rank();
      cluster.sync();
    }
    __global__ void any(int* out, int first) { add(out, first); }
    __cluster_dims__(4) __global__ void four(int* out);
    namespace ours {
    __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) two(int* out) { add(out, 0); }
    template <int kFirst>
    __global__ void __cluster_dims__(2, 1, 1) two_from(int* out) { add(out, kFirst); }
    }
    __global__ void four(int* out) { add(out, 0); }
    struct Config { dim3 gridDim, blockDim; };
    cudaError_t launch(int grid, dim3 cluster, int* out, int first) {
      Config numbers = {grid, 64};
      cudaLaunchConfig_t config = {};
      config.gridDim = numbers.gridDim;
      cudaLaunchConfig_t* pointer = &config;
      pointer->blockDim = numbers.blockDim;
      cudaLaunchAttribute attributes[1];
      attributes[0].id = cudaLaunchAttributeClusterDimension;
      attributes[0].val.clusterDim.x = cluster.x;
      attributes[0].val.clusterDim.y = cluster.y;
      attributes[0].val.clusterDim.z = cluster.z;
      config.attrs = attributes;
      config.numAttrs = 1;
      return cudaLaunchKernelEx(&config, any, out, first);
    }
    void show(const int* out) {
      cudaError_t e = cudaDeviceSynchronize();
      if (e) { printf("%s\\n", cudaGetErrorName(e)); return; }
      for (int i = 0; i < 4; ++i) printf("%d ", out[i]);
      printf("\\n");
    }
"""
START = "int* out; cudaMallocManaged(&out, 64);\n"
TOLD = 'auto told = [](cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); };\n'


def program(body):
    """With the kernels above."""
    return in_main(START + TOLD + body + "\ncudaFree(out);", KERNELS)


class ClustersTest(unittest.TestCase):
    """What runs, and what is refused, is the same on an H100."""

    def test_blocks_see_each_others_shared_memory(self):
        """However the launch says how many they are."""
        result = outcome(
            program("""
            launch(4, 4, out, 1); show(out);
            launch(4, 2, out, 1); show(out);
            launch(4, 1, out, 1); show(out);
            four<<<4, 32>>>(out); show(out);
            ours::two<<<4, 32>>>(out); show(out);
            ours::two_from<5><<<4, 32>>>(out); show(out);
            void* arguments[] = {&out};
            cudaLaunchKernel((void*)ours::two, 4, 32, arguments, 0, 0); show(out);
            """),
            verb=["check"],
        )
        two = "1 101 5 105 "
        self.assertEqual(
            result.stdout.splitlines(),
            [
                "10 110 210 310 ",
                "3 103 7 107 ",
                "1 2 3 4 ",
                "6 106 206 306 ",
                two,
                "11 111 15 115 ",
                two,
            ],
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_clusters_that_cuda_refuses(self):
        """With its error, and the reason."""
        result = outcome(
            program("""
            told(launch(4, 3, out, 0));
            ours::two<<<3, 32>>>(out);
            told(cudaGetLastError());
            cudaLaunchConfig_t config = {4, 32};
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {4, 1, 1};
            config.attrs = &attribute;
            config.numAttrs = 1;
            told(cudaLaunchKernelEx(&config, ours::two, out));
            told(cudaGetLastError());
            told(cudaDeviceSynchronize());
            """)
        )
        self.assertEqual(
            result.stdout.split(), [*["cudaErrorInvalidClusterSize"] * 4, "cudaSuccess"]
        )
        self.assertEqual(
            [(one["code"], one["fields"]) for one in faults(result)],
            [
                ("launch-cluster-grid", {"grid": [4, 1, 1], "cluster": [3, 1, 1]}),
                ("launch-cluster-grid", {"grid": [3, 1, 1], "cluster": [2, 1, 1]}),
                ("launch-cluster-declared", {"declared": [2, 1, 1], "cluster": [4, 1, 1]}),
            ],
        )
        self.assertEqual(faults(result)[1]["kernel"], "ours::two")

    def test_sizes_that_no_cluster_has(self):
        """Too many blocks, and none."""
        for call, (code, cluster) in {
            "launch(16, 16, out, 0)": ("launch-cluster-size", [16, 1, 1]),
            "launch(4, dim3(2, 0, 1), out, 0)": ("launch-cluster-extent-zero", [2, 0, 1]),
        }.items():
            with self.subTest(call=call):
                result = outcome(program(f"told({call});"))
                self.assertEqual(result.stdout, "cudaErrorInvalidClusterSize\n")
                self.assertEqual(fault(result, code)["fields"]["cluster"], cluster)

    def test_clusters_along_y_and_z(self):
        """Ranks count along x, then y, then z; cudaLaunchKernelExC takes arguments by address."""
        result = outcome(
            in_main(
                START
                + TOLD
                + """
                struct { dim3 grid, cluster; } cases[] = {
                    {dim3(2, 4), dim3(1, 2)}, {dim3(1, 2, 4), dim3(1, 1, 2)},
                    {dim3(3, 2, 2), dim3(3, 2)}, {dim3(2, 2, 2), dim3(2, 2, 2)},
                    {dim3(2, 3), dim3(1, 2)}, {dim3(1, 9), dim3(1, 9)}};
                for (auto& k : cases) {
                  cudaLaunchConfig_t config = {};
                  config.gridDim = k.grid;
                  config.blockDim = dim3(32);
                  cudaLaunchAttribute attribute = {};
                  attribute.id = cudaLaunchAttributeClusterDimension;
                  attribute.val.clusterDim = {k.cluster.x, k.cluster.y, k.cluster.z};
                  config.attrs = &attribute;
                  config.numAttrs = 1;
                  int* where = out;
                  void* arguments[] = {&where};
                  int count = -1;
                  cudaError_t error = cudaOccupancyMaxActiveClusters(&count, (void*)ranks, &config);
                  printf("%s %d ", cudaGetErrorName(error), count > 0);
                  told(cudaLaunchKernelExC(&config, (const void*)ranks, arguments));
                  cudaDeviceSynchronize();
                  if (error) continue;
                  const int blocks = k.grid.x * k.grid.y * k.grid.z;
                  for (int i = 0; i < blocks; ++i) printf("%d ", out[i]);
                  puts("");
                }
                fixed<<<dim3(2, 2, 2), 32>>>(out);
                cudaDeviceSynchronize();
                for (int i = 0; i < 8; ++i) printf("%d ", out[i]);
                cudaFree(out);
                """,
                """
                #include <cooperative_groups.h>
                namespace cg = cooperative_groups;
                __device__ int number() {
                  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
                }
                // What the blocks of the cluster have, the highest rank last, and three digits.
                __global__ void ranks(int* out) {
                  __shared__ int mine;
                  cg::cluster_group c = cg::this_cluster();
                  if (threadIdx.x == 0) mine = number();
                  c.sync();
                  int sum = 0;
                  for (unsigned r = 0; r < c.num_blocks(); ++r)
                    sum = sum * 3 + *c.map_shared_rank(&mine, r);
                  const dim3 at = c.block_index();
                  if (threadIdx.x == 0)
                    out[number()] = 1000 * sum + 100 * at.z + 10 * at.y + at.x;
                  c.sync();
                }
                __global__ void __cluster_dims__(1, 2, 2) fixed(int* out) {
                  if (threadIdx.x == 0) out[number()] = cg::this_cluster().block_rank();
                }""",
            ),
            verb=["check"],
        )
        good, wrong = "cudaSuccess 1 cudaSuccess", "cudaErrorInvalidClusterSize"
        bad = f"{wrong} 0 {wrong}"

        def digits(places, sums):
            return " ".join(str(1000 * total + at) for at, total in zip(places, sums)) + " "

        whole = sum(n * 3 ** (7 - n) for n in range(8))
        six = [sum(n * 3 ** (5 - i) for i, n in enumerate(range(k, k + 6))) for k in (0, 6)]
        self.assertEqual(
            result.stdout.splitlines(),
            [
                good,
                digits([0, 0, 10, 10] * 2, [2, 6, 2, 6, 18, 22, 18, 22]),
                good,
                digits([0, 0, 100, 100] * 2, [2, 6, 2, 6, 18, 22, 18, 22]),
                good,
                digits([0, 1, 2, 10, 11, 12] * 2, [six[0]] * 6 + [six[1]] * 6),
                good,
                digits([0, 1, 10, 11, 100, 101, 110, 111], [whole] * 8),
                bad,
                bad,
                "0 0 1 1 2 2 3 3 ",
            ],
            result.stderr,
        )
        wrong = {"grid": [2, 3, 1], "cluster": [1, 2, 1]}
        refused = [(one["kernel"], one["code"]) for one in faults(result) if one["fields"] == wrong]
        grid = "launch-cluster-grid"
        self.assertEqual(refused, [("cudaOccupancyMaxActiveClusters", grid), ("ranks", grid)])

    def test_races_in_a_cluster_along_y(self):
        """Of the threads of a block; those of two blocks are not seen."""
        result = outcome(
            in_main(
                START + "k<<<dim3(1, 2), 64>>>(out); cudaFree(out);",
                "__global__ void __cluster_dims__(1, 2, 1) k(int* x) {\n"
                "__shared__ int mine[64];\nmine[threadIdx.x] = 1;\n"
                "if (threadIdx.x == 40) x[blockIdx.y] = mine[0];\n}",
            ),
            verb=["check"],
        )
        self.assertEqual(result.returncode, 1)
        race = fault(result, "race-in-shared-memory")
        self.assertEqual(
            (race["thread"], race["access"]["verb"], race["element"]["name"]),
            ([40, 0, 0], "load", "mine[0]"),
        )

    def test_arrival_and_wait(self):
        """The two halves of cluster.sync(), with and without the token; a wait alone is no barrier."""
        source = """
            #include <cooperative_groups.h>
            namespace cg = cooperative_groups;
            __global__ void __cluster_dims__(2) k(int* out) {
              __shared__ int mine;
              auto cluster = cg::this_cluster();
              if (threadIdx.x == 0) mine = 10 * blockIdx.x + 1;
              FIRST
              const int sum = *cluster.map_shared_rank(&mine, 0) + *cluster.map_shared_rank(&mine, 1);
              cluster.barrier_arrive();
              if (threadIdx.x == 0) out[blockIdx.x] = sum;
              cluster.barrier_wait();
            }
        """
        split = "auto token = cluster.barrier_arrive(); cluster.barrier_wait(std::move(token));"
        for first, codes in ((split, set()), ("__syncthreads();", {"race-between-blocks"})):
            body = START + "k<<<4, 32>>>(out); show(out); cudaFree(out);"
            text = source.replace("FIRST", first)
            result = outcome(in_main(body, KERNELS + text), verb=["check"])
            self.assertEqual(fault_codes(result), codes, result.stderr)
            if not codes:
                self.assertEqual(result.stdout.split(), ["12", "12", "52", "52"])

    def test_what_another_block_has_written(self):
        """A block reads its own shared memory, where a neighbour alone has stored or added."""
        source = """
            #include <cooperative_groups.h>
            namespace cg = cooperative_groups;
            __global__ void __cluster_dims__(2) k(int* out) {
              __shared__ int mine[32];
              __shared__ short low[32];
              auto cluster = cg::this_cluster();
              cluster.sync();
              const int far = cluster.block_rank() ^ 1;
              cluster.map_shared_rank(mine, far)[threadIdx.x] = blockIdx.x;
              if (threadIdx.x < LOW) cluster.map_shared_rank(low, far)[threadIdx.x] = 2;
              cluster.sync();
              const int sum = mine[31 - threadIdx.x] + low[threadIdx.x];
              if (threadIdx.x == 0 || sum > 1000000) out[blockIdx.x] = sum;
            }
        """
        body = START + "k<<<4, 32>>>(out); show(out); cudaFree(out);"
        for low, codes in ((32, set()), (31, {"uninitialised-shared"})):
            text = KERNELS + source.replace("LOW", str(low))
            result = outcome(in_main(body, text), verb=["check"])
            self.assertEqual(result.stdout.split(), ["3", "2", "5", "4"], result.stderr)
            self.assertEqual(fault_codes(result), codes, result.stderr)

    def test_attributes_of_cooperative_launches(self):
        """grid.sync() works with them, as in cudaLaunchCooperativeKernel."""
        result = outcome(
            in_main(
                START
                + """
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
            cudaLaunchConfig_t config = {.gridDim = 2, .blockDim = 32, .dynamicSmemBytes = 0,
                                         .stream = 0, .attrs = &attribute, .numAttrs = 1};
            cudaLaunchKernelEx(&config, k, out);
            cudaDeviceSynchronize();
            printf("%d %d", out[0], out[1]);
            cudaFree(out);
            """,
                """
            #include <cooperative_groups.h>
            __global__ void k(int* out) {
              if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x + 1;
              cooperative_groups::this_grid().sync();
              int other = out[1 - blockIdx.x];
              cooperative_groups::this_grid().sync();
              if (threadIdx.x == 0) out[blockIdx.x] = other;
            }""",
            ),
            verb=["check"],
        )
        self.assertEqual((result.returncode, result.stdout), (0, "2 1"), result.stderr)

    def test_mistakes_of_kernels(self):
        """A rank that does not exist, and a block that has left."""
        for body, code, line in (
            (
                "mine = 1; cluster.sync(); *x = *cluster.map_shared_rank(&mine, 2); cluster.sync();",
                "cluster-no-such-block",
                6,
            ),
            ("if (blockIdx.x == 1) return; cluster.sync();", "deadlock", 6),
        ):
            with self.subTest(body=body):
                source = in_main(
                    START + "k<<<2, 1>>>(out); cudaFree(out);",
                    "#include <cooperative_groups.h>\n"
                    "__global__ void __cluster_dims__(2, 1, 1) k(int* x) {\n"
                    "__shared__ int mine;\n"
                    "auto cluster = cooperative_groups::this_cluster();\n" + body + "}",
                )
                result = outcome(source, verb=["check"])
                self.assertEqual(result.returncode, 1)
                self.assertEqual(fault(result, code).get("line"), line, fault(result, code))


if __name__ == "__main__":
    unittest.main()
