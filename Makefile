# GEMM Ladder. `make` installs what is missing, builds, and climbs the ladder; `make help` lists more.
BUILD_PACKAGES := g++ cmake ninja-build libopenblas-dev libboost-context-dev libdw-dev \
                  libcapstone-dev libfmt-dev libcli11-dev nlohmann-json3-dev libbenchmark-dev \
                  libseccomp-dev libopenmpi-dev openmpi-bin git python3-venv
# Debian 12 has clang 16, Debian 13 has 19.
CLANG := $(shell . /etc/os-release 2>/dev/null; [ "$$VERSION_ID" = 12 ] && echo 16 || echo 19)
TEST_PACKAGES := libgtest-dev librsvg2-bin chromium chromium-driver clang-$(CLANG) clangd-$(CLANG)
DOCS_PACKAGES := python3-venv doxygen libjs-katex fonts-katex
TIDY_PACKAGES := clang-tidy-$(CLANG)

# With an nvcc of CUDA 12.8 or newer the GPU and the emulator, else the emulator alone. All names are
# expanded anew for each recipe, because `ready` may fetch an nvcc. make CUDA=OFF does without, and
# so do later calls of make in that tree, until one says CUDA=ON.
NVCC = $(shell .ci/cuda nvcc)
CHOSEN = $(shell .ci/cuda chosen)
CUDA = $(or $(CHOSEN),$(if $(NVCC),ON,OFF))
GIVEN = $(or $(filter command,$(firstword $(origin CUDA))),$(CHOSEN))
PRESET = $(if $(filter ON,$(CUDA)),cuda,cpu)
CONFIGURE = CUDACXX='$(NVCC)' cmake --preset $(PRESET) -DLADDER_CUDA=$(CUDA) \
  -DLADDER_CUDA_AS_FOUND=$(if $(GIVEN),OFF,ON) --log-level=WARNING
