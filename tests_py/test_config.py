"""`set_config` and `config_context`: defaults of the process, overridden by ``with`` for one thread."""

import asyncio
import concurrent.futures
import contextlib
import functools
import gc
import inspect
import pickle
import sys
import threading

import metalmom as mm
import numpy as np
import pytest
from cuts import cut_by_signals, cut_everywhere
from metalmom import _native
from metalmom._warmup import each_kernel
from metalmom.extraction.fingerprint import resampling_of
from processes import run_python

MIB = 1 << 20

# Setting -> its default in these tests, and three other values.
VALUES = {
    "threads": (5, 1, 2, 3),
    "backend": ("auto", "cpu", "gpu", "gpu:7"),
    "min_frames": ({}, {"stft": 1}, {"stft": 2, "istft": 3}, {"istft": 4}),
    "memory": (64 * MIB, 1, 2 * MIB, None),
    "device_memory": (None, 8 * MIB, 64 * MIB, 2**40),
    "pending": (64, 1, 2, 3),
}


@pytest.fixture(autouse=True)
def same_afterwards():
    before = mm.get_config()
    mm.set_config(**{name: values[0] for name, values in VALUES.items()})
    yield
    mm.set_config(**before)
    assert mm.get_config() == before


class Setting:
    """One of the settings: what `choose` makes is a context."""

    def __init__(self, name):
        self.name = name
        self.before, self.one, self.other, self.third = VALUES[name]

    def set(self, value):
        mm.set_config(**{self.name: value})

    def choose(self, value):
        return mm.config_context(**{self.name: value})

    def held(self):
        return mm.get_config()[self.name]


@pytest.fixture(params=VALUES)
def setting(request):
    return Setting(request.param)


def in_thread(function):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(function()))
    thread.start()
    thread.join()
    return answers[0]


def test_all_settings_are_told():
    assert {name: values[0] for name, values in VALUES.items()} == mm.get_config()
    assert set(inspect.signature(mm.set_config).parameters) == set(VALUES)
    assert inspect.signature(mm.config_context).parameters == inspect.signature(mm.set_config).parameters
    told = mm.get_config()
    told["min_frames"]["stft"] = 3  # a copy
    assert mm.get_config()["min_frames"] == {}


def test_set_config_sets_the_default(setting):
    for value in (setting.one, setting.other, setting.third):
        assert mm.set_config(**{setting.name: value}) is None
        assert setting.held() == value == in_thread(setting.held)
    mm.set_config()
    assert mm.get_config() == {**{name: values[0] for name, values in VALUES.items()}, setting.name: setting.third}


def test_what_is_told_may_be_set():
    mm.set_config(memory=None, threads=2)
    told = mm.get_config()
    mm.set_config(memory=3, threads=1, min_frames={"stft": 1})
    mm.set_config(**told)
    assert mm.get_config() == told


def test_initializers_set(setting):
    def by_threads(value):
        with concurrent.futures.ThreadPoolExecutor(1, initializer=setting.set, initargs=(value,)) as pool:
            pool.submit(int).result()

    def by_a_callback(value):
        with contextlib.ExitStack() as stack:
            stack.callback(setting.set, value)

    for way in (by_threads, by_a_callback):
        for value in (setting.one, setting.other):
            way(value)
            assert setting.held() == value == in_thread(setting.held)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_initializer_of_processes_sets(method, tmp_path):
    (tmp_path / "program.py").write_text("""
import concurrent.futures, functools, multiprocessing, metalmom
if __name__ == "__main__":
    context = multiprocessing.get_context({0!r})
    initializer = functools.partial(metalmom.set_config, threads=3, memory="5M")
    with concurrent.futures.ProcessPoolExecutor(1, context, initializer) as pool:
        config = pool.submit(metalmom.get_config).result()
        print(config["threads"], config["memory"], metalmom.get_config()["threads"])
""".format(method))
    run = f"import runpy; runpy.run_path({str(tmp_path / 'program.py')!r}, run_name='__main__')"
    assert run_python(run, METALMOM_NUM_THREADS="2") == f"3 {5 * MIB} 2"


