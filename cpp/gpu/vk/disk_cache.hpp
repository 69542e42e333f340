// Small files that make the next process start faster: compiled pipelines, calibrations. They are
// optional: a missing, foreign or corrupt file is ignored, and a folder that cannot be written is
// left alone.
//
// Their folder is METALMOM_CACHE_DIR (empty or "off": no files), else XDG_CACHE_HOME/metalmom or
// ~/.cache/metalmom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace metalmom::gpu {

// The content of a file of the folder; empty when it is missing or its checksum is wrong.
std::vector<std::byte> load_cached(const std::string& file);
// Writes beside and renames, so that a reader sees the old or the new content, never half of it.
void store_cached(const std::string& file, std::span<const std::byte> content);

// 64-bit FNV-1a: for checksums and for names of files.
std::uint64_t fingerprint(std::span<const std::byte> content,
                          std::uint64_t seed = 0xcbf29ce484222325u);

}  // namespace metalmom::gpu