LADDER := build/ladder
STUDENT := python3 -m classroom.student
NVCCS = $(wildcard /usr/local/cuda-12.[89]/bin/nvcc)
RUNG_PROGRAMS := $(patsubst ladder/%/kernel.cuh,%,$(wildcard ladder/*/kernel.cuh))

# Python's packages live in build/python; .ci/python puts those of the named files there.
PYTHON := .ci/python
LINT := build/python/bin
# What clang-format formats; headers of libcu++'s names have no ending.
CODE := '*.cu' '*.cuh' '*.hpp' '*.cpp' '*.h' 'emulator/cuda_headers/cuda/*'
MKDOCS := NO_MKDOCS_2_WARNING=1 build/python/bin/python -m mkdocs

.DEFAULT_GOAL := climb
.PHONY: help ready climb build install test test-all toolkits asan start hint check watch progress \
        grade grade-all reset submit predict run trace list diff maths bench compare roofs ablate report \
        docs serve notebooks lab plot lint tidy format clean

predict run trace: RUNG ?= 03

# `##@` names a group; what is wider than a terminal goes on below its own column.
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z%-]+:.*## / { \
	    sub("%", "03", $$1); line = sprintf("  make %-10s", $$1); \
	    for (i = 1; i <= split($$2, words, " "); i++) { \
	      if (length(line words[i]) > 78) { print line; line = sprintf("%17s", "") } \
	      line = line " " words[i] } \
	    print line }' $(MAKEFILE_LIST)

##@ Begin
climb: build ## build, then verify (and on a GPU time) every rung
	@echo
	@$(LADDER) climb
	@echo
	@echo 'Next:'
	@echo '  make predict RUNG=01        write down what you expect; make run compares'
	@echo '  make run RUNG=01 SIZE=512   one rung, at a size of your choice'
	@echo '  make trace RUNG=01          what rung 01 asks of memory, line by line'
	@echo '  make diff RUNG=02           the lines that turn rung 01 into rung 02'
	@echo '  make test                   all tests'
	@echo 'docs/start/without_a_gpu.md and with_a_gpu.md explain these tables.'

# What has to be installed first. A target's own PACKAGES hold for its prerequisites too.
PACKAGES = $(BUILD_PACKAGES)
test: PACKAGES += $(TEST_PACKAGES) $(DOCS_PACKAGES)
ready:
	@.ci/moved
	@.ci/install $(PACKAGES)
	@$(if $(GIVEN),:,.ci/cuda install)

.PHONY: configured
configured: ready
	@[ -f build/build.ninja ] && grep -q '^LADDER_CUDA:.*=$(CUDA)$$' build/CMakeCache.txt && \
	  { [ -z '$(GIVEN)' ] || ! grep -q '^LADDER_CUDA_AS_FOUND:.*=ON$$' build/CMakeCache.txt; } || \
	  $(CONFIGURE) -DLADDER_TESTS=OFF >/dev/null  # its errors come all the same

build: configured ## install what is missing and build
	@[ -x $(LADDER) ] || echo 'The first build takes some minutes; later ones build what has changed.'
	@.ci/build ladder

install: build ## ladder, glassbox and memory_lab for all users: [PREFIX=/usr/local] [DESTDIR=dir]
	@.ci/build glassbox memory_lab
	@cmake --install build --prefix "$$(realpath -m '$(or $(PREFIX),/usr/local)')" >/dev/null || { \
	  echo 'PREFIX=~/.local is yours; other folders may need root: sudo make install' >&2; exit 1; }
	@echo 'Installed below $(DESTDIR)$(or $(PREFIX),/usr/local): bin/ladder, bin/glassbox, bin/memory_lab'

##@ One rung of the ladder
# Of a rung in the student's folder work/, the student's kernel; else the ladder's own.
WHOSE = $(if $(wildcard work/$(RUNG)_* work/0$(RUNG)_* work/$(RUNG) work/*_$(RUNG)),$(STUDENT),$(LADDER))
predict: build ## write down what you expect of RUNG=03 [ANSWERS=1.5,2]
	@$(WHOSE) predict $(RUNG) $(if $(ANSWERS),--answers '$(ANSWERS)')

run: build ## your kernel in work/, else the ladder's: RUNG=03 [SIZE=512]
	@$(WHOSE) run $(RUNG) $(if $(SIZE),--size $(SIZE))

trace: build ## what it asks of memory: RUNG=03 [SIZE=512] [HTML=page.html]
	@$(WHOSE) trace $(RUNG) $(if $(SIZE),--size $(SIZE)) $(if $(HTML),--html '$(HTML)')

check: build ## is it right, has it races? RUNG=03, or all
	@$(if $(and $(RUNG),$(wildcard work)),$(STUDENT),$(LADDER)) check $(RUNG) $(if $(SIZE),--size $(SIZE))

##@ Your own CUDA program
.PHONY: glassbox sandbox
glassbox: configured ## run any CUDA program without a GPU, and check it: FILE=my.cu [ARGS="1 2"]
	@[ -n "$(FILE)" ] || { echo 'Name a file: make glassbox FILE=my.cu' >&2; exit 2; }
	@[ -x build/glassbox ] || echo 'The first call also builds the glass box, for a minute or two.'
	@.ci/build glassbox
	@build/glassbox '$(FILE)' $(if $(ARGS),-- $(ARGS))

sandbox: ## a CUDA program to start from, in work/sandbox.cu
	@mkdir -p work
	@[ ! -e work/sandbox.cu ] || { echo 'work/sandbox.cu is there already.' >&2; exit 2; }
	@cp docs/start/own_kernel/transpose.cu work/sandbox.cu
	@echo 'Edit work/sandbox.cu, then: make glassbox FILE=work/sandbox.cu'

start hint watch grade reset submit: rung-given
.PHONY: rung-given
rung-given:
	@[ -n "$(RUNG)" ] || { echo 'Name a rung: make $(firstword $(MAKECMDGOALS)) RUNG=03' >&2; exit 2; }
	@.ci/install python3

##@ Exercises, alone or with a class
start: ## a starter to work on: RUNG=03 makes work/03_shared_tile
	@$(STUDENT) start $(RUNG)

hint: ## the next of three hints: RUNG=03 [LEVEL=1 to read one again]
	@$(STUDENT) hint $(RUNG) $(if $(LEVEL),--level $(LEVEL))

watch: own-kernel build ## check your kernel after each save: RUNG=03
	@$(STUDENT) watch $(RUNG) $(if $(SIZE),--size $(SIZE))

progress: ## what you have done so far
	@$(STUDENT) progress

# What is there is looked for first: a build takes minutes.
.PHONY: own-kernel
own-kernel: rung-given
	@[ '$(WHOSE)' = '$(STUDENT)' ] || \
	  { echo 'There is no kernel of yours for this rung: make start RUNG=$(RUNG)' >&2; exit 2; }

.PHONY: grader-works
grader-works: own-kernel
	@python3 -m classroom.contained

grade: own-kernel grader-works build ## points for your kernel: RUNG=03
	@[ -x build/grader_judge ] || echo 'The first grade also builds the grader, for some minutes.'
	@.ci/build grader
	@$(STUDENT) grade $(RUNG)

grade-all: build ## grade a class: DIR=submissions [OUT=dir] [ROSTER=names.csv] [SECRET=file]
	@[ -n "$(DIR)" ] || { echo 'make grade-all DIR=submissions [OUT=dir]' >&2; exit 2; }
	@.ci/build grader
	@python3 -m classroom.grade_all '$(DIR)' $(if $(OUT),--out '$(OUT)') \
	  $(if $(ROSTER),--roster '$(ROSTER)') $(if $(SECRET),--secret-file '$(SECRET)') \
	  $(if $(UNCONTAINED),--uncontained)

reset: ## begin again with the starter; keeps a backup: RUNG=03
	@$(STUDENT) reset $(RUNG)

submit: ## pack the archive to hand in: RUNG=03 makes work/03_shared_tile.tar.gz
	@$(STUDENT) submit $(RUNG)

.PHONY: gradescope classroom
gradescope: rung-given ## an autograder to upload: RUNG=03 [SECRET=file] [HIDDEN=after_published] [OUT=a.zip]
	@mkdir -p build
	@python3 -m classroom.gradescope pack $(RUNG) --out '$(or $(OUT),build/gradescope_$(RUNG).zip)' \
	  $(if $(SECRET),--secret-file '$(SECRET)') $(if $(HIDDEN),--hidden $(HIDDEN))

classroom: ## a repository for students, without answers: OUT=dir [RUNGS="01 02 03"]
	@[ -n "$(OUT)" ] || { echo 'Name a folder: make classroom OUT=../class [RUNGS="01 02"]' >&2; exit 2; }
	@.ci/install python3
	@python3 -m classroom.student_repository '$(OUT)' $(RUNGS)

##@ Read and measure
rung-%: build ## rung 03 as a program of its own, build/03_shared_tile; so for each rung
	@folder=$$(cd ladder && ls -d $*_* 2>/dev/null); [ -f "ladder/$$folder/kernel.cuh" ] || { \
	  echo 'make rung-NN: NN is one of' $$(cd ladder && ls */kernel.cuh | cut -d_ -f1) >&2; exit 2; }; \
	cmake --build build --target $$folder && echo "Run build/$$folder"

