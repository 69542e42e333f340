// Push constants of phases.comp, for GLSL and C++.
struct PhasesPush {
  uint bins;     // of the piece, all in all
  float factor;  // of the spectrum rebuilt before, in what gives the phase
};
