"""`threads` and `backend`: a default of the process, overridden by ``with`` for one thread."""

import asyncio
import concurrent.futures
import contextlib
import functools
import gc
import sys
import threading

import metalmom as mm
import numpy as np
import pytest
from cuts import cut_by_signals, cut_everywhere
from metalmom import _native
from metalmom._warmup import each_kernel
from metalmom.extraction.numbers import resampling_of
from processes import run_python


class Threads:
    choose = staticmethod(mm.threads)
    before, one, other, third = 5, 1, 2, 3


class Backend:
    choose = staticmethod(mm.backend)
    before, one, other, third = "auto", "cpu", "gpu", "gpu:7"


@pytest.fixture(params=[Threads, Backend], ids=["threads", "backend"])
def setting(request):
    """One of the settings, with four values; the default is the first of them."""
    threads, backend = mm.threads(), mm.backend()
    request.param.choose.set_default(request.param.before)
    yield request.param
    mm.threads.set_default(threads)
    mm.backend.set_default(backend)


def in_thread(function):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(function()))
    thread.start()
    thread.join()
    return answers[0]


def test_a_statement_sets_the_default(setting):
    choose = setting.choose
    choose(setting.one)
    assert choose() == setting.one == in_thread(choose)
    getattr(setting, "choose")(setting.other)
    assert choose() == setting.other
    choose(*[setting.third], **{})
    assert choose() == setting.third
    exec("choose(one)", {"choose": choose, "one": setting.one})
    assert choose() == setting.one
    functools.partial(choose, setting.other)()
    assert choose() == setting.other


def test_set_default_does_wherever_it_stands(setting):
    answer = setting.choose.set_default(setting.one)
    assert answer is None
    assert setting.choose() == setting.one


def test_what_becomes_of_the_answer_changes_nothing(setting):
    choose = setting.choose

    def set_in_a_list(value):
        return [choose(value), (choose(value),)]

    def set_in_a_condition(value):
        if kept := choose(value):
            return kept

    def set_in_a_text(value):
        return f"{choose(value)}"

    def set_by_a_callback(value):
        with contextlib.ExitStack() as stack:
            stack.callback(choose, value)

    def set_by_a_map(value):
        return list(map(choose, [value]))

    def set_by_an_initializer(value):
        with concurrent.futures.ThreadPoolExecutor(1, initializer=choose, initargs=(value,)) as pool:
            pool.submit(int).result()

    ways = (choose, set_in_a_list, set_in_a_condition, set_in_a_text, set_by_a_callback, set_by_a_map,
            set_by_an_initializer)  # fmt: skip
    for set_default in ways:
        for value in (setting.one, setting.other):
            kept = set_default(value)
            assert choose() == value == in_thread(choose), set_default.__name__
            del kept
            assert choose() == value == in_thread(choose), set_default.__name__


def test_an_initializer_of_processes_sets():
    code = """
import concurrent.futures, multiprocessing, metalmom
fork = multiprocessing.get_context("fork")
with concurrent.futures.ProcessPoolExecutor(1, fork, metalmom.threads, (3,)) as pool:
    print(pool.submit(metalmom.threads).result())
"""
    assert run_python(code, METALMOM_NUM_THREADS="2") == "3"


def test_the_default_of_before_comes_back_whoever_is_first(setting):
    choose = setting.choose
    first, second = choose(setting.one), choose(setting.other)
    with first:
        assert in_thread(choose) == setting.other
    assert choose() == setting.other
    with second:
        assert in_thread(choose) == setting.before
    assert choose() == setting.before
    with first, second:
        assert choose() == setting.other
        assert in_thread(choose) == setting.before


def test_a_default_set_meanwhile_stays(setting):
    kept = setting.choose(setting.one)
    in_thread(lambda: setting.choose(setting.third) and None)
    with kept:
        assert setting.choose() == setting.one
    assert setting.choose() == setting.third == in_thread(setting.choose)


def test_the_package_itself_never_passes_the_default(monkeypatch):
    monkeypatch.setattr(_native, "made_default", None)
    with pytest.raises(TypeError):
        mm.threads(1)
    assert resampling_of(16000) == resampling_of(16000)
    assert next(each_kernel())[0] == "stft"


def test_a_statement_at_a_prompt_sets_the_default_and_is_shown():
    code = """
import sys, metalmom
sys.displayhook = lambda value: None if value is None else print(value)
for line in ["metalmom.threads(3)", "metalmom.threads()", "x = metalmom.threads(4)", "metalmom.threads()"]:
    exec(compile(line, "<prompt>", "single"))
"""
    default = "<metalmom.threads(3): made the default of the process>"
    assert run_python(code).splitlines() == [default, "3", "4"]


