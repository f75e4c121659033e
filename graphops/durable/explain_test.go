package durable

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestExplain says what an error of the system means, in one line without the
// name of the temporary, and keeps the error itself for programs.
func TestExplain(t *testing.T) {
	disk := room{folder: "/d", wanted: 3 << 30, known: true, free: 300 << 20}
	unsized := disk
	unsized.wanted = 0
	crowded := disk
	crowded.noFiles = true
	tests := []struct {
		room room
		err  error
		want string
	}{
		{disk, unix.ENOSPC, "the disk is full: 3.0 GiB to write, 300.0 MiB were free in /d; make room or choose another folder"},
		{unsized, unix.ENOSPC, "the disk is full: 300.0 MiB were free in /d; make room or choose another folder"},
		{room{folder: "/d"}, unix.ENOSPC, "the disk is full; make room or choose another folder"},
		{crowded, unix.ENOSPC, "the file system of /d can hold no more files; remove some or choose another folder"},
		{disk, unix.EDQUOT, "the disk quota in /d is used up, with 3.0 GiB to write; make room or choose another folder"},
		{unsized, unix.EDQUOT, "the disk quota in /d is used up; make room or choose another folder"},
		{disk, unix.EFBIG, "the file system does not allow files that large; choose another"},
		{disk.of(1 << 30), unix.EFBIG, "the file system does not allow files that large, with 1.0 GiB to write; choose another, or export with --external-data and --split-data"},
		{disk, unix.EROFS, "cannot be written: /d is on a read-only file system; choose another folder"},
		{disk, unix.EACCES, "cannot be written: no permission to make files in /d; choose another folder"},
		{disk, unix.EPERM, "cannot be written: no permission to make files in /d; choose another folder"},
		{room{folder: "/d"}, unix.ENOENT, "cannot be created: there is no folder /d; make it first"},
		{disk, unix.ENOENT, "no such file or directory"},
		{disk, unix.EIO, "the disk reports an error while /d is written to; choose another folder"},
		{disk, unix.ENAMETOOLONG, "file name too long"},
		{disk, errors.New("another"), "another"},
	}
	for _, tt := range tests {
		for _, err := range []error{
			tt.err, &fs.PathError{Op: "write", Path: "/d/.x.lathe-tmp", Err: tt.err},
			&os.LinkError{Op: "rename", Old: "/d/.x.lathe-tmp", New: "/d/x", Err: tt.err},
		} {
			got := tt.room.explain(err)
			if got.Error() != tt.want || !errors.Is(got, tt.err) {
				t.Errorf("%v: %v, want %s", err, got, tt.want)
			}
		}
	}
}

// TestSizesOfMessages writes numbers as a person reads them.
func TestSizesOfMessages(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1<<20 - 1: "1048575 bytes", 1 << 20: "1.0 MiB", 5 << 29: "2.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
