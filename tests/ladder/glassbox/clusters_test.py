"""Clusters: by `__cluster_dims__` or by cudaLaunchKernelEx; and which launches are refused."""

import unittest

from tests.ladder.glassbox.own_program import in_main, outcome, sentences

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
        result = outcome(program("""
            launch(4, 4, out, 1); show(out);
            launch(4, 2, out, 1); show(out);
            launch(4, 1, out, 1); show(out);
            four<<<4, 32>>>(out); show(out);
            ours::two<<<4, 32>>>(out); show(out);
            ours::two_from<5><<<4, 32>>>(out); show(out);
            void* arguments[] = {&out};
            cudaLaunchKernel((void*)ours::two, 4, 32, arguments, 0, 0); show(out);
            """), verb=["check"])  # fmt: skip
        two = "1 101 5 105 "
        self.assertEqual(
            result.stdout.splitlines(),
            ["10 110 210 310 ", "3 103 7 107 ", "1 2 3 4 ", "6 106 206 306 ", two,
             "11 111 15 115 ", two],
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_clusters_that_cuda_refuses(self):
        """With its error, and a sentence."""
        result = outcome(program("""
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
            """))  # fmt: skip
        self.assertEqual(
            result.stdout.split(), [*["cudaErrorInvalidClusterSize"] * 4, "cudaSuccess"]
        )
        for sentence in (
            "a cluster of (3, 1, 1) blocks; the grid, (4, 1, 1), is no multiple of it",
            "ours::two: launch refused: a cluster of (2, 1, 1) blocks; the grid, (3, 1, 1), is no",
            "a cluster of (4, 1, 1) blocks; the kernel's __cluster_dims__ are (2, 1, 1)",
        ):
            self.assertIn(sentence, sentences(result))

    def test_sizes_that_no_cluster_has(self):
        """Too many blocks, and none."""
        for call, sentence in {
            "launch(16, 16, out, 0)": "a cluster of (16, 1, 1) blocks; CUDA allows 8 on every GPU",
            "launch(4, dim3(2, 0, 1), out, 0)": "(2, 0, 1) blocks; every extent is at least 1",
        }.items():
            with self.subTest(call=call):
                result = outcome(program(f"told({call});"))
                self.assertEqual(result.stdout, "cudaErrorInvalidClusterSize\n")
                self.assertIn(sentence, sentences(result))

    def test_clusters_along_y(self):
        """Which the emulator does not have."""
        result = outcome(program("""
            told(launch(4, 2, out, 0));
            cudaLaunchConfig_t config = {dim3(2, 2), 32};
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {1, 2, 1};
            config.attrs = &attribute;
            config.numAttrs = 1;
            told(cudaLaunchKernelEx(&config, any, out, 0));
            """))
        self.assertEqual(result.stdout.split(), ["cudaSuccess", "cudaErrorNotSupported"])
        self.assertIn("the glass box has clusters along x alone, at my.cu", sentences(result))

    def test_attributes_of_cooperative_launches(self):
        """grid.sync() works with them, as in cudaLaunchCooperativeKernel."""
        result = outcome(in_main(
            START + """
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
            }"""), verb=["check"])  # fmt: skip
        self.assertEqual((result.returncode, result.stdout), (0, "2 1"), result.stderr)

    def test_mistakes_of_kernels(self):
        """A rank that does not exist, and a block that has left."""
        for body, sentence in {
            "mine = 1; cluster.sync(); *x = *cluster.map_shared_rank(&mine, 2); cluster.sync();":
                "asks for block 2 of a cluster of 2, at my.cu:6",
            "if (blockIdx.x == 1) return; cluster.sync();":
                "waits at cluster_sync at my.cu:6 (1 of 1 threads are here, those of another block",
        }.items():  # fmt: skip
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
                self.assertIn(sentence, sentences(result))


if __name__ == "__main__":
    unittest.main()
