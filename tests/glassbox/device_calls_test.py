"""The GPU that a program sees is that of the card."""

import unittest

from tests.glassbox.own_program import calls, in_main, never_freed, notes, outcome

ASK = in_main(
    """
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int sms, count, blocks, grid, block, chosen = 1;
    cudaChooseDevice(&chosen, &p);
    cudaSharedMemConfig banks;
    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    cudaFuncSetSharedMemConfig(k, cudaSharedMemBankSizeEightByte);
    cudaDeviceGetSharedMemConfig(&banks);
    chosen += banks != cudaSharedMemBankSizeFourByte;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaGetDeviceCount(&count);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 128, 16 * 1024);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, k);
    printf("%s, %d.%d, %d %d %d, %d, %d x %d, %d\\n", p.name, p.major, p.minor, sms,
           p.multiProcessorCount, count, blocks, grid, block, cudaSetDevice(1) + chosen);
    """,
    """
    __global__ void k(float* x) {
      __shared__ float s[4096];
      s[threadIdx.x] = *x;
      *x = s[0];
    }""",
)


# As CUDA 13 words them.
TEXTS = {
    0: "cudaSuccess: no error",
    1: "cudaErrorInvalidValue: invalid argument",
    401: "cudaErrorIllegalState: the operation cannot be performed in the present state",
    900: "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing",
    901: "cudaErrorStreamCaptureInvalidated: operation failed due to a previous error during "
    "capture",
    902: "cudaErrorStreamCaptureMerge: operation would result in a merge of separate capture "
    "sequences",
    903: "cudaErrorStreamCaptureUnmatched: capture was not ended in the same stream as it began",
    904: "cudaErrorStreamCaptureUnjoined: capturing stream has unjoined work",
    905: "cudaErrorStreamCaptureIsolation: dependency created on uncaptured work in another stream",
    906: "cudaErrorStreamCaptureImplicit: operation would make the legacy stream depend on a "
    "capturing blocking stream",
    907: "cudaErrorCapturedEvent: operation not permitted on an event last recorded in a capturing "
    "stream",
    908: "cudaErrorStreamCaptureWrongThread: attempt to terminate a thread-local capture sequence "
    "from another thread",
    26: "cudaErrorInvalidFilterSetting: linear filtering not supported for non-float type",
    718: "cudaErrorInvalidPc: invalid program counter",
    12345: "unrecognized error code: unrecognized error code",
    910: "cudaErrorGraphExecUpdateFailure: the graph update was not performed because it included "
    "changes which violated constraints specific to instantiated graph update",
    912: "cudaErrorInvalidClusterSize: a kernel launch error has occurred due to cluster "
    "misconfiguration",
}


class DeviceCallsTest(unittest.TestCase):
    """Properties and occupancy."""

    def test_texts_of_errors(self):
        """And a figure that no card has."""
        result = outcome(
            in_main(
                f"for (int code : {{{', '.join(map(str, TEXTS))}}}) printf(\"%s: %s\\n\", "
                "cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));"
                "int x; puts(cudaGetErrorName(cudaDeviceGetAttribute(&x, (cudaDeviceAttr)999, 0)));"
            )
        )
        self.assertEqual(result.stdout.splitlines(), [*TEXTS.values(), "cudaErrorNotSupported"])
        self.assertEqual(
            calls(result, "lacks")[("cudaDeviceGetAttribute", "no-figure")]["attribute"], 999
        )

    def test_calls_that_have_nothing_to_do(self):
        """Peers, pools, policies, prefetches: they succeed, or say that there is one GPU."""
        result = outcome(
            in_main("""
            int can = 7;
            float* x;
            cudaStream_t stream;
            cudaMemPool_t pool;
            int least, greatest;
            cudaDeviceGetStreamPriorityRange(&least, &greatest);
            cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
            cudaDeviceGetDefaultMemPool(&pool, 0);
            size_t threshold = 1 << 20;
            cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
            cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                        cudaMemAccessFlagsProtReadWrite};
            cudaMemPoolSetAccess(pool, &access, 1);
            cudaMallocFromPoolAsync(&x, 64, pool, stream);
            cudaMemcpyPeerAsync(x, 0, x + 8, 0, 32, stream);
            cudaStreamAttrValue policy = {};
            policy.accessPolicyWindow = {x, 64, 1.0f, cudaAccessPropertyPersisting,
                                         cudaAccessPropertyStreaming};
            cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &policy);
            cudaMemPrefetchAsync(x, 64, cudaCpuDeviceId, stream);
            cudaMemPrefetchAsync(x, 64, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, stream);
            cudaMemAdvise(x, 64, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeDevice, 0});
            cudaStreamAttachMemAsync(stream, x, 0, cudaMemAttachSingle);
            cudaCtxResetPersistingL2Cache();
            cudaFreeAsync(x, stream);
            cudaMemPoolTrimTo(pool, 0);
            cudaStreamDestroy(stream);
            cudaDeviceCanAccessPeer(&can, 0, 1);
            printf("%d %d %s\\n", least > greatest, can, cudaGetErrorName(cudaGetLastError()));
            printf("%s\\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
            printf("%s\\n", cudaGetErrorName(
                cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1)));
            """)
        )
        self.assertEqual(
            result.stdout, "1 0 cudaSuccess\n" + 2 * "cudaErrorInvalidDevice\n", result.stderr
        )
        found = calls(result)
        self.assertEqual(found[("cudaDeviceEnablePeerAccess", "no-such-device")]["device"], 1)
        self.assertNotIn("device", found[("cudaDeviceGetP2PAttribute", "no-such-device")])
        self.assertEqual((notes(result), never_freed(result)), (["no-effect"], {}))

    def test_l2_is_set_aside_from_ampere_on(self):
        ask = in_main("""
            int aside, window, l2;
            cudaDeviceProp p;
            cudaDeviceGetAttribute(&aside, cudaDevAttrMaxPersistingL2CacheSize, 0);
            cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0);
            cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
            cudaGetDeviceProperties(&p, 0);
            printf("%d %d %d\\n", aside, window, aside < l2);
            printf("%d\\n", aside == p.persistingL2CacheMaxSize
                   && window == p.accessPolicyMaxWindowSize);
            """)
        h200 = outcome(ask, "--gpu", "h200")
        self.assertEqual(h200.stdout, f"{39_321_600} {128 << 20} 1\n1\n", h200.stderr)
        self.assertEqual(outcome(ask, "--gpu", "t4").stdout, "0 0 1\n1\n")

    def test_figures_are_the_cards(self):
        """32 KiB of shared memory in all: as many blocks as an SM has room for."""
        t4 = outcome(ASK, "--gpu", "t4")
        self.assertEqual(t4.stdout, "NVIDIA T4, 7.5, 40 40 1, 2, 40 x 1024, 101\n", t4.stderr)
        self.assertEqual(calls(t4)[("cudaSetDevice", "no-such-device")]["device"], 1)
        h200 = outcome(ASK, "--gpu", "h200")
        self.assertEqual(
            h200.stdout, "NVIDIA H200 SXM, 9.0, 132 132 1, 6, 264 x 1024, 101\n", h200.stderr
        )

    def test_an_unknown_card_is_refused(self):
        """With the known ones."""
        result = outcome(ASK, "--gpu", "z9")
        self.assertEqual(result.returncode, 2)
        self.assertIn("classroom", result.stderr)


if __name__ == "__main__":
    unittest.main()
