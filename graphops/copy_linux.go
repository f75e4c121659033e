package graphops

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyFileRange copies up to n bytes inside the kernel, which shares blocks on
// file systems that can, and through memory where the kernel declines.
func copyFileRange(dst *os.File, src *source, offset, n int64) (int64, error) {
	if src.file == nil {
		return copyPlain(dst, src, offset, n)
	}
	k, err := unix.CopyFileRange(int(src.file.Fd()), &offset, int(dst.Fd()), nil, int(n), 0)
	for _, declined := range []error{unix.EXDEV, unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP, unix.EPERM} {
		if errors.Is(err, declined) {
			return copyPlain(dst, src, offset, n)
		}
	}
	return int64(max(k, 0)), err
}
