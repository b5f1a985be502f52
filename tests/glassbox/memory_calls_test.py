"""The run time's memory: sizes, directions, names, what was freed and what was not."""

import unittest

from tests.glassbox.own_program import (
    calls,
    fault_codes,
    faults,
    in_main,
    launches,
    never_freed,
    notes,
    outcome,
)

WRONG_CALLS = in_main("""
    float host[8], *d_a, *d_b, *gone;
    cudaMalloc(&d_a, 16); cudaMalloc((void**)&d_b, 16);
    cudaMalloc(&gone, 16);
    cudaFree(gone);
    auto told = [](cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); };
    told(cudaMemcpy(host, d_a, 17, cudaMemcpyDeviceToHost));
    told(cudaMemcpy(d_a, host, 16, cudaMemcpyDeviceToHost));
    told(cudaMemcpy(d_a + 2, d_b, 12, cudaMemcpyDeviceToDevice));
    told(cudaMemset(host, 0, 4));
    told(cudaFree(gone));
    told(cudaFree(d_b + 1));
    told(cudaMalloc(&gone, size_t{1} << 50));
    told(cudaMemcpy2D(host, 4, d_a, 8, 8, 2, cudaMemcpyDeviceToHost));
    told(cudaPeekAtLastError());
    told(cudaGetLastError());
    told(cudaGetLastError());
    """)
WRONG_POINTERS = in_main("""
    float host[8], *d_a, *pinned;
    cudaMalloc(&d_a, 16);
    auto told = [](cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); };
    told(cudaMalloc((float**)nullptr, 16));
    told(cudaMemcpy(d_a, nullptr, 16, cudaMemcpyHostToDevice));
    told(cudaMemcpy(d_a, host, 16, (cudaMemcpyKind)7));
    told(cudaMallocHost(&pinned, size_t{1} << 60));
    told(cudaFree(host));
    told(cudaFreeHost(d_a));
    told(cudaHostRegister(d_a, 16, 0));
    told(cudaHostUnregister(host));
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    told(cudaMallocArray(&array, &format, 0, 4));
    cudaFree(d_a);
    """)


