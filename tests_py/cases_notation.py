"""Reference cases of notes, keys, ragas, just intonation and the names of frequencies."""

import numpy as np

MIDI = np.array([[60.0, 61.2, 62.49, np.nan], [45.5, 46.5, -2.0, np.inf]])
HERTZ = np.array([27.5, 261.0, 391.5, 440.3])
JUST = [1, 3 / 2, 4 / 3, 5 / 4, 6 / 5, 7 / 4, 25 / 14, 11 / 8, 23 / 16, 81 / 80, 0.75, 8, 1 / 7]


def add(case):
    add_keys(case)
    add_ragas(case)
    add_intervals(case)
    add_names(case)
    add_svara(case)


def add_keys(case):
    for key in ("C:maj", "A:min", "F:dorian", "Eb:mix", "f♯:phr", "A♭:loc", "B#:lyd", "E♭:aeol",
                "Cb:major", "Fb:min", "D##:min", "G𝄫♭:lydian", "C#b:ion"):  # fmt: skip
        case("key_to_notes", key, key)
        case("key_to_degrees", key, key)
    case("key_to_notes", "ascii", "G♯:maj", unicode=False, natural=True)
    case("key_to_notes", "naturals", "D:maj", natural=True)
    case("key_to_notes", "moved naturals", "Abb:loc", natural=True)
    for key in ("C", "H:maj", "C:Maj", "C:majo", " C:maj", "C:maj:min"):
        case("key_to_notes", f"no key {key}", key)
        case("key_to_degrees", f"no key {key}", key)
    for unison, fifths in (("C", 0), ("G", -3), ("Eb", 11), ("f𝄪", 20), ("B", -40), ("C4", 1)):
        case("fifths_to_note", f"{unison} {fifths}", unison=unison, fifths=fifths)
    case("fifths_to_note", "ascii", unison="C♯", fifths=9, unicode=False)
    case("fifths_to_note", "no note", unison="H", fifths=1)


def add_ragas(case):
    case("list_thaat", "default")
    for thaat in ("bilaval", "khamaj", "kafi", "asavari", "bhairavi", "kalyan", "marva", "poorvi",
                  "Todi", "bhairav"):  # fmt: skip
        case("thaat_to_degrees", thaat, thaat)
    for mela in (1, 10, 15, 19, 22, 31, 34, 36, 37, 65, 72, "kanakangi", "Mechakalyani"):
        case("mela_to_degrees", str(mela), mela)
        case("mela_to_svara", str(mela), mela)
    case("mela_to_svara", "long", 36, abbr=False)
    case("mela_to_svara", "ascii", 34, unicode=False)
    for mela in (0, 73):
        case("mela_to_degrees", f"no raga {mela}", mela)


