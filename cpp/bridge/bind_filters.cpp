// Windows and filter banks: arrays for Python's `filters`, cached handles for the feature ops.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/cache.hpp"
#include "base/pace.hpp"
#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "dsp/bands.hpp"
#include "dsp/bases.hpp"
#include "dsp/windows.hpp"

namespace metalmom::bridge {
namespace {

using dsp::Basis;

// The window of a name that the engine knows, or None: the caller then asks SciPy. NaN stands for
// no parameter; a shape that needs one, or gets one too many, is left to SciPy as well.
py::object window(std::string_view name, double parameter, Index length, bool periodic) {
  const auto shape = dsp::window_shape(name);
  if (!shape || dsp::has_parameter(*shape) != !std::isnan(parameter)) return py::none();
  py::array_t<double> samples(length);
  const std::span out(samples.mutable_data(), static_cast<std::size_t>(length));
  {
    const GilReleased unlocked;
    dsp::fill_window(*shape, parameter, periodic, out);
  }
  return samples;
}

template <class T>
void add_windows(py::array_t<T> sums, const py::array_t<double>& squared, Index n_frames,
                 Index hop_length) {
  require(hop_length >= 0, "hop_length", hop_length, "non-negative");
  const std::span out(sums.mutable_data(), static_cast<std::size_t>(sums.size()));
  const std::span in(squared.data(), static_cast<std::size_t>(squared.size()));
  const GilReleased unlocked;
  dsp::add_windows(in, n_frames, hop_length, out);
}

std::optional<dsp::Norm> norm_from(const py::object& norm, std::string_view rule) {
  if (norm.is_none()) return std::nullopt;
  const double p = py::isinstance<py::bool_>(norm) ? -1.0 : PyFloat_AsDouble(norm.ptr());
  if (PyErr_Occurred()) PyErr_Clear();
  if (p == -1.0) throw_parameter("norm", text_of(norm), rule);
  return dsp::Norm{p};
}

dsp::Rounding rounding_of(const py::object& dtype) {
  const bool single = py::dtype::from_args(dtype).equal(py::dtype::of<float>());
  return single ? dsp::Rounding::to_float : dsp::Rounding::to_double;
}

// The arguments of a filter bank in the order in which Python passes them. They are py::objects, so
// that an error can show each value as the caller wrote it.
using Value = const py::object&;

dsp::MelFilters mel_from(Value sr, Value n_fft, Value n_mels, Value fmin, Value fmax, Value htk,
                         Value norm, Value dtype) {
  const bool slaney = py::isinstance<py::str>(norm) && norm.cast<std::string_view>() == "slaney";
  dsp::MelFilters filters{scalar_from<double>(sr, "sr", strictly_positive),
                          scalar_from<Index>(n_fft, "n_fft", positive_integer),
                          scalar_from<Index>(n_mels, "n_mels", positive_integer),
                          scalar_from<double>(fmin, "fmin", any_number),
                          scalar_from<std::optional<double>>(fmax, "fmax", any_number),
                          scalar_from<bool>(htk, "htk", any_number),
                          slaney,
                          {},
                          rounding_of(dtype)};
  if (!slaney) filters.norm = norm_from(norm, "'slaney', None, inf, -inf, 0 or a positive number");
  check(filters);
  return filters;
}

dsp::ChromaFilters chroma_from(Value sr, Value n_fft, Value n_chroma, Value tuning, Value ctroct,
                               Value octwidth, Value norm, Value base_c, Value dtype) {
  dsp::ChromaFilters filters{scalar_from<double>(sr, "sr", strictly_positive),
                             scalar_from<Index>(n_fft, "n_fft", positive_integer),
                             scalar_from<Index>(n_chroma, "n_chroma", positive_integer),
                             scalar_from<double>(tuning, "tuning", any_number),
                             scalar_from<double>(ctroct, "ctroct", any_number),
                             scalar_from<std::optional<double>>(octwidth, "octwidth", any_number),
                             norm_from(norm, "None, inf, -inf, 0 or a positive number"),
                             scalar_from<bool>(base_c, "base_c", any_number),
                             rounding_of(dtype)};
  check(filters);
  return filters;
}

template <class T>
py::array to_array(const dsp::DenseMatrix& matrix) {
  py::array_t<T> array({matrix.rows, matrix.cols});
  T* const out = array.mutable_data();
  const GilReleased unlocked;
  Pace pace;
  for (Index row = 0; row < matrix.rows; ++row) {
    const auto from = matrix.values.begin() + row * matrix.cols;
    std::copy_n(from, matrix.cols, out + row * matrix.cols);
    pace.did(matrix.cols);
  }
  return array;
}

// float32 where the values were rounded to it, else float64.
py::array to_array(const dsp::DenseMatrix& matrix, dsp::Rounding rounding) {
  return rounding == dsp::Rounding::to_float ? to_array<float>(matrix) : to_array<double>(matrix);
}

template <class F>
auto unlocked(F&& make) {
  const GilReleased released;
  return make();
}

struct CachedBasis {
  std::shared_ptr<Basis> basis;
  bool has_empty_filter;

  std::size_t bytes() const { return basis->bytes(); }
};

CachedBasis mel_basis(dsp::MelFilters filters) {
  static Cache<dsp::MelFilters, CachedBasis> cache{"build mel filters"};
  // So that the default, named or not, is one key of the cache.
  if (!filters.fmax) filters.fmax = filters.sr / 2;
  const GilReleased unlocked;
  return *cache.get(filters, [&] {
    const auto matrix = dsp::make_mel_filters(filters);
    return std::make_shared<const CachedBasis>(
        CachedBasis{std::make_shared<Basis>(matrix), dsp::has_empty_filter(filters, matrix)});
  });
}

std::shared_ptr<Basis> chroma_basis(const dsp::ChromaFilters& filters) {
  static Cache<dsp::ChromaFilters, CachedBasis> cache{"build chroma filters"};
  const GilReleased unlocked;
  const auto cached = cache.get(filters, [&] {
    return std::make_shared<const CachedBasis>(
        CachedBasis{std::make_shared<Basis>(dsp::make_chroma_filters(filters)), false});
  });
  return cached->basis;
}

}  // namespace

void bind_filters(py::module_& module) {
  py::class_<Basis, std::shared_ptr<Basis>>(module, "Basis")
      .def_property_readonly("nbytes", &Basis::bytes)
      .def_property_readonly("shape", [](const Basis& basis) {
        return py::make_tuple(basis.n_bands(), basis.n_bins());
      });

  module.def("window", &window);
  module.def("add_windows", &add_windows<float>, py::arg().noconvert(), py::arg(), py::arg(),
             py::arg());
  module.def("add_windows", &add_windows<double>, py::arg().noconvert(), py::arg(), py::arg(),
             py::arg());
  module.def("basis_from_dense", [](const py::object& dense) {
    const auto matrix = contiguous<double>(dense, "basis");
    if (matrix.ndim() != 2) throw_parameter("basis.ndim", to_text(matrix.ndim()), "2");
    return std::make_shared<Basis>(matrix.data(), matrix.shape(0), matrix.shape(1));
  });

  module.def("mel_filters", [](Value sr, Value n_fft, Value n_mels, Value fmin, Value fmax,
                               Value htk, Value norm, Value dtype) {
    const auto filters = mel_from(sr, n_fft, n_mels, fmin, fmax, htk, norm, dtype);
    const auto matrix = unlocked([&] { return dsp::make_mel_filters(filters); });
    return py::make_tuple(to_array(matrix, filters.rounding),
                          dsp::has_empty_filter(filters, matrix));
  });
  module.def("mel_basis", [](Value sr, Value n_fft, Value n_mels, Value fmin, Value fmax, Value htk,
                             Value norm, Value dtype) {
    const auto cached = mel_basis(mel_from(sr, n_fft, n_mels, fmin, fmax, htk, norm, dtype));
    return py::make_tuple(cached.basis, cached.has_empty_filter);
  });
  module.def("chroma_filters", [](Value sr, Value n_fft, Value n_chroma, Value tuning, Value ctroct,
                                  Value octwidth, Value norm, Value base_c, Value dtype) {
    const auto filters =
        chroma_from(sr, n_fft, n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype);
    return to_array(unlocked([&] { return dsp::make_chroma_filters(filters); }), filters.rounding);
  });
  module.def("chroma_basis", [](Value sr, Value n_fft, Value n_chroma, Value tuning, Value ctroct,
                                Value octwidth, Value norm, Value base_c, Value dtype) {
    return chroma_basis(
        chroma_from(sr, n_fft, n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype));
  });
}

}  // namespace metalmom::bridge
