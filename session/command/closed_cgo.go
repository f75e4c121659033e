//go:build cgo

package command

/*
#include <fcntl.h>

static int stdout_closed;

// A constructor runs before Go's runtime opens /dev/null for standard streams that are closed.
__attribute__((constructor)) static void look_at_stdout(void) { stdout_closed = fcntl(1, F_GETFD) < 0; }

static int was_closed(void) { return stdout_closed; }
*/
import "C"

// stdoutWasClosed reports whether the process was started without a standard output.
func stdoutWasClosed() bool { return C.was_closed() != 0 }
