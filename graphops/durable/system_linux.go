package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyFileRange copies up to n bytes inside the kernel. On some file systems the two files then
// share the blocks. If this kind of copy is not possible, the error is ErrUnsupported.
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

// startWriteOut asks the system to start writing a range to the disk, and does not wait for it.
// Errors are ignored, because the sync at the end reports them again.
func startWriteOut(f *os.File, offset, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE)
}

// renameNew renames a file, in one step, unless the new name exists. It returns ErrUnsupported if
// the file system cannot do that.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if isAny(err, unix.ENOSYS, unix.EINVAL, unix.EOPNOTSUPP) {
		return errors.ErrUnsupported
	}
	return err
}

// aclName is the name of the extended attribute with a file's access-control list.
const aclName = "system.posix_acl_access"

// readACL returns a file's access-control list. It is nil if the file has only the usual permission
// bits, which is nearly always so.
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

// writeACL sets a file's access-control list and reports whether it succeeded. A nil list removes
// the list that a new file inherits from its folder.
func writeACL(f *os.File, acl []byte) bool {
	if acl != nil {
		return unix.Fsetxattr(int(f.Fd()), aclName, acl, 0) == nil
	}
	err := unix.Fremovexattr(int(f.Fd()), aclName)
	return err == nil || isAny(err, unix.ENODATA, unix.EOPNOTSUPP, unix.ENOSYS)
}
