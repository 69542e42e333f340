// What the layer answers in a build without libsndfile (METALMOM_IO=OFF).
#include "base/error.hpp"
#include "io/decoder.hpp"

namespace metalmom::io {

std::unique_ptr<Decoder> open_decoder(std::unique_ptr<Source>, const std::string& name,
                                      SampleType) {
  throw AudioError(name +
                   " cannot be decoded: this metalmom was built without audio input "
                   "(METALMOM_IO=OFF)");
}

}  // namespace metalmom::io
