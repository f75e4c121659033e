package graphops

import (
	"io/fs"
	"os"
	"syscall"
)

// permissions say who may do what with a file.
type permissions struct {
	mode     fs.FileMode // without special bits: they are for programs
	uid, gid int
	acl      []byte // nil where there is none
}

func permissionsOf(path string, info fs.FileInfo) *permissions {
	p := &permissions{mode: info.Mode().Perm(), uid: -1, gid: -1, acl: readACL(path)}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		p.uid, p.gid = int(s.Uid), int(s.Gid)
	}
	return p
}

// give gives a file these permissions as far as it takes them; some file systems
// have none of their own. Only a privileged process can give a file away, so an
// owner that cannot be kept is this process's. Where the group or the list
// cannot be kept, the group's rights shrink to those of everybody: they were
// meant for another group, or were the upper bound of the list.
func (p *permissions) give(f *os.File) {
	mode := p.mode
	if f.Chown(p.uid, p.gid) != nil && f.Chown(-1, p.gid) != nil || !writeACL(f, p.acl) {
		everybody := mode & 0o007
		mode &^= 0o070 &^ (everybody << 3)
	}
	_ = f.Chmod(mode) // what it cannot give stays with the owner alone
}
