// Merges the largest of a workgroup's values into `maxima` by one atomic operation. Maxima are
// exact, so the order of these operations does not matter. Uses the first THREADS floats of
// `exchange`.
void keep_maximum(uint group, float largest) {
  const uint thread = gl_LocalInvocationIndex;
  barrier();
  exchange[thread] = largest;
  barrier();
  if (thread < 8)
    for (uint i = thread + 8; i < THREADS; i += 8) largest = max(largest, exchange[i]);
  barrier();
  if (thread < 8) exchange[thread] = largest;
  barrier();
  if (thread > 0) return;
  for (uint i = 1; i < 8; ++i) largest = max(largest, exchange[i]);
  atomicMax(maxima[group], ordered_bits(largest));
}
