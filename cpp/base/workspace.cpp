#include "base/workspace.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/fork.hpp"
#include "base/memory_limits.hpp"
#include "base/memory_use.hpp"
#include "base/own_workspace.hpp"

namespace metalmom {

namespace detail {

// Bytes of an arena's first chunk: enough for the blocks of most features.
constexpr std::size_t first_chunk_bytes = std::size_t{1} << 18;
// A chunk is at most this much larger than what was asked for, unless it replaces others.
constexpr std::size_t most_spare_bytes = 3 * first_chunk_bytes;

// A stack of bytes in chunks. Only the last chunk grows; between calls there is one chunk
// (`merge`).
class Arena {
 public:
  Arena() = default;
  ~Arena() { free(); }
  Arena(const Arena&) = delete;

  void* take(std::size_t bytes, WorkspaceMark& mark) {
    bytes = round_up(bytes, alignment);
    mark = top_;
    // A chunk that holds nothing must have room for all that follows, as it did before: else each
    // round of a loop would add one.
    const bool is_last = top_.chunk + 1 == chunks_.size();
    std::size_t at = is_last ? top_.used : 0;
    if (chunks_.empty() || chunks_.back().size() - at < (is_last ? bytes : most_after(bytes))) {
      make_room(bytes);
      at = 0;
    }
    top_ = {chunks_.size() - 1, at + bytes, top_.total + bytes};
    most_ = std::max(most_, top_.total);
    ++depth_;
    return chunks_.back().data() + at;
  }

  // Frees what was taken since `mark`. True when nothing of the arena is in use any more.
  // Chunks stay, so that a loop does not allocate them anew each time.
  bool give_back(WorkspaceMark mark) {
    top_ = mark;
    return --depth_ == 0;
  }

  // Keeps the arena from counting as unused, without taking memory.
  void hold() { ++depth_; }
  void let_go() { --depth_; }

  // One chunk for as much as was in use at a time.
  void merge() {
    if (chunks_.size() < 2) return;
    free();
    add(most_);
  }

  std::size_t total() const {
    std::size_t bytes = 0;
    for (const auto& chunk : chunks_) bytes += chunk.size();
    return bytes;
  }

 private:
  // What was in use at most beyond what is in use now, or the `bytes` that are asked for.
  std::size_t most_after(std::size_t bytes) const { return std::max(bytes, most_ - top_.total); }

  // Adds a chunk for all that was in use before, in place of those that hold nothing. It has room
  // to spare, up to a bound, and is a quarter larger than what it replaces, so that needs that keep
  // growing seldom allocate.
  void make_room(std::size_t bytes) {
    const std::size_t before = total();
    while (chunks_.size() > (top_.total ? top_.chunk + 1 : 0)) drop();
    const std::size_t dropped = before - total();
    const std::size_t spare = std::min(most_spare_bytes, std::max(top_.total, first_chunk_bytes));
    add(std::max({most_after(bytes), spare, dropped + dropped / 4}));
  }

  void add(std::size_t bytes) {
    chunks_.emplace_back(bytes);
    note_memory(static_cast<std::ptrdiff_t>(bytes));
  }
  void drop() {
    note_memory(-static_cast<std::ptrdiff_t>(chunks_.back().size()));
    chunks_.pop_back();
  }
  void free() {
    while (!chunks_.empty()) drop();
  }

  std::vector<Buffer<std::byte>> chunks_;
  WorkspaceMark top_;      // where what is in use ends
  std::size_t most_ = 0;   // bytes in use, at most
  std::size_t depth_ = 0;  // pieces in use, and holds
};

}  // namespace detail

namespace {

using detail::Arena;
using ArenaPtr = std::unique_ptr<Arena>;

struct Pool {
  std::mutex mutex;
  std::vector<ArenaPtr> arenas;  // the last one was used last, and is still in cache
  std::size_t kept = 0;
};

ForkLocal<Pool>& pool() {
  static auto* instance = new ForkLocal<Pool>;
  return *instance;
}

Arena* lease() {
  Pool& p = pool().get();
  std::lock_guard lock(p.mutex);
  if (p.arenas.empty()) return new Arena;
  ArenaPtr arena = std::move(p.arenas.back());
  p.arenas.pop_back();
  p.kept -= arena->total();
  return arena.release();
}

void put_back(ArenaPtr arena) noexcept {
  try {
    arena->merge();
    Pool& p = pool().get();
    std::lock_guard lock(p.mutex);
    if (p.kept + arena->total() > kept_host_limit()) return;
    p.arenas.reserve(p.arenas.size() + 1);
    p.kept += arena->total();
    p.arenas.push_back(std::move(arena));
  } catch (const std::bad_alloc&) {
    // The list of arenas could not grow: this arena is freed instead of kept.
  }
}

constinit thread_local Arena* current = nullptr;

}  // namespace

void* detail::take_workspace(std::size_t bytes, WorkspaceMark& mark) {
  if (current) return current->take(bytes, mark);
  ArenaPtr arena(lease());
  void* const place = arena->take(bytes, mark);
  current = arena.release();
  return place;
}

void detail::give_workspace_back(WorkspaceMark mark) noexcept {
  if (current->give_back(mark)) put_back(ArenaPtr(std::exchange(current, nullptr)));
}

OwnWorkspace::OwnWorkspace() : arena_(new Arena) {}

void detail::DeleteArena::operator()(Arena* arena) const {
  delete arena;
}

// `hold` for the whole scope: otherwise the last `Lent` would hand the arena to the process's pool.
OwnWorkspace::Scope::Scope(const OwnWorkspace& own)
    : own_(own.arena_.get()), outer_(std::exchange(current, own_)) {
  own_->hold();
}

OwnWorkspace::Scope::~Scope() {
  current = outer_;
  own_->let_go();
  try {
    own_->merge();
  } catch (const std::bad_alloc&) {
    // No memory for one chunk of that size: the arena is empty, and grows again as it is used.
  }
}

std::size_t release_workspaces() {
  Pool& p = pool().get();
  std::vector<ArenaPtr> freed;
  std::lock_guard lock(p.mutex);
  freed.swap(p.arenas);
  return std::exchange(p.kept, 0);
}

std::size_t kept_workspace_bytes() {
  Pool& p = pool().get();
  std::lock_guard lock(p.mutex);
  return p.kept;
}

}  // namespace metalmom