class MemoryCallsTest(unittest.TestCase):
    """cudaMalloc and what follows."""

    def test_managed_memory_may_be_larger_than_the_gpu(self):
        """Its pages move to the host; cudaMalloc has as much as before."""
        result = outcome(
            in_main("""
            char *large, *own;
            size_t free_bytes, all;
            printf("%d ", cudaMallocManaged(&large, size_t{20} << 30));
            large[(size_t{20} << 30) - 1] = 7;
            cudaMemGetInfo(&free_bytes, &all);
            printf("%d ", free_bytes == all);
            printf("%d ", cudaMalloc(&own, size_t{7} << 30));
            printf("%d\\n", cudaMalloc(&own, size_t{2} << 30));
            """)
        )
        self.assertEqual(result.stdout, "0 1 0 2\n", result.stderr)
        self.assertEqual(set(calls(result)), {("cudaMalloc", "out-of-memory")})

    def test_wrong_calls_fail_with_a_sentence(self):
        """Each returns CUDA's error and is told at the end."""
        result = outcome(WRONG_CALLS)
        self.assertEqual(
            result.stdout.split(),
            [
                *["cudaErrorInvalidValue"] * 6,
                "cudaErrorMemoryAllocation",
                *["cudaErrorInvalidPitchValue"] * 3,
                "cudaSuccess",
            ],
        )
        found = calls(result)
        lines = {call: fields.pop("line") for call, fields in found.items()}
        self.assertEqual(
            lines,
            {
                ("cudaMemcpy", "does-not-fit"): 12,
                ("cudaMemcpy", "device-memory"): 11,
                ("cudaMemset", "host-memory"): 13,
                ("cudaFree", "freed-before"): 14,
                ("cudaFree", "not-start-of-array"): 15,
                ("cudaMalloc", "out-of-memory"): 16,
                ("cudaMemcpy2D", "pitch-too-small"): 17,
            },
        )
        self.assertEqual(
            found[("cudaMemcpy", "does-not-fit")],
            {
                "role": "target",
                "bytes": 12,
                "from_byte": 8,
                "array": "d_a",
                "array_bytes": 16,
                "array_file": "my.cu",
                "array_line": 6,
            },
        )
        self.assertEqual(found[("cudaMemcpy", "device-memory")], {"role": "target", "array": "d_a"})
        self.assertEqual(
            found[("cudaFree", "freed-before")],
            {"array": "gone", "freed_file": "my.cu", "freed_line": 8},
        )
        self.assertEqual(found[("cudaFree", "not-start-of-array")], {"array": "d_b"})
        self.assertEqual(found[("cudaMemcpy2D", "pitch-too-small")], {"width": 8, "pitch": 4})
        self.assertEqual(never_freed(result), {"d_a": 16, "d_b": 16})

    def test_pointers_of_the_wrong_sort(self):
        """Null pointers, memory of others, and more than there is."""
        result = outcome(WRONG_POINTERS)
        bad = "cudaErrorInvalidValue"
        self.assertEqual(
            result.stdout.split(),
            [bad, bad, "cudaErrorInvalidMemcpyDirection", "cudaErrorMemoryAllocation", *[bad] * 5],
        )
        self.assertEqual(
            set(calls(result)),
            {
                ("cudaMalloc", "null-pointer"),
                ("cudaMemcpy", "null-pointer"),
                ("cudaMemcpy", "no-direction"),
                ("cudaMallocHost", "machine-out-of-memory"),
                ("cudaFree", "not-device-memory"),
                ("cudaFreeHost", "not-pinned-memory"),
                ("cudaHostRegister", "not-to-register"),
                ("cudaHostUnregister", "not-registered"),
                ("cudaMallocArray", "array-width-zero"),
            },
        )

    def test_the_host_reads_what_was_freed(self):
        """The program ends there."""
        result = outcome(
            in_main("""
            float* gone;
            cudaMallocManaged(&gone, 16);
            cudaFree(gone);
            printf("%g", gone[1]);
            """)
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(
            calls(result, "host"),
            {
                ("", "host-access-freed"): {
                    "array": "gone",
                    "freed_file": "my.cu",
                    "freed_line": 7,
                    "line": 8,
                }
            },
        )

    def test_right_calls_are_silent(self):
        """Copies of all sorts, and nothing is left over."""
        result = outcome(
            in_main("""
            const size_t bytes = 6 * sizeof(int);
            int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {}, *d, *pinned, *managed, *pitched;
            size_t pitch;
            cudaMalloc(&d, bytes);
            cudaMallocHost(&pinned, bytes);
            cudaMallocManaged(&managed, bytes);
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            cudaMemcpyAsync(d, host, bytes, cudaMemcpyHostToDevice, stream);
            cudaMemcpy(pinned, d, bytes, cudaMemcpyDefault);
            cudaMemcpy(managed, pinned, bytes, cudaMemcpyHostToDevice);
            cudaMallocPitch(&pitched, &pitch, 12, 2);
            cudaMemcpy2D(pitched, pitch, managed, 12, 12, 2, cudaMemcpyHostToDevice);
            cudaMemcpy2D(back, 12, pitched, pitch, 12, 2, cudaMemcpyDeviceToHost);
            cudaMemset(d, 0, bytes);
            cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost);
            printf("%d %d %d %d\\n", host[0], managed[1], back[3], back[5]);
            cudaStreamDestroy(stream);
            cudaFree(d); cudaFree(managed); cudaFree(pitched); cudaFree(nullptr);
            cudaFreeHost(pinned);
            """)
        )
        self.assertEqual(result.stdout, "0 2 4 6\n")
        self.assertEqual(result.found["findings"] + faults(result), [])

    def test_host_code_cannot_touch_the_gpus_memory(self):
        """As on a machine with a GPU the program ends, and the array is named."""
        result = outcome(
            in_main("""
            float* d_a;
            cudaMalloc(&d_a, 64);
            d_a[3] = 1;
            """),
            verb=["run"],
        )
        self.assertEqual(result.returncode, 139)
        self.assertEqual(calls(result, "host"), {("", "host-access"): {"array": "d_a", "line": 7}})

    def test_kernels_reach_registered_memory_of_the_host(self):
        """Within its bounds; and none that is not registered."""
        source = in_main(
            """
            int* numbers = new int[32]{};
            int* others = new int[4096]{};
            if (REGISTER) cudaHostRegister(numbers, 32 * sizeof(int), cudaHostRegisterMapped);
            int* device = numbers;
            cudaHostGetDevicePointer(&device, numbers, 0);
            add<<<1, 32>>>(device);
            printf("%d %d\\n", numbers[31], others[0]);
            if (REGISTER) cudaHostUnregister(numbers);
            """,
            "__global__ void add(int* x) { x[threadIdx.x] += 31; }",
        )
        right = outcome(source, "-D", "REGISTER=1")
        self.assertEqual(right.stdout, "31 0\n")
        self.assertEqual((len(launches(right)), faults(right)), (1, []))
        self.assertEqual(never_freed(right), {})
        wrong = outcome(source, "-D", "REGISTER=0")
        self.assertEqual(fault_codes(wrong), {"host-memory-in-kernel"})

    def test_threads_of_the_host_take_turns(self):
        """Each has arrays and launches of its own, and frees them while others run."""
        result = outcome("""
            #include <atomic>
            #include <cstdio>
            #include <thread>
            #include <vector>
            __global__ void add(int* x) { atomicAdd(x, 1); }
            int main() {
              std::atomic<int> sum = 0;
              std::vector<std::thread> threads;
              for (int t = 0; t < 4; ++t) {
                threads.emplace_back([&] {
                  for (int i = 0; i < 5; ++i) {
                    int *x, value;
                    cudaMalloc(&x, sizeof(int));
                    cudaMemset(x, 0, sizeof(int));
                    add<<<2, 32>>>(x);
                    cudaMemcpy(&value, x, sizeof(int), cudaMemcpyDeviceToHost);
                    cudaFree(x);
                    sum += value;
                  }
                });
              }
              for (std::thread& thread : threads) thread.join();
              std::printf("%d\\n", sum.load());
            }
            """)
        self.assertEqual(result.stdout, "1280\n", result.stderr)
        self.assertEqual(result.returncode, 0)

    def test_times_are_the_hosts(self):
        """Events work, and it is said once what their time is."""
        result = outcome(
            in_main("""
            cudaEvent_t a, b;
            cudaEventCreate(&a); cudaEventCreate(&b);
            float ms = -1;
            for (int i = 0; i < 2; ++i) {
              cudaEventRecord(a); cudaEventRecord(b); cudaEventSynchronize(b);
              cudaEventElapsedTime(&ms, a, b);
            }
            printf("%d\\n", ms >= 0);
            """)
        )
        self.assertEqual(result.stdout, "1\n")
        self.assertEqual(notes(result), ["times-of-cpu"])


if __name__ == "__main__":
    unittest.main()
