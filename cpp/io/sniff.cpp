#include "io/sniff.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace metalmom::io {

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_at(Source& source, std::int64_t offset, std::size_t count) {
  Bytes bytes(count);
  bytes.resize(source.read(offset, bytes));
  return bytes;
}

bool has(const Bytes& bytes, std::size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() &&
         std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

int byte_at(const Bytes& bytes, std::size_t at) {
  return at < bytes.size() ? std::to_integer<int>(bytes[at]) : -1;
}

// A file may become shorter while it is read: what lies beyond its end counts as zeros.
std::uint32_t number_at(const Bytes& bytes, std::size_t at, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(std::max(0, byte_at(bytes, at + i)))
             << (8 * (big_endian ? 3 - i : i));
  return value;
}

struct Magic {
  std::size_t at;
  std::string_view text;
  Kind kind;
};

constexpr std::array magics{
    Magic{0, "fLaC", {"FLAC", true}},
    Magic{0, "OggS", {"Ogg", false}},
    Magic{8, "WAVE", {"WAVE", false}},
    Magic{8, "AIFF", {"AIFF", true}},
    Magic{8, "AIFC", {"AIFF-C", false}},
    Magic{0, ".snd", {"AU", true}},
    Magic{0, "ID3", {"MP3", false}},  // an ID3 tag may stand before AAC as well
    Magic{4, "ftyp", {"MPEG-4: AAC or ALAC", false}},
    Magic{0, "\x1A\x45\xDF\xA3", {"WebM or Matroska", false}},
    Magic{0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", {"Windows Media", false}},
    Magic{0, "#!AMR", {"AMR", false}},
    Magic{8, "AVI ", {"AVI", false}},
    Magic{0, "FLV", {"Flash video", false}},
    Magic{0, "wvpk", {"WavPack", false}},
    Magic{0, "MAC ", {"Monkey's Audio", false}},
    Magic{0, "TTA1", {"True Audio", false}},
    Magic{0, "caff", {"Core Audio", false}},
    Magic{0, "DSD ", {"DSD", false}},
    Magic{0, "\x0B\x77", {"Dolby AC-3", false}},
};

std::int64_t find(const Bytes& bytes, std::string_view magic, bool last) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  const std::string_view text(begin, bytes.size());
  const auto place = last ? text.rfind(magic) : text.find(magic);
  return place == text.npos ? -1 : static_cast<std::int64_t>(place);
}

// Of files beyond 4 GB; a signed one, since no file is larger.
std::int64_t large_number_at(const Bytes& bytes, std::size_t at) {
  return static_cast<std::int64_t>(std::uint64_t{number_at(bytes, at + 4, false)} << 32 |
                                   number_at(bytes, at, false));
}

// Programs that write to a pipe cannot know the size of the sample data and leave 0 or the largest
// number: those are no promise.
bool ends_beyond(std::int64_t at, std::int64_t size, std::int64_t end, std::int64_t most) {
  return size > 0 && size < most && at > end - size;
}
constexpr std::int64_t most_of_32_bits = 0x7FFFF000, most_of_64_bits = std::int64_t{1} << 62;

// RIFF and FORM files are chunks: an id and a size each. RF64 (EBU Tech 3306) has the size of the
// data in its first chunk.
bool chunk_beyond_end(Source& source, bool big_endian, std::string_view data_id) {
  const std::int64_t end = source.size();
  const Bytes first = bytes_at(source, 12, 24);
  std::int64_t at = 12;
  while (at + 8 <= end) {
    const Bytes head = bytes_at(source, at, 8);
    if (head.size() < 8) return false;
    const std::uint32_t size = number_at(head, 4, big_endian);
    if (has(head, 0, data_id))
      return size == 0xFFFFFFFF && has(first, 0, "ds64")
                 ? ends_beyond(at + 8, large_number_at(first, 16), end, most_of_64_bits)
                 : ends_beyond(at + 8, size, end, most_of_32_bits);
    at += 8 + static_cast<std::int64_t>(size) + (size & 1);
  }
  return false;
}

// Sony Wave64: ids of 16 bytes, and sizes of 8, which count the heads and are rounded up to 8.
bool w64_chunk_beyond_end(Source& source) {
  const std::int64_t end = source.size();
  for (std::int64_t at = 40; at + 24 <= end;) {
    const Bytes head = bytes_at(source, at, 24);
    const std::int64_t size = large_number_at(head, 16);
    if (has(head, 0, "data")) return ends_beyond(at, size, end, most_of_64_bits);
    if (size < 24 || size > end) return false;
    at += (size + 7) & ~std::int64_t{7};
  }
  return false;
}

// Core Audio Format: ids of 4 bytes, and sizes of 8, which do not count the heads.
bool caf_chunk_beyond_end(Source& source) {
  const std::int64_t end = source.size();
  for (std::int64_t at = 8; at + 12 <= end;) {
    const Bytes head = bytes_at(source, at, 12);
    const std::uint64_t high = number_at(head, 4, true), low = number_at(head, 8, true);
    const auto size = static_cast<std::int64_t>(high << 32 | low);
    if (size < 0) return false;  // up to the end of the file, wherever that is
    if (has(head, 0, "data")) return ends_beyond(at + 12, size, end, most_of_64_bits);
    if (size > end) return false;
    at += 12 + size;
  }
  return false;
}

// The last page of a complete Ogg file carries the end-of-stream flag (RFC 3533, section 6) and
// lies wholly in the file.
bool last_page_missing(Source& source) {
  constexpr std::int64_t longest_page = 65307;
  const std::int64_t from = std::max<std::int64_t>(0, source.size() - 2 * longest_page);
  const Bytes tail = bytes_at(source, from, 2 * longest_page);
  const auto place = find(tail, "OggS", true);
  if (place < 0) return true;
  const auto page = static_cast<std::size_t>(place);
  const int segments = byte_at(tail, page + 26);
  if (segments < 0 || tail.size() < page + 27 + static_cast<std::size_t>(segments)) return true;
  std::size_t length = 27 + static_cast<std::size_t>(segments);
  for (int i = 0; i < segments; ++i)
    length += static_cast<std::size_t>(byte_at(tail, page + 27 + static_cast<std::size_t>(i)));
  const bool end_of_stream = byte_at(tail, page + 5) & 4;
  return !end_of_stream || page + length > tail.size();
}

// The Xing header of an MP3 counts the bytes of the stream. Tags before and after are not counted
// the same by all encoders, so that only a file clearly shorter than its count is called so.
bool shorter_than_xing(Source& source) {
  std::int64_t start = 0;
  const Bytes tag = bytes_at(source, 0, 10);
  if (has(tag, 0, "ID3") && tag.size() == 10)
    for (std::size_t i = 6; i < 10; ++i) start = start * 128 + (byte_at(tag, i) & 0x7F);
  if (start) start += 10;
  const Bytes frame = bytes_at(source, start, 256);
  auto place = find(frame, "Xing", false);
  if (place < 0) place = find(frame, "Info", false);
  if (place < 0 || static_cast<std::size_t>(place) + 16 > frame.size()) return false;
  const auto at = static_cast<std::size_t>(place);
  const std::uint32_t flags = number_at(frame, at + 4, true);
  if (!(flags & 2)) return false;
  const std::uint32_t counted = number_at(frame, at + 8 + (flags & 1 ? 4 : 0), true);
  return static_cast<double>(source.size() - start) < 0.99 * counted - 4096;
}

}  // namespace

