#include "bridge/scopes.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "bridge/gil.hpp"
#include "gpu/device.hpp"

namespace metalmom::bridge {

namespace {

constexpr std::size_t initial_pending_limit = 64;

// Something that was made the default. What no scope can take back any more is `by` nobody.
struct Default {
  const Scope* by;
  Settings settings;
};

// In the order in which they were made. Never freed: it may be asked while the process ends.
std::vector<Default>& defaults() {
  static auto* made = new std::vector<Default>;
  return *made;
}

Settings default_settings() {
  Settings settings;
  for (const Default& each : defaults()) settings.override_by(each.settings);
  return settings;
}

// Both settings as one, which is what the engine reads.
std::shared_ptr<const dispatch::Setting> joined_setting(const Settings& settings) {
  if (!settings.min_frames) return settings.backend;
  dispatch::Setting joined = *(settings.backend ? settings.backend : dispatch::initial_setting());
  joined.min_frames = *settings.min_frames;
  return std::make_shared<const dispatch::Setting>(std::move(joined));
}

// What stays for good is one entry, however many statements have made it.
void join_lasting_defaults() {
  auto& made = defaults();
  for (std::size_t i = 1; i < made.size();) {
    if (made[i - 1].by || made[i].by) {
      ++i;
      continue;
    }
    made[i - 1].settings.override_by(made[i].settings);
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Whether the engine has not been told yet what holds, for want of memory: by default, and in this
// thread. The next call tells it.
bool defaults_are_due = false;
thread_local bool scopes_are_due = false;

void apply_defaults() {
  defaults_are_due = true;
  join_lasting_defaults();
  const Settings settings = default_settings();
  dispatch::set_default_setting(joined_setting(settings));
  set_default_threads(settings.threads.value_or(0));
  set_default_memory_limits(settings.memory);
  defaults_are_due = false;
}

// What this thread is in, the innermost last. A scope is not kept alive by being entered: what an
// exception has kept from leaving it drops it, and so ends it.
thread_local std::vector<std::weak_ptr<Scope>> entered;

// How many scopes have ended while threads were in them: of the process, and when this thread last
// looked.
std::uint64_t n_ended = 0;
thread_local std::uint64_t n_ended_seen = 0;

void hold() {
  scopes_are_due = true;
  n_ended_seen = n_ended;
  std::erase_if(entered, [](const auto& scope) { return scope.expired(); });
  const Settings settings = held_settings();
  Settings all = default_settings();
  all.override_by(settings);
  const bool chooses = settings.backend || settings.min_frames;
  dispatch::set_scoped_setting(chooses ? joined_setting(all) : nullptr);
  set_scoped_threads(settings.threads.value_or(0));
  set_scoped_memory_limits(settings.memory);
  scopes_are_due = false;
}

// Where nothing may throw.
template <class F>
void try_to(F&& tell_engine) {
  try {
    tell_engine();
  } catch (const std::bad_alloc&) {
    // it is due, and the next call tries again
  }
}

// Gives back what devices keep beyond a limit that was lowered. It waits for work that uses this.
void keep_to_device_limit(const MemoryLimits& limits) {
  if (!limits.device) return;
  const GilReleased unlocked;
  gpu::keep_to_memory_limits();
}

template <class T>
void override_one(T& outer, const T& inner) {
  if (inner) outer = inner;
}

}  // namespace

void refresh_settings() {
  if (defaults_are_due) apply_defaults();
  if (scopes_are_due || n_ended_seen != n_ended) hold();
}

void Settings::override_by(const Settings& inner) {
  override_one(threads, inner.threads);
  override_one(backend, inner.backend);
  override_one(min_frames, inner.min_frames);
  override_one(memory.host, inner.memory.host);
  override_one(memory.device, inner.memory.device);
  override_one(pending, inner.pending);
  override_one(place, inner.place);
}

bool Settings::has_any_of(const Settings& other) const {
  const auto both = [](const auto& one, const auto& another) { return one && another; };
  return both(threads, other.threads) || both(backend, other.backend) ||
         both(min_frames, other.min_frames) || both(memory.host, other.memory.host) ||
         both(memory.device, other.memory.device) || both(pending, other.pending) ||
         both(place, other.place);
}

Settings held_settings() {
  Settings settings;
  for (const auto& each : entered)
    if (const auto scope = each.lock()) settings.override_by(scope->settings());
  return settings;
}

std::size_t pending_limit() {
  Settings settings = default_settings();
  settings.override_by(held_settings());
  return settings.pending.value_or(initial_pending_limit);
}

Scope::Scope(std::string text, Settings settings)
    : text_(std::move(text)), settings_(std::move(settings)) {}

Scope::~Scope() {
  if (dies_by_exception) take_back();
  const auto made = std::ranges::find(defaults(), this, &Default::by);
  if (made != defaults().end()) {
    made->by = nullptr;
    join_lasting_defaults();
  }
  if (times_entered_ > 0) ++n_ended;
}

void Scope::make_default() {
  take_back();
  defaults().push_back({this, settings_});
  try {
    apply_defaults();
    if (settings_.memory.host && kept_workspace_bytes() > *settings_.memory.host)
      release_workspaces();
    keep_to_device_limit(settings_.memory);
  } catch (...) {
    take_back();
    throw;
  }
}

void Scope::take_back() {
  if (std::erase_if(defaults(), [this](const Default& made) { return made.by == this; }))
    try_to(apply_defaults);
}

void Scope::enter() {
  entered.push_back(weak_from_this());
  ++times_entered_;
  take_back();
  try {
    hold();
    keep_to_device_limit(settings_.memory);
  } catch (...) {
    leave();
    throw;
  }
}

void Scope::leave() {
  const auto is_this = [this](const auto& scope) { return scope.lock().get() == this; };
  const auto found = std::find_if(entered.rbegin(), entered.rend(), is_this);
  if (found != entered.rend()) {
    entered.erase(std::next(found).base());
    --times_entered_;
  }
  try_to(hold);
}

std::string Scope::shown() const {
  const auto state = [this]() -> std::string {
    const Scope* covered_by = nullptr;
    for (auto each = entered.rbegin(); each != entered.rend(); ++each) {
      const auto scope = each->lock();
      if (scope.get() == this)
        return covered_by ? "entered in this thread, where " + covered_by->text_ + " holds now"
                          : "holds in this thread";
      if (scope && !covered_by && scope->settings_.has_any_of(settings_)) covered_by = scope.get();
    }
    const auto& made = defaults();
    if (std::ranges::find(made, this, &Default::by) == made.end()) return "holds inside `with`";
    return "made the default of the process";
  };
  return "<" + text_ + ": " + state() + ">";
}

}  // namespace metalmom::bridge
