"""The same bits for any number of threads and any batch."""

import numpy as np

THREADS = (2, 3)


def same_bits(a, b):
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)


def check(record):
    import adapters
    import metalmom
    import problems

    ours = adapters.load("metalmom")
    for problem in problems.EVERYDAY.values():
        inputs = problem.exact_input(problems.song(8))
        solve = ours.SOLVE[problem.name]
        with metalmom.config_context(threads=1):
            alone = problems.arrays_of(solve(*inputs))
        for count in THREADS:
            with metalmom.config_context(threads=count):
                several = problems.arrays_of(solve(*inputs))
            if not all(map(same_bits, alone, several)):
                yield f"{problem.name}: {count} threads change the result"
        if not problem.batch:
            continue
        pair = tuple(np.stack([0.5 * item[..., ::-1], item]) for item in inputs)
        if problem.name == "chroma_stft":  # the tuning estimate pools channels, as librosa's does
            pair = tuple(np.stack([item, item]) for item in inputs)
        batched = problems.arrays_of(solve(*pair))
        if not all(map(same_bits, alone, [array[1] for array in batched])):
            yield f"{problem.name}: a batch mate changes the result"