def test_with_holds_for_this_thread_only(setting):
    choose = setting.choose
    with choose(setting.one):
        assert choose() == setting.one
        assert in_thread(choose) == setting.before
        with choose(setting.other), choose(setting.third):
            assert choose() == setting.third
        assert choose() == setting.one
        choose(setting.other)  # the default, for everybody else
        assert choose() == setting.one
        assert in_thread(choose) == setting.other
    assert choose() == setting.other


def test_the_default_is_that_set_last_though_an_older_object_is_entered(setting):
    kept = setting.choose(setting.one)
    setting.choose(setting.other)
    with kept:
        pass
    assert setting.choose() == setting.other


def test_one_object_nests_in_itself_and_is_entered_again(setting):
    kept = setting.choose(setting.one)
    for _ in range(2):
        with kept, setting.choose(setting.other), kept:
            assert setting.choose() == setting.one
            with kept:
                pass
            assert setting.choose() == setting.one
        assert setting.choose() == setting.before


def test_what_was_entered_last_holds_again(setting):
    kept = setting.choose(setting.one)
    with kept:
        with setting.choose(setting.other):
            with kept:
                assert setting.choose() == setting.one
            assert setting.choose() == setting.other
            with setting.choose(setting.third):
                pass
            assert setting.choose() == setting.other
        assert setting.choose() == setting.one
    assert setting.choose() == setting.before


def test_an_error_leaves_the_block(setting):
    with pytest.raises(ZeroDivisionError), setting.choose(setting.one):
        1 / 0
    assert setting.choose() == setting.before


def test_a_stack_of_contexts(setting):
    with contextlib.ExitStack() as stack:
        stack.enter_context(setting.choose(setting.one))
        assert setting.choose() == setting.one
    assert setting.choose() == setting.before


def test_one_object_in_two_threads(setting):
    """Entered here, entered there, left here, left there: neither sees the other."""
    kept, seen = setting.choose(setting.one), []
    entered, left = threading.Event(), threading.Event()

    def other():
        with kept:
            entered.set()
            assert left.wait(60)
            seen.append(setting.choose())
        seen.append(setting.choose())

    thread = threading.Thread(target=other)
    with kept:
        thread.start()
        assert entered.wait(60)
    here = setting.choose()
    left.set()
    thread.join()
    assert (here, seen) == (setting.before, [setting.one, setting.before])


def test_blocks_of_generators_that_end_in_another_order(setting):
    def inside(value):
        with setting.choose(value):
            yield setting.choose()

    first, second = inside(setting.one), inside(setting.other)
    assert (next(first), next(second)) == (setting.one, setting.other)
    first.close()
    assert setting.choose() == setting.other
    second.close()
    assert setting.choose() == setting.before


def test_a_decorator(setting):
    @setting.choose(setting.one)
    def work(depth, *, deeper=True):
        """Documented."""
        return [setting.choose(), *(work(depth - 1) if depth and deeper else [])]

    assert setting.choose() == setting.before == in_thread(setting.choose)
    assert work(2) == [setting.one] * 3
    assert in_thread(functools.partial(work, 0, deeper=False)) == [setting.one]
    assert setting.choose() == setting.before
    assert (work.__name__, work.__doc__) == ("work", "Documented.")


def test_what_suspends_is_not_decorated():
    def generator():
        yield

    async def coroutine():
        pass

    async def both():
        yield

    before = mm.threads()
    for function in (generator, coroutine, both):
        with pytest.raises(mm.ParameterError, match=f"{function.__name__} must not be a generator"):
            mm.threads(1)(function)
    with pytest.raises(mm.ParameterError, match="function=3 must be callable"):
        mm.threads(1)(3)
    assert mm.threads() == before
    asyncio.run(coroutine())


def test_reprs_tell():
    one, two = mm.threads(1), mm.threads(2)
    assert repr(two) == "<metalmom.threads(2): made the default of the process>"
    with one:
        assert repr(one) == "<metalmom.threads(1): holds in this thread>"
        assert in_thread(lambda: repr(one)) == "<metalmom.threads(1): holds inside `with`>"
        with mm.backend("cpu"):
            assert repr(one) == "<metalmom.threads(1): holds in this thread>"
        with two:
            told = "<metalmom.threads(1): entered in this thread, where metalmom.threads(2) holds now>"
            assert repr(one) == told
    assert repr(one) == "<metalmom.threads(1): holds inside `with`>"
    with mm.backend("auto", min_frames={"stft": 8}) as few:
        assert repr(few) == "<metalmom.backend('auto', min_frames={'stft': 8}): holds in this thread>"


def everything():
    return mm.threads(), mm.backend(), mm.limits()


