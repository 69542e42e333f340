"""Device arrays in torch's hands and torch's in ours, where torch and this library see the same CUDA device."""

import gc
import itertools
import os
import random
import subprocess
import sys
import textwrap
import threading

import metalmom
import numpy as np
import pytest

torch = pytest.importorskip("torch")


def _device_array():
    return metalmom.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))


def _is_shared():
    if not torch.cuda.is_available() or not metalmom.devices():
        return False
    try:
        return _device_array().__dlpack_device__()[0] == 2
    except BufferError:
        return False


pytestmark = pytest.mark.skipif(
    not _is_shared() and not os.environ.get("METALMOM_REQUIRE_CUDA"),
    reason="no device that both CUDA and Vulkan see",
)


@pytest.fixture(scope="module")
def batch():
    noise = np.random.default_rng(3).standard_normal((4, 22050))
    return metalmom.to_device(noise.astype(np.float32))


def used_bytes():
    gc.collect()
    torch.cuda.synchronize()
    metalmom.release_caches()
    return metalmom._native.device_memory()["live"]


def test_a_tensor_is_the_array(batch):
    M = metalmom.feature.melspectrogram(y=batch)
    before = torch.cuda.memory_allocated()
    tensor = torch.from_dlpack(M)
    assert torch.cuda.memory_allocated() == before
    assert tensor.device == torch.device("cuda", M.__dlpack_device__()[1])
    assert tensor.dtype == torch.float32 and tensor.shape == M.shape and tensor.is_contiguous()
    assert torch.from_dlpack(M).data_ptr() == tensor.data_ptr()
    np.testing.assert_array_equal(tensor.cpu().numpy(), M.numpy())


def test_spectra_keep_the_order_of_their_axes(batch):
    D = metalmom.stft(batch)
    tensor = torch.from_dlpack(D)
    host = D.numpy()
    assert tensor.dtype == torch.complex64
    assert [8 * each for each in tensor.stride()] == list(host.strides)
    np.testing.assert_array_equal(tensor.cpu().numpy(), host)


@pytest.mark.parametrize("shape", [(1,), (7,), (2, 1, 3), (0, 5)])
def test_shapes(shape):
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    tensor = torch.from_dlpack(metalmom.to_device(values))
    assert tensor.shape == shape
    np.testing.assert_array_equal(tensor.cpu().numpy(), values)


@pytest.mark.parametrize("stream", [None, 1, 2, "own"])
def test_streams(batch, stream):
    own = torch.cuda.Stream()
    M = metalmom.feature.melspectrogram(y=batch)
    capsule = M.__dlpack__(stream=own.cuda_stream if stream == "own" else stream)
    with torch.cuda.stream(own):
        if stream != "own":
            own.wait_stream(torch.cuda.default_stream())
        tensor = torch.utils.dlpack.from_dlpack(capsule)
        there = tensor.clone()
    own.synchronize()
    np.testing.assert_array_equal(there.cpu().numpy(), M.numpy())


def test_what_is_refused(batch):
    with pytest.raises(BufferError, match=r"pass \.numpy\(\)$"):
        batch.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="copy"):
        batch.__dlpack__(copy=True)
    with pytest.raises(metalmom.ParameterError, match="stream=0 must be"):
        batch.__dlpack__(stream=0)
    with pytest.raises(BufferError):
        np.from_dlpack(batch)