def add_intervals(case):
    for primes in ((3,), (5,), (3, 5), (7, 5, 3), (3, 5, 7, 11, 13), (3, 29)):
        case("plimit_intervals", f"{primes}", primes=primes)
        case("plimit_intervals", f"{primes} as they grow", primes=primes, bins_per_octave=31,
             sort=False)  # fmt: skip
    case("plimit_intervals", "a prime", primes=3, bins_per_octave=7)
    case("plimit_intervals", "one interval", primes=[3], bins_per_octave=1)
    for count in (1, 12, 53):
        case("pythagorean_intervals", f"{count}", bins_per_octave=count)
        case("pythagorean_intervals", f"{count} fifths", bins_per_octave=count, sort=False)
    frequencies = "interval_frequencies"
    for intervals in ("equal", "pythagorean", "ji3", "ji5", "ji7"):
        case(frequencies, intervals, 30, fmin=55, intervals=intervals)
        case(frequencies, f"{intervals} of 7", 17, fmin=60.5, intervals=intervals,
             bins_per_octave=7, tuning=0.3, sort=False)  # fmt: skip
    case(frequencies, "ratios", 9, fmin=55, intervals=[1, 4 / 3, 3 / 2])
    case(frequencies, "unsorted ratios", 4, fmin=10, intervals=np.array([1.5, 1, 1.2]))
    case(frequencies, "none", 0, fmin=55, intervals="equal")
    fjs = "interval_to_fjs"
    case(fjs, "many", JUST)
    case(fjs, "ascii", JUST, unison="F#", unicode=False)
    case(fjs, "wide", JUST, unison="B♭", tolerance=1.2)
    case(fjs, "narrow", JUST, tolerance=1.02)
    case(fjs, "Pythagorean", 3.0 ** np.arange(-20, 5))
    case(fjs, "matrix", np.array([[1.5], [1.25]]))
    case(fjs, "scalar", 1.5)
    case(fjs, "empty", [])
    for value in (0, -1.5, 2**0.5, 29 / 16, np.nan, np.inf, 1.5000006):
        case(fjs, f"unknown {float(value):.8g}", value)
    case(fjs, "no note", 1.5, unison="H")
    case("hz_to_fjs", "scale", 55 * np.array(JUST))
    case("hz_to_fjs", "scalar", 66, fmin=55, unicode=True)
    case("hz_to_fjs", "unison", [66.0, 55], unison="C")
    case("hz_to_fjs", "lowest", 66.0)
    case("hz_to_fjs", "unknown", [55, 79.0])


def add_names(case):
    note = "midi_to_note"
    case(note, "default", MIDI)
    case(note, "cents", MIDI, cents=True)
    case(note, "classes", MIDI, octave=False)
    case(note, "key", np.arange(60, 72), key="Eb:min")
    case(note, "ascii", range(60, 72), unicode=False, key="C##:maj")
    case(note, "float32", np.linspace(30, 60, 17, dtype=np.float32), cents=True)
    case(note, "integers", np.array([60, 127], np.int16), cents=True)
    case(note, "scalar", 60.3)
    case(note, "scalar cents", np.float32(60.25), cents=True)
    case(note, "nan", np.nan)
    case(note, "zero dimensions", np.array(69))
    case(note, "cents without octave", 60, cents=True, octave=False)
    case(note, "no key", 60, key="C")
    case("hz_to_note", "default", HERTZ)
    case("hz_to_note", "cents", HERTZ, cents=True)
    case("hz_to_note", "scalar", 440)
    case("hz_to_note", "not positive", np.array([-1.0, 0.0, 440.0]))


def add_svara(case):
    north, south = dict(Sa=60.3), dict(Sa=55, mela=36)
    for name, sa in (("midi_to_svara_h", north), ("midi_to_svara_c", south)):
        case(name, "default", MIDI, **sa)
        case(name, "octaves", np.arange(20, 100, 5), **sa)
        case(name, "long", np.arange(48, 72), abbr=False, **sa)
        case(name, "ascii", np.arange(36, 84, 4), unicode=False, **sa)
        case(name, "no octaves", np.arange(36, 84, 4), octave=False, **sa)
        case(name, "scalar", 61.5, **sa)
        case(name, "float32", np.float32(60.4), **sa)
    case("hz_to_svara_h", "default", HERTZ, Sa=261)
    case("hz_to_svara_h", "long", HERTZ, Sa=130.5, abbr=False, unicode=False)
    case("hz_to_svara_h", "scalar", 440.0, Sa=220.0)
    case("hz_to_svara_c", "default", HERTZ, Sa=261, mela="kanakangi")
    case("hz_to_svara_c", "scalar", 440.0, Sa=220.0, mela=20, octave=False)
    notes = ["C4", "G4", "C5", "Ab5", "C4+50", "D4-50"]
    case("note_to_svara_h", "default", notes, Sa="C5-30")
    case("note_to_svara_h", "scalar", "C4", Sa="C", unicode=False)
    case("note_to_svara_c", "default", notes, Sa="C5", mela=1)
    case("note_to_svara_c", "scalar", "Eb", Sa="C", mela=36, abbr=False)
    case("note_to_svara_h", "no note", "H", Sa="C")