def test_a_context_is_never_the_default(setting):
    kept = setting.choose(setting.one)
    assert setting.held() == setting.before
    with kept:
        assert in_thread(setting.held) == setting.before
    assert setting.held() == setting.before


def test_the_package_itself_sets_no_default(monkeypatch):
    monkeypatch.setattr(_native, "made_default", None)
    with pytest.raises(TypeError):
        mm.set_config(threads=1)
    assert resampling_of(16000) == resampling_of(16000)
    assert next(each_kernel())[0] == "convolve"


def test_with_holds_for_this_thread_only(setting):
    with setting.choose(setting.one):
        assert setting.held() == setting.one
        assert in_thread(setting.held) == setting.before
        with setting.choose(setting.other), setting.choose(setting.third):
            assert setting.held() == setting.third
        assert setting.held() == setting.one
        setting.set(setting.other)  # the default, for everybody else
        assert setting.held() == setting.one
        assert in_thread(setting.held) == setting.other
    assert setting.held() == setting.other


def test_contexts_are_merged():
    everything = {name: values[0] for name, values in VALUES.items()}
    with mm.config_context(threads=1, memory="5M"):
        with mm.config_context(backend="cpu", threads=2):
            with mm.config_context(min_frames={"stft": 3}), mm.config_context():
                held = {**everything, "threads": 2, "memory": 5 * MIB, "backend": "cpu", "min_frames": {"stft": 3}}
                assert mm.get_config() == held
                assert mm.submit(mm.get_config).result() == held
        assert mm.get_config() == {**everything, "threads": 1, "memory": 5 * MIB}
    assert mm.get_config() == everything == in_thread(mm.get_config)


def test_min_frames_and_backend_are_set_apart():
    with mm.config_context(min_frames={"stft": 3}):
        with mm.config_context(backend="auto:0"):
            assert mm.get_config()["min_frames"] == {"stft": 3}
        assert mm.get_config()["backend"] == "auto"
    mm.set_config(min_frames={"istft": 4})
    mm.set_config(backend="gpu:1")
    assert (mm.get_config()["backend"], mm.get_config()["min_frames"]) == ("gpu:1", {"istft": 4})
    with mm.config_context(backend="cpu"):
        assert mm.get_config()["min_frames"] == {"istft": 4}


def test_one_object_nests_in_itself_and_is_entered_again(setting):
    kept = setting.choose(setting.one)
    for _ in range(2):
        with kept, setting.choose(setting.other), kept:
            assert setting.held() == setting.one
            with kept:
                pass
            assert setting.held() == setting.one
        assert setting.held() == setting.before


def test_what_was_entered_last_holds_again(setting):
    kept = setting.choose(setting.one)
    with kept:
        with setting.choose(setting.other):
            with kept:
                assert setting.held() == setting.one
            assert setting.held() == setting.other
            with setting.choose(setting.third):
                pass
            assert setting.held() == setting.other
        assert setting.held() == setting.one
    assert setting.held() == setting.before


def test_an_error_leaves_the_block(setting):
    with pytest.raises(ZeroDivisionError), setting.choose(setting.one):
        1 / 0
    assert setting.held() == setting.before


def test_a_stack_of_contexts(setting):
    with contextlib.ExitStack() as stack:
        stack.enter_context(setting.choose(setting.one))
        stack.enter_context(setting.choose(setting.other))
        assert setting.held() == setting.other
        assert in_thread(setting.held) == setting.before
    assert setting.held() == setting.before


def test_one_object_in_two_threads(setting):
    """Entered here, entered there, left here, left there: neither sees the other."""
    kept, seen = setting.choose(setting.one), []
    entered, left = threading.Event(), threading.Event()

    def other():
        with kept:
            entered.set()
            assert left.wait(60)
            seen.append(setting.held())
        seen.append(setting.held())

    thread = threading.Thread(target=other)
    with kept:
        thread.start()
        assert entered.wait(60)
    here = setting.held()
    left.set()
    thread.join()
    assert (here, seen) == (setting.before, [setting.one, setting.before])


def test_blocks_of_generators_that_end_in_another_order(setting):
    def inside(value):
        with setting.choose(value):
            yield setting.held()

    first, second = inside(setting.one), inside(setting.other)
    assert (next(first), next(second)) == (setting.one, setting.other)
    first.close()
    assert setting.held() == setting.other
    second.close()
    assert setting.held() == setting.before