list: build ## all rungs
	@$(LADDER) list

diff: ## lines of code that RUNG=05 changes in the rung that it builds on
	@.ci/install python3
	@python3 -m docs.report.rung_diff $(RUNG)

maths: build ## the four lines of maths of a lesson: RUNG=03 [SIZE=2048]
	@[ -n "$(RUNG)" ] || { echo 'make maths RUNG=03 [SIZE=2048]' >&2; exit 2; }
	@python3 -m docs.report.maths $(RUNG) $(if $(SIZE),--size $(SIZE))

bench: build ## rungs against cuBLAS on a GPU: [RUNGS="07 14"] [SHAPES=all]
	@.ci/build benchmark
	@build/benchmark $(if $(RUNGS),--rungs $(RUNGS)) $(if $(SHAPES),--shapes '$(SHAPES)') \
	  $(if $(PROTOCOL),--protocol $(PROTOCOL)) $(if $(FILTER),'--benchmark_filter=$(FILTER)') \
	  $(if $(OUT),'--benchmark_out=$(OUT)')

.PHONY: many-gpus
many-gpus: build ## one product on several GPUs, or emulators: [RANKS=2] [SIZE=8192]
	@.ci/build many_gpus
	@build/many_gpus --ranks $(or $(RANKS),2) $(if $(SIZE),--size $(SIZE))

compare: ## what got slower between two results, of make bench or a climb: BASE=a.json NEW=b.json
	@[ -n "$(BASE)" ] && [ -n "$(NEW)" ] || { echo 'make compare BASE=a.json NEW=b.json' >&2; exit 2; }
	@python3 -m bench.benchmark.compare '$(BASE)' '$(NEW)'

roofs: build ## what this GPU reaches: arithmetic, DRAM, L2, shared memory
	@.ci/build benchmark
	@build/benchmark --roofs

lab: build ## measure the memory system: LAB=latency [SIMULATE=h200] [QUICK=1], or list the labs
	@.ci/build memory_lab
	@build/memory_lab $(if $(LAB),run $(LAB),list) $(if $(SIMULATE),--simulate '$(SIMULATE)') \
	  $(if $(QUICK),--quick) $(if $(OUT),--json '$(OUT)')

plot: ## a lab's curves as SVG and PNG: LAB=latency, or JSON=mine.json of make lab OUT= [OUT=dir]
	@.ci/install librsvg2-bin fonts-dejavu-core python3
	@python3 -m docs.report.own_plot $(if $(LAB),--lab '$(LAB)') $(if $(JSON),--json '$(JSON)') \
	  $(if $(OUT),--out '$(OUT)')

.PHONY: record gpu-here
gpu-here:
	@.ci/install python3
	@python3 -m bench.record.result_archive gpu

record: gpu-here build ## measure your GPU for the book: climbs, card, labs, one file to send [FULL=1]
	@.ci/build memory_lab
	@python3 -m bench.record.result_archive run $(if $(FULL),--full)

