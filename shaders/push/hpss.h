// Push constants of magnitudes.comp and hpss.comp, for GLSL and C++. Rows are those of the stored
// matrix, columns its numbers.
struct HpssPush {
  uint n_clips;
  uint n_rows;       // of the piece, per clip
  uint first_row;    // of the piece in its clip
  uint clip_rows;    // of a whole clip
  uint held_rows;    // of a clip, in the piece, with those around it
  uint held_first;   // the first of them in its clip
  uint n_cols;
  uint row_size;     // the windows down the rows and across the columns, at most 31
  uint column_size;
  uint rows_harmonic;  // whether the median down the rows is the harmonic one
  float power;
  float margin_harmonic;
  float margin_percussive;
  float silent;  // masks where both medians are zero
};