def test_a_decorator(setting):
    @setting.choose(setting.one)
    def work(depth, *, deeper=True):
        """Documented."""
        return [setting.held(), *(work(depth - 1) if depth and deeper else [])]

    assert setting.held() == setting.before == in_thread(setting.held)
    assert work(2) == [setting.one] * 3
    assert in_thread(functools.partial(work, 0, deeper=False)) == [setting.one]
    assert setting.held() == setting.before
    assert (work.__name__, work.__doc__) == ("work", "Documented.")


def test_what_suspends_is_not_decorated():
    def generator():
        yield

    async def coroutine():
        pass

    async def both():
        yield

    for function in (generator, coroutine, both):
        with pytest.raises(mm.ParameterError, match=f"{function.__name__} must not be a generator"):
            mm.config_context(threads=1)(function)
    with pytest.raises(mm.ParameterError, match="function=3 must be callable"):
        mm.config_context(threads=1)(3)
    asyncio.run(coroutine())


def test_reprs_tell():
    one, two = mm.config_context(threads=1), mm.config_context(threads=2, memory="5M")
    of_one, of_two = "metalmom.config_context(threads=1)", "metalmom.config_context(threads=2, memory='5M')"
    assert repr(two) == f"<{of_two}: holds inside `with`>"
    with one:
        assert repr(one) == f"<{of_one}: holds in this thread>"
        assert in_thread(lambda: repr(one)) == f"<{of_one}: holds inside `with`>"
        with mm.config_context(backend="cpu"):
            assert repr(one) == f"<{of_one}: holds in this thread>"
        with two:
            assert repr(one) == f"<{of_one}: entered in this thread, where {of_two} holds now>"
    assert repr(one) == f"<{of_one}: holds inside `with`>"


def test_an_exception_anywhere_leaves_nothing_set():
    """Wherever it falls: between a call and its `with`, on the way in, inside, on the way out."""

    def block():
        with mm.config_context(threads=1), mm.config_context(pending=2, backend="cpu"):
            mm.get_config()

    before, places = mm.get_config(), 0
    for places in cut_everywhere(block, "metalmom", __name__):
        assert mm.get_config() == before == in_thread(mm.get_config), places
    assert places > 100


def test_an_exception_anywhere_leaves_what_was_entered_before():
    with mm.config_context(threads=3, pending=5):
        inside = mm.get_config()
        for places in cut_everywhere(lambda: mm.config_context(threads=1).__enter__(), "metalmom", __name__):
            assert mm.get_config() == inside, places
        assert inside["threads"] == 3


def test_an_exception_anywhere_in_set_config_sets_all_or_nothing():
    before = mm.get_config()
    after = {**before, "threads": 1, "backend": "cpu", "min_frames": {"stft": 5}, "memory": 5 * MIB, "pending": 7}
    seen = []
    change = {name: after[name] for name in after if after[name] != before[name]}
    for _ in cut_everywhere(lambda: mm.set_config(**change), "metalmom"):
        seen.append(mm.get_config())
        mm.set_config(**before)
    assert all(config in (before, after) for config in seen)
    assert seen[0] == before and seen[-1] == after and len(seen) > 100


def test_signals_leave_nothing_set():
    kept = mm.config_context(threads=1)
    # An early 3.14 lets a signal handler run between entering and the block, where nothing could leave
    # what lives on.
    lives_on = kept if sys.version_info < (3, 14) else mm.config_context(threads=2)
    before = mm.get_config()

    def block():
        with lives_on, mm.config_context(pending=2), mm.config_context(backend="cpu"):
            with kept if lives_on is kept else contextlib.nullcontext():
                pass

    for _ in range(300):
        cut_by_signals(block, 1)
        assert mm.get_config() == before
    assert in_thread(mm.get_config) == before


def test_a_scope_that_nobody_can_leave_ends_with_its_last_reference(setting):
    abandoned = setting.choose(setting.one)
    abandoned.__enter__()
    assert setting.held() == setting.one
    del abandoned
    assert setting.held() == setting.before

    def suspended():
        with setting.choose(setting.one):
            yield

    generator = suspended()
    next(generator)
    in_thread(generator.close)  # which leaves it in that thread
    del generator
    gc.collect()
    with setting.choose(setting.other):
        assert setting.held() == setting.other
    assert setting.held() == setting.before


