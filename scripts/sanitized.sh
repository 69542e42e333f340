# For scripts/sanitize and scripts/fuzz: programs and Python under sanitizers.

# Nothing is freed at exit on purpose: other threads may still run (base/fork.hpp).
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
# Tests fork beside threads.
export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:suppressions=$PWD/scripts/tsan.txt

# python_of ASAN_OR_TSAN COMMAND...: runs a command of Python with the package of that build.
python_of() {
    mkdir -p "build-$1/python"
    tar -C python -c --exclude='*.so' --exclude=__pycache__ metalmom | tar -C "build-$1/python" -x
    # The interpreter knows nothing of sanitizers: their library, and what it watches, come first.
    library="$(/usr/bin/g++ -print-file-name="lib$1.so") $(/usr/bin/g++ -print-file-name=libstdc++.so)"
    package=$PWD/build-$1/python
    shift
    steady env LD_PRELOAD="$library" PYTHONPATH="$package:$PWD/tests_py" PYTHONMALLOC=malloc "$@"
}

# steady COMMAND...: runs a command whose addresses are not random: libtsan refuses some (GCC 12, Linux 6.6).
steady() { setarch "$(uname -m)" -R "$@"; }
