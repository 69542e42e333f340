# Written by scripts/make_stubs.py from the docstrings.

from . import beat as beat
from . import core as core
from . import decompose as decompose
from . import demo as demo
from . import display as display
from . import effects as effects
from . import feature as feature
from . import filters as filters
from . import onset as onset
from . import segment as segment
from . import sequence as sequence
from . import streaming as streaming
from . import trace as trace
from . import util as util
from ._cache import cache as cache
from ._engine.backend import Device as Device
from ._engine.backend import devices as devices
from ._engine.backend import to_device as to_device
from ._engine.config import config_context as config_context
from ._engine.config import get_config as get_config
from ._engine.config import set_config as set_config
from ._engine.runtime import build_info as build_info
from ._engine.runtime import release_caches as release_caches
from ._engine.submit import submit as submit
from ._extractor.extractor import Extractor as Extractor
from ._native import DeviceArray as DeviceArray
from ._warmup import gpu_warmup as gpu_warmup
from .convolution import convolve as convolve
from .core.audio import autocorrelate as autocorrelate
from .core.audio import chirp as chirp
from .core.audio import clicks as clicks
from .core.audio import get_duration as get_duration
from .core.audio import get_samplerate as get_samplerate
from .core.audio import load as load
from .core.audio import loadx as loadx
from .core.audio import lpc as lpc
from .core.audio import mu_compress as mu_compress
from .core.audio import mu_expand as mu_expand
from .core.audio import resample as resample
from .core.audio import stream as stream
from .core.audio import to_mono as to_mono
from .core.audio import to_multi as to_multi
from .core.audio import to_stereo as to_stereo
from .core.audio import tone as tone
from .core.audio import zero_crossings as zero_crossings
from .core.constantq import cqt as cqt
from .core.constantq import griffinlim_cqt as griffinlim_cqt
from .core.constantq import hybrid_cqt as hybrid_cqt
from .core.constantq import icqt as icqt
from .core.constantq import pseudo_cqt as pseudo_cqt
from .core.constantq import vqt as vqt
from .core.convert import A4_to_tuning as A4_to_tuning
from .core.convert import A_weighting as A_weighting
from .core.convert import B_weighting as B_weighting
from .core.convert import C_weighting as C_weighting
from .core.convert import D_weighting as D_weighting
from .core.convert import Z_weighting as Z_weighting
from .core.convert import blocks_to_frames as blocks_to_frames
from .core.convert import blocks_to_samples as blocks_to_samples
from .core.convert import blocks_to_time as blocks_to_time
from .core.convert import cqt_frequencies as cqt_frequencies
from .core.convert import fft_frequencies as fft_frequencies
from .core.convert import fourier_tempo_frequencies as fourier_tempo_frequencies
from .core.convert import frames_to_samples as frames_to_samples
from .core.convert import frames_to_time as frames_to_time
from .core.convert import frequency_weighting as frequency_weighting
from .core.convert import hz_to_fjs as hz_to_fjs
from .core.convert import hz_to_mel as hz_to_mel
from .core.convert import hz_to_midi as hz_to_midi
from .core.convert import hz_to_note as hz_to_note
from .core.convert import hz_to_octs as hz_to_octs
from .core.convert import hz_to_svara_c as hz_to_svara_c
from .core.convert import hz_to_svara_h as hz_to_svara_h
from .core.convert import mel_frequencies as mel_frequencies
from .core.convert import mel_to_hz as mel_to_hz
from .core.convert import midi_to_hz as midi_to_hz
from .core.convert import midi_to_note as midi_to_note
from .core.convert import midi_to_svara_c as midi_to_svara_c
from .core.convert import midi_to_svara_h as midi_to_svara_h
from .core.convert import multi_frequency_weighting as multi_frequency_weighting
from .core.convert import note_to_hz as note_to_hz
from .core.convert import note_to_midi as note_to_midi
from .core.convert import note_to_svara_c as note_to_svara_c
from .core.convert import note_to_svara_h as note_to_svara_h
from .core.convert import octs_to_hz as octs_to_hz
from .core.convert import samples_like as samples_like
from .core.convert import samples_to_frames as samples_to_frames
from .core.convert import samples_to_time as samples_to_time
from .core.convert import tempo_frequencies as tempo_frequencies
from .core.convert import time_to_frames as time_to_frames
from .core.convert import time_to_samples as time_to_samples
from .core.convert import times_like as times_like
from .core.convert import tuning_to_A4 as tuning_to_A4
from .core.harmonic import f0_harmonics as f0_harmonics
from .core.harmonic import interp_harmonics as interp_harmonics
from .core.harmonic import salience as salience
from .core.intervals import interval_frequencies as interval_frequencies
from .core.intervals import plimit_intervals as plimit_intervals
from .core.intervals import pythagorean_intervals as pythagorean_intervals
from .core.notation import fifths_to_note as fifths_to_note
from .core.notation import interval_to_fjs as interval_to_fjs
from .core.notation import key_to_degrees as key_to_degrees
from .core.notation import key_to_notes as key_to_notes
from .core.notation import list_mela as list_mela
from .core.notation import list_thaat as list_thaat
from .core.notation import mela_to_degrees as mela_to_degrees
from .core.notation import mela_to_svara as mela_to_svara
from .core.notation import thaat_to_degrees as thaat_to_degrees
from .core.pitch import estimate_tuning as estimate_tuning
from .core.pitch import piptrack as piptrack
from .core.pitch import pitch_tuning as pitch_tuning
from .core.pitch import pyin as pyin
from .core.pitch import yin as yin
from .core.spectrum import amplitude_to_db as amplitude_to_db
from .core.spectrum import db_to_amplitude as db_to_amplitude
from .core.spectrum import db_to_power as db_to_power
from .core.spectrum import fmt as fmt
from .core.spectrum import griffinlim as griffinlim
from .core.spectrum import iirt as iirt
from .core.spectrum import istft as istft
from .core.spectrum import magphase as magphase
from .core.spectrum import pcen as pcen
from .core.spectrum import perceptual_weighting as perceptual_weighting
from .core.spectrum import phase_vocoder as phase_vocoder
from .core.spectrum import power_to_db as power_to_db
from .core.spectrum import reassigned_spectrogram as reassigned_spectrogram
from .core.spectrum import stft as stft
from .extraction import extract as extract
from .extraction import open_features as open_features
from .util.exceptions import AudioError as AudioError
from .util.exceptions import DeviceError as DeviceError
from .util.exceptions import LibrosaError as LibrosaError
from .util.exceptions import ParameterError as ParameterError
from .util.files import cite as cite
from .util.files import ex as ex
from .util.files import example as example
from .version import show_versions as show_versions
__all__ = [
    "AudioError",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Extractor",
    "LibrosaError",
    "ParameterError",
    "__version__",
    "beat",
    "build_info",
    "cache",
    "cite",
    "config_context",
    "convolve",
    "core",
    "decompose",
    "demo",
    "devices",
    "display",
    "effects",
    "ex",
    "example",
    "extract",
    "feature",
    "filters",
    "get_config",
    "gpu_warmup",
    "onset",
    "open_features",
    "release_caches",
    "segment",
    "sequence",
    "set_config",
    "show_versions",
    "streaming",
    "submit",
    "to_device",
    "trace",
    "util",
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

__version__: str
