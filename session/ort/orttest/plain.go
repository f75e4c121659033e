package orttest

import (
	"os"
	"syscall"
)

// PlainProgram is the environment variable with the path of a lathe that was built without the race
// detector. If it is set, test programs hand the work of a worker over to that lathe: in a worker
// the race detector makes loops over numbers ten times slower, and it has nothing to find there but
// what the tests of package worker find, which always run their own.
const PlainProgram = "LATHE_TEST_PLAIN"

// BePlain replaces this program by the one of PlainProgram, as a worker with these arguments. It
// returns if PlainProgram is not set.
func BePlain(args ...string) {
	program := os.Getenv(PlainProgram)
	if program == "" {
		return
	}
	err := syscall.Exec(program, append([]string{program, "worker"}, args...), os.Environ())
	panic(PlainProgram + ": " + program + ": " + err.Error())
}
