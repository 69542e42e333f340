#!/bin/sh
# scripts/compare_builds.sh [-DOPTION=VALUE ...] REV [PROBLEM ...]: is this tree faster or slower?
# Builds REV beside this tree, loads both into one process and times them in turn.
# A copy of REV against REV is the control: where that differs by over 1 %, there is no verdict.
# Options go to REV's CMake: -DMETALMOM_FFT=own HEAD all says for each problem what FFTW brings.
set -eu
cd "$(dirname "$0")/.."
options=
while case ${1:-} in -D*) ;; *) false ;; esac; do
    options="$options $1"
    shift
done
[ $# -ge 1 ] || { sed -n '2,5p' "$0"; exit 2; }
revision=$(git rev-parse --verify "$1^{commit}")
shift
./scripts/setup

work=build/compare
mkdir -p "$work"
if [ "$(git -C "$work/base" rev-parse HEAD 2>/dev/null)" != "$revision" ]; then
    git worktree remove --force "$work/base" 2>/dev/null || true
    git worktree prune
    git worktree add --quiet --detach "$work/base" "$revision"
fi
(
    cd "$work/base"
    [ "$(cat build/options 2>/dev/null)" = "options:$options" ] || rm -rf build
    # shellcheck disable=SC2086 - options are words
    [ -e build/build.ninja ] || /usr/bin/cmake --preset release -DMETALMOM_TESTS=OFF \
        -DMETALMOM_TOOLS=OFF -DPython_EXECUTABLE=/usr/bin/python3 \
        -Dpybind11_DIR=/usr/lib/cmake/pybind11 -DCMAKE_CXX_COMPILER=/usr/bin/g++ \
        $options >/dev/null
    echo "options:$options" >build/options
    /usr/bin/cmake --build build >/dev/null
)
# In one process each build must be another library to the loader (a file of its own) and to pybind11,
# whose modules share their types by a name: two copies, with as long a name in place of "internals".
for name in base_copy ctrl_copy; do
    rm -rf "${work:?}/$name"
    cp -r "$work/base/python" "$work/$name"
    LC_ALL=C sed -i "s/__pybind11_internals_/__pybind11_${name}_/" "$work/$name"/metalmom/_native*.so
done
exec .venv/bin/python benchmarks/compare_builds.py \
    "$work/base_copy" "$work/ctrl_copy" python "$@"
