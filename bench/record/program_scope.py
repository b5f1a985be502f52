"""Programs in checkouts of public repositories: which files they have, and which are out of scope.

A program is a .cu file with a main(). Out of scope is what calls CUDA's driver, or includes a
header of another library than cuBLAS.
"""

import pathlib
import re
import subprocess

from bench import public_programs

COMMON = "NVIDIA+cuda-samples/Common"  # where CUDA has its samples, many build lines look there

MAIN = re.compile(r"\bmain\s*\(")
DRIVER_CALL = re.compile(
    r"\bcu(?:Init|Device[A-Z]|Ctx|Module|Mem[A-Z]|Launch|Func|Stream[A-Z]|Link|Pointer)\w*\s*\("
)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)

# {start of a header's name: its library}; a program that needs one is out of scope.
LIBRARIES = {
    "thrust/": "Thrust",
    "cub/": "CUB",
    "curand": "cuRAND",
    "cufft": "cuFFT",
    "cusparse": "cuSPARSE",
    "cusolver": "cuSOLVER",
    "npp": "NPP",
    "nvrtc": "NVRTC",
    "nvml": "NVML",
    "cudnn": "cuDNN",
    "nccl": "NCCL",
    "mpi.h": "MPI",
    "cudla": "cuDLA",
    "nvtx3/": "NVTX",
    "nvToolsExt": "NVTX",
    "nvscibuf": "NvSci",
    "GL/": "OpenGL",
    "GLUT/": "OpenGL",
    "helper_gl": "OpenGL",
    "cuda_gl_interop": "OpenGL",
    "GLES": "OpenGL",
    "EGL": "OpenGL",
    "vulkan": "Vulkan",
    "d3d": "Direct3D",
    "mat.h": "MATLAB",
    "mex.h": "MATLAB",
    "opencv": "OpenCV",
    "FreeImage": "FreeImage",
    "range.hpp": "cpp11-range",
}


def code_of(path):
    """A file's text without comments, and without what stands in strings."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return NOT_CODE.sub(lambda found: '""' if found[1] else " ", text)


def headers_of(path, folders):
    """Files that a program and its headers include, as far as the conditions around that let them;
    those that are not on this machine by the names that the program has for them."""
    words = ["g++", "-x", "c++", "-M", "-MG", "-w", "-D__CUDACC__", "-D__NVCC__", "-D__linux__"]
    words += [word for folder in folders for word in ("-I", str(folder))]
    done = subprocess.run([*words, str(path)], capture_output=True, text=True, check=False)
    rule = done.stdout.replace("\\\n", " ").partition(":")[2]
    return [name for name in rule.split() if name != str(path)]


def files_of(source, more):
    """A program's files: those that the CMakeLists.txt beside it builds with it, or a list's."""
    names = [source.name]
    cmake = source.parent / "CMakeLists.txt"
    text = cmake.read_text(errors="replace") if cmake.exists() else ""
    for words in re.findall(r"add_executable\s*\(\s*\S+([^)]*)\)", text):
        if source.name in words.split():
            names = words.split()
    beside = [source.parent / name for name in [*names, *more.get("files", ())]]
    return [
        source,
        *(
            file
            for file in beside
            if file.is_file() and file != source and file.suffix in (".cu", ".cpp", ".cc", ".c")
        ),
    ]


def out_of_scope(files, folders):
    """What of a program is beyond the trial's rule, as words; None if nothing."""
    headers = [name for file in files for name in headers_of(file, folders)]
    own = [*files, *(pathlib.Path(name) for name in headers if not name.startswith("/usr/"))]
    texts = [code_of(file) for file in own if file.is_file() and COMMON not in str(file)]
    for name in headers:
        for start, library in LIBRARIES.items():
            if name.rpartition("/include/")[2].startswith(start):
                return library
    if any(DRIVER_CALL.search(text) for text in texts):
        return "the driver's API"
    return None


def folders_of(path, checkouts):
    """Where a program's build line looks for headers: beside it, and in CUDA's samples."""
    beside = [path.parent / name for name in ("", "inc", "include", "src")]
    return [folder for folder in beside if folder.is_dir()] + [checkouts / COMMON]


def find_programs(checkouts):
    """[(repository, path in it)] of all .cu files with a main()."""
    found = []
    for repository in public_programs.REPOSITORIES:
        folder = checkouts / repository
        for path in sorted(folder.rglob("*.cu")):
            if MAIN.search(code_of(path)):
                found.append((repository, str(path.relative_to(folder))))
    return found
