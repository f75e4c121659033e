//go:build cgo

package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// takeDescriptors moves the protocol's two ends aside and leaves the null
// device and standard error in their places.
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
