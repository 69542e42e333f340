# Written by scripts/make_stubs.py from the docstrings.

from .audio import autocorrelate as autocorrelate
from .audio import chirp as chirp
from .audio import clicks as clicks
from .audio import get_duration as get_duration
from .audio import get_samplerate as get_samplerate
from .audio import load as load
from .audio import loadx as loadx
from .audio import lpc as lpc
from .audio import mu_compress as mu_compress
from .audio import mu_expand as mu_expand
from .audio import resample as resample
from .audio import stream as stream
from .audio import to_mono as to_mono
from .audio import to_multi as to_multi
from .audio import to_stereo as to_stereo
from .audio import tone as tone
from .audio import zero_crossings as zero_crossings
from .constantq import cqt as cqt
from .constantq import griffinlim_cqt as griffinlim_cqt
from .constantq import hybrid_cqt as hybrid_cqt
from .constantq import icqt as icqt
from .constantq import pseudo_cqt as pseudo_cqt
from .constantq import vqt as vqt
from .convert import A4_to_tuning as A4_to_tuning
from .convert import A_weighting as A_weighting
from .convert import B_weighting as B_weighting
from .convert import C_weighting as C_weighting
from .convert import D_weighting as D_weighting
from .convert import Z_weighting as Z_weighting
from .convert import blocks_to_frames as blocks_to_frames
from .convert import blocks_to_samples as blocks_to_samples
from .convert import blocks_to_time as blocks_to_time
from .convert import cqt_frequencies as cqt_frequencies
from .convert import fft_frequencies as fft_frequencies
from .convert import fourier_tempo_frequencies as fourier_tempo_frequencies
from .convert import frames_to_samples as frames_to_samples
from .convert import frames_to_time as frames_to_time
from .convert import frequency_weighting as frequency_weighting
from .convert import hz_to_fjs as hz_to_fjs
from .convert import hz_to_mel as hz_to_mel
from .convert import hz_to_midi as hz_to_midi
from .convert import hz_to_note as hz_to_note
from .convert import hz_to_octs as hz_to_octs
from .convert import hz_to_svara_c as hz_to_svara_c
from .convert import hz_to_svara_h as hz_to_svara_h
from .convert import mel_frequencies as mel_frequencies
from .convert import mel_to_hz as mel_to_hz
from .convert import midi_to_hz as midi_to_hz
from .convert import midi_to_note as midi_to_note
from .convert import midi_to_svara_c as midi_to_svara_c
from .convert import midi_to_svara_h as midi_to_svara_h
from .convert import multi_frequency_weighting as multi_frequency_weighting
from .convert import note_to_hz as note_to_hz
from .convert import note_to_midi as note_to_midi
from .convert import note_to_svara_c as note_to_svara_c
from .convert import note_to_svara_h as note_to_svara_h
from .convert import octs_to_hz as octs_to_hz
from .convert import samples_like as samples_like
from .convert import samples_to_frames as samples_to_frames
from .convert import samples_to_time as samples_to_time
from .convert import tempo_frequencies as tempo_frequencies
from .convert import time_to_frames as time_to_frames
from .convert import time_to_samples as time_to_samples
from .convert import times_like as times_like
from .convert import tuning_to_A4 as tuning_to_A4
from .harmonic import f0_harmonics as f0_harmonics
from .harmonic import interp_harmonics as interp_harmonics
from .harmonic import salience as salience
from .intervals import interval_frequencies as interval_frequencies
from .intervals import plimit_intervals as plimit_intervals
from .intervals import pythagorean_intervals as pythagorean_intervals
from .notation import fifths_to_note as fifths_to_note
from .notation import interval_to_fjs as interval_to_fjs
from .notation import key_to_degrees as key_to_degrees
from .notation import key_to_notes as key_to_notes
from .notation import list_mela as list_mela
from .notation import list_thaat as list_thaat
from .notation import mela_to_degrees as mela_to_degrees
from .notation import mela_to_svara as mela_to_svara
from .notation import thaat_to_degrees as thaat_to_degrees
from .pitch import estimate_tuning as estimate_tuning
from .pitch import piptrack as piptrack
from .pitch import pitch_tuning as pitch_tuning
from .pitch import pyin as pyin
from .pitch import yin as yin
from .spectrum import amplitude_to_db as amplitude_to_db
from .spectrum import db_to_amplitude as db_to_amplitude
from .spectrum import db_to_power as db_to_power
from .spectrum import fmt as fmt
from .spectrum import griffinlim as griffinlim
from .spectrum import iirt as iirt
from .spectrum import istft as istft
from .spectrum import magphase as magphase
from .spectrum import pcen as pcen
from .spectrum import perceptual_weighting as perceptual_weighting
from .spectrum import phase_vocoder as phase_vocoder
from .spectrum import power_to_db as power_to_db
from .spectrum import reassigned_spectrogram as reassigned_spectrogram
from .spectrum import stft as stft
__all__ = [
    "autocorrelate",
    "chirp",
    "clicks",
    "get_duration",
    "get_samplerate",
    "load",
    "loadx",
    "lpc",
    "mu_compress",
    "mu_expand",
    "resample",
    "stream",
    "to_mono",
    "to_multi",
    "to_stereo",
    "tone",
    "zero_crossings",
    "cqt",
    "griffinlim_cqt",
    "hybrid_cqt",
    "icqt",
    "pseudo_cqt",
    "vqt",
    "A4_to_tuning",
    "A_weighting",
    "B_weighting",
    "C_weighting",
    "D_weighting",
    "Z_weighting",
    "blocks_to_frames",
    "blocks_to_samples",
    "blocks_to_time",
    "cqt_frequencies",
    "fft_frequencies",
    "fourier_tempo_frequencies",
    "frames_to_samples",
    "frames_to_time",
    "frequency_weighting",
    "hz_to_fjs",
    "hz_to_mel",
    "hz_to_midi",
    "hz_to_note",
    "hz_to_octs",
    "hz_to_svara_c",
    "hz_to_svara_h",
    "mel_frequencies",
    "mel_to_hz",
    "midi_to_hz",
    "midi_to_note",
    "midi_to_svara_c",
    "midi_to_svara_h",
    "multi_frequency_weighting",
    "note_to_hz",
    "note_to_midi",
    "note_to_svara_c",
    "note_to_svara_h",
    "octs_to_hz",
    "samples_like",
    "samples_to_frames",
    "samples_to_time",
    "tempo_frequencies",
    "time_to_frames",
    "time_to_samples",
    "times_like",
    "tuning_to_A4",
    "f0_harmonics",
    "interp_harmonics",
    "salience",
    "interval_frequencies",
    "plimit_intervals",
    "pythagorean_intervals",
    "fifths_to_note",
    "interval_to_fjs",
    "key_to_degrees",
    "key_to_notes",
    "list_mela",
    "list_thaat",
    "mela_to_degrees",
    "mela_to_svara",
    "thaat_to_degrees",
    "estimate_tuning",
    "piptrack",
    "pitch_tuning",
    "pyin",
    "yin",
    "amplitude_to_db",
    "db_to_amplitude",
    "db_to_power",
    "fmt",
    "griffinlim",
    "iirt",
    "istft",
    "magphase",
    "pcen",
    "perceptual_weighting",
    "phase_vocoder",
    "power_to_db",
    "reassigned_spectrogram",
    "stft",
]