Kind sniff(Source& source) {
  const Bytes head = bytes_at(source, 0, 16);
  for (const Magic& magic : magics)
    if (has(head, magic.at, magic.text)) return magic.kind;
  // Both begin with eleven or twelve set bits; the two layer bits tell AAC (0) from MPEG layers.
  if (byte_at(head, 0) == 0xFF && (byte_at(head, 1) & 0xF6) == 0xF0) return {"AAC", false};
  if (byte_at(head, 0) == 0xFF && (byte_at(head, 1) & 0xE0) == 0xE0) return {"MP3", true};
  return {"", false};
}

bool breaks_off(Source& source) {
  const Bytes head = bytes_at(source, 0, 12);
  if ((has(head, 0, "RIFF") || has(head, 0, "RF64")) && has(head, 8, "WAVE"))
    return chunk_beyond_end(source, false, "data");
  if (has(head, 0, "riff\x2E\x91\xCF\x11")) return w64_chunk_beyond_end(source);
  if (has(head, 0, "caff")) return caf_chunk_beyond_end(source);
  if (has(head, 0, "FORM")) return chunk_beyond_end(source, true, "SSND");
  if (has(head, 0, ".snd")) {  // where the samples begin, and how many bytes they have
    const std::uint32_t begin = number_at(head, 4, true), size = number_at(head, 8, true);
    const bool unknown = size == 0 || size == 0xFFFFFFFF;
    return !unknown && std::int64_t{begin} + std::int64_t{size} > source.size();
  }
  if (has(head, 0, "OggS")) return last_page_missing(source);
  if (has(head, 0, "ID3") || byte_at(head, 0) == 0xFF) return shorter_than_xing(source);
  return false;
}

}  // namespace metalmom::io
