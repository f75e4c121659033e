package graphops_test

import (
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