def test_a_scope_that_ends_in_another_thread_ends_everywhere(setting):
    def suspended():
        with setting.choose(setting.one):
            yield

    generator = suspended()
    next(generator)
    with setting.choose(setting.other):
        in_thread(generator.close)
        assert setting.held() == setting.other
    assert setting.held() == setting.before


def working_threads():
    """How many threads an stft that has work for many uses."""
    y = np.zeros((64, 22050), dtype=np.float32)
    with mm.config_context(backend="cpu"), mm.trace.record(detail=True) as trace:
        mm.stft(y)
    return len({span.tid for span in trace.spans if span.name == "worker"})


def test_the_engine_follows():
    mm.set_config(threads=2)
    # A helper that gets no core in time finds nothing left: not every time.
    assert any(working_threads() == 2 for _ in range(50))
    with mm.config_context(threads=1):
        assert max(working_threads() for _ in range(5)) <= 1
    mm.set_config(threads=1)
    assert max(working_threads() for _ in range(5)) <= 1


SIZE = "must be a size like '512M' or '2G', or a whole number of bytes"
WRONG = [
    *(("threads", n, f"threads={n!r} must be a positive integer, at most 4096")
      for n in (0, -1, 2.0, "2", None, 4097, 10**30)),
    *(("pending", n, f"pending={n!r} must be a positive integer") for n in (0, -1, 2.0, None)),
    *((name, size, f"{name}={size!r} {SIZE}")
      for name in ("memory", "device_memory")
      for size in (-1, 1.5, "1.5.5G", "lots", "", "-1G", "5iM", "1e3", True, float("nan"), float("inf"), [1])),
    ("device_memory", 0, f"device_memory=0 {SIZE}"),
    ("device_memory", "0K", f"device_memory='0K' {SIZE}"),
    ("min_frames", {"stfft": 3}, "min_frames['stfft'] must be of an op with a GPU kernel ('stft'?)"),
    ("min_frames", {"nope": 3}, "min_frames['nope'] must be of an op with a GPU kernel: stft, istft"),
    ("min_frames", {"stft": -1}, "min_frames['stft']=-1 must be a number of frames"),
    ("min_frames", {"stft": 1.5}, "min_frames['stft']=1.5 must be a number of frames"),
    ("min_frames", 3, "min_frames=3 must be a dict"),
    *(("backend", name, f"backend={name!r} must be 'cpu', 'auto', 'gpu', 'auto:N' or 'gpu:N'")
      for name in ("", "gpu:", "gpu:x", "gpu:0,1", "gpu:all", "cpu:0", 3, None)),
]  # fmt: skip


@pytest.mark.parametrize("name, value, told", WRONG)
@pytest.mark.parametrize("call", [mm.set_config, mm.config_context])
def test_wrong_values_set_nothing(call, name, value, told):
    before = mm.get_config()
    right = {other: values[1] for other, values in VALUES.items() if other != name}
    for settings in ({name: value, **right}, {**right, name: value}):
        with pytest.raises(mm.ParameterError) as error:
            call(**settings)
        assert str(error.value).startswith(told)
        assert mm.get_config() == before


@pytest.mark.parametrize("call", [mm.set_config, mm.config_context])
def test_an_unknown_name_is_told_the_nearest(call):
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'thread'; did you mean 'threads'\?$"):
        call(backend="cpu", thread=1)
    with pytest.raises(TypeError, match="positional"):
        call(1)
    assert mm.get_config()["backend"] == "auto"


@pytest.mark.parametrize("size, bytes_", [
    (5, 5), (5e6, 5_000_000), (np.int64(7), 7), ("4096", 4096), ("512M", 512 * MIB), (" 512 MiB ", 512 * MIB),
    ("1.5G", 3 << 29), ("2gb", 2 << 30), ("3k", 3072), ("0.5K", 512), ("1T", 2**40), ("10B", 10),
])  # fmt: skip
def test_sizes(size, bytes_):
    mm.set_config(memory=size, device_memory=size)
    assert (mm.get_config()["memory"], mm.get_config()["device_memory"]) == (bytes_, bytes_)


