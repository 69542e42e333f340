"""The names of librosa 1.0.0's public API, and what modules say of them: which there are, which are not."""

import inspect
import sys

__all__ = ["NAMES", "show_public_names", "tell_of_missing_names"]

# Module -> its public names, as tests_py/reference/api.json lists them with their signatures.
NAMES = {
    "":
        "A4_to_tuning A_weighting B_weighting C_weighting D_weighting LibrosaError ParameterError "
        "Z_weighting amplitude_to_db autocorrelate blocks_to_frames blocks_to_samples "
        "blocks_to_time cache chirp cite clicks cqt cqt_frequencies db_to_amplitude db_to_power "
        "estimate_tuning ex example f0_harmonics fft_frequencies fifths_to_note fmt "
        "fourier_tempo_frequencies frames_to_samples frames_to_time frequency_weighting "
        "get_duration get_samplerate griffinlim griffinlim_cqt hybrid_cqt hz_to_fjs hz_to_mel "
        "hz_to_midi hz_to_note hz_to_octs hz_to_svara_c hz_to_svara_h icqt iirt interp_harmonics "
        "interval_frequencies interval_to_fjs istft key_to_degrees key_to_notes list_mela "
        "list_thaat load loadx lpc magphase mel_frequencies mel_to_hz mela_to_degrees "
        "mela_to_svara midi_to_hz midi_to_note midi_to_svara_c midi_to_svara_h mu_compress "
        "mu_expand multi_frequency_weighting note_to_hz note_to_midi note_to_svara_c "
        "note_to_svara_h octs_to_hz pcen perceptual_weighting phase_vocoder piptrack pitch_tuning "
        "plimit_intervals power_to_db pseudo_cqt pyin pythagorean_intervals "
        "reassigned_spectrogram resample salience samples_like samples_to_frames samples_to_time "
        "show_versions stft stream tempo_frequencies thaat_to_degrees time_to_frames "
        "time_to_samples times_like to_mono to_multi to_stereo tone tuning_to_A4 vqt yin "
        "zero_crossings".split(),
    "beat": "beat_track plp".split(),
    "decompose": "decompose hpss nn_filter".split(),
    "display":
        "AdaptiveWaveplot ChromaFJSFormatter ChromaFormatter ChromaSvaraFormatter FJSFormatter "
        "LogHzFormatter NoteFormatter TimeFormatter TonnetzFormatter Transformf0 colorbar_db "
        "colorbar_phase highlight infer_cmap legend_for_axes multiplot specshow wavebars wavef0 "
        "waveshow".split(),
    "effects":
        "deemphasis harmonic hpss percussive pitch_shift preemphasis remix split time_stretch "
        "trim".split(),
    "feature":
        "chroma_cens chroma_cqt chroma_stft chroma_vqt delta fourier_tempogram hybrid_tempogram "
        "melspectrogram metrogram mfcc poly_features rms spectral_bandwidth spectral_centroid "
        "spectral_contrast spectral_flatness spectral_rolloff stack_memory tempo tempogram "
        "tempogram_ratio tonnetz zero_crossing_rate".split(),
    "feature.inverse": "mel_to_audio mel_to_stft mfcc_to_audio mfcc_to_mel".split(),
    "filters":
        "chroma cq_to_chroma diagonal_filter get_window mel mr_frequencies semitone_filterbank "
        "wavelet wavelet_lengths window_bandwidth window_sumsquare".split(),
    "onset": "onset_backtrack onset_detect onset_strength onset_strength_multi".split(),
    "segment":
        "agglomerative cross_similarity lag_to_recurrence path_enhance recurrence_matrix "
        "recurrence_to_lag subsegment timelag_filter".split(),
    "sequence":
        "dtw dtw_backtracking path_to_steps rqa transition_cycle transition_local transition_loop "
        "transition_uniform viterbi viterbi_binary viterbi_discriminative".split(),
    "util":
        "Deprecated MAX_MEM_BLOCK abs2 axis_sort buf_to_float cite count_unique cyclic_gradient "
        "dtype_c2r dtype_r2c ex example example_info expand_to fill_off_diagonal find_files "
        "fix_frames fix_length frame index_to_slice interp_broadcast is_positive_int is_unique "
        "list_examples localmax localmin match_events match_intervals nnls normalize pad_center "
        "peak_pick phasor rename_kw shear softmask sparsify_rows stack sync tiny valid_audio "
        "valid_int valid_intervals".split(),
}  # fmt: skip


def _is_of_librosa(module, name):
    whole = f"{module}.{name}".lstrip(".")
    return whole in NAMES or name in NAMES.get("" if module == "core" else module, ())


def _getattr_of(module):
    """A module's ``__getattr__``, which Python asks for what the module does not have."""
    within = module.__name__.partition(".")[2]

    def __getattr__(name):
        told = f"module {module.__name__!r} has no attribute {name!r}"
        if _is_of_librosa(within, name):
            told = f"librosa's {f'{within}.{name}'.lstrip('.')} is not in metalmom yet"
        raise AttributeError(told, name=name, obj=module)

    return __getattr__


def tell_of_missing_names(package):
    """Let the loaded modules of `package` tell librosa's names from unknown ones."""
    for within in ("core", *NAMES):
        module = sys.modules.get(f"{package}.{within}".rstrip("."))
        # display has a __getattr__ of its own, which finds classes of matplotlib's.
        if module is not None and "__getattr__" not in vars(module):
            module.__getattr__ = _getattr_of(module)


def _dir_of(module):
    """A module's ``__dir__``: its public names and submodules, which are there without an import.

    The package itself names those that are for users.
    """

    def __dir__():
        names = {name for name in vars(module) if name.startswith("__")}
        for name, value in vars(module).items():
            is_submodule = inspect.ismodule(value) and value.__name__ == f"{module.__name__}.{name}"
            if is_submodule and "." in module.__name__ and not name.startswith("_"):
                names.add(name)
        return sorted(names | set(module.__all__))

    return __dir__


def show_public_names(package):
    """Let `dir` of the loaded modules of `package`, and so completion, show what is for users."""
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(f"{package}.") and "._" not in name and hasattr(module, "__all__"):
            module.__dir__ = _dir_of(module)
