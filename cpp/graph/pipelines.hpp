// Consumers of a run, put together by what they read.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

// Consumers of one precision, grouped by what they read.
template <class T>
class Pipelines {
 public:
  struct Group {
    std::vector<std::size_t> calls;
    std::vector<ops::Consumer<T>*> consumers;

    // Removes these calls from the group.
    void drop(const std::vector<std::size_t>& some) {
      for (const std::size_t i : some)
        if (const auto at = std::ranges::find(calls, i); at != calls.end()) {
          consumers.erase(consumers.begin() + (at - calls.begin()));
          calls.erase(at);
        }
    }
  };

  void add(std::size_t call, std::unique_ptr<ops::Consumer<T>> consumer) {
    auto& of_audio = by_audio_[consumer->y().data];
    auto found = std::ranges::find_if(of_audio, [&](std::size_t i) {
      return ops::Pipeline<T>::fits(*groups_[i].consumers[0], *consumer);
    });
    if (found == of_audio.end()) {
      found = of_audio.insert(of_audio.end(), groups_.size());
      groups_.emplace_back();
    }
    groups_[*found].calls.push_back(call);
    groups_[*found].consumers.push_back(consumer.get());
    consumers_.push_back(std::move(consumer));
  }

  std::vector<Group>& groups() { return groups_; }

  // The groups again, those that read the same array together.
  std::vector<std::vector<Group*>> groups_of_each_audio() {
    std::map<std::tuple<const T*, Index, Index>, std::size_t> places;
    std::vector<std::vector<Group*>> all;
    for (Group& group : groups_) {
      const View<const T>& y = group.consumers[0]->y();
      const auto [found, is_new] = places.try_emplace({y.data, y.batch, y.cols}, all.size());
      if (is_new) all.emplace_back();
      all[found->second].push_back(&group);
    }
    return all;
  }

  // `kept_of(group)`: memory for powers that the group's pipeline reads again or leaves for later.
  template <class F>
  void run(ops::Transforms& transforms, F&& kept_of) {
    std::vector<ops::Pipeline<T>> pipelines;
    for (const Group& group : groups_)
      if (!group.consumers.empty())
        pipelines.emplace_back(group.consumers, transforms, kept_of(group));
    if (!pipelines.empty()) ops::run_pipelines<T>(pipelines);
  }

 private:
  std::vector<std::unique_ptr<ops::Consumer<T>>> consumers_;
  std::vector<Group> groups_;
  std::map<const T*, std::vector<std::size_t>> by_audio_;
};

}  // namespace metalmom::graph
