"""Graphs: captured from streams and made of nodes; and what CUDA does not capture."""

import unittest

from tests.glassbox.own_program import calls, fault, fault_codes, in_main, lacks, launches, outcome

KERNELS = """
    #include <vector>
    __global__ void scale(float* x, int n, float factor) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= factor;
    }
    template <class T> __global__ void add(T* sum, const T* a, const T* b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) sum[i] = a[i] + b[i];
    }
    __global__ void total(const float* x, int n, float* out) {
      float sum = 0;
      for (int i = 0; i < n; ++i) sum += x[i];
      *out = sum;
    }
    static void CUDART_CB tell(void* data) { printf("%g ", *(float*)data); }
    #define CHECK(call) do { cudaError_t e_ = (call); \\
      if (e_) printf("line %d: %s\\n", __LINE__, cudaGetErrorName(e_)); } while (0)
    #define TOLD(call) printf("%s\\n", cudaGetErrorName(call))
    const int kCount = 1000;
    // Its variables are gone when the graph is launched.
    void add_step(cudaStream_t s, float* x, int round) {
      float factor = 1 + round;
      void (*kernel)(float*, int, float) = scale;
      kernel<<<(kCount + 255) / 256, 256, 0, s>>>(x, kCount, factor);
    }
"""
START = """
    std::vector<float> host(kCount);
    for (int i = 0; i < kCount; ++i) host[i] = i % 7;
    float *a, *b, *c, *sum, result = 0;
    cudaMalloc(&a, 4 * kCount); cudaMalloc(&b, 4 * kCount); cudaMalloc(&c, 4 * kCount);
    cudaMalloc(&sum, 4);
    cudaStream_t s, t;
    cudaStreamCreate(&s); cudaStreamCreate(&t);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t forked, joined;
    cudaEventCreate(&forked); cudaEventCreate(&joined);
"""
END = "cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(sum);"


def of(body, verb=("check",)):
    """What becomes of a program with this body."""
    return outcome(in_main(START + body + END, KERNELS), verb=[*verb])


