// Aligned memory of the engine: 64 bytes, so that every SIMD load and FFTW plan is aligned.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/ceil_div.hpp"
#include "base/counters.hpp"

namespace metalmom {

inline constexpr std::size_t alignment = 64;

// Fixed-size, uninitialised, move-only. A failed allocation is a std::bad_alloc (MemoryError).
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_alloc();
    const auto bytes = round_up(size * sizeof(T), alignment);
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
    if (!data_) throw std::bad_alloc();
    ++counters().allocations;
  }

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  std::span<T> span() const { return {data(), size_}; }
  void zero() const {
    if (size_) std::memset(static_cast<void*>(data()), 0, size_ * sizeof(T));
  }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace metalmom
