/* listen FEATURE OPTIONS BLOCK <samples >frames: float32 of one channel in, the frames of the feature out, a block at a time,
 * which goes through a ring, as from the callback of a sound card.
 * listen convolve RESPONSE BLOCK <samples >samples: RESPONSE is a file of float32.
 * How long the blocks took stands in the report on standard error. */
#include <metalmom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_taps = 65536, most_values = 1 << 20 };
static float block[65536], frames[most_values], response[most_taps];

static int fail(const char* what, metalmom_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, metalmom_status_text(status), metalmom_last_error());
  return 1;
}

static void tell(const metalmom_report* report) {
  fprintf(stderr, "%lld blocks of %g ms, %lld late: p50 %g us, p99 %g us, worst %g us\n", (long long)report->blocks,
          1e3 * report->budget, (long long)report->late, 1e6 * report->p50, 1e6 * report->p99, 1e6 * report->worst);
}

static int convolve(const char* path, size_t size) {
  metalmom_convolver* convolver;
  metalmom_report report = {sizeof report};
  FILE* file = fopen(path, "rb");
  const size_t taps = file ? fread(response, sizeof(float), most_taps, file) : 0;
  metalmom_status status = metalmom_convolver_open(response, (int64_t)taps, 1, (int64_t)size, &convolver);
  if (file) fclose(file);
  if (status == METALMOM_OK) status = metalmom_convolver_set_rate(convolver, 48000);
  if (status != METALMOM_OK) return fail("open", status);
  for (size_t count; (count = fread(block, sizeof(float), size, stdin)) > 0;) {
    status = metalmom_convolver_process(convolver, block, (int64_t)count, block);
    if (status != METALMOM_OK) return fail("process", status);
    fwrite(block, sizeof(float), count, stdout);
  }
  if (metalmom_convolver_report(convolver, &report) == METALMOM_OK) tell(&report);
  metalmom_convolver_close(convolver);
  return 0;
}

static int extract(const char* feature, const char* options, size_t size) {
  metalmom_features* features;
  metalmom_ring* ring;
  metalmom_report report = {sizeof report};
  metalmom_status status = metalmom_features_open(feature, options, 1, &features);
  if (status == METALMOM_OK) status = metalmom_ring_open((int64_t)size + 1000, 1, &ring);
  if (status != METALMOM_OK) return fail("open", status);
  const int64_t rows = metalmom_features_rows(features), room = most_values / rows;
  for (int last = 0; !last;) {
    int64_t made, count = (int64_t)fread(block, sizeof(float), size, stdin);
    last = count < (int64_t)size;
    metalmom_ring_write(ring, block, count);
    count = metalmom_ring_read(ring, block, count);
    status = metalmom_features_process(features, block, count, last, frames, room, &made);
    if (status != METALMOM_OK) return fail("process", status);
    fwrite(frames, sizeof(float), (size_t)(made * rows), stdout);
  }
  if (metalmom_features_report(features, &report) == METALMOM_OK) tell(&report);
  metalmom_ring_close(ring);
  metalmom_features_close(features);
  return 0;
}

int main(int count, char** arguments) {
  const long size = count == 4 ? strtol(arguments[3], NULL, 10) : 0;
  if (size < 1 || size > (long)(sizeof block / sizeof *block)) {
    fprintf(stderr, "usage: listen FEATURE OPTIONS BLOCK, of metalmom %s\n", metalmom_version());
    return 2;
  }
  if (strcmp(arguments[1], "convolve") == 0) return convolve(arguments[2], (size_t)size);
  return extract(arguments[1], arguments[2], (size_t)size);
}
