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

// profilePrefix is what the runtime makes the profile's name of.
func profilePrefix(folder string) string { return filepath.Join(folder, "profile") }

func (s *server) endProfileJob(id uint64, end *wire.EndProfile) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		return s.withSession(ctx, end.GetSession(), func(target *session) error {
			content, err := target.endProfile()
			if err != nil {
				return err
			}
			return s.sendContent(ctx, id, content)
		})
	}}
}

// endProfile takes the profile out of the file that the runtime wrote.
func (s *session) endProfile() ([]byte, error) {
	if s.profile == "" {
		return nil, errors.New("the session was loaded without a profile, or it has been taken")
	}
	defer s.dropProfile()
	var path *C.char
	if err := check(C.ort_SessionEndProfiling(s.handle, s.lib.allocator, &path)); err != nil {
		return nil, err
	}
	defer s.lib.free(unsafe.Pointer(path))
	return os.ReadFile(C.GoString(path))
}

// dropProfile removes the folder. What cannot be removed lies in the folder for
// temporary files.
func (s *session) dropProfile() {
	if s.profile != "" {
		_ = os.RemoveAll(s.profile)
		s.profile = ""
	}
}