def test_hand_overs_never_show_another_value():
    """10,000 of them, on several streams, with random lives; what is wrong is added up on the device."""
    rng = np.random.default_rng(1)
    sources, references = [], []
    for clips, n in [(1, 3000), (4, 22050), (16, 22050), (3, 100_000), (64, 22050)]:
        y = metalmom.to_device(rng.standard_normal((clips, n)).astype(np.float32))
        sources.append(y)
        references.append(torch.from_numpy(metalmom.feature.melspectrogram(y=y).numpy()).cuda())
    torch.cuda.synchronize()
    before = used_bytes()
    streams = [torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
    wrong = [torch.zeros((), dtype=torch.int64, device="cuda") for _ in streams]
    torch.cuda.synchronize()
    choose = random.Random(5)
    held = []
    for i in range(10_000):
        which, s = choose.randrange(len(sources)), choose.randrange(len(streams))
        array = metalmom.feature.melspectrogram(y=sources[which])
        with torch.cuda.stream(streams[s]):
            tensor = torch.from_dlpack(array)
            if choose.random() < 0.5:
                wrong[s] += (tensor != references[which]).any()
        held.append([array if choose.random() < 0.3 else None, tensor, which, s])
        del array, tensor
        while len(held) > choose.randrange(12):
            array, tensor, which, s = held.pop(choose.randrange(len(held)))
            with torch.cuda.stream(streams[s]):
                wrong[s] += (tensor != references[which]).any()
            if choose.random() < 0.5:
                del array, tensor
            else:
                del tensor, array
        if i % 1000 == 999:
            torch.cuda.synchronize()
    held.clear()
    assert sum(int(each) for each in wrong) == 0
    assert used_bytes() == before
    largest = max(4 * each.numel() for each in references)
    kept = metalmom._native.device_memory()["reserved"] - before
    assert kept < 40 * largest + (512 << 20)


def _train(batches):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(44, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)
    ).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for features in batches:
        loss = model(features.clamp(max=10)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [each.detach().cpu().numpy() for each in model.parameters()]


def test_training_is_bitwise_what_numpy_feeds():
    rng = np.random.default_rng(2)
    clips = [rng.standard_normal((8, 22050)).astype(np.float32) for _ in range(50)]

    def features():
        for each in clips:
            yield metalmom.feature.melspectrogram(y=metalmom.to_device(each))

    shared = _train(torch.from_dlpack(each) for each in features())
    through_host = _train(torch.from_numpy(each.numpy()).cuda() for each in features())
    for a, b in zip(shared, through_host, strict=True):
        np.testing.assert_array_equal(a, b)
    assert np.isfinite(shared[0]).all()


@pytest.mark.parametrize("order", list(itertools.permutations(["array", "tensor", "second", "capsule"])))
def test_anything_may_go_first(batch, order):
    array = metalmom.feature.rms(y=batch)
    expected = array.numpy()
    names = {
        "array": array,
        "tensor": torch.from_dlpack(array),
        "second": torch.from_dlpack(array),
        "capsule": array.__dlpack__(),  # which nobody takes
    }
    del array
    for each in order:
        del names[each]
        noise = metalmom.feature.rms(y=batch)  # takes what is free
        for left in names:
            if left in ("tensor", "second"):
                np.testing.assert_array_equal(names[left].cpu().numpy(), expected)
            elif left == "array":
                np.testing.assert_array_equal(names[left].numpy(), expected)
        del noise


def test_tensors_go_on_other_threads(batch):
    before = used_bytes()
    box = [torch.from_dlpack(metalmom.feature.rms(y=batch)) for _ in range(100)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert used_bytes() == before


def test_tensors_outlive_what_is_kept(batch):
    M = metalmom.feature.melspectrogram(y=batch)
    expected = M.numpy()
    tensor = torch.from_dlpack(M)
    del M
    metalmom.release_caches()
    np.testing.assert_array_equal(tensor.cpu().numpy(), expected)
    del tensor
    torch.cuda.synchronize()
    metalmom.release_caches()


def test_a_tensor_goes_in():
    values = torch.randn((4, 22050), device="cuda")
    expected = metalmom.feature.melspectrogram(y=metalmom.to_device(values.cpu().numpy())).numpy()
    y = metalmom.to_device(values)
    values.zero_()  # after the copy, in the stream's order
    np.testing.assert_array_equal(metalmom.feature.melspectrogram(y=y).numpy(), expected)


def test_a_tensor_of_another_stream_goes_in():
    stream = torch.cuda.Stream()
    for i in range(50):
        with torch.cuda.stream(stream):
            values = torch.full((64, 22050), float(i), device="cuda")
            for _ in range(5):
                values = values + 1
            y = metalmom.to_device(values)
            del values
            torch.full((64, 22050), -1.0, device="cuda")  # takes the memory
        host = y.numpy()
        assert host.min() == host.max() == i + 5


def test_back_and_forth(batch):
    """A chain that changes sides without a wait."""
    host = batch.numpy()
    tensor = torch.from_dlpack(batch)
    for _ in range(20):
        tensor = torch.from_dlpack(metalmom.to_device(tensor * 2))
        tensor = tensor / 2
    np.testing.assert_array_equal(tensor.cpu().numpy(), host)


def test_layouts_that_go_in():
    spectra = torch.randn((2, 5, 7), dtype=torch.complex64, device="cuda")
    for each in (spectra, spectra.mT, spectra[1], spectra[:1, :1], spectra[:0]):
        array = metalmom.to_device(each)
        assert array.dtype == np.complex64 and array.shape == tuple(each.shape)
        np.testing.assert_array_equal(array.numpy(), each.cpu().numpy())
    for each in (spectra[..., ::2], spectra[:, :1], spectra.permute(2, 1, 0)):
        with pytest.raises(metalmom.ParameterError, match="contiguous"):
            metalmom.to_device(each)
    for dtype in (torch.float64, torch.float16, torch.int32):
        with pytest.raises(metalmom.ParameterError, match="float32 or complex64"):
            metalmom.to_device(torch.zeros(5, dtype=dtype, device="cuda"))


def test_gradients_do_not_matter():
    values = torch.randn(100, device="cuda", requires_grad=True)
    array = metalmom.to_device(values * 1)
    np.testing.assert_array_equal(array.numpy(), values.detach().cpu().numpy())


class ByInterface:
    """What a library without DLPack shows."""

    def __init__(self, tensor, **more):
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, **more}


class ByDlpack:
    """What a library that is not torch shows."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **given):
        return self._tensor.__dlpack__(**given)


@pytest.mark.parametrize("show", [
    ByInterface, lambda t: ByInterface(t, version=3, stream=1), ByDlpack,
])
def test_other_libraries(show):
    values = torch.randn((3, 1000), device="cuda")
    torch.cuda.synchronize()
    array = metalmom.to_device(show(values))
    np.testing.assert_array_equal(array.numpy(), values.cpu().numpy())
    array = metalmom.to_device(show(values.mT))
    np.testing.assert_array_equal(array.numpy(), values.mT.cpu().numpy())


def test_a_captured_stream_gets_nothing(batch):
    M = metalmom.feature.melspectrogram(y=batch)
    lent = torch.from_dlpack(M)
    graph, ones = torch.cuda.CUDAGraph(), torch.ones(4, device="cuda")
    with torch.cuda.graph(graph):
        ones += 1
        with pytest.raises(BufferError, match="graph"):
            torch.from_dlpack(M)
        del lent  # given back after the capture
    again = torch.from_dlpack(M)
    np.testing.assert_array_equal(again.cpu().numpy(), M.numpy())


def _run(code):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def test_a_child_of_a_fork_is_refused():
    done = _run("""
        import os
        import metalmom, numpy as np, torch
        a = metalmom.to_device(np.ones(5, dtype=np.float32))
        t = torch.from_dlpack(a)
        child = os.fork()
        if not child:
            refused = 0
            for ask in (a.__dlpack__, a.__dlpack_device__):
                try:
                    ask()
                except metalmom.DeviceError as error:
                    refused += "forked" in str(error)
            os._exit(0 if refused == 2 else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print("child", code, t.sum().item(), flush=True)
        os._exit(0)
    """)
    assert done.stdout.strip() == "child 0 5.0", done.stderr


@pytest.mark.parametrize("order", ["torch, metalmom", "metalmom, torch"])
def test_a_process_ends_with_tensors_alive(order):
    done = _run(f"""
        import {order}
        import numpy as np
        a = metalmom.to_device(np.ones((4, 22050), dtype=np.float32))
        kept = [torch.from_dlpack(metalmom.feature.rms(y=a)) for _ in range(10)]
        capsule = a.__dlpack__()
        print(kept[0].mean().item() > 0)
    """)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr
