#include "dsp/phases.hpp"

#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

template <class T>
void update_phases(const T* S, const std::complex<T>* rebuilt, const std::complex<T>* previous,
                   T factor, Index count, std::complex<T>* estimate) {
  simd::value_kernels<T>().update_phases(S, reinterpret_cast<const T*>(rebuilt),
                                         reinterpret_cast<const T*>(previous), factor, count,
                                         reinterpret_cast<T*>(estimate));
}

template void update_phases(const float*, const std::complex<float>*, const std::complex<float>*,
                            float, Index, std::complex<float>*);
template void update_phases(const double*, const std::complex<double>*, const std::complex<double>*,
                            double, Index, std::complex<double>*);

template <class T>
void phasors(const double* turns, const T* S, Index count, std::complex<T>* out) {
  simd::value_kernels<T>().phasors(turns, S, count, reinterpret_cast<T*>(out));
}

template void phasors(const double*, const float*, Index, std::complex<float>*);
template void phasors(const double*, const double*, Index, std::complex<double>*);

}  // namespace metalmom::dsp
