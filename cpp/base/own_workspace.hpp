// Working memory of an object in place of the process's pool (base/workspace.hpp): what runs in its
// scope takes no lock, and allocates only until the memory is as large as the work ever needs.
#pragma once

#include <memory>

namespace metalmom {

namespace detail {
class Arena;
struct DeleteArena {
  void operator()(Arena* arena) const;
};
}  // namespace detail

class OwnWorkspace {
 public:
  OwnWorkspace();

  // `Lent` of this thread takes from the object, and not from the pool, until the end of the scope.
  // One scope of an object at a time.
  class Scope {
   public:
    explicit Scope(const OwnWorkspace& own);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    detail::Arena* const own_;
    detail::Arena* const outer_;
  };

 private:
  std::unique_ptr<detail::Arena, detail::DeleteArena> arena_;
};

}  // namespace metalmom
