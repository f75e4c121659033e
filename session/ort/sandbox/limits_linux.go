package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeInherited closes the descriptors that this process inherited beside its standard streams. Go
// marks its own descriptors to be closed when a program starts; an inherited one cannot have the mark.
func closeInherited() error {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("listing the inherited descriptors: %w", err)
	}
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // it is closed even if this is an error
		}
	}
	return nil
}

// forbidDumps keeps the memory of the process, with the model in it, off the disk. The limit alone
// would not: a system that pipes dumps into a program ignores it.
func forbidDumps() error {
	err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	return errors.Join(err, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

// limitFiles limits the size of each file that the process writes. It cannot be raised again.
func limitFiles(bytes uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &now); err != nil {
		return fmt.Errorf("reading the limit of file sizes: %w", err)
	}
	to := min(bytes, now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: to, Max: to}); err != nil {
		return fmt.Errorf("limiting file sizes: %w", err)
	}
	return nil
}
