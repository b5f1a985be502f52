"""Objects with virtual functions: those that the host made, and those that kernels made."""

import unittest

from tests.glassbox.own_program import expect_sound, faults, in_main, outcome

CLASSES = """
#include <new>
#include <cstring>
struct Shape {
  float size;
  __host__ __device__ Shape(float s) : size(s) {}
  __host__ __device__ virtual float area() const { return 0; }
  __host__ __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __host__ __device__ Square(float s) : Shape(s) {}
  __host__ __device__ float area() const override { return size * size; }
};
struct Scene { Shape* first; int n; };
__global__ void areas(Shape* const* all, float* out) {
  out[threadIdx.x] = all[threadIdx.x]->area();
}
__global__ void area(const Shape* one, float* out) {
  out[0] = one->area();
}
__global__ void size(const Shape* one, float* out) { out[0] = one->size; }
__global__ void size_of_copy(Square one, float* out) { out[0] = one.size; }
__global__ void make(Shape** all, float s) { all[threadIdx.x] = new Square(s + threadIdx.x); }
__global__ void drop(Shape** all) { delete all[threadIdx.x]; }
__global__ void make_at(void* place, float s) { new (place) Square(s); }
"""
BEFORE = "float* out; cudaMallocManaged(&out, 128);\n"
AFTER = """
cudaDeviceSynchronize();
printf("%g", out[0]);
cudaFree(out);
"""
COPIED = """
Square mine(3); Shape* one; cudaMalloc(&one, sizeof mine);
cudaMemcpy(one, &mine, sizeof mine, cudaMemcpyHostToDevice);
"""


def program(body):
    """The body of main(), with the classes above."""
    return in_main(BEFORE + body + AFTER, CLASSES)


BROKEN = {
    "copied": COPIED + "area<<<1, 1>>>(one, out); cudaFree(one);",
    "managed": """
    Square* one; cudaMallocManaged(&one, sizeof *one); new (one) Square(3);
    area<<<1, 1>>>(one, out); cudaDeviceSynchronize(); cudaFree(one);""",
    "pinned": """
    Square* one; cudaMallocHost(&one, sizeof *one); new (one) Square(3);
    area<<<1, 1>>>(one, out); cudaDeviceSynchronize(); cudaFreeHost(one);""",
    "after the kernel's own": """
    Shape* one; cudaMallocManaged(&one, sizeof(Square)); make_at<<<1, 1>>>(one, 2);
    cudaDeviceSynchronize(); new (one) Square(3);
    area<<<1, 1>>>(one, out); cudaDeviceSynchronize(); cudaFree(one);""",
}
SOUND = {
    "made with new": (
        "4",
        """Shape** all; cudaMalloc(&all, 4 * sizeof *all);
        make<<<1, 4>>>(all, 2); areas<<<1, 4>>>(all, out); drop<<<1, 4>>>(all);
        cudaDeviceSynchronize(); cudaFree(all);""",
    ),
    "made in its memory": (
        "4",
        """Shape* one; cudaMalloc(&one, sizeof(Square));
        make_at<<<1, 1>>>(one, 2); area<<<1, 1>>>(one, out);
        cudaDeviceSynchronize(); cudaFree(one);""",
    ),
    "made in managed memory": (
        "4",
        """Shape* one; cudaMallocManaged(&one, sizeof(Square));
        make_at<<<1, 1>>>(one, 2); area<<<1, 1>>>(one, out);
        area<<<1, 1>>>(one, out); cudaDeviceSynchronize(); cudaFree(one);""",
    ),
    "copied between arrays": (
        "4",
        """Shape *one, *two; cudaMallocManaged(&one, sizeof(Square)); cudaMalloc(&two, sizeof(Square));
        make_at<<<1, 1>>>(one, 2); cudaDeviceSynchronize();
        char bytes[sizeof(Square)]; memcpy(bytes, (void*)one, sizeof bytes);
        cudaMemcpy(two, bytes, sizeof bytes, cudaMemcpyHostToDevice);
        area<<<1, 1>>>(two, out); cudaDeviceSynchronize(); cudaFree(one); cudaFree(two);""",
    ),
    "made again by a kernel": (
        "25",
        COPIED + "make_at<<<1, 1>>>(one, 5); area<<<1, 1>>>(one, out); cudaFree(one);",
    ),
    "no virtual call": ("3", COPIED + "size<<<1, 1>>>(one, out); cudaFree(one);"),
    "no virtual call of an argument": ("3", "size_of_copy<<<1, 1>>>(Square(3), out);"),
    "called on the host": (
        "9",
        """Square* one; cudaMallocManaged(&one, sizeof *one); new (one) Square(3);
        size<<<1, 1>>>(one, out); cudaDeviceSynchronize();
        const Shape* p = one; float a = p->area(); out[0] = a; cudaFree(one);""",
    ),
    "copied there and back": (
        "9",
        COPIED
        + """size<<<1, 1>>>(one, out); Square back(1);
        cudaMemcpy((void*)&back, one, sizeof back, cudaMemcpyDeviceToHost);
        cudaDeviceSynchronize(); const Shape* p = &back; out[0] = p->area(); cudaFree(one);""",
    ),
}


class VirtualFunctionsTest(unittest.TestCase):
    """What nvcc compiles and a GPU stops at."""

    def test_objects_of_the_host(self):
        """Told at the call, with the class."""
        for name, body in BROKEN.items():
            for verb in ([], ["check"]):
                with self.subTest(name, verb=verb):
                    source = program(body)
                    result = outcome(source, verb=verb)
                    (found,) = faults(result)
                    self.assertEqual(
                        (found["code"], found["file"], found["cuda_error"], found["fields"]),
                        (
                            "host-virtual-call",
                            "my.cu",
                            "cudaErrorIllegalAddress",
                            {"class": "Square"},
                        ),
                    )
                    call = source.index("one->area")
                    self.assertEqual(found["line"], source[:call].count("\n") + 1)

    def test_sound(self):
        """Objects of kernels, wherever they are; and objects of the host that no kernel calls."""
        expect_sound(
            self, {name: (printed, program(body)) for name, (printed, body) in SOUND.items()}
        )


if __name__ == "__main__":
    unittest.main()
