/* metalmom for C and C++: features and convolution of audio that comes block by block.
 *
 * What `..._open` and `..._close` do takes as long as it takes. `..._process`, `..._reset` and the queries never allocate,
 * never wait for a lock, and no exception leaves any function. An object belongs to one thread at a time. Only `..._close`,
 * and what returns a status, takes NULL. Samples are
 * float32; those of several channels lie one channel after the other. */
#ifndef METALMOM_H
#define METALMOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define METALMOM_API __attribute__((visibility("default")))
#else
#define METALMOM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum metalmom_status {
  METALMOM_OK = 0,
  METALMOM_BAD_ARGUMENT = 1, /* metalmom_last_error() says which one */
  METALMOM_BAD_SAMPLES = 2,  /* NaN or infinity, or too large for a convolver; nothing has been taken */
  METALMOM_NO_ROOM = 3,      /* the result does not fit; nothing has been taken */
  METALMOM_ENDED = 4,        /* the signal has ended: reset begins another one */
  METALMOM_NO_MEMORY = 5,
  METALMOM_FAILED = 6        /* anything else; metalmom_last_error() says what */
} metalmom_status;

/* A word for a status; what was wrong with the last call of this thread that was METALMOM_BAD_ARGUMENT or METALMOM_FAILED;
 * "0.1.0". Never NULL. */
METALMOM_API const char* metalmom_status_text(metalmom_status status);
METALMOM_API const char* metalmom_last_error(void);
METALMOM_API const char* metalmom_version(void);

/* ---- Reports: how long the blocks of an object took, and how many were late ---- */

enum { METALMOM_REPORT_POWERS = 38, METALMOM_REPORT_FIRST_POWER = -8 };

/* Times are seconds: how long `..._process` was at work. Blocks without samples, calls with `last` and refused ones are not
 * counted. `..._open`, `..._reset` and another rate begin anew. Later versions may add members at the end. */
typedef struct metalmom_report {
  size_t size;     /* sizeof(metalmom_report), which the program sets before it asks */
  int64_t blocks;  /* taken */
  int64_t samples; /* of each channel in them */
  int64_t late;    /* blocks that took longer than they last; 0 without a rate, as budget and share are */
  double budget;   /* how long a block lasts, on average */
  double share;    /* the time of all blocks over how long they last */
  double mean;
  double p50;      /* at most, for half of the blocks; too high by an eighth at most, as p99 is */
  double p99;
  double worst;
  int64_t histogram[METALMOM_REPORT_POWERS]; /* [i]: blocks that took from 2^p to 2^(p+1) microseconds, where
                                                p = i + METALMOM_REPORT_FIRST_POWER; [0]: and shorter ones */
} metalmom_report;

/* ---- Features: bit for bit those of the whole signal, however it is cut ---- */

typedef struct metalmom_features metalmom_features;

/* `feature`: "stft" (real and imaginary parts in turn), "melspectrogram", "mfcc", "chroma_stft", "onset_strength", "rms",
 * "zero_crossing_rate", "spectral_centroid", "spectral_bandwidth", "spectral_rolloff" or "spectral_flatness".
 * `options`: NULL, or words like "sr=16000 n_fft=512 hop_length=160 center=false", with the names and defaults of
 * metalmom.streaming in Python (rms and zero_crossing_rate have frame_length): window=hann, and of mels n_mels, fmin, fmax and htk; of chroma n_chroma and tuning.
 * Levels have no top_db, as in every stream. Sets *opened to NULL where it fails. */
METALMOM_API metalmom_status metalmom_features_open(const char* feature, const char* options, int64_t channels,
                                                    metalmom_features** opened);
METALMOM_API void metalmom_features_close(metalmom_features* features); /* NULL is allowed */

/* Values of a frame, and how many frames `count` samples more (and, with `last`, the end of the signal) will complete:
 * 0 after the end. */
METALMOM_API int64_t metalmom_features_rows(const metalmom_features* features);
METALMOM_API int64_t metalmom_features_ready(const metalmom_features* features, int64_t count, int last);

/* Takes `count` samples of each channel; `last` ends the signal, whose last frames are padded then. Writes *made frames, of
 * each channel at frames + channel * room * rows, one frame after the other. `room`: frames for which there is memory. */
METALMOM_API metalmom_status metalmom_features_process(metalmom_features* features, const float* samples, int64_t count,
                                                       int last, float* frames, int64_t room, int64_t* made);
METALMOM_API void metalmom_features_reset(metalmom_features* features);
/* The option sr, 22050 by default, says how long a block lasts. Any thread may ask, also during a block. */
METALMOM_API metalmom_status metalmom_features_report(const metalmom_features* features, metalmom_report* report);

/* ---- Convolution: as many samples come out as go in, without latency ---- */

typedef struct metalmom_convolver metalmom_convolver;

/* `response`: `taps` samples, for all channels. `block`: samples that `process` is usually given, which decides how the
 * response is cut; the result does not depend on it. */
METALMOM_API metalmom_status metalmom_convolver_open(const float* response, int64_t taps, int64_t channels, int64_t block,
                                                     metalmom_convolver** opened);
METALMOM_API void metalmom_convolver_close(metalmom_convolver* convolver); /* NULL is allowed */

/* `out` has room for as many samples as `in`, and may be `in`. */
METALMOM_API metalmom_status metalmom_convolver_process(metalmom_convolver* convolver, const float* in, int64_t count,
                                                        float* out);
METALMOM_API void metalmom_convolver_reset(metalmom_convolver* convolver);
/* Samples a second, which say how long a block lasts; not while another thread asks for a report. */
METALMOM_API metalmom_status metalmom_convolver_set_rate(metalmom_convolver* convolver, double rate);
/* Any thread may ask, also during a block. */
METALMOM_API metalmom_status metalmom_convolver_report(const metalmom_convolver* convolver, metalmom_report* report);

/* ---- A ring: samples from the callback of a sound card to the thread that analyses them ---- */

typedef struct metalmom_ring metalmom_ring;

/* Room for so many frames, of so many channels. One thread may write while another one reads; neither waits. */
METALMOM_API metalmom_status metalmom_ring_open(int64_t frames, int64_t channels, metalmom_ring** opened);
METALMOM_API void metalmom_ring_close(metalmom_ring* ring); /* NULL is allowed */

/* Takes frames as sound cards give them, the channels of a frame side by side. Returns how many there was room for: the others
 * are lost, and counted. */
METALMOM_API int64_t metalmom_ring_write(metalmom_ring* ring, const float* samples, int64_t count);
/* Gives the oldest frames, at most `count`, one channel after the other (each has room for `count`), as `..._process` takes
 * them. Returns how many. */
METALMOM_API int64_t metalmom_ring_read(metalmom_ring* ring, float* samples, int64_t count);
METALMOM_API int64_t metalmom_ring_lost(const metalmom_ring* ring);

#ifdef __cplusplus
}
#endif

#endif
