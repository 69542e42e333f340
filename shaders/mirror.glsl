// Points of mirrored frequencies, k and H - k of H = N_FFT / 2, are in different lanes: those of the
// upper half go through `exchange` to the lanes of the lower.

// Puts point H - k at the places k (its real part) and HALF - k of the frame; nobody else reads these,
// so what the lane of k makes of both points can take them without a barrier.
void put_upper_points() {
  const uint upper = POINTS / 2;
  [[unroll]] for (uint j = upper; j < POINTS; ++j) {
    const uint k = lane + j * LANES;
    exchange[frame_base + ((HALF - k) ^ bank_shift)] = z[register_of(j)].x;
    if (j > upper || lane > 0) exchange[frame_base + (k ^ bank_shift)] = z[register_of(j)].y;
  }
  barrier();
}
