package graphops_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	jobs["full"] = fullJob
	jobs["read-only"] = readOnlyJob
}

// inNamespace is a child that may mount, for itself alone.
func inNamespace(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := child(t, name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return c
}

// mountJob makes a small file system of a folder and puts an old file there.
func mountJob(dir string) (target string, err error) {
	target = filepath.Join(dir, "out.onnx")
	err = unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,nr_inodes=100")
	if err != nil {
		return target, fmt.Errorf("%w: %w", errNoMount, err)
	}
	return target, os.WriteFile(target, []byte("old"), 0o600)
}

var errNoMount = errors.New("cannot mount")

// fullJob saves model args[0] into a file system at args[1] that is too small for
// it, and tells what is there afterwards.
func fullJob(args []string) error {
	target, err := mountJob(args[1])
	if err != nil {
		return err
	}
	return tellAfter(saveJob([]string{args[0], target, args[2]}), target)
}

func readOnlyJob(args []string) error {
	target, err := mountJob(args[1])
	if err == nil {
		err = unix.Mount("", args[1], "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	if err != nil {
		return err
	}
	return tellAfter(saveJob([]string{args[0], target, args[2]}), target)
}

// tellAfter adds to an error what the target and its folder hold.
func tellAfter(err error, target string) error {
	list, failed := os.ReadDir(filepath.Dir(target))
	content, failedToo := os.ReadFile(target)
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return errors.Join(err, failed, failedToo, fmt.Errorf("left: %v, %s", names, content))
}

// TestSaveOnSmallDisk fills a disk, and finds one that cannot be written to.
func TestSaveOnSmallDisk(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.onnx")
	writeNoise(t, model, 1, 4<<20)
	for job, want := range map[string]string{
		"full":      "the disk is full: 4.0 MiB to write, 2.0 MiB were free in %s; make room or choose another folder",
		"read-only": "cannot be written: %s is on a read-only file system; choose another folder",
	} {
		for _, storage := range []string{"embedded", "external"} {
			t.Run(job+", "+storage, func(t *testing.T) {
				dir := t.TempDir()
				said := refusedJob(t, inNamespace(t, job, model, dir, storage))
				if strings.Contains(said, errNoMount.Error()) {
					t.Skip(said)
				}
				want := fmt.Sprintf("%s/out.onnx: "+want+"\nleft: [out.onnx], old", dir, dir)
				if said = strings.Replace(said, "out.onnx.data: ", "out.onnx: ", 1); said != want {
					t.Errorf("it says %q, want %q", said, want)
				}
			})
		}
	}
}

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
