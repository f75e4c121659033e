//go:build cgo

package worker

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// checkDescriptors returns an error if standard output is a file, which no client reads, or leads
// to the same place as standard error. Both happen if a launcher, or a script around it, redirects
// output.
func checkDescriptors(stdout, stderr *os.File) error {
	out, err := stdout.Stat()
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	if out.Mode().IsRegular() {
		return errors.New("standard output is a file, where no client reads it; the launcher must pass it on (srun without --output)")
	}
	if errOut, err := stderr.Stat(); err == nil && os.SameFile(out, errOut) && out.Mode()&os.ModeCharDevice == 0 {
		return errors.New("standard error goes where standard output goes and would be mixed into the answers; leave out 2>&1")
	}
	return nil
}

// takeDescriptors moves the worker's connection to the client from standard input and output to
// other file descriptors, which it returns. After that, standard input is the null device, and what
// is printed to standard output goes to standard error.
func takeDescriptors(stdin, stdout, stderr *os.File) (in, out *os.File, err error) {
	if in, err = moveAside(stdin, "requests"); err != nil {
		return nil, nil, err
	}
	if out, err = moveAside(stdout, "replies"); err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	if err := unix.Dup2(int(null.Fd()), int(stdin.Fd())); err != nil {
		return nil, nil, fmt.Errorf("replacing standard input: %w", err)
	}
	if err := unix.Dup2(int(stderr.Fd()), int(stdout.Fd())); err != nil {
		return nil, nil, fmt.Errorf("replacing standard output: %w", err)
	}
	return in, out, nil
}

func moveAside(f *os.File, name string) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("moving %s aside: %w", f.Name(), err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
