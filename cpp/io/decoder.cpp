#include "io/decoder.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "io/ffmpeg_decoder.hpp"
#include "io/sndfile_decoder.hpp"
#include "io/sniff.hpp"

namespace metalmom::io {

std::string Decoder::seconds(Index frame) const {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", static_cast<double>(frame) / format_.rate);
  return text;
}

void Decoder::throw_beyond_end(Index frame, Index end) const {
  throw AudioError("offset=" + seconds(frame) + " must be within the " + seconds(end) + " of " +
                   name_);
}

std::unique_ptr<Decoder> open_decoder(std::unique_ptr<Source> source, const std::string& name,
                                      SampleType type) {
  if (source->size() == 0) throw AudioError(name + " is empty");
  const Kind kind = sniff(*source);
  if (auto decoder = open_sndfile(source, name, type)) return decoder;
  if (kind.libsndfile_only)
    throw AudioError(name + " is damaged: it begins as " + std::string(kind.name) +
                     " and cannot be decoded");
  return open_ffmpeg(std::move(source), name, kind, type);
}

}  // namespace metalmom::io
