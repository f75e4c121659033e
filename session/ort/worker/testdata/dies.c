// A library with custom operators that ends the process while it is registered.
#include <stdlib.h>

void *RegisterCustomOps(void *options, const void *base) {
  (void)options;
  (void)base;
  abort();
}
