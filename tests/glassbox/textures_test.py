"""Texture objects and CUDA arrays: what kernels read through them, and which mistakes are told."""

import unittest

from tests.glassbox.own_program import (
    calls,
    fault,
    fault_codes,
    in_main,
    lacks,
    launches,
    never_freed,
    outcome,
)

# One kernel of each sort, and short words for what a texture is.
KERNELS = """
    #include <vector>
    template <class T> __global__ void elements(cudaTextureObject_t t, int first, T* out) {
      out[threadIdx.x] = tex1Dfetch<T>(t, first + (int)threadIdx.x);
    }
    template <class T> __global__ void line(cudaTextureObject_t t, float x, float dx, T* out) {
      out[threadIdx.x] = tex1D<T>(t, x + dx * threadIdx.x);
    }
    template <class T>
    __global__ void plane(cudaTextureObject_t t, float x, float y, float dx, float dy, T* out) {
      tex2D(&out[threadIdx.x], t, x + dx * threadIdx.x, y + dy * threadIdx.x);
    }
    cudaResourceDesc of_array(cudaArray_t array) {
      cudaResourceDesc r = {};
      r.resType = cudaResourceTypeArray;
      r.res.array.array = array;
      return r;
    }
    template <class T> cudaResourceDesc of_memory(T* memory, int count) {
      cudaResourceDesc r = {};
      r.resType = cudaResourceTypeLinear;
      r.res.linear.devPtr = memory;
      r.res.linear.desc = cudaCreateChannelDesc<T>();
      r.res.linear.sizeInBytes = count * sizeof(T);
      return r;
    }
    template <class T> cudaArray_t array_of(const T* texels, int width, int height) {
      cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
      cudaArray_t array;
      cudaMallocArray(&array, &format, width, height);
      const size_t row = width * sizeof(T);
      cudaMemcpy2DToArray(array, 0, 0, texels, row, row, height ? height : 1,
                          cudaMemcpyHostToDevice);
      return array;
    }
    cudaTextureObject_t texture_of(cudaResourceDesc r, int mode = cudaAddressModeClamp,
                                   int filter = cudaFilterModePoint, int normalised = 0,
                                   int read = cudaReadModeElementType) {
      cudaTextureDesc d = {};
      d.addressMode[0] = d.addressMode[1] = (cudaTextureAddressMode)mode;
      d.filterMode = (cudaTextureFilterMode)filter;
      d.readMode = (cudaTextureReadMode)read;
      d.normalizedCoords = normalised;
      d.borderColor[0] = 42;
      cudaTextureObject_t t = 0;
      cudaError_t e = cudaCreateTextureObject(&t, &r, &d, nullptr);
      if (e) printf("%s\\n", cudaGetErrorName(e));
      return t;
    }
    template <class T> void show(const T* out, int count) {
      cudaError_t e = cudaDeviceSynchronize();
      if (e) { printf("%s\\n", cudaGetErrorName(e)); return; }
      for (int i = 0; i < count; ++i) printf("%g ", (double)out[i]);
      printf("\\n");
    }
"""
LINE = """
    float *out, texels[] = {1, 5, 2, 8};
    cudaMallocManaged(&out, 256);
    cudaArray_t a = array_of(texels, 4, 0);
"""
PLANE = """
    float *out, texels[] = {1, 5, 2, 8, -3, 100, 7, 0.5f};
    cudaMallocManaged(&out, 256);
    cudaArray_t a = array_of(texels, 4, 2);
"""

# What a kernel of PLANE's reads, and why it may not.
WRONG_READS = {
    "auto t = texture_of(of_array(a)); cudaFreeArray(a);plane<<<1, 1>>>(t, 0, 0, 0, 0, out);": (
        "texture-freed",
        {"function": "tex2D", "array": "a"},
    ),
    "auto t = texture_of(of_array(a)); cudaDestroyTextureObject(t);"
    "plane<<<1, 1>>>(t, 0, 0, 0, 0, out);": ("texture-destroyed", {"function": "tex2D"}),
    "plane<<<1, 1>>>(0, 0, 0, 0, 0, out);": ("texture-no-object", {"function": "tex2D"}),
    "line<<<1, 1>>>(texture_of(of_array(a)), 0, 0, out);": (
        "texture-dimensions",
        {"function": "tex1D", "dimensions": 2},
    ),
    "plane<<<1, 1>>>(texture_of(of_array(a)), 0, 0, 0, 0, (int*)out);": (
        "texture-type",
        {"function": "tex2D", "texture_gives_floats": True},
    ),
    "elements<<<1, 1>>>(texture_of(of_array(a)), 0, out);": (
        "texture-function",
        {"function": "tex1Dfetch", "texture_is_linear": False},
    ),
    "line<<<1, 1>>>(texture_of(of_memory(out, 4)), 0, 0, out);": (
        "texture-function",
        {"function": "tex1D", "texture_is_linear": True},
    ),
}


