package durable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// list is an access-control list in the form of the attribute: the owner reads
// and writes, another user reads, the group and others do nothing.
func list(user uint32) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, uint32(2)) // a buffer takes all
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 6, ^uint32(0)}, {2, 4, user}, {4, 0, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		_ = binary.Write(&b, binary.LittleEndian, e)
	}
	return b.Bytes()
}

// TestWriteKeepsList keeps a file's access-control list, and does not give it the
// one that its folder has for new files.
func TestWriteKeepsList(t *testing.T) {
	const access, preset = "system.posix_acl_access", "system.posix_acl_default"
	dir := t.TempDir()
	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	mustDo(t, os.WriteFile(with, nil, 0o600), os.WriteFile(without, nil, 0o600), os.Chmod(without, 0o640))
	if err := unix.Setxattr(with, access, list(1234), 0); err != nil {
		t.Skip("no access-control lists here: ", err)
	}
	mustDo(t, unix.Setxattr(dir, preset, list(2345), 0))
	mustDo(t, writeText(t, with, "new", true), writeText(t, without, "new", true))
	got := make([]byte, 100)
	n, err := unix.Getxattr(with, access, got)
	if err != nil || !bytes.Equal(got[:n], list(1234)) {
		t.Errorf("the list is %x, %v; want %x", got[:max(n, 0)], err, list(1234))
	}
	if _, err := unix.Getxattr(without, access, got); !errors.Is(err, unix.ENODATA) {
		t.Errorf("the file without a list: %v", err)
	}
	if info, err := os.Stat(without); err != nil || info.Mode() != 0o640 {
		t.Errorf("the file without a list has mode %v, %v", info.Mode(), err)
	}
}
