// The best of many scores.
#ifndef LATHE_BEST_H
#define LATHE_BEST_H

#include "elements.h"

// The best score: the first of the largest, and by how much it is above the largest other one. The
// margin is NaN if a score is NaN. at is -1 if the scores are not floating-point numbers. Scores at the
// places avoided do not count.
struct best {
  int64_t at;
  double margin;
};

struct best best_score(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                       const int64_t *avoided, int avoids);

#endif
