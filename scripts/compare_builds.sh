#!/bin/sh
# scripts/compare_builds.sh REV [PROBLEM ...]: is this tree faster or slower than REV?
# Builds REV beside this tree, loads both into one process and times them in alternating pairs.
# A copy of REV against REV is the control: where that differs by over 1 %, there is no verdict.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,4p' "$0"; exit 2; }
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
    [ -e build/build.ninja ] || /usr/bin/cmake --preset release -DMETALMOM_TESTS=OFF \
        -DMETALMOM_TOOLS=OFF -DPython_EXECUTABLE=/usr/bin/python3 \
        -Dpybind11_DIR=/usr/lib/cmake/pybind11 -DCMAKE_CXX_COMPILER=/usr/bin/g++ >/dev/null
    /usr/bin/cmake --build build >/dev/null
)
# Another inode is another library to the loader: its own code, caches and pool.
rm -rf "$work/control"
cp -r "$work/base/python" "$work/control"
exec .venv/bin/python benchmarks/compare_builds.py "$work/base/python" "$work/control" python "$@"
