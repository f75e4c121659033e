//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"lathe/session/ort/wire"
)

// profilePrefix returns the beginning of the path of a profile. The runtime appends a date and an
// extension.
func profilePrefix(folder string) string { return filepath.Join(folder, "profile") }

func (s *server) endProfileJob(id uint64, end *wire.EndProfile) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		return s.withSession(ctx, end.Session, func(target *session) error {
			return target.endProfile(func(f *os.File, size int64) error { return s.sendStream(ctx, id, f, size) })
		})
	}}
}

// endProfile ends profiling, passes the file that the runtime has written to send, and deletes it.
// It does not read the file into memory, because a million events take several hundred megabytes.
func (s *session) endProfile(send func(f *os.File, size int64) error) error {
	if s.profile == "" {
		return errors.New("the session was loaded without profiling, or its profile was already read")
	}
	defer s.dropProfile()
	var path *C.char
	if err := check(C.ort_SessionEndProfiling(s.handle, s.lib.allocator, &path)); err != nil {
		return err
	}
	defer s.lib.free(unsafe.Pointer(path))
	f, err := os.Open(C.GoString(path))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written, so no error is lost
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return send(f, info.Size())
}

// dropProfile removes the folder of the session's profile. If that fails, the folder is removed
// together with the worker's storage.
func (s *session) dropProfile() {
	if s.profile != "" {
		_ = os.RemoveAll(s.profile)
		s.profile = ""
	}
}
