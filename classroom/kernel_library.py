"""Compiles one student's kernel to libraries that take the place of those of all rungs.

build_libraries(folder, rung, out) compiles launch.cu of the folder once as it runs (plain) and once
with each access traced (traced). Each library holds this rung alone, without the vendor's, and
needs no BLAS. A program of this build takes them with LD_LIBRARY_PATH=out.

build_gpu_library(folder, rung, out, compute_capability) does the same with nvcc, for the grader.

The compiler and its options come from the build (tests/classroom/CMakeLists.txt writes them to
build/kernel_library.json), and so do the objects that no student touches: the table, and what
exports it.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil

from bench import SOURCES
from bench.rungs import code_runs_on
from classroom import contained
from classroom.compiler_messages import explained
from classroom.source_text import text_of

BUILD = SOURCES / "build"
FLAVOURS = ("plain", "traced")
ENDINGS = (".cu", ".cuh", ".hpp")  # of the files that a student's folder may hold
NAME = re.compile(rf"[\w-]+(?:{'|'.join(map(re.escape, ENDINGS))})", re.ASCII)
ROOM = "work"  # students' folders lie here, below the root of the sources
SECONDS = 120  # for one call of g++
NVCC_SECONDS = 600
WARNINGS = "warnings.txt"  # what the compiler said, in out
# What a compiler says when a limit of contained_call.cpp stops it, and what that means.
GROWS = "Is there a template or a constant that grows without end?"
LIMITS = (
    (
        r"virtual memory exhausted|out of memory allocating|memory exhausted",
        f"The compiler needed more memory than it may have, and was stopped. {GROWS}",
    ),
    (r"CPU time limit exceeded", f"The compiler took too long, and was stopped. {GROWS}"),
    (
        r"File size limit exceeded|File too large",
        "What the compiler makes of the kernel is too large: is there a huge array with values?",
    ),
)
# What it says when the machine fails. A place in a source stands in front of some of it. Where the
# preprocessor cannot write, on a full disk, it names any error.
OF_THE_MACHINE = re.compile(
    r"^[^:\n]*(?::\d+)*: (?:fatal error|error|internal compiler error): "
    r"(?:Killed signal terminated|.*(?:No space left on device|Read-only file system|"
    r"Resource temporarily unavailable|Input/output error)$|"
    r"when writing output to [^:\n]*: (?!File too large))",
    re.M,
)
MOST_PREPROCESSED_BYTES = 16 << 20  # a rung and its headers have two
# Nothing but comments and the standard library's headers in front of this include: then what it
# includes may come first, and the build has compiled it.
OPENING = re.compile(
    r"(?:\s|//[^\n]*\n|/\*(?:(?!\*/).)*\*/|#[ \t]*include[ \t]*<[\w.]+>)*"
    r'#[ \t]*include[ \t]*"common/launch\.cuh"',
    re.S,
)
# Of a rung with dozens of kernels: making each of them fast takes longer than to run it. Which
# accesses the tracer is told of is decided before these options matter.
OF_MANY_KERNELS = ("-O1", "-fno-var-tracking", "-fno-var-tracking-assignments")
LOOK = ("-O2", "-fversion-loops-for-strides")  # g++ tells most overruns of local arrays so


class CompileError(Exception):
    """A kernel that does not compile.

    lines: what a student reads, explained; output: all that the compiler said.
    """

    def __init__(self, lines, output=""):
        """The lines stand for themselves."""
        super().__init__("\n".join(lines))
        self.lines, self.output = list(lines), output


class NotBuilt(Exception):  # noqa: N818
    """The program is not built; the sentence says what to do."""


def sources_of(folder):
    """The files of a folder that belong to a kernel, in the order of their names."""
    return sorted(
        path
        for path in pathlib.Path(folder).iterdir()
        if NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink()
    )


def build_libraries(folder, rung, out, flavours=FLAVOURS, wrap=(), look=False, graded=False):
    """Compiles a student's folder; returns {flavour: path of the library}.

    folder  holds launch.cu, and what it includes as "work/NN_name/..."
    rung    bench.rungs.Rung that it is a version of
    out     a folder of the caller's; the libraries, and a copy of the sources, lie there afterwards
    wrap    words in front of each call of a compiler, for containment
    look    whether to compile once more for the warnings alone: what g++ can prove to overrun a
            local array it may leave out, so that no run shows it
    graded  whether grader_worker loads it, instead of any program with rungs: then loading it runs
            no code of the student's

    Raises CompileError if the kernel does not compile, NotBuilt if `make build` is missing.
    """
    build = _description()
    out = pathlib.Path(out).resolve()
    copies = _copies(build, folder, rung, out)
    for flavour in flavours:  # before any call: each call is shown the folders of all flavours
        _new_folder(out / flavour)
    quick = OF_MANY_KERNELS if graded and rung.configurations else ()
    with concurrent.futures.ThreadPoolExecutor(len(flavours) + 1) as pool:
        try:
            jobs = {
                flavour: pool.submit(
                    _library, build, build[flavour], flavour, copies, out, wrap, graded, quick
                )
                for flavour in flavours
            }
            glance = look and pool.submit(
                _object, build, build["plain"], LOOK, copies, out, os.devnull, wrap
            )
            made = {flavour: job.result() for flavour, job in jobs.items()}
            said = [text for _, text in made.values()] + ([glance.result()] if look else [])
        except (KeyboardInterrupt, SystemExit):
            contained.RUNNING.end_all()
            raise
    (out / WARNINGS).write_text("".join(said))
    return {flavour: library for flavour, (library, _) in made.items()}


def preprocessed(folder, rung, out, wrap=()):
    """{flavour: what g++ -E -dI writes of a student's folder}, and the beginnings of the names that
    it gives the student's files. Raises CompileError, NotBuilt."""
    build = _description()
    out = pathlib.Path(out).resolve()
    copies = _copies(build, folder, rung, out)
    texts = {}
    for flavour in FLAVOURS:
        made = contained.folder_to_write(out / flavour) / "preprocessed.ii"
        options = ("-w", "-E", "-dI", *_first(build[flavour]))
        _object(build, build[flavour], options, copies, out, made, wrap)
        if made.stat().st_size > MOST_PREPROCESSED_BYTES:
            raise CompileError([f"With its macros replaced, the code is far too long. {GROWS}"])
        texts[flavour] = text_of(made)
    return texts, (f"{copies}/", str(pathlib.Path(build["sources"], ROOM, rung.folder)) + "/")


def contained_words(out, cpu_seconds):
    """Words in front of the compilers of build_libraries(out=out): see contained.words()."""
    build, out = _description(), pathlib.Path(out).resolve()
    flavours = [build[name] for name in (*FLAVOURS, "gpu") if build[name]]
    programs = [build["compiler"], build["cmake"], build["readelf"]]
    programs += [flavour["compiler"] for flavour in flavours if "compiler" in flavour]
    link = [word for flavour in flavours for word in flavour.get("link", ())]
    read = [
        *(pathlib.Path(program).parent.parent for program in programs),
        *(pathlib.Path(build["sources"], name) for name in contained.HEADERS),
        *(folder for each in flavours for folder in each["folders"] if folder != build["sources"]),
        *(file for flavour in flavours for file in flavour["objects"]),
        *(pathlib.Path(path).parent for name in FLAVOURS if (path := build[name]["opening"])),
        *(path for word in link for path in re.findall(r"/\S+", word)),
        *(file for name, file in build.items() if name.startswith("graded")),
        out / ROOM,
    ]
    write = [out / name for name in (*FLAVOURS, "gpu")]
    return contained.words(read, write, cpu_seconds)


def has_gpu_code():
    """Whether this build compiles kernels for GPUs too."""
    return bool(_description()["gpu"])


def build_gpu_library(folder, rung, out, compute_capability, wrap=()):
    """Compiles a student's folder with nvcc; returns the path of the library.

    compute_capability  of the GPU that will run it: 90 means 9.0

    Raises CompileError.
    """
    build = _description()
    out = pathlib.Path(out).resolve()
    copies = _copies(build, folder, rung, out)
    flavour = build["gpu"]
    architecture = architecture_for(
        compute_capability, flavour["architectures"][f"{rung.number:02}"]
    )
    made = _new_folder(out / "gpu")
    kernel, library = made / "launch.o", made / flavour["file"]
    code = f"arch=compute_{architecture},code=[sm_{architecture},compute_{architecture}]"
    _call(
        [
            *wrap,
            flavour["compiler"],
            *flavour["options"],
            "-gencode",
            code,
            "-I",
            str(out),
            *(word for path in flavour["folders"] for word in ("-I", path)),
            "-c",
            str(copies / "launch.cu"),
            "-o",
            str(kernel),
        ],
        out,
        copies,
        build["sources"],
        NVCC_SECONDS,
    )
    _call(
        [
            *wrap,
            flavour["compiler"],
            "-shared",
            "-cudart=static",
            "-o",
            str(library),
            str(kernel),
            *flavour["objects"],
        ],
        out,
        copies,
        build["sources"],
    )
    return library.replace(out / library.name)


def architecture_for(compute_capability, architectures):
    """The one of a rung's architectures that a GPU runs best: '90a' runs on 9.0 alone."""
    fitting = [name for name in architectures if code_runs_on(name, compute_capability)]
    if not fitting:
        needs = " or ".join(name.rstrip("a") for name in architectures)
        raise CompileError([f"This rung needs a GPU of compute capability {needs}."])
    return max(fitting, key=lambda name: int(name.rstrip("a")))


def _copies(build, folder, rung, out):
    """Copies a student's sources below out; returns their folder."""
    copies = out / ROOM / rung.folder
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(parents=True)
    for path in sources_of(folder):
        # Reports name files as a student does, wherever they are compiled.
        name = pathlib.Path(build["sources"], ROOM, rung.folder, path.name)
        text = text_of(path)
        (copies / path.name).write_text(f'#line 1 "{name}"\n{text}', "utf-8", newline="")
    if not (copies / "launch.cu").exists():
        raise CompileError([f"There is no launch.cu in {folder}. `make reset` brings it back."])
    return copies


def _new_folder(path):
    """Makes a folder, empty, that a contained call may write to."""
    shutil.rmtree(path, ignore_errors=True)
    return contained.folder_to_write(path)


def _description():
    """What the build says about itself."""
    path = BUILD / "kernel_library.json"
    if not path.exists():
        raise NotBuilt(f"{path.name} is not in {BUILD}: run `make build` first.")
    found = json.loads(path.read_text())
    for flavour in FLAVOURS if not found["gpu"] else (*FLAVOURS, "gpu"):
        for file in found[flavour]["objects"]:
            if not pathlib.Path(file).exists():
                raise NotBuilt(f"{file} is not built: run `make build` first.")
    for flavour in FLAVOURS:
        if not is_compiled(found[flavour]["opening"]):
            found[flavour]["opening"] = ""
    return found


def is_compiled(header):
    """Whether the build has compiled a header since any file that it includes was written."""
    compiled = pathlib.Path(f"{header}.gch")
    try:
        made = compiled.stat().st_mtime
        files = pathlib.Path(f"{compiled}.d").read_text().replace("\\\n", " ").split()[1:]
        return all(pathlib.Path(file).stat().st_mtime <= made for file in files)
    except FileNotFoundError:
        return False


def _first(flavour, header="first"):
    """Options of a flavour beside those of the build, with what is included first."""
    return (*flavour["definitions"], *(("-include", flavour[header]) if flavour[header] else ()))


def _opening(flavour, copies):
    """The same for the build's own -O: of a file that begins as the ladder's do, what it includes
    is compiled already."""
    begins = OPENING.match(text_of(copies / "launch.cu").partition("\n")[2])
    return _first(flavour, "opening" if begins and flavour["opening"] else "first")


def _library(build, flavour, name, copies, out, wrap, graded, more):
    """Compiles and links one flavour; returns its path and what the compiler said."""
    sources = build["sources"]
    made = out / name
    kernel, shared = made / "launch.o", made / "dynamic_shared.o"
    compiler = [build["compiler"], *flavour["options"]]
    options = (*_first(flavour), *more) if more else _opening(flavour, copies)
    said = _object(build, flavour, options, copies, out, kernel, wrap)
    script = pathlib.Path(sources, "emulator/define_dynamic_shared.cmake")
    definitions = made / "dynamic_shared.cpp"
    _call(
        [
            *wrap,
            build["cmake"],
            "-D",
            f"READELF={build['readelf']}",
            "-D",
            f"OUTPUT={definitions}",
            "-D",
            f"OBJECTS={kernel}",
            "-P",
            str(script),
        ],
        out,
        copies,
        sources,
    )
    _call([*wrap, *compiler, "-c", str(definitions), "-o", str(shared)], out, copies, sources)
    library = made / flavour["file"]
    emulator = pathlib.Path(flavour["link"][-1])
    link = _graded(build, flavour["link"]) if graded else flavour["link"]
    _call(
        [
            *wrap,
            build["compiler"],
            "-shared",
            "-o",
            str(library),
            f"-Wl,-soname,{flavour['file']}",
            str(kernel),
            str(shared),
            *flavour["objects"],
            *link,
            f"-Wl,-rpath,{emulator.parent}",
        ],
        out,
        copies,
        sources,
    )
    return library.replace(out / library.name), said


def _graded(build, link):
    """The words for the linker, for a library that grader_worker loads."""
    return [
        build["graded"],
        f"-Wl,--version-script={build['graded_names']}",
        f"-Wl,-T,{build['graded_places']}",
        *(word for word in link if "--version-script" not in word),
    ]


def _object(build, flavour, options, copies, out, made, wrap):
    """Compiles launch.cu; returns what the compiler said."""
    return _call(
        [
            *wrap,
            build["compiler"],
            *flavour["options"],
            *options,
            "-fmessage-length=0",
            "-fdiagnostics-plain-output",
            "-I",
            str(out),
            *(word for path in flavour["folders"] for word in ("-I", path)),
            "-x",
            "c++",
            "-c",
            str(copies / "launch.cu"),
            "-o",
            str(made),
        ],
        out,
        copies,
        build["sources"],
    )


def _call(command, out, copies, sources, seconds=SECONDS):
    """Runs a compiler; raises CompileError with what it says about the student's lines."""
    try:
        code, output = contained.call(command, out, seconds)
    except contained.TooLongError:
        raise CompileError(
            [f"The compiler was not done after {seconds} s, and was stopped. {GROWS}"]
        ) from None
    output = output.replace(f"{out}/", "").replace(f"{sources}/{ROOM}/", f"{ROOM}/")
    if code != 0:
        raise CompileError(_why_not(output, copies, sources), output)
    return output


def _why_not(output, copies, sources):
    """Lines for the student about a compiler that has failed, without paths of this machine."""
    failed = OF_THE_MACHINE.search(output)
    unread = re.search(rf"{re.escape(sources)}/\S+: Permission denied", output)
    if failed or unread:
        raise contained.GraderFailedError(
            f"the compiler could not work on this machine: {(failed or unread)[0]}"
        )
    own = re.sub(r"#(?:error|warning).*", "", output)
    for pattern, sentence in LIMITS:
        if re.search(pattern, own):
            return [sentence]
    return [line.replace(f"{sources}/", "") for line in explained(output, copies)]