def test_an_exception_anywhere_leaves_nothing_set():
    """Wherever it falls: between a call and its `with`, on the way in, inside, on the way out."""

    def block():
        with mm.threads(1), mm.limits(pending=2), mm.backend("cpu"):
            mm.threads()

    before, places = everything(), 0
    for places in cut_everywhere(block, "metalmom", __name__):
        assert everything() == before == in_thread(everything), places
    assert places > 100


def test_an_exception_anywhere_leaves_what_was_entered_before():
    with mm.threads(3), mm.limits(pending=5):
        inside = everything()
        for places in cut_everywhere(lambda: mm.threads(1).__enter__(), "metalmom", __name__):
            assert everything() == inside, places
        assert inside[0] == 3


def test_signals_leave_nothing_set():
    kept = mm.threads(1)
    with kept:
        pass
    # An early 3.14 lets a signal handler run between entering and the block, where nothing could leave
    # what lives on.
    lives_on = kept if sys.version_info < (3, 14) else mm.threads(2)
    before = everything()

    def block():
        with lives_on, mm.limits(pending=2), mm.backend("cpu"):
            with kept if lives_on is kept else contextlib.nullcontext():
                pass

    for _ in range(300):
        cut_by_signals(block, 1)
        assert everything() == before
    assert in_thread(everything) == before


def test_a_scope_that_nobody_can_leave_ends_with_its_last_reference(setting):
    abandoned = setting.choose(setting.one)
    abandoned.__enter__()
    assert setting.choose() == setting.one
    del abandoned
    assert setting.choose() == setting.before

    def suspended():
        with setting.choose(setting.one):
            yield

    generator = suspended()
    next(generator)
    in_thread(generator.close)  # which leaves it in that thread
    del generator
    gc.collect()
    with setting.choose(setting.other):
        assert setting.choose() == setting.other
    assert setting.choose() == setting.before


def working_threads():
    """How many threads an stft that has work for many uses."""
    y = np.zeros((64, 22050), dtype=np.float32)
    with mm.backend("cpu"), mm.trace.record(detail=True) as trace:
        mm.stft(y)
    return len({span.tid for span in trace.spans if span.name == "worker"})


def test_the_engine_follows():
    before = mm.threads()
    try:
        mm.threads(2)
        # A helper that gets no core in time finds nothing left: not every time.
        assert any(working_threads() == 2 for _ in range(50))
        with mm.threads(1):
            assert max(working_threads() for _ in range(5)) <= 1
        mm.threads(1)
        assert max(working_threads() for _ in range(5)) <= 1
    finally:
        mm.threads.set_default(before)


@pytest.mark.parametrize("n", [0, -1, 2.0, "2", None, 4097, 10**30])
def test_wrong_numbers_of_threads(n):
    before = mm.threads()
    for call in (mm.threads, mm.threads.set_default):
        with pytest.raises(mm.ParameterError, match=f"n={n!r} must be a positive integer"):
            call(n)
    assert mm.threads() == before


@pytest.mark.parametrize("min_frames, told", [
    ({"stfft": 3}, r"min_frames\['stfft'\] must be of an op with a GPU kernel \('stft'\?\)"),
    ({"nope": 3}, r"min_frames\['nope'\] must be of an op with a GPU kernel: stft, istft"),
    ({"stft": -1}, r"min_frames\['stft'\]=-1 must be a number of frames"),
    ({"stft": 1.5}, r"min_frames\['stft'\]=1.5 must be a number of frames"),
    (3, "min_frames=3 must be a dict"),
])  # fmt: skip
def test_wrong_min_frames(min_frames, told):
    for call in (mm.backend, mm.backend.set_default):
        with pytest.raises(mm.ParameterError, match=told):
            call("auto", min_frames=min_frames)
    assert mm.backend() == "auto"


def test_min_frames_are_for_auto():
    for arguments in ({}, {"name": "gpu"}, {"name": "cpu"}):
        with pytest.raises(mm.ParameterError, match=r"min_frames=\{'stft': 3\} must come with name='auto'"):
            mm.backend(**arguments, min_frames={"stft": 3})


@pytest.mark.parametrize("name, meant", [("cuda", "gpu"), ("cuda:1", "gpu:1"), ("vulkan", "gpu"), ("GPU", "gpu")])
def test_names_that_other_libraries_have_for_a_gpu(name, meant):
    with pytest.raises(mm.ParameterError, match=f"^name='{name}' must be .*; did you mean '{meant}'\\?$"):
        mm.backend(name)


def test_min_frames_of_every_kernel_are_taken():
    assert "stft" in _native.kernel_ops
    with mm.backend("auto", min_frames=dict.fromkeys(_native.kernel_ops, 0)):
        assert mm.backend() == "auto"


THREADS = "import metalmom as m; print(m.threads())"


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