def test_more_than_can_be_counted_is_no_bound():
    mm.set_config(memory="99999999T", device_memory=10**30, pending=10**30)
    config = mm.get_config()
    assert (config["memory"], config["device_memory"]) == (None, None) and config["pending"] > 2**60
    mm.set_config(memory=0)
    assert mm.get_config()["memory"] == 0


@pytest.mark.parametrize("name, meant", [("cuda", "gpu"), ("cuda:1", "gpu:1"), ("vulkan", "gpu"), ("GPU", "gpu")])
def test_names_that_other_libraries_have_for_a_gpu(name, meant):
    with pytest.raises(mm.ParameterError, match=f"^backend='{name}' must be .*; did you mean '{meant}'\\?$"):
        mm.set_config(backend=name)


def test_min_frames_of_every_kernel_are_taken():
    assert "stft" in _native.kernel_ops
    everything = dict.fromkeys(_native.kernel_ops, 0)
    with mm.config_context(min_frames=everything):
        assert mm.get_config()["min_frames"] == everything


FORMER = [
    ("threads", (2,), {}, {"threads": 2}, 2),
    ("backend", ("cpu",), {}, {"backend": "cpu"}, "cpu"),
    ("backend", ("auto:0",), {"min_frames": {"stft": 3}}, {"backend": "auto:0", "min_frames": {"stft": 3}}, "auto:0"),
    ("limits", (), {"memory": "2G", "pending": 3}, {"memory": 2 << 30, "pending": 3},
     {"memory": 2 << 30, "device_memory": None, "pending": 3}),
]  # fmt: skip


@pytest.mark.parametrize("name, args, kwargs, held, told", FORMER)
def test_the_former_functions_work_and_say_that_they_will_go(name, args, kwargs, held, told):
    before = mm.get_config()
    former = getattr(mm, name)
    assert name not in dir(mm) and pickle.loads(pickle.dumps(former)) is former
    with pytest.warns(DeprecationWarning, match=f"^metalmom.{name} is deprecated: .* set_config") as warned:
        with former(*args, **kwargs):
            assert mm.get_config() == {**before, **held}
            assert former() == told
            assert in_thread(mm.get_config) == before
        assert mm.get_config() == before
        for set_default in (former, former.set_default):
            answer = set_default(*args, **kwargs)
            assert mm.get_config() == {**before, **held} == in_thread(mm.get_config)
            assert (answer is None) == (set_default is not former)
            mm.set_config(**before)
    assert {warning.filename for warning in warned} == {__file__}


THREADS = "import metalmom as m; print(m.get_config()['threads'])"


@pytest.mark.parametrize("environment, threads", [
    ({"METALMOM_NUM_THREADS": "3"}, 3),
    ({"OMP_NUM_THREADS": "3"}, 3),
    ({"OMP_NUM_THREADS": "5,2,1"}, 5),
    ({"METALMOM_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, 3),
    ({"METALMOM_NUM_THREADS": "", "OMP_NUM_THREADS": "5"}, 5),
])  # fmt: skip
def test_the_environment_sets_the_default(environment, threads):
    assert run_python(THREADS, **environment) == str(threads)


def test_nonsense_of_others_is_theirs():
    plain = run_python(THREADS, METALMOM_NUM_THREADS="", OMP_NUM_THREADS="")
    for text in ("many", "0", "-3", "99999999999999999999"):
        assert run_python(THREADS, METALMOM_NUM_THREADS="", OMP_NUM_THREADS=text) == plain


@pytest.mark.parametrize("text", ["many", "0", "-3", "2.5", "3 ", "4097", "99999999999999999999"])
def test_nonsense_in_the_environment_is_refused(text):
    code = """
import numpy as np, metalmom as m
for _ in range(2):
    try:
        m.stft(np.zeros(4096, dtype=np.float32))
    except m.ParameterError as error:
        print(error)
"""
    told = f"METALMOM_NUM_THREADS='{text}' must be a whole number from 1 to 4096"
    assert run_python(code, METALMOM_NUM_THREADS=text).splitlines() == [told, told]
