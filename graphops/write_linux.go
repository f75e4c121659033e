package graphops

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyFileRange copies up to n bytes inside the kernel, which shares blocks on
// file systems that can. Where it declines, the error is ErrUnsupported.
func copyFileRange(dst, src *os.File, offset, n int64) (int64, error) {
	for {
		k, err := unix.CopyFileRange(int(src.Fd()), &offset, int(dst.Fd()), nil, int(n), 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case isAny(err, unix.EXDEV, unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP, unix.EPERM):
			return 0, errors.ErrUnsupported
		}
		return int64(max(k, 0)), err
	}
}

// startWriteOut asks the system to bring a range onto the disk, and does not
// wait. It promises nothing: the sync at the end does, and meets errors again.
func startWriteOut(f *os.File, offset, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE)
}

// renameNew renames without replacing, in one step. Where the file system
// cannot, the error is ErrUnsupported.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if isAny(err, unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP) {
		return errors.ErrUnsupported
	}
	return err
}

// aclName is the attribute that holds a file's access-control list.
const aclName = "system.posix_acl_access"

// readACL is a file's access-control list, nil where it has none beyond the
// mode, which is nearly always.
func readACL(path string) []byte {
	n, err := unix.Lgetxattr(path, aclName, nil)
	if err != nil || n <= 0 {
		return nil
	}
	acl := make([]byte, n)
	n, err = unix.Lgetxattr(path, aclName, acl)
	if err != nil {
		return nil
	}
	return acl[:n]
}

// writeACL gives a file a list and reports whether it has it. Having none takes
// away the one that the folder gives to new files.
func writeACL(f *os.File, acl []byte) bool {
	if acl != nil {
		return unix.Fsetxattr(int(f.Fd()), aclName, acl, 0) == nil
	}
	err := unix.Fremovexattr(int(f.Fd()), aclName)
	return err == nil || isAny(err, unix.ENODATA, unix.EOPNOTSUPP, unix.ENOSYS)
}