def rows(body):
    """What a program prints, in lines, and what becomes of it."""
    result = outcome(in_main(body, KERNELS))
    return result.stdout.replace(" \n", "\n").splitlines(), result


class TexturesTest(unittest.TestCase):
    """Numbers are those of an H100."""

    def test_address_modes(self):
        """Wrap and mirror need normalised coordinates: else they are clamp."""
        said, result = rows(
            LINE
            + """
            for (int mode = 0; mode < 4; ++mode) {
              cudaTextureObject_t t = texture_of(of_array(a), mode);
              line<<<1, 9>>>(t, -1.5f, 1, out);
              show(out, 9);
              cudaDestroyTextureObject(t);
              t = texture_of(of_array(a), mode, cudaFilterModePoint, 1);
              line<<<1, 9>>>(t, -0.375f, 0.25f, out);
              show(out, 9);
              cudaDestroyTextureObject(t);
            }
            cudaFreeArray(a);
            cudaFree(out);
            """
        )
        clamp = "1 1 1 5 2 8 8 8 8"
        border = "42 42 1 5 2 8 42 42 42"
        self.assertEqual(
            said,
            [clamp, "2 8 1 5 2 8 1 5 2", clamp, clamp, clamp, "5 1 1 5 2 8 8 2 5", border, border],
        )
        self.assertEqual(never_freed(result), {})

    def test_linear_filter(self):
        """The weight of a neighbour has 8 fractional bits, and is rounded to the nearest."""
        said, _ = rows("""
            float *out, ramp[] = {0, 65536};
            cudaMallocManaged(&out, 256);
            cudaArray_t a = array_of(ramp, 2, 0);
            line<<<1, 8>>>(texture_of(of_array(a), cudaAddressModeClamp, cudaFilterModeLinear),
                           0.5f, 1.0f / 1024, out);
            show(out, 8);
            float square[] = {0, 8, 16, 64};
            cudaArray_t b = array_of(square, 2, 2);
            plane<<<1, 5>>>(texture_of(of_array(b), cudaAddressModeClamp, cudaFilterModeLinear),
                            0.5f, 0.5f, 0.25f, 0.25f, out);
            show(out, 5);
            plane<<<1, 3>>>(texture_of(of_array(b), cudaAddressModeBorder, cudaFilterModeLinear),
                            0.0f, 0.5f, 0.5f, 0, out);
            show(out, 3);
            plane<<<1, 1>>>(texture_of(of_array(b), cudaAddressModeClamp, cudaFilterModeLinear),
                            0.5f + 57 / 256.0f, 0.5f + 23 / 256.0f, 0, 0, out);
            show(out, 1);
            """)
        # The last: weights 181, 52, 18 and 5 of 256, because 57 * 23 / 256 is 5.12.
        self.assertEqual(said, ["0 0 256 256 256 256 512 512", "0 8.5 22 40.5 64", "21 0 4", "4"])

    def test_elements_of_linear_memory(self):
        """Of several types; beyond the bounds of the texture they are 0."""
        said, _ = rows("""
            int* ints; uchar4* bytes; float2* pairs;
            cudaMallocManaged(&ints, 16); cudaMallocManaged(&bytes, 16);
            cudaMallocManaged(&pairs, 16);
            for (int i = 0; i < 4; ++i) {
              ints[i] = i - 2;
              bytes[i] = make_uchar4(i, 51, 102, 255);
              if (i < 2) pairs[i] = make_float2(i, i + 0.5f);
            }
            int* out;
            cudaMallocManaged(&out, 256);
            elements<<<1, 6>>>(texture_of(of_memory(ints, 3)), -1, out);
            show(out, 6);
            uchar4* four;
            cudaMallocManaged(&four, 256);
            elements<<<1, 4>>>(texture_of(of_memory(bytes, 4)), 0, four);
            cudaDeviceSynchronize();
            printf("%d %d %d %d\\n", four[3].x, four[3].y, four[3].z, four[3].w);
            float4* parts;
            cudaMallocManaged(&parts, 256);
            elements<<<1, 4>>>(texture_of(of_memory(bytes, 4), 0, 0, 0, 1), 0, parts);
            cudaDeviceSynchronize();
            printf("%g %g %g\\n", parts[0].y, parts[0].z, parts[0].w);
            float2* two;
            cudaMallocManaged(&two, 256);
            elements<<<1, 3>>>(texture_of(of_memory(pairs, 2)), 0, two);
            cudaDeviceSynchronize();
            printf("%g %g %g\\n", two[1].x, two[1].y, two[2].y);
            """)
        self.assertEqual(said, ["0 -2 -1 0 0 0", "3 51 102 255", "0.2 0.4 1", "1 1.5 0"])

    def test_pitched_memory_and_bytes(self):
        """Rows of cudaMallocPitch; integers of 8 bits with a filter, as in pictures."""
        said, _ = rows("""
            unsigned char host[] = {0, 255, 51, 102, 0, 255}, *picture;
            size_t pitch;
            cudaMallocPitch(&picture, &pitch, 3, 2);
            cudaMemcpy2D(picture, pitch, host, 3, 3, 2, cudaMemcpyHostToDevice);
            cudaResourceDesc r = {};
            r.resType = cudaResourceTypePitch2D;
            r.res.pitch2D.devPtr = picture;
            r.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
            r.res.pitch2D.width = 3;
            r.res.pitch2D.height = 2;
            r.res.pitch2D.pitchInBytes = pitch;
            unsigned char* out;
            float* parts;
            cudaMallocManaged(&out, 256);
            cudaMallocManaged(&parts, 256);
            plane<<<1, 3>>>(texture_of(r), 0, 1, 1, 0, out);
            show(out, 3);
            plane<<<1, 3>>>(texture_of(r, cudaAddressModeClamp, cudaFilterModeLinear, 0,
                                       cudaReadModeNormalizedFloat), 0.5f, 0.5f, 0.5f, 0, parts);
            show(parts, 3);
            """)
        self.assertEqual(said, ["102 0 255", "0 0.5 1"])

    def test_copies_into_arrays(self):
        """Row after row from any byte on, and back."""
        said, result = rows(
            PLANE
            + """
            float more[] = {10, 20, 30}, back[8];
            cudaMemcpyToArray(a, 8, 0, more, 12, cudaMemcpyHostToDevice);
            cudaMemcpyFromArray(back, a, 0, 0, 32, cudaMemcpyDeviceToHost);
            show(back, 8);
            cudaMemcpy2DFromArray(back, 8, a, 8, 0, 8, 2, cudaMemcpyDeviceToHost);
            show(back, 4);
            cudaChannelFormatDesc format;
            cudaGetChannelDesc(&format, a);
            printf("%d %d\\n", format.x, format.f);
            """
        )
        self.assertEqual(said, ["1 5 10 20 30 100 7 0.5", "10 20 7 0.5", "32 2"])
        self.assertEqual(never_freed(result)["a"], 32)

    def test_wrong_calls(self):
        """CUDA's errors, as an H100 returns them, with a sentence."""
        said, result = rows(
            PLANE
            + """
            auto told = [](cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); };
            told(cudaMemcpy2DToArray(a, 8, 0, texels, 16, 16, 1, cudaMemcpyHostToDevice));
            int numbers[4] = {};
            cudaArray_t ints = array_of(numbers, 2, 2);
            texture_of(of_array(ints), 0, cudaFilterModeLinear);
            texture_of(of_array(ints), 0, 0, 0, cudaReadModeNormalizedFloat);
            texture_of(of_memory(out + 1, 4));
            cudaTextureObject_t t;
            cudaTextureDesc d = {};
            cudaResourceDesc r = of_memory(out, 65);
            told(cudaCreateTextureObject(&t, &r, &d, nullptr));
            cudaFreeArray(ints);
            r = of_array(ints);
            told(cudaCreateTextureObject(&t, &r, &d, nullptr));
            told(cudaFreeArray(ints));
            told(cudaDestroyTextureObject(7));
            """
        )
        self.assertEqual(
            said,
            [
                "cudaErrorInvalidValue",
                "cudaErrorInvalidFilterSetting",
                "cudaErrorInvalidNormSetting",
                *["cudaErrorInvalidValue"] * 3,
                "cudaErrorInvalidResourceHandle",
                "cudaErrorInvalidValue",
            ],
        )
        create = "cudaCreateTextureObject"
        found = calls(result)
        self.assertEqual(
            set(found),
            {
                ("cudaMemcpy2DToArray", "part-does-not-fit"),
                (create, "filter-of-integers"),
                (create, "normalised-wide-integers"),
                (create, "texture-alignment"),
                (create, "does-not-fit"),
                (create, "texture-of-array"),
                ("cudaFreeArray", "no-cuda-array"),
                ("cudaDestroyTextureObject", "no-texture"),
            },
        )
        self.assertLessEqual(
            {"width": 16, "x": 8, "y": 0, "array": "a", "rows": 2, "row_bytes": 16}.items(),
            found[("cudaMemcpy2DToArray", "part-does-not-fit")].items(),
        )
        self.assertLessEqual(
            {"bytes": 260, "array": "out", "array_bytes": 256}.items(),
            found[(create, "does-not-fit")].items(),
        )

    def test_descriptions_that_no_texture_has(self):
        """And some that only the glass box does not have."""
        said, result = rows(
            LINE
            + """
            cudaTextureObject_t t;
            cudaTextureDesc d = {};
            cudaResourceDesc r = of_memory(out, 4);
            r.res.linear.desc.y = 16;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r.resType = cudaResourceTypeMipmappedArray;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r.resType = (cudaResourceType)9;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r = of_memory(out, 0);
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r.resType = cudaResourceTypePitch2D;
            r.res.pitch2D.width = r.res.pitch2D.height = 4;
            r.res.pitch2D.pitchInBytes = 20;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r = of_memory(out, 4);
            cudaCreateTextureObject(&t, &r, &d, (cudaResourceViewDesc*)&d);
            d.sRGB = 1;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            cudaGetLastError();
            d.sRGB = 0;
            cudaCreateTextureObject(&t, &r, &d, nullptr);
            r = {};
            d.addressMode[0] = cudaAddressModeBorder;
            cudaGetTextureObjectResourceDesc(&r, t);
            cudaGetTextureObjectTextureDesc(&d, t);
            printf("%d %d\\n", (int)r.res.linear.sizeInBytes, d.addressMode[0]);
            cudaGetTextureObjectResourceDesc(&r, 99);
            cudaChannelFormatDesc three = cudaCreateChannelDesc<float3>();
            cudaMallocArray(&a, &three, 4, 4);
            """
        )
        self.assertEqual(said, ["16 0"])
        create = "cudaCreateTextureObject"
        found = calls(result)
        self.assertEqual(
            set(found),
            {
                (create, "texel-format"),
                (create, "no-resource-type"),
                (create, "texture-empty"),
                (create, "texture-pitch"),
                ("cudaGetTextureObjectResourceDesc", "no-texture"),
                ("cudaMallocArray", "texel-format"),
            },
        )
        self.assertEqual(found[(create, "no-resource-type")]["type"], 9)
        self.assertLessEqual(
            {"pitch": 20, "multiple": 32, "row_bytes": 16}.items(),
            found[(create, "texture-pitch")].items(),
        )
        self.assertEqual(lacks(result), {"no-mipmapped-arrays", "no-resource-views", "no-srgb"})

    def test_kernels_that_read_what_they_may_not(self):
        """The launch fails where a GPU would read what lies there now, or nothing."""
        for body, (code, fields) in WRONG_READS.items():
            with self.subTest(code=code):
                said, result = rows(PLANE + body + "show(out, 1);")
                self.assertEqual(said, ["cudaErrorIllegalAddress"])
                self.assertEqual(fault_codes(result), {code})
                self.assertEqual(fault(result, code)["fields"], fields)

    def test_arrays_that_nobody_has_written(self):
        """It is told, but is no error of CUDA's."""
        _, result = rows("""
            float* out;
            cudaMallocManaged(&out, 256);
            cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
            cudaArray_t empty;
            cudaMallocArray(&empty, &format, 4, 4);
            plane<<<1, 32>>>(texture_of(of_array(empty)), 0, 0, 0, 0, out);
            """)
        unset = fault(result, "uninitialised-texture")
        self.assertEqual(unset["fields"], {"function": "tex2D", "array": "empty"})
        self.assertEqual(unset["line"], 12)
        self.assertEqual(launches(result)[0].get("cuda_error"), None)


if __name__ == "__main__":
    unittest.main()
