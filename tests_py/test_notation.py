"""Notation beyond the reference cases: what holds for every key and raga, factors, errors."""

import itertools
import math

import metalmom
import numpy as np
import pytest
from metalmom import ParameterError

LETTERS = "CDEFGAB"
MODES = ["maj", "minor", "ion", "dorian", "phr", "lydian", "mixolyd", "aeo", "locr"]
KEYS = [
    f"{letter}{signs}:{mode}"
    for letter, signs, mode in itertools.product(LETTERS, ["", "#", "b", "##", "𝄫b"], MODES)
]


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("natural", [True, False])
def test_every_key_names_its_pitches(unicode, natural):
    for key in KEYS:
        names = metalmom.key_to_notes(key, unicode=unicode, natural=natural)
        pitches = [metalmom.note_to_midi(name) % 12 for name in names]
        assert pitches == list(range(12)), key


def test_every_scale_has_each_letter_once():
    for key in KEYS:
        notes, degrees = metalmom.key_to_notes(key), metalmom.key_to_degrees(key)
        letters = "".join(notes[degree][0] for degree in degrees)
        assert letters in 2 * LETTERS, key
        assert letters[0] == key[0], key


def test_fifths_go_both_ways():
    for fifths in range(-50, 51):
        note = metalmom.fifths_to_note(unison="D", fifths=fifths)
        assert metalmom.note_to_midi(note) % 12 == (2 + 7 * fifths) % 12
        assert metalmom.fifths_to_note(unison=note, fifths=-fifths) == "D"


def test_ragas():
    names = metalmom.list_mela()
    assert list(names.values()) == list(range(1, 73))
    scales = {tuple(metalmom.mela_to_degrees(name)) for name in names}
    assert len(scales) == 72
    for number in names.values():
        svara = metalmom.mela_to_svara(number, unicode=False)
        taken = [svara[degree][0] for degree in metalmom.mela_to_degrees(number)]
        assert "".join(taken) == "SRGMPDN", number
        assert len(set(svara)) == 12
    names["kanakangi"] = 5  # a copy
    assert metalmom.list_mela()["kanakangi"] == 1


def test_factors_are_those_of_the_ratios():
    for function, arguments in (
        (metalmom.pythagorean_intervals, {}),
        (metalmom.plimit_intervals, {"primes": [3, 5, 7]}),
    ):
        for sort in (True, False):
            ratios = function(**arguments, bins_per_octave=40, sort=sort)
            factors = function(**arguments, bins_per_octave=40, sort=sort, return_factors=True)
            products = [math.prod(float(p) ** e for p, e in row.items()) for row in factors]
            np.testing.assert_allclose(products, ratios, rtol=1e-14)
            assert {type(x) for row in factors for pair in row.items() for x in pair} == {int}
    factors = metalmom.plimit_intervals(primes=[3, 5], bins_per_octave=3, return_factors=True)
    assert factors == [{}, {2: 2, 3: -1}, {2: -1, 3: 1}]
    factors = metalmom.pythagorean_intervals(bins_per_octave=2, return_factors=True)
    assert factors == [{2: 0, 3: 0}, {2: -1, 3: 1}]


def test_intervals_are_known_to_half_a_millionth():
    """librosa rounds to six decimals and misses those that lie between two."""
    assert metalmom.interval_to_fjs(243 / 128) == "B"
    assert metalmom.interval_to_fjs(1.5000004) == "G"


def test_notes_there_and_back():
    midi = np.arange(0, 128)
    for key in ("C:maj", "Eb:min"):
        names = metalmom.midi_to_note(midi, key=key, octave=False)
        assert (metalmom.note_to_midi(names) % 12 == midi % 12).all()
    assert (metalmom.note_to_midi(metalmom.midi_to_note(midi)) == midi).all()
    cents = metalmom.midi_to_note(midi + 0.25, cents=True)
    np.testing.assert_allclose(metalmom.note_to_midi(cents, round_midi=False), midi + 0.25)


