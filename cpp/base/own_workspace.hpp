// Working memory that belongs to an object, in place of the process's pool (base/workspace.hpp):
// code that runs in its scope takes no lock, and allocates only until the memory is large enough.
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

  // Until the end of the scope, `Lent` in this thread takes its memory from the object. An object
  // has at most one scope at a time.
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
