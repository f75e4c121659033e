package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// permissions are the access rights of a file.
type permissions struct {
	mode     fs.FileMode // without special bits, which are for programs
	uid, gid int
	acl      []byte // nil without a list
}

func permissionsOf(path string, info fs.FileInfo) *permissions {
	p := &permissions{mode: info.Mode().Perm(), uid: -1, gid: -1, acl: readACL(path)}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		p.uid, p.gid = int(s.Uid), int(s.Gid)
	}
	return p
}

// give sets these permissions on a file as far as possible. Some file systems have no permissions
// of their own. Only a privileged process can change the owner, so the owner is usually this
// process's user. If the group or the access-control list cannot be set, the group gets the rights
// of everybody. The group's rights were meant for another group, or were the upper limit for the
// entries of the list.
func (p *permissions) give(f *os.File) {
	mode := p.mode
	if f.Chown(p.uid, p.gid) != nil && f.Chown(-1, p.gid) != nil || !writeACL(f, p.acl) {
		everybody := mode & 0o007
		mode &^= 0o070 &^ (everybody << 3)
	}
	_ = f.Chmod(mode) // on failure only the owner has access
}
