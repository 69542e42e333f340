// Settings from the environment. A value that is no such setting is refused by the first call that
// asks for it, as a wrong argument is.
#pragma once

#include <optional>

#include "base/index.hpp"

namespace metalmom {

// The whole number in [1, most] that the variable `name` holds; nothing where it is unset or empty.
// Throws ParameterError for any other text.
std::optional<Index> environment_count(const char* name, Index most);

// What a variable that is 0 or 1 says; `otherwise` where it is unset or empty. Throws
// ParameterError for any other text.
bool environment_flag(const char* name, bool otherwise);

// As environment_count, of a variable that belongs to another library (OMP_NUM_THREADS): other text
// is ignored. Of a list (4,2) the first number counts.
std::optional<Index> foreign_environment_count(const char* name, Index most);

}  // namespace metalmom