class GraphsTest(unittest.TestCase):
    """Results and errors are those of an H100, where nothing else is said."""

    def test_capture_of_two_streams(self):
        """Nothing runs before the launch; each launch does all of it, with the memory of then."""
        result = of("""
            CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
            CHECK(cudaMemcpyAsync(a, host.data(), kCount * 4, cudaMemcpyHostToDevice, s));
            CHECK(cudaEventRecord(forked, s));
            CHECK(cudaStreamWaitEvent(t, forked, 0));
            CHECK(cudaMemsetAsync(b, 0, kCount * 4, t));
            add<<<4, 256, 0, t>>>(b, a, b, kCount);
            CHECK(cudaEventRecord(joined, t));
            CHECK(cudaStreamWaitEvent(s, joined, 0));
            for (int i = 0; i < 2; ++i) add_step(s, a, i);
            add<<<4, 256, 0, s>>>(c, a, b, kCount);
            total<<<1, 1, 0, s>>>(c, kCount, sum);
            CHECK(cudaMemcpyAsync(&result, sum, 4, cudaMemcpyDeviceToHost, s));
            CHECK(cudaLaunchHostFunc(s, tell, &result));
            cudaStreamCaptureStatus in_s, in_t;
            CHECK(cudaStreamIsCapturing(t, &in_t));
            CHECK(cudaStreamEndCapture(s, &graph));
            CHECK(cudaStreamIsCapturing(s, &in_s));
            printf("%d %d %g\\n", in_t, in_s, result);
            size_t nodes = 0;
            CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
            std::vector<cudaGraphNode_t> all(nodes);
            CHECK(cudaGraphGetNodes(graph, all.data(), &nodes));
            cudaGraphNodeType type;
            for (cudaGraphNode_t node : all) {
              cudaGraphNodeGetType(node, &type);
              printf("%d ", type);
            }
            CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
            for (int round = 0; round < 3; ++round) {
              for (float& x : host) x += round;
              CHECK(cudaGraphLaunch(exec, s));
              CHECK(cudaStreamSynchronize(s));
            }
            CHECK(cudaGraphExecDestroy(exec));
            CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
            CHECK(cudaGraphDestroy(graph));
            CHECK(cudaGraphLaunch(exec, t));
            CHECK(cudaGraphExecDestroy(exec));
            """)
        self.assertEqual(
            result.stdout, "1 0 0\n1 2 0 0 0 0 0 1 3 8991 11991 17991 17991 ", result.stderr
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_graph_of_nodes(self):
        """Arguments are read when a node is added; others can be set, and clones keep theirs."""
        result = of("""
            CHECK(cudaGraphCreate(&graph, 0));
            cudaGraphNode_t copy, fill, twice, plus, back, last, nothing, sums;
            CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, a, host.data(), kCount * 4,
                                           cudaMemcpyHostToDevice));
            cudaMemsetParams zeros = {};
            zeros.dst = b; zeros.elementSize = 4; zeros.width = kCount; zeros.height = 1;
            CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros));
            float factor = 2;
            int n = kCount;
            void* scale_arguments[] = {&a, &n, &factor};
            cudaKernelNodeParams k = {0};
            k.func = (void*)scale;
            k.gridDim = dim3(4, 1, 1);
            k.blockDim = dim3(256, 1, 1);
            k.kernelParams = scale_arguments;
            CHECK(cudaGraphAddKernelNode(&twice, graph, &copy, 1, &k));
            factor = 100;
            std::vector<cudaGraphNode_t> needs = {twice, fill};
            void* add_arguments[] = {&c, &a, &b, &n};
            cudaKernelNodeParams k2 = {.func = (void*)add<float>, .gridDim = dim3(4),
                                       .blockDim = dim3(256), .sharedMemBytes = 0,
                                       .kernelParams = add_arguments, .extra = nullptr};
            CHECK(cudaGraphAddKernelNode(&plus, graph, needs.data(), needs.size(), &k2));
            CHECK(cudaGraphAddEmptyNode(&nothing, graph, &plus, 1));
            void* sum_arguments[] = {&c, &n, &sum};
            void* const anonymous = k2.func;
            k.func = (void*)total;
            k.gridDim = k.blockDim = dim3(1);
            k.kernelParams = sum_arguments;
            CHECK(cudaGraphAddKernelNode(&sums, graph, &nothing, 1, &k));
            cudaMemcpy3DParms p = {0};
            p.srcPtr = make_cudaPitchedPtr(sum, 4, 1, 1);
            p.dstPtr = make_cudaPitchedPtr(&result, 4, 1, 1);
            p.extent = make_cudaExtent(4, 1, 1);
            p.kind = cudaMemcpyDeviceToHost;
            CHECK(cudaGraphAddMemcpyNode(&back, graph, nullptr, 0, &p));
            CHECK(cudaGraphAddDependencies(graph, &sums, &back, nullptr, 1));
            cudaHostNodeParams h = {0};
            h.fn = tell;
            h.userData = &result;
            CHECK(cudaGraphAddHostNode(&last, graph, &back, 1, &h));
            cudaGraph_t clone;
            CHECK(cudaGraphClone(&clone, graph));
            CHECK(cudaGraphInstantiate(&exec, graph, 0));
            CHECK(cudaGraphLaunch(exec, s));
            factor = 3;
            k.func = (void*)scale;
            k.gridDim = dim3(4);
            k.blockDim = dim3(256);
            k.kernelParams = scale_arguments;
            CHECK(cudaGraphExecKernelNodeSetParams(exec, twice, &k));
            CHECK(cudaGraphUpload(exec, s));
            CHECK(cudaGraphLaunch(exec, s));
            cudaGraphExec_t other;
            CHECK(cudaGraphInstantiate(&other, clone, 0));
            CHECK(cudaGraphLaunch(other, s));
            CHECK(cudaGraphExecDestroy(other));
            // A graph in a graph, and one node less.
            cudaGraph_t outer;
            CHECK(cudaGraphCreate(&outer, 0));
            cudaGraphNode_t inner;
            CHECK(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, clone));
            k2.func = anonymous;
            add_arguments[2] = &a;
            CHECK(cudaGraphAddKernelNode(&plus, outer, &inner, 1, &k2));
            cudaGraphNode_t gone;
            CHECK(cudaGraphAddHostNode(&gone, outer, &plus, 1, &h));
            CHECK(cudaGraphDestroyNode(gone));
            k.func = (void*)total;
            k.gridDim = k.blockDim = dim3(1);
            k.kernelParams = sum_arguments;
            CHECK(cudaGraphAddKernelNode(&sums, outer, &plus, 1, &k));
            CHECK(cudaGraphInstantiate(&other, outer, 0));
            CHECK(cudaGraphLaunch(other, 0));
            CHECK(cudaMemcpy(&result, sum, 4, cudaMemcpyDeviceToHost));
            tell(&result);
            """)
        self.assertEqual(result.stdout, "5994 8991 5994 5994 11988 ", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_updates(self):
        """A graph of the same form lends its arguments; another one is refused."""
        result = of("""
            cudaMemcpy(a, host.data(), kCount * 4, cudaMemcpyHostToDevice);
            for (int round = 1; round < 5; ++round) {
              CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
              add_step(s, a, round);
              total<<<1, 1, 0, s>>>(a, kCount, sum);
              if (round == 3) cudaMemsetAsync(b, 0, 4, s);
              if (round == 4) add_step(s, b, 1);
              CHECK(cudaMemcpyAsync(&result, sum, 4, cudaMemcpyDeviceToHost, s));
              CHECK(cudaStreamEndCapture(s, &graph));
              if (round == 1) CHECK(cudaGraphInstantiate(&exec, graph, 0));
              cudaGraphExecUpdateResultInfo info;
              cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
              if (error) printf("%s %d ", cudaGetErrorName(error), info.result);
              CHECK(cudaGraphLaunch(exec, s));
              tell(&result);
            }
            """)
        failure = "cudaErrorGraphExecUpdateFailure 2"
        self.assertEqual(
            result.stdout, f"5994 17982 {failure} 53946 {failure} 161838 ", result.stderr
        )
        self.assertIn(("cudaGraphExecUpdate", "other-graph"), calls(result))

    def test_calls_that_spoil_a_capture(self):
        """They return what they do on a GPU; so does the end of the capture."""
        tried = {
            "cudaStreamSynchronize(s)": "Unsupported",
            "cudaStreamQuery(s)": "Unsupported",
            "cudaStreamSynchronize(t)": "Unsupported",
            "cudaDeviceSynchronize()": "Unsupported",
            "cudaMemcpy(a, b, 4, cudaMemcpyDeviceToDevice)": "Implicit",
            "cudaMemset(a, 0, 4)": "Implicit",
            "(scale<<<1, 1>>>(a, 1, 2.0f), cudaPeekAtLastError())": "Implicit",
            "cudaMalloc(&d, 4)": "Unsupported",
            "cudaFree(d)": "Unsupported",
            "(cudaEventRecord(forked, s), cudaEventSynchronize(forked))": "CapturedEvent",
            "(cudaEventRecord(forked, s), cudaEventQuery(forked))": "CapturedEvent",
            "cudaStreamWaitEvent(s, joined, 0)": "Isolation",
            "(cudaEventRecord(forked, s), cudaStreamWaitEvent(t, forked, 0),"
            " cudaStreamEndCapture(t, &graph))": "Unmatched",
            "(cudaStreamBeginCapture(n, mode), cudaEventRecord(forked, n),"
            " cudaStreamWaitEvent(s, forked, 0))": "Merge",
            "cudaStreamEndCapture(n, &graph)": None,
            "cudaStreamAddCallback(s, nullptr, 0, 0)": "Unsupported",
            "(scale<<<1, 2048, 0, s>>>(a, 1, 2.0f), cudaPeekAtLastError())": "InvalidValue",
            "cudaGraphLaunch(exec, s)": "Unsupported",
            "cudaGraphLaunch(exec, 0)": "Implicit",
        }
        told = []
        for call, error in tried.items():
            if error is None:
                told.append(f"cudaGetLastError(); TOLD({call});")
            else:
                told.append(
                    "cudaGetLastError(); cudaStreamBeginCapture(s, mode);"
                    f"cudaError_t e{len(told)} = {call}; cudaStreamIsCapturing(s, &status);"
                    f'printf("%s %d %s\\n", cudaGetErrorName(e{len(told)}), status,'
                    "cudaGetErrorName(cudaStreamEndCapture(s, &graph)));"
                )
        result = of(
            "cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;"
            "cudaStreamCaptureStatus status; float* d; cudaMalloc(&d, 4); cudaStream_t n;"
            "cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking); cudaGraphCreate(&graph, 0);"
            "cudaGraphInstantiate(&exec, graph, 0); cudaEventRecord(joined, t);" + "\n".join(told)
        )

        def name(error):
            short = error in ("CapturedEvent", "InvalidValue")
            return f"cudaError{'' if short else 'StreamCapture'}{error}"

        end = "cudaErrorStreamCaptureInvalidated"
        self.assertEqual(
            result.stdout.splitlines(),
            [end if e is None else f"{name(e)} 2 {end}" for e in tried.values()],
            result.stderr,
        )
        self.assertLessEqual(
            {
                ("cudaStreamSynchronize", "stream-captured"),
                ("cudaDeviceSynchronize", "any-stream-captured"),
                ("cudaMemcpy", "default-stream-waits"),
                ("scale", "default-stream-waits"),
                ("cudaMalloc", "may-wait-in-capture"),
                ("cudaEventQuery", "event-captured"),
                ("cudaStreamWaitEvent", "event-of-no-capture"),
                ("cudaStreamEndCapture", "capture-of-other-stream"),
                ("cudaStreamWaitEvent", "two-captures"),
                ("cudaStreamAddCallback", "not-to-capture"),
                ("cudaStreamEndCapture", "capture-spoilt"),
            },
            set(calls(result)),
        )
        refused = fault(result, "launch-in-graph")
        self.assertEqual(refused["fields"], {"blocks": 1, "threads": 2048, "limit": 1024})
        self.assertEqual(refused["kernel"], "scale")

    def test_calls_that_fail_without_spoiling_it(self):
        """And what another mode or another stream allows."""
        result = of("""
            TOLD(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
            TOLD(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
            TOLD(cudaStreamEndCapture(cudaStreamPerThread, &graph));
            TOLD(cudaStreamEndCapture(s, &graph));
            TOLD(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            TOLD(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            float* d;
            TOLD(cudaMalloc(&d, 4));
            TOLD(cudaFree(d));
            TOLD(cudaStreamSynchronize(t));
            add_step(t, d = a, 0);
            TOLD(cudaGetLastError());
            TOLD(cudaMemcpyAsync(a, b, 4004, cudaMemcpyDeviceToDevice, s));
            TOLD(cudaMemsetAsync(a, 0, 4004, s));
            TOLD(cudaStreamEndCapture(s, &graph));
            size_t nodes = 0;
            cudaGraphGetNodes(graph, nullptr, &nodes);
            printf("%d nodes\\n", (int)nodes);
            cudaStream_t n;
            cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
            TOLD(cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal));
            TOLD(cudaMemset(a, 0, 4));
            cudaEventRecord(forked, n);
            cudaStreamWaitEvent(t, forked, 0);
            add_step(t, a, 0);
            TOLD(cudaStreamEndCapture(n, &graph));
            float time;
            TOLD(cudaEventElapsedTime(&time, forked, forked));
            TOLD(cudaStreamWaitEvent(t, forked, 0));
            TOLD(cudaStreamDestroy(0));
            TOLD(cudaStreamBeginCapture(n, cudaStreamCaptureModeRelaxed));
            TOLD(cudaMallocAsync(&d, 4, n));
            TOLD(cudaStreamDestroy(n));
            """)
        good, bad = "cudaSuccess", "cudaErrorInvalidValue"
        self.assertEqual(
            result.stdout.split("\n")[:-1],
            [
                "cudaErrorStreamCaptureUnsupported",
                good,
                good,
                "cudaErrorIllegalState",
                good,
                "cudaErrorIllegalState",
                good,
                good,
                good,
                "cudaErrorIllegalState",
                bad,
                bad,
                good,
                "0 nodes",
                good,
                good,
                "cudaErrorStreamCaptureUnjoined",
                bad,
                "cudaErrorCapturedEvent",
                "cudaErrorInvalidResourceHandle",
                good,
                "cudaErrorNotSupported",
                good,
            ],
            result.stderr,
        )
        self.assertLessEqual(
            {
                ("cudaStreamBeginCapture", "default-stream-capture"),
                ("cudaStreamEndCapture", "no-capture"),
                ("cudaStreamBeginCapture", "captured-already"),
                ("cudaMemcpyAsync", "does-not-fit"),
                ("cudaStreamEndCapture", "unjoined-work"),
                ("cudaEventElapsedTime", "time-in-capture"),
                ("cudaStreamWaitEvent", "event-of-ended-capture"),
                ("cudaStreamDestroy", "default-stream"),
            },
            set(calls(result)),
        )
        self.assertEqual(lacks(result), {"memory-in-capture"})

    def test_streams_that_end_before_their_capture(self):
        """Their work is in the graph if the origin waits for it."""
        result = of("""
            for (int joined = 0; joined < 2; ++joined) {
              cudaStream_t n;
              cudaStreamCreate(&n);
              TOLD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
              cudaEventRecord(forked, s);
              cudaStreamWaitEvent(n, forked);
              add_step(n, a, 0);
              cudaEventRecord(forked, n);
              TOLD(cudaStreamDestroy(n));
              if (joined) cudaStreamWaitEvent(s, forked);
              TOLD(cudaStreamEndCapture(s, &graph));
            }
            size_t nodes = 0;
            cudaGraphGetNodes(graph, nullptr, &nodes);
            printf("%d node\\n", (int)nodes);
            """)
        good, bad = "cudaSuccess", "cudaErrorStreamCaptureUnjoined"
        self.assertEqual(
            result.stdout.splitlines(), [good, good, bad, good, good, good, "1 node"], result.stderr
        )

    def test_wrong_nodes(self):
        """All of these are cudaErrorInvalidValue but for the kernel that is none, and `extra`."""
        result = of("""
            cudaGraphNode_t x, y, z;
            TOLD(cudaGraphCreate(&graph, 1));
            cudaGraphCreate(&graph, 0);
            cudaGraphAddEmptyNode(&x, graph, nullptr, 0);
            cudaGraphAddEmptyNode(&y, graph, &x, 1);
            cudaGraphNode_t both[] = {x, x};
            TOLD(cudaGraphAddEmptyNode(&z, graph, both, 2));
            TOLD(cudaGraphAddDependencies(graph, &x, &y, 1));
            TOLD(cudaGraphAddDependencies(graph, &x, &x, 1));
            TOLD(cudaGraphAddDependencies(graph, &y, &x, 1));
            TOLD(cudaGraphInstantiate(&exec, graph, 0));
            cudaGraph_t other;
            cudaGraphCreate(&other, 0);
            TOLD(cudaGraphAddEmptyNode(&z, other, &x, 1));
            TOLD(cudaGraphAddDependencies(other, &y, &x, 1));
            cudaMemsetParams m = {};
            m.dst = sum; m.elementSize = 3; m.width = 1; m.height = 1;
            TOLD(cudaGraphAddMemsetNode(&z, other, nullptr, 0, &m));
            m.elementSize = 4; m.width = 2;
            TOLD(cudaGraphAddMemsetNode(&z, other, nullptr, 0, &m));
            TOLD(cudaGraphAddMemcpyNode1D(&z, other, nullptr, 0, sum, &host[0], 8,
                                          cudaMemcpyHostToDevice));
            cudaKernelNodeParams k = {};
            k.gridDim = dim3(1); k.blockDim = dim3(2048);
            TOLD(cudaGraphAddKernelNode(&z, other, nullptr, 0, &k));
            k.func = (void*)scale;
            TOLD(cudaGraphAddKernelNode(&z, other, nullptr, 0, &k));
            k.blockDim = dim3(1); k.extra = (void**)&k;
            TOLD(cudaGraphAddKernelNode(&z, other, nullptr, 0, &k));
            cudaGraphInstantiate(&exec, other, 0);
            TOLD(cudaGraphExecKernelNodeSetParams(exec, x, &k));
            cudaMemcpy3DParms p = {0};
            TOLD(cudaMemcpy3D(&p));
            cudaGraphDestroy(other);
            TOLD(cudaGraphDestroy(other));
            TOLD(cudaGraphLaunch(nullptr, 0));
            """)
        bad = "cudaErrorInvalidValue"
        self.assertEqual(
            result.stdout.split(),
            [
                *[bad] * 4,
                "cudaSuccess",
                *[bad] * 6,
                "cudaErrorInvalidDeviceFunction",
                bad,
                "cudaErrorNotSupported",
                *[bad] * 4,
            ],
            result.stderr,
        )
        node, add = "cudaGraphAddEmptyNode", "cudaGraphAddDependencies"
        self.assertEqual(
            set(calls(result)),
            {
                ("cudaGraphCreate", "graph-flags"),
                (node, "node-twice"),
                (add, "needed-already"),
                (add, "needs-itself"),
                ("cudaGraphInstantiate", "circle-of-nodes"),
                (node, "foreign-node"),
                (add, "foreign-node"),
                ("cudaGraphAddMemsetNode", "element-size"),
                ("cudaGraphAddMemsetNode", "does-not-fit"),
                ("cudaGraphAddMemcpyNode1D", "does-not-fit"),
                ("cudaGraphAddKernelNode", "no-kernel"),
                ("cudaGraphExecKernelNodeSetParams", "no-kernel-node"),
                ("cudaMemcpy3D", "ends-of-copy"),
                ("cudaGraphDestroy", "no-graph"),
                ("cudaGraphLaunch", "no-graph-exec"),
            },
        )
        self.assertEqual(lacks(result), {"extra-arguments"})
        self.assertEqual(fault(result, "launch-in-graph")["kernel"], "scale")

    def test_mistakes_in_a_launch(self):
        """A race is found where the kernel was captured, and later launches only run."""
        result = outcome(
            in_main(
                """
                int* out;
                cudaMalloc(&out, 128);
                cudaStream_t s;
                cudaStreamCreate(&s);
                cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
                turned<<<1, 64, 0, s>>>(out);
                cudaGraph_t graph;
                cudaStreamEndCapture(s, &graph);
                cudaGraphExec_t exec;
                cudaGraphInstantiate(&exec, graph, 0);
                for (int i = 0; i < 5; ++i) cudaGraphLaunch(exec, s);
                cudaFree(out);
                cudaGraphLaunch(exec, s);
                printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
                """,
                "__global__ void turned(int* out) {\n  __shared__ int x[64];\n"
                "  x[threadIdx.x] = threadIdx.x;\n  out[threadIdx.x / 2] = x[63 - threadIdx.x];\n}",
            ),
            verb=["check"],
        )
        self.assertEqual((result.returncode, result.stdout), (1, "cudaErrorIllegalAddress"))
        self.assertIn("race-in-shared-memory", fault_codes(result))
        first = launches(result)[0]
        self.assertEqual(
            (first["kernel"], first["line"], first["block"]), ("turned", 14, [64, 1, 1])
        )
        self.assertEqual((len(launches(result)), result.found["launches"]), (4, 6))

    def test_missing_dependency(self):
        """Of nodes in any order, the last comes first, so that the result is wrong."""
        result = of("""
            cudaMemset(a, 0, kCount * 4);
            CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
            CHECK(cudaMemcpyAsync(a, host.data(), kCount * 4, cudaMemcpyHostToDevice, s));
            CHECK(cudaEventRecord(forked, s));
            CHECK(cudaStreamWaitEvent(t, forked, 0));
            add_step(s, a, 1);
            total<<<1, 1, 0, t>>>(a, kCount, sum);
            CHECK(cudaEventRecord(joined, t));
            CHECK(cudaStreamWaitEvent(s, joined, 0));
            CHECK(cudaStreamEndCapture(s, &graph));
            CHECK(cudaGraphInstantiate(&exec, graph));
            CHECK(cudaGraphLaunch(exec, s));
            CHECK(cudaMemcpy(&result, sum, 4, cudaMemcpyDeviceToHost));
            tell(&result);
            """)
        self.assertEqual(result.stdout, "2997 ")

    def test_volumes(self):
        """cudaMalloc3D, cudaMemset3D and cudaMemcpy3D, with CUDA arrays too."""
        result = of("""
            cudaPitchedPtr v;
            CHECK(cudaMalloc3D(&v, make_cudaExtent(8, 3, 2)));
            CHECK(cudaMemset3D(v, 1, make_cudaExtent(8, 3, 2)));
            unsigned char box[2 * 2 * 4], back[2 * 3 * 8];
            for (int i = 0; i < 16; ++i) box[i] = 10 + i;
            cudaMemcpy3DParms p = {0};
            p.srcPtr = make_cudaPitchedPtr(box, 4, 4, 2);
            p.dstPtr = v;
            p.dstPos = make_cudaPos(2, 1, 0);
            p.extent = make_cudaExtent(4, 2, 2);
            p.kind = cudaMemcpyHostToDevice;
            CHECK(cudaMemcpy3D(&p));
            cudaMemcpy3DParms q = {0};
            q.srcPtr = v;
            q.dstPtr = make_cudaPitchedPtr(back, 8, 8, 3);
            q.extent = make_cudaExtent(8, 3, 2);
            q.kind = cudaMemcpyDeviceToHost;
            CHECK(cudaMemcpy3DAsync(&q, s));
            for (int i = 0; i < 48; ++i) printf("%d%s", back[i], i % 8 == 7 ? "\\n" : " ");
            cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
            cudaArray_t array;
            CHECK(cudaMallocArray(&array, &format, 4, 3));
            cudaMemcpy3DParms r = {0};
            r.srcPtr = make_cudaPitchedPtr(back, 8, 4, 3);
            r.dstArray = array;
            r.extent = make_cudaExtent(4, 3, 1);
            r.kind = cudaMemcpyHostToDevice;
            CHECK(cudaMemcpy3D(&r));
            short row[2];
            CHECK(cudaMemcpyFromArray(row, array, 2, 1, 4, cudaMemcpyDeviceToHost));
            printf("%d %d", row[0], row[1]);
            cudaFree(v.ptr); cudaFreeArray(array);
            """)
        self.assertEqual(
            result.stdout.splitlines(),
            [
                "1 1 1 1 1 1 1 1",
                "1 1 10 11 12 13 1 1",
                "1 1 14 15 16 17 1 1",
                "1 1 1 1 1 1 1 1",
                "1 1 18 19 20 21 1 1",
                "1 1 22 23 24 25 1 1",
                f"{10 + 256 * 11} {12 + 256 * 13}",
            ],
            result.stderr,
        )
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
