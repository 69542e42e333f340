// The remainder of a number that may be negative: GLSL's is undefined then in Vulkan, and wrong on some
// devices.
int wrapped(int number, int period) {
  return number < 0 ? period - 1 - (-1 - number) % period : number % period;
}
