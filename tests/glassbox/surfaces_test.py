"""Surface objects: what kernels write and read through them, and which mistakes are told."""

import unittest

from tests.glassbox.own_program import calls, faults, in_main, never_freed, outcome

KERNELS = """
    template <class T>
    __global__ void write(cudaSurfaceObject_t s, T first, int x0, int y0,
                          cudaSurfaceBoundaryMode mode) {
      T value = first;
      *(unsigned char*)&value += threadIdx.x + 16 * threadIdx.y;
      surf2Dwrite(value, s, ((int)threadIdx.x + x0) * (int)sizeof(T), (int)threadIdx.y + y0, mode);
    }
    template <class T>
    __global__ void read(cudaSurfaceObject_t s, T* out, int from, cudaSurfaceBoundaryMode mode) {
      const int x = (int)threadIdx.x + from, y = (int)threadIdx.y + from;
      T& value = out[threadIdx.y * blockDim.x + threadIdx.x];
      if (mode == cudaBoundaryModeTrap) value = surf2Dread<T>(s, x * (int)sizeof(T), y);
      else surf2Dread(&value, s, x * (int)sizeof(T), y, mode);
    }
    __global__ void line(cudaSurfaceObject_t s, int* out, int n) {
      const int x = threadIdx.x;
      surf1Dwrite(x * x, s, x * 4);
      __syncthreads();
      int third;
      surf1Dread(&third, s, (x + n - 2) * 4, cudaBoundaryModeClamp);
      out[x] = surf1Dread<int>(s, (n - 1 - x) * 4) + third +
               surf1Dread<int>(s, (x + n - 2) * 4, cudaBoundaryModeZero);
    }
    __global__ void by_texture(cudaTextureObject_t t, float* out) {
      out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1);
    }
    template <class T> cudaArray_t array_of(int width, int height) {
      cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
      cudaArray_t array;
      cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
      return array;
    }
    cudaResourceDesc of_array(cudaArray_t array) {
      cudaResourceDesc r = {};
      r.resType = cudaResourceTypeArray;
      r.res.array.array = array;
      return r;
    }
    cudaSurfaceObject_t surface_of(cudaArray_t array) {
      const cudaResourceDesc r = of_array(array);
      cudaSurfaceObject_t s = 0;
      cudaCreateSurfaceObject(&s, &r);
      return s;
    }
    template <class T> void show(const T* out, int count) {
      cudaError_t e = cudaDeviceSynchronize();
      if (e) { printf("%s\\n", cudaGetErrorName(e)); return; }
      for (int i = 0; i < count; ++i) printf("%g%s", (double)out[i], i < count - 1 ? " " : "\\n");
    }
    #define TOLD(call) printf("%s\\n", cudaGetErrorName(call))
"""
START = """
    int* out;
    cudaMallocManaged(&out, 4096);
"""

# What a kernel does with the surface s of the array a, 2 rows of 8 shorts, and why it may not.
WRONG_USES = {
    "read<short><<<1, dim3(9, 2)>>>(s, (short*)out, 0, cudaBoundaryModeTrap)": (
        "surface-out-of-bounds",
        {"x": 16, "y": 0, "array": "a", "rows": 2, "row_bytes": 16, "function": "surf2Dread"},
    ),
    "write<int><<<1, 1>>>(s, 1, 0, -1, cudaBoundaryModeTrap)": (
        "surface-out-of-bounds",
        {"x": 0, "y": -1, "array": "a", "rows": 2, "row_bytes": 16, "function": "surf2Dwrite"},
    ),
    "odd<<<1, 1>>>(s)": ("surface-misaligned", {"x": 2, "bytes": 4, "function": "surf2Dwrite"}),
    "line<<<1, 1>>>(s, out, 8)": (
        "surface-dimensions",
        {"dimensions": 2, "function": "surf1Dwrite"},
    ),
    "read<int><<<1, 1>>>(7, out, 0, cudaBoundaryModeZero)": (
        "surface-no-object",
        {"function": "surf2Dread"},
    ),
    "cudaDestroySurfaceObject(s); read<int><<<1, 1>>>(s, out, 0, cudaBoundaryModeZero)": (
        "surface-destroyed",
        {"function": "surf2Dread"},
    ),
    "cudaFreeArray(a); read<int><<<1, 1>>>(s, out, 0, cudaBoundaryModeZero)": (
        "surface-freed",
        {"array": "a", "function": "surf2Dread"},
    ),
}


