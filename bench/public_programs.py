"""The public programs that the glass box was tried on: which they are, and what became of them."""

import pathlib

from bench import results_file

RECORD = pathlib.Path("bench/results/public_programs.json")

REPOSITORIES = (
    "NVIDIA-developer-blog+code-samples",
    "siboehm+SGEMM_CUDA",
    "wangzyon+NVIDIA_SGEMM_PRACTICE",
    "CoffeeBeforeArch+cuda_programming",
    "NVIDIA+cuda-samples",
    "PacktPublishing+Learn-CUDA-Programming",
    "olcf+cuda-training-series",
    "brucefan1983+CUDA-Programming",
    "karpathy+llm.c",
)

# {program: {"files": the others of its build line, "folders": of headers, "arguments": its own}}
MORE = {
    "siboehm+SGEMM_CUDA/sgemm.cu": {"files": ["src/runner.cu"], "arguments": ["1"]},
    "wangzyon+NVIDIA_SGEMM_PRACTICE/sgemm.cu": {"files": ["src/utils.cu"], "arguments": ["1"]},
    **{f"PacktPublishing+Learn-CUDA-Programming/{path}": more for path, more in {
        "Chapter02/02_memory_overview/05_image_scaling/image_scaling.cu":
            {"files": ["scrImagePgmPpmPackage.cpp"]},
        "Chapter03/03_cuda_thread_programming/01_warp_and_thread_block/cuda_thread_block.cu":
            {"arguments": ["4", "128"]},
        "Chapter04/04_kernel_execution/08_openmp_cuda/openmp_gpus.cu": {"arguments": ["2"]},
        "Chapter06/06_multigpu/05_streams/image_merging.cu":
            {"files": ["scrImagePgmPpmPackage.cu"]},
        "Chapter07/07_parallel_programming_pattern/03_scan/scan.cu":
            {"files": ["scan_v1.cu", "scan_v2.cu"]},
        "Chapter07/07_parallel_programming_pattern/08_histogram/image_histogram.cu":
            {"files": ["scrImagePgmPpmPackage.cpp"]},
    }.items()},
}


def read(path=RECORD):
    """The record."""
    return results_file.read(path)