ablate: build ## rungs 10, 11 and 14 without some of their parts: [SIZE=4096]
	@[ $(CUDA) = ON ] || { echo 'make ablate needs nvcc of CUDA 12.8 or newer,' >&2; \
	  echo 'and a GPU of compute capability 9.0.' >&2; exit 2; }
	@.ci/build ablation
	@build/ablation $(if $(SIZE),--size $(SIZE)) $(if $(OUT),--json '$(OUT)')

##@ The book
report: build ## write recorded figures into the pages, draw the plots: all files or none
	@python3 -m docs.everything

docs: ## the book, as pages in build/site
	@.ci/install $(DOCS_PACKAGES)
	@$(PYTHON) docs
	@echo 'Drawing up the pages takes a minute or two.'
	@$(MKDOCS) build > build/mkdocs.log 2>&1 || { grep -v '^INFO' build/mkdocs.log >&2; exit 1; }
	@echo 'Open build/site/index.html: it needs no server and no network.'

serve: ## the book at http://localhost:8000, follows your changes
	@.ci/install $(DOCS_PACKAGES)
	@$(PYTHON) docs
	@$(MKDOCS) serve

# 127.0.0.1 needs no name service. root has no browser that would start.
notebooks: ## play with the recorded results in Jupyter
	@.ci/install python3-venv
	@$(PYTHON) notebooks
	@[ -x build/python/bin/jupyter-notebook ] || \
	  { . .ci/pip && pip_pinned notebook notebook; }
	@build/python/bin/jupyter notebook --notebook-dir=notebooks --ip=127.0.0.1 \
	  $$([ $$(id -u) != 0 ] || echo --allow-root --no-browser)

##@ Work on the project
test: ready ## install what is missing, build and run all tests
	@$(PYTHON) docs notebooks tests
	@$(CONFIGURE) -DLADDER_TESTS=ON >/dev/null
	@cmake --build build
	@ctest --preset $(PRESET) -j $$(($$(nproc) + 1))  # tests of pages often wait for a browser

test-all: export LADDER_TEST_ALL = 1
test-all: test ## all tests, a copy with another rung, corrupt files under all tools, a class graded twice
	@$(PYTHON) docs notebooks
	@python3 -m tests.add_a_rung_built
	@build/python/bin/python -m tests.bench.corrupt_files
	@python3 -m tests.classroom.made_up_class check

toolkits: ready ## compile all GPU code with CUDA 13 from PyPI, and with 12.8 and 12.9 if in /usr/local
	@.ci/cuda fetch
	@for nvcc in build/cuda-13/bin/nvcc $(NVCCS); do \
	  release=$$($$nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'); \
	  echo "CUDA $$release: $$nvcc"; \
	  CUDACXX=$$(realpath $$nvcc) cmake --preset cuda -B build/toolkits/$$release -DLADDER_TESTS=OFF \
	    -DLADDER_ALSO_FOR=all --log-level=WARNING && \
	  cmake --build build/toolkits/$$release --target ladder benchmark ablation $(RUNG_PROGRAMS) || exit 1; \
	done

asan: ## build host code with address and undefined sanitizers, run its tests
	@.ci/moved
	@.ci/install $(BUILD_PACKAGES) libgtest-dev
	@cmake --preset asan --log-level=WARNING
	@cmake --build build/asan --target asan_tests
	@ctest --preset asan

lint: ## check format, spelling and Python
	@.ci/install git python3-venv
	@$(PYTHON) .ci
	@git ls-files $(CODE) | xargs $(LINT)/clang-format --dry-run --Werror
	@git ls-files ':!bench/results/public_programs*.json' ':!tests/common/ptx/*.json' | xargs $(LINT)/codespell -L ges
	@.ci/pip-hashes --check
	@$(LINT)/ruff check --quiet bench classroom docs glassbox tests
	@$(LINT)/ruff format --check --quiet bench classroom docs glassbox tests
	@echo 'Format, spelling and Python are fine.'

tidy: build ## check the C++ of the host with clang-tidy: minutes; [SINCE=HEAD~1] what has changed
	@.ci/install $(TIDY_PACKAGES)
	@$(CONFIGURE) -B build/tidy -DLADDER_UNITY=OFF -DLADDER_TESTS=OFF >/dev/null # each file's own command
	@.ci/tidy clang-tidy-$(CLANG) $(SINCE)

format: ## format C++, CUDA and Python
	@.ci/install git python3-venv
	@$(PYTHON) .ci
	@git ls-files $(CODE) | xargs $(LINT)/clang-format -i
	@$(LINT)/ruff format --quiet bench classroom docs glassbox tests

clean: ## remove the build folder
	@rm -rf build
