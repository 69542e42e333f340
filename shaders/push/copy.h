// Push constants of copy.comp, for GLSL and C++.
struct CopyPush {
  uint words;  // 16-byte words to copy
};
