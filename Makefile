# The commands people type. Each sets up what it needs, in .venv and build, and only once.
PYTHON ?= python3
CMAKE_ARGS ?=
bin := .venv/bin
sources := $(shell find CMakeLists.txt pyproject.toml README.md cpp python -not -name '*.pyc')
cpp_files = $(shell find cpp tests/cpp bench/cpp -name '*.cpp' -o -name '*.hpp')
cmake = $(bin)/cmake -S . -G Ninja $(CMAKE_ARGS) --log-level=WARNING
# One tree for the Python module, the C++ tests and the benchmark: the core is compiled once.
built := build/main
jobs := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export PYTHON CMAKE_ARGS  # scikit-build-core reads CMAKE_ARGS from the environment

.PHONY: help demo pages test test-cpp test-python test-arm64 test-pythons test-oldest test-all test-slice coverage coverage-cpp sanitize sanitize-module sanitize-threads lint lint-workflows format docs wheel release bench peers experiments experiments-full clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/.installed .venv/.has-plot  ## fit a small tensor; a report and a picture of it
	@$(bin)/python -m vest_tucker.demo build/demo

pages: demo .venv/.has-test  ## what the README and the stories show, and their pictures, anew
	@cp build/demo/demo.png docs/pictures/
	@$(bin)/python tests/pages.py README.md docs/stories/*.md

test: test-cpp test-python  ## all tests: C++ first, then Python

test-cpp: .venv/.installed  ## the C++ tests
	@$(cmake) -B $(built) -DVEST_TESTS=ON -DVEST_BENCH=ON
	@$(bin)/cmake --build $(built)
	@$(bin)/ctest --test-dir $(built) --output-on-failure --no-tests=error -j $(jobs)

# Whoever is done takes tests from the other, those of a file together as far as that goes.
test-python: .venv/.installed .venv/.has-test .venv/.has-browser  ## the Python tests, the docstrings and the README
	@$(bin)/python -m pytest -q -n $(jobs) --maxprocesses 8 --dist worksteal

test-arm64: .venv/.has-build .venv/.has-arm64  ## the C++ tests built for ARM64, in an emulator
	@$(cmake) -B build/arm64 --toolchain .ci/arm64.cmake -DVEST_TESTS=ON
	@$(bin)/cmake --build build/arm64
	@$(bin)/ctest --test-dir build/arm64 --output-on-failure --no-tests=error

test-pythons:  ## all Python tests with every Python that is here, one after the other
	@.ci/pythons.sh

test-oldest:  ## all Python tests with the oldest packages and the oldest Python
	@DEPENDENCIES=oldest .ci/pythons.sh

BUDGET ?= 10m
test-all: .venv/.installed .venv/.has-test test-cpp  ## what must hold whatever happens, for BUDGET=10m: docs/reliability.md
	@PYTHONPATH=tests $(bin)/python -m reliability $(BUDGET) --write

test-slice: .venv/.installed .venv/.has-test  ## two minutes of test-all; late answers are told, not an error
	@PYTHONPATH=tests $(bin)/python -m reliability 2m --slice

# Each room in a process of its own: tests of Ctrl-C take the place of what follows the lines.
coverage: .venv/.installed .venv/.has-coverage  ## which lines of the package the tests run
	@rm -f build/coverage/.coverage*
	@for room in tests/python/*; do \
	  $(bin)/python -m coverage run -p -m pytest -q -p no:cacheprovider $$room || exit 1; \
	done
	@$(bin)/python -m coverage combine -q
	@$(bin)/python -m coverage report

# One build of the kernels, which is all that a processor runs, and optimized little: a line is a line.
coverage-cpp: .venv/.has-build .venv/.has-coverage  ## which lines of the core the C++ tests run
	@$(cmake) -B build/coverage-cpp -DCMAKE_BUILD_TYPE=Once -DCMAKE_CXX_FLAGS_ONCE=-O1 \
	  -DVEST_TESTS=ON -DVEST_COVERAGE=ON
	@$(bin)/cmake --build build/coverage-cpp
	@find build/coverage-cpp -name '*.gcda' -delete
	@$(bin)/ctest --test-dir build/coverage-cpp --output-on-failure --no-tests=error -j $(jobs)
	@$(bin)/gcovr --root . --filter cpp/ --exclude-throw-branches build/coverage-cpp -j $(jobs) \
	  --sort uncovered-percent --sort-reverse

sanitize: .venv/.has-build  ## the C++ tests under the address and undefined-behaviour sanitizers
	@$(cmake) -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DVEST_TESTS=ON \
	  '-DVEST_SANITIZE=address;undefined'
	@$(bin)/cmake --build build/sanitize
	@$(bin)/ctest --test-dir build/sanitize --output-on-failure --no-tests=error

# GCC's OpenMP does not tell the sanitizer who waits for whom; clang's does. Tests that fork go on.
sanitize-threads: .venv/.has-build .venv/.has-clang  ## the C++ tests under the thread sanitizer
	@$(cmake) -B build/sanitize-threads -DCMAKE_CXX_COMPILER=clang++ \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DVEST_TESTS=ON -DVEST_SANITIZE=thread
	@$(bin)/cmake --build build/sanitize-threads
	@TSAN_OPTIONS='ignore_noninstrumented_modules=1 die_after_fork=0' \
	  $(bin)/ctest --test-dir build/sanitize-threads --output-on-failure --no-tests=error

# The whole package around a module with these sanitizers, which reads files that are damaged and forged.
sanitize-module: .venv/.has-build .venv/.has-test  ## 20,000 bad files, read under the same sanitizers
	@PATH="$(CURDIR)/$(bin):$$PATH" $(cmake) -B build/sanitize-module -DCMAKE_BUILD_TYPE=Debug \
	  -DVEST_PYTHON=ON '-DVEST_SANITIZE=address;undefined' \
	  -Dpybind11_DIR="$$($(bin)/python -m pybind11 --cmakedir)"
	@$(bin)/cmake --build build/sanitize-module
	@rm -rf build/sanitize-module/package
	@mkdir build/sanitize-module/package
	@cp -r python/vest_tucker build/sanitize-module/package
	@cp build/sanitize-module/cpp/_core.*.so build/sanitize-module/package/vest_tucker
	@LD_PRELOAD="$$(for name in asan ubsan stdc++; do $(CXX) -print-file-name=lib$$name.so; done | paste -sd:)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build/sanitize-module/package \
	  $(bin)/python tests/mutating.py 20000 --unlimited

lint: .venv/.has-lint  ## style, types and spelling; changes nothing
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/clang-format --dry-run -Werror $(cpp_files)
	$(bin)/codespell

schema = $(bin)/check-jsonschema -qq --builtin-schema vendor
lint-workflows: .venv/.has-workflows  ## the files for GitHub: against its schemas, and by zizmor
	$(bin)/zizmor --offline --quiet .github
	$(schema).github-workflows .github/workflows/*.yml
	$(schema).github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(schema).github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(schema).citation-file-format CITATION.cff

format: .venv/.has-lint  ## put every file in the form that lint asks for
	$(bin)/ruff check --fix
	$(bin)/ruff format
	$(bin)/clang-format -i $(cpp_files)

docs: .venv/.installed .venv/.has-docs  ## the documentation as web pages: build/docs/index.html
	@$(bin)/python -m sphinx -q -W --keep-going -d build/doctrees docs build/docs
	@echo "docs: build/docs/index.html"

wheel: .venv/.has-build .venv/.has-release  ## a Linux wheel that carries libgomp, tried elsewhere
	@.ci/wheel.sh

release: .venv/.has-build .venv/.has-release  ## source archive and wheel, made twice, the same bytes
	@.ci/release.sh

bench: .venv/.installed .venv/.has-bench  ## how fast it is here, a few minutes: see bench/README.md
	@$(cmake) -B $(built) -DVEST_BENCH=ON
	@$(bin)/cmake --build $(built) --target vest_bench
	@$(bin)/python bench/run.py --binary $(built)/bench/cpp/vest_bench

peers: .venv/.installed .venv/.has-experiments  ## time, memory and error beside other systems
	@PYTHONPATH=bench $(bin)/python -m peers.compare

# ONLY="figure1 figure5" measures these alone, TIME=10m ends sooner; what a run that was ended has
# measured is kept in build/experiments. Real data: VEST_DATA=folder.
experiment = PYTHONPATH=bench $(bin)/python -m experiments $(if $(ONLY),--only $(ONLY)) $(if $(TIME),--budget $(TIME))
experiments: .venv/.installed .venv/.has-experiments  ## the evaluation beside everyone; begins nothing new after 27 minutes
	@$(cmake) -B $(built) -DVEST_BENCH=ON
	@$(bin)/cmake --build $(built) --target vest_bench
	@$(experiment)

experiments-full: .venv/.installed .venv/.has-experiments  ## the same with all sizes and seeds: hours
	@$(cmake) -B $(built) -DVEST_BENCH=ON
	@$(bin)/cmake --build $(built) --target vest_bench
	@$(experiment) --full

clean:  ## remove everything that was built, .venv included
	rm -rf .venv build dist docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python tests bench -name __pycache__ -prune -exec rm -rf {} +

.venv/.has-%: pyproject.toml .ci/setup.sh .ci/requirements.py
	@.ci/setup.sh $*

# Not editable: tests see what a user would get. The build folder stays, so a rebuild is small.
.venv/.installed: .venv/.has-build $(sources)
	@echo "building and installing vest-tucker into .venv"
	@$(bin)/python -m pip install -qq --disable-pip-version-check --no-build-isolation \
	  --config-settings=build-dir=$(built) .
	@touch $@