def rows(body, verb="check"):
    """What a program prints, in lines, and what becomes of it."""
    result = outcome(in_main(START + body, KERNELS), verb=[verb])
    return result.stdout.splitlines(), result


class SurfacesTest(unittest.TestCase):
    """Numbers and errors are those of an H100."""

    def test_elements_and_boundary_modes(self):
        """Of several types; x counts bytes."""
        said, result = rows("""
            cudaArray_t a = array_of<short>(4, 3);
            cudaSurfaceObject_t s = surface_of(a);
            short* shorts = (short*)out;
            write<short><<<1, dim3(4, 3)>>>(s, 300, 0, 0, cudaBoundaryModeTrap);
            read<short><<<1, dim3(4, 3)>>>(s, shorts, 0, cudaBoundaryModeTrap);
            show(shorts, 12);
            read<short><<<1, dim3(6, 5)>>>(s, shorts, -1, cudaBoundaryModeZero);
            show(shorts, 30);
            read<short><<<1, dim3(6, 5)>>>(s, shorts, -1, cudaBoundaryModeClamp);
            show(shorts, 30);
            write<short><<<1, dim3(6, 5)>>>(s, 300, -1, -1, cudaBoundaryModeZero);
            write<short><<<1, 1>>>(s, 300, 7, 9, cudaBoundaryModeClamp);
            read<short><<<1, dim3(4, 3)>>>(s, shorts, 0, cudaBoundaryModeTrap);
            show(shorts, 12);
            cudaArray_t b = array_of<int4>(2, 2);
            s = surface_of(b);
            write<int4><<<1, dim3(2, 2)>>>(s, int4{7, 8, 9, 10}, 0, 0, cudaBoundaryModeTrap);
            read<int4><<<1, dim3(2, 2)>>>(s, (int4*)out, 0, cudaBoundaryModeTrap);
            show(out, 16);
            cudaArray_t c = array_of<int>(8, 0);
            line<<<1, 8>>>(surface_of(c), out, 8);
            show(out, 8);
            cudaFreeArray(a); cudaFreeArray(b); cudaFreeArray(c); cudaFree(out);
            """)
        rows_of_a = ["300 301 302 303", "316 317 318 319", "332 333 334 335"]
        wide = [f"{r.split()[0]} {r} {r.split()[-1]}" for r in rows_of_a]
        zeros = "0 0 0 0 0 0"
        self.assertEqual(
            said,
            [
                " ".join(rows_of_a),
                " ".join([zeros, *[f"0 {r} 0" for r in rows_of_a], zeros]),
                " ".join([wide[0], *wide, wide[-1]]),
                "317 318 319 320 333 334 335 336 349 350 351 300",
                "7 8 9 10 8 8 9 10 23 8 9 10 24 8 9 10",
                "121 134 74 65 58 53 50 49",
            ],
            result.stderr,
        )
        self.assertEqual((never_freed(result), faults(result)), ({}, []))

    def test_what_is_written_is_there_for_others(self):
        """For textures of the array, and for copies."""
        said, result = rows(
            """
            cudaArray_t a = array_of<float>(4, 2);
            cudaSurfaceObject_t s = surface_of(a);
            write<float><<<1, dim3(4, 2)>>>(s, 1.0f, 0, 0, cudaBoundaryModeTrap);
            cudaResourceDesc r = of_array(a), back = {};
            cudaTextureDesc d = {};
            cudaTextureObject_t t;
            TOLD(cudaCreateTextureObject(&t, &r, &d, nullptr));
            by_texture<<<1, 4>>>(t, (float*)out);
            show((float*)out, 4);
            float host[8];
            cudaMemcpyFromArray(host, a, 0, 0, 32, cudaMemcpyDeviceToHost);
            printf("%g\\n", host[7]);
            TOLD(cudaGetSurfaceObjectResourceDesc(&back, s));
            printf("%d\\n", back.res.array.array == a);
            TOLD(cudaDestroySurfaceObject(s));
            TOLD(cudaDestroySurfaceObject(0));
            """,
            verb="run",
        )
        self.assertEqual(
            said, ["cudaSuccess", "1 1 1 1", "1", "cudaSuccess", "1", *["cudaSuccess"] * 2]
        )
        self.assertEqual(faults(result), [])

    def test_a_race(self):
        """Between a write and a read of another thread."""
        result = outcome(
            in_main(
                "cudaChannelFormatDesc f = cudaCreateChannelDesc<int>(); cudaArray_t a;"
                "cudaMallocArray(&a, &f, 64, 1); cudaResourceDesc r = {};"
                "r.resType = cudaResourceTypeArray; r.res.array.array = a;"
                "cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &r); int* out;"
                "cudaMalloc(&out, 256); k<<<1, 64>>>(s, out); cudaFree(out); cudaFreeArray(a);",
                "__global__ void k(cudaSurfaceObject_t s, int* out) {\n"
                "  surf2Dwrite((int)threadIdx.x, s, threadIdx.x * 4, 0);\n"
                "  out[threadIdx.x] = surf2Dread<int>(s, (63 - threadIdx.x) * 4, 0);\n}",
            ),
            verb=["check"],
        )
        self.assertEqual(result.returncode, 1)
        races = [one for one in faults(result) if one["code"] == "race-in-global-memory"]
        self.assertIn(4, {one["line"] for one in races})

    def test_kernels_that_do_what_they_may_not(self):
        """Each in a launch of its own."""
        cases = WRONG_USES
        launches = "".join(
            f"cudaMallocManaged(&out, 4096); format = cudaCreateChannelDesc<short>();"
            f"cudaMallocArray(&a, &format, 8, 2); s = surface_of(a); {call};\n"
            "TOLD(cudaDeviceSynchronize()); cudaDeviceReset();\n"
            for call in cases
        )
        odd = "__global__ void odd(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 2, 0); }\n"
        result = outcome(
            in_main(
                "int* out; cudaArray_t a; cudaSurfaceObject_t s; cudaChannelFormatDesc format;\n"
                + launches,
                KERNELS + odd,
            ),
            verb=["run"],
        )
        errors = ["cudaErrorIllegalAddress"] * len(cases)
        errors[2] = "cudaErrorMisalignedAddress"
        self.assertEqual(result.stdout.split(), errors, result.stderr)
        found = [(one["code"], one["fields"]) for one in faults(result)]
        self.assertEqual(found, list(cases.values()))

    def test_wrong_calls(self):
        """Memory is no surface, and neither is an array that was freed."""
        said, result = rows("""
            cudaResourceDesc r = {};
            r.resType = cudaResourceTypeLinear;
            r.res.linear.devPtr = out;
            r.res.linear.sizeInBytes = 64;
            cudaSurfaceObject_t s;
            TOLD(cudaCreateSurfaceObject(&s, &r));
            r = of_array(array_of<int>(4, 4));
            cudaFreeArray(r.res.array.array);
            TOLD(cudaCreateSurfaceObject(&s, &r));
            TOLD(cudaDestroySurfaceObject(7));
            TOLD(cudaGetSurfaceObjectResourceDesc(&r, 7));
            """)
        self.assertEqual(said, ["cudaErrorInvalidValue"] * 4)
        self.assertEqual(
            set(calls(result)),
            {
                ("cudaCreateSurfaceObject", "surface-of-array"),
                ("cudaDestroySurfaceObject", "no-surface"),
                ("cudaGetSurfaceObjectResourceDesc", "no-surface"),
            },
        )


if __name__ == "__main__":
    unittest.main()
