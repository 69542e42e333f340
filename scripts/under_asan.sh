# For scripts/sanitize and scripts/fuzz: Python with the package of build-asan/.

# Nothing is freed at exit on purpose: other threads may still run (base/fork.hpp).
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1

# under_asan COMMAND...: runs a command of Python at the root of the tree under AddressSanitizer.
under_asan() {
    mkdir -p build-asan/python
    tar -C python -c --exclude='*.so' --exclude=__pycache__ metalmom | tar -C build-asan/python -x
    # The interpreter knows nothing of sanitizers: their library, and what it watches, come first.
    # This build has no GPU engine, whose tests may be skipped here alone.
    METALMOM_REQUIRE_GPU= LD_PRELOAD="$(/usr/bin/g++ -print-file-name=libasan.so) $(/usr/bin/g++ -print-file-name=libstdc++.so)" \
        PYTHONPATH=$PWD/build-asan/python:$PWD/tests_py PYTHONMALLOC=malloc "$@"
}