REFUSED = {
    "key_to_notes": [(None, "key=None must be a tonic")],
    "thaat_to_degrees": [("x", "thaat='x' must be one of bilaval"), (3, "thaat=3 must be")],
    "mela_to_degrees": [
        ("x", "mela='x' must be a name"),
        (1.5, r"mela=1.5 must be a name, or an integer in range \[1, 72\]"),
        (None, "mela=None must be"),
    ],
    "midi_to_note": [
        (None, "midi=None must be real numbers"),
        ("C", "midi='C' must be real numbers"),
        ([], r"midi of shape \(0,\) must not be empty"),
        (1j, "midi=1j must be real numbers"),
    ],
    "hz_to_note": [(None, "frequencies=None must be"), ([], "frequencies of shape")],
    "hz_to_fjs": [
        ([55, 0], "frequencies=.* must be numbers > 0"),
        ([], "frequencies of shape"),
    ],
    "interval_to_fjs": [("a", "interval='a' must be numbers")],
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_values(name):
    """librosa answers these with KeyError, TypeError, or errors of NumPy."""
    for value, message in REFUSED[name]:
        with pytest.raises(ParameterError, match=message):
            getattr(metalmom, name)(value)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("fifths_to_note", {"unison": "C", "fifths": 1.5}, "fifths=1.5 must be an integer"),
        ("interval_to_fjs", {"interval": 1.25, "tolerance": 1.0}, "tolerance=1.0 must let"),
        ("interval_to_fjs", {"interval": 1.25, "tolerance": 0}, "tolerance=0 must be"),
        ("hz_to_fjs", {"frequencies": 66, "fmin": 0}, "fmin=0 must be a number > 0"),
        ("midi_to_svara_h", {"midi": 60, "Sa": np.nan}, "Sa=nan must be a finite number"),
        ("midi_to_svara_c", {"midi": 60, "Sa": 60, "mela": "x"}, "mela='x' must be"),
        ("hz_to_svara_h", {"frequencies": 60, "Sa": 0}, "Sa=0 must be a number > 0"),
        ("hz_to_svara_c", {"frequencies": 60, "Sa": "C", "mela": 1}, "Sa='C' must be"),
        ("note_to_svara_h", {"notes": "C", "Sa": ""}, "Sa='' must be a note"),
        ("note_to_svara_h", {"notes": [], "Sa": "C"}, "notes must not be empty"),
        ("plimit_intervals", {"primes": []}, r"primes=\[\] must be odd primes"),
        ("plimit_intervals", {"primes": [2, 3]}, "primes=.* must be odd primes"),
        ("plimit_intervals", {"primes": [3, 3]}, "primes=.* must be odd primes"),
        ("plimit_intervals", {"primes": [3], "bins_per_octave": 0}, "bins_per_octave=0 must"),
        ("pythagorean_intervals", {"bins_per_octave": 2.5}, "bins_per_octave=2.5 must"),
    ],
)
def test_bad_arguments(name, arguments, message):
    with pytest.raises(ParameterError, match=message):
        getattr(metalmom, name)(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_bins": -1}, "n_bins=-1 must be a non-negative integer"),
        ({"n_bins": 2.0}, "n_bins=2.0 must be"),
        ({"fmin": 0}, "fmin=0 must be a number > 0"),
        ({"intervals": "ji11"}, "intervals='ji11' must be one of equal, pythagorean, ji3"),
        ({"intervals": []}, r"intervals=\[\] must be positive ratios"),
        ({"bins_per_octave": 0}, "bins_per_octave=0 must be a positive integer"),
    ],
)
def test_bad_interval_frequencies(arguments, message):
    usual = {"n_bins": 5, "fmin": 55, "intervals": "equal"}
    with pytest.raises(ParameterError, match=message):
        metalmom.interval_frequencies(**(usual | arguments))


@pytest.mark.parametrize("call", [
    lambda: metalmom.mela_to_degrees("garbage"),
    lambda: metalmom.mela_to_svara("garbage"),
    lambda: metalmom.thaat_to_degrees("garbage"),
    lambda: metalmom.frequency_weighting(440.0, kind="X"),
])  # fmt: skip
def test_a_name_in_no_table_is_a_key_error_too(call):
    """As librosa raises it; the text is that of a ParameterError, without quotes around it."""
    with pytest.raises(KeyError) as caught:
        call()
    assert isinstance(caught.value, metalmom.ParameterError)
    assert "must be" in str(caught.value) and not str(caught.value).startswith(("'", '"'))


@pytest.mark.parametrize("fmin", [0, -55.0, np.inf])
def test_intervals_begin_at_a_frequency(fmin):
    with pytest.raises(ParameterError, match=r"fmin=.* must be a number > 0"):
        metalmom.interval_frequencies(3, fmin=fmin, intervals=[1, 1.5])
