"""The public programs that the glass box was tried on: which they are, and what became of them."""

import pathlib

from bench import results_file

RECORD = pathlib.Path("bench/results/public_programs.json")
JUDGED = pathlib.Path("bench/results/public_programs_judged.json")

REPOSITORIES = (
    "NVIDIA-developer-blog+code-samples",
    "siboehm+SGEMM_CUDA",
    "wangzyon+NVIDIA_SGEMM_PRACTICE",
    "CoffeeBeforeArch+cuda_programming",
    "NVIDIA+cuda-samples",
    "olcf+cuda-training-series",
    "brucefan1983+CUDA-Programming",
    "PacktPublishing+Learn-CUDA-Programming",
    "karpathy+llm.c",
    "CisMine+Parallel-Computing-Cuda-C",
    "CUDA-Tutorial+CodeSamples",
    "sangyc10+CUDA-code",
    "Infatoshi+cuda-course",
    "CodedK+CUDA-by-Example-source-code-for-the-book-s-examples-",
    "rshipley160+learn-cuda",
    "Maharshi-Pandya+cudacodes",
    "a-hamdi+GPU",
    "drkennetz+cuda_examples",
    "RussWong+CUDATutorial",
    "R100001+Programming-Massively-Parallel-Processors",
    "mark-poscablo+gpu-sum-reduction",
    "mark-poscablo+gpu-prefix-sum",
    "mark-poscablo+gpu-radix-sort",
    "puttsk+cuda-tutorial",
    "kevinzakka+learn-cuda",
    "Tony-Tan+CUDA_Freshman",
    "1y33+100Days",
    "prateekshukla1108+100-daysofcuda",
    "harrism+mini-nbody",
    "tgautam03+xGeMM",
)

# Of one program that a repository has three times.
MD_FILES = ["force.cu", "initialize.cu", "integrate.cu", "memory.cu", "neighbor.cu"]
MD_SIZE = ["4", "20"]

# {repository: where all its build lines look for headers}
FOLDERS = {"Tony-Tan+CUDA_Freshman": ["include"], "harrism+mini-nbody": ["."]}

# {program: {"files": the others of its build line, "folders": of headers, "definitions": words for
# -D, "nvcc": options that nvcc alone needs, "arguments": its own}}
MORE = {
    "siboehm+SGEMM_CUDA/sgemm.cu": {"files": ["src/runner.cu"], "arguments": ["1"]},
    "wangzyon+NVIDIA_SGEMM_PRACTICE/sgemm.cu": {"files": ["src/utils.cu"], "arguments": ["1"]},
    **{
        f"PacktPublishing+Learn-CUDA-Programming/{path}": more
        for path, more in {
            "Chapter02/02_memory_overview/05_image_scaling/image_scaling.cu": {
                "files": ["scrImagePgmPpmPackage.cpp"]
            },
            "Chapter03/03_cuda_thread_programming/01_warp_and_thread_block/cuda_thread_block.cu": {
                "arguments": ["4", "128"]
            },
            "Chapter04/04_kernel_execution/08_openmp_cuda/openmp_gpus.cu": {"arguments": ["2"]},
            "Chapter06/06_multigpu/05_streams/image_merging.cu": {
                "files": ["scrImagePgmPpmPackage.cu"]
            },
            "Chapter07/07_parallel_programming_pattern/03_scan/scan.cu": {
                "files": ["scan_v1.cu", "scan_v2.cu"]
            },
            "Chapter07/07_parallel_programming_pattern/08_histogram/image_histogram.cu": {
                "files": ["scrImagePgmPpmPackage.cpp"]
            },
        }.items()
    },
    **{
        f"R100001+Programming-Massively-Parallel-Processors/Chapters/{path}.cu": {
            "arguments": arguments.split()
        }
        for path, arguments in {
            "Ch02 - Data Parallel Computing/labs/array_add_on_device/array_add_on_device": "50 70 "
            "8 8",
            "Ch03 - Scalable Parallel Execution/labs/image_blur/image_blur": "16 70 50",
            "Ch03 - Scalable Parallel Execution/labs/image_color_to_grayscale/"
            "image_color_to_grayscale": "16 70 50",
            "Ch03 - Scalable Parallel Execution/labs/mat_vec_mul/mat_vec_mul": "100",
            "Ch03 - Scalable Parallel Execution/labs/matrix_addition/matrix_addition": "100",
            "Ch03 - Scalable Parallel Execution/labs/vector_add/vector_add": "128 1000",
            "Ch04 - Memory And Data Locality/labs/basic_matrix_mul/basic_matrix_mul": "50 70 70 60",
            "Ch04 - Memory And Data Locality/labs/tiled_matrix_mul_shared_mem/"
            "tiled_matrix_mul_shared_mem": "50 70 70 60",
            "Ch05 - Performance Considerations/labs/rectangular_tiles_mat_mul/"
            "rectangular_tiles_mat_mul": "50 70 70 60",
            "Ch05 - Performance Considerations/labs/reduction/reduction": "1000",
            "Ch07 - Parallel Patterns: Convolution/labs/convolution/convolution": "50 70 3",
            "Ch07 - Parallel Patterns: Convolution/labs/stencil/stencil": "30 20 10",
            "Ch08 - Parallel Patterns: Prefix Sum/labs/scan/scan": "1000",
            "Ch09 - Parallel Patterns: Histogram/labs/histogram/histogram": "1000",
            "Ch10 - Parallel Patterns: Sparse Matrix Computation/labs/sparse_matrix_comp": "50 70 "
            "0.8 1",
        }.items()
    },
    "prateekshukla1108+100-daysofcuda/day28/main.cu": {
        "files": [
            f"{name}.cu" for name in ("data_loader", "tokenizer", "kernels", "transformer_model")
        ]
    },
    **{
        f"harrism+mini-nbody/cuda/nbody-{name}.cu": {
            "definitions": ["SHMOO"],
            "arguments": ["1024"],
        }
        for name in ("block", "orig", "soa", "unroll")
    },
    **{
        f"tgautam03+xGeMM/test/{test}.cu": {
            "files": [f"../src/{name}.cu" for name in ("MatrixFP32", "utils", *kernels)]
        }
        for test, *kernels in (
            ["00b_benchmark_cuBLAS"],
            ["01_benchmark_naive", "01_naive_xgemm"],
            ["02_benchmark_coalesced", "02_coalesced_xgemm"],
            ["03_benchmark_tiled", "03_tiled_xgemm"],
            ["04_benchmark_coarse_1d", "04_coarse_1d_xgemm"],
            ["05_benchmark_coarse_2d", "05_coarse_2d_xgemm"],
            ["06_benchmark_coarse_2d_vec", "06_coarse_2d_vec_xgemm"],
        )
    },
    "mark-poscablo+gpu-sum-reduction/sum_reduction/main.cu": {"files": ["reduce.cu"]},
    "mark-poscablo+gpu-prefix-sum/scan_standalone/main.cu": {"files": ["scan.cu"]},
    "mark-poscablo+gpu-radix-sort/radix_sort/main.cu": {"files": ["scan.cu", "sort.cu"]},
    "a-hamdi+GPU/day 13/Linear_kernel/linear_kernel.cu": {
        "files": ["cuda_kernels.cu", "helper_functions.cpp"]
    },
    "a-hamdi+GPU/day 34/vec_add_gpu.cu": {"arguments": ["4096"]},
    "Maharshi-Pandya+cudacodes/matvec/src.cu": {
        "files": [
            f"kernels/{name}.cu"
            for name in (
                "cublas_0",
                "naive_1",
                "coalesced_warp_2",
                "coalesced_warpblock_3",
                "vectorized_4",
                "utils",
            )
        ]
    },
    **{
        f"Maharshi-Pandya+cudacodes/softmax/{name}.cu": {
            "files": [
                f"kernels/{kernel}.cu"
                for kernel in (
                    "naive_0",
                    "online_1",
                    "sharedmem_2",
                    "shfl_3",
                    "vectorized_4",
                    "blocktiling_5",
                )
            ],
            "nvcc": ["--extended-lambda"],
        }
        for name in ("bench", "test")
    },
    **{
        f"brucefan1983+CUDA-Programming/src/{path}": more
        for path, more in {
            "05-prerequisites-for-speedup/arithmetic2gpu.cu": {"arguments": ["10000"]},
            "07-global-memory/matrix.cu": {"arguments": ["256"]},
            "08-shared-memory/bank.cu": {"arguments": ["256"]},
            "13-md/cpp/main.cu": {"files": MD_FILES, "arguments": MD_SIZE},
            "13-md/force-only/main.cu": {"files": MD_FILES, "arguments": MD_SIZE},
            "13-md/whole-code/main.cu": {"files": [*MD_FILES, "reduce.cu"], "arguments": MD_SIZE},
        }.items()
    },
}

# What a person who read the program says of a finding.
VERDICTS = {
    "bug": "the program is wrong, or right by luck",
    "harmless": "what the report says is so, and the result does not depend on it",
    "meant": "the program makes the mistake on purpose, to show it",
    "false": "a false alarm",
}


def read(path=RECORD):
    """The record."""
    return results_file.read(path)


def name_of(repository):
    """'NVIDIA/cuda-samples'"""
    return repository.replace("+", "/", 1)


def findings_of(entry):
    """What the glass box found in a program: hazards of kernels, and calls that failed."""
    return [*entry.get("hazards", ()), *entry.get("calls", ())]


def verdicts():
    """{(repository, path, line): judgement} of all findings; of a line that is judged twice, the
    last."""
    return {
        (judgement["repository"], judgement["path"], line): judgement
        for judgement in results_file.read(JUDGED)["judgements"]
        for line in judgement["lines"]
    }


def missed():
    """Faults that were seen in the source, and that no report names."""
    return results_file.read(JUDGED)["missed"]


def verdict_of(entry, finding, judgements):
    """ "bug", "harmless", ...; a FigureError names a finding that nobody has judged."""
    key = (entry["repository"], entry["path"], finding["line"])
    if key not in judgements:
        raise results_file.FigureError(
            f"{JUDGED} does not judge {'/'.join(key[:2])}, line {key[2]}"
        )
    return judgements[key]["verdict"]
