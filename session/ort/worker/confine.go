//go:build cgo

package worker

// #include "refused.h"
import "C"

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/elastic/go-seccomp-bpf/arch"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// confine limits this process to what one model needs, before the first byte of the model is read.
func (s *server) confine(load *wire.Load) error {
	allow := load.Allow
	if allow == nil {
		return nil
	}
	scratch := ""
	if allow.Scratch {
		var err error
		if scratch, err = s.storage.exists(); err != nil {
			return err
		}
	}
	wanted := *allow
	if slices.ContainsFunc(allow.Providers, func(name string) bool { return name != ep.CPU }) {
		for _, l := range s.plugins.found() {
			wanted.Folders = append(slices.Clip(wanted.Folders), packagesOf(l.Path))
		}
		wanted.Folders = append(slices.Clip(wanted.Folders), packagesOf(s.runtime))
	}
	return s.box.Narrow(s.runtime, scratch, &wanted)
}

// packagesOf returns the folder that a provider's library may load other libraries from: that of all
// Python packages, if it belongs to one, or else its own.
func packagesOf(library string) string {
	if real, err := filepath.EvalSymlinks(library); err == nil {
		library = real
	}
	for dir := filepath.Dir(library); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base == "site-packages" || base == "dist-packages" {
			return dir
		}
	}
	return filepath.Dir(library)
}

// refusedCalls returns the names of the system calls that the sandbox has refused since the last call
// of refusedCalls.
func refusedCalls() []string {
	var names []string
	for number := C.next_refused_call(0); number >= 0; number = C.next_refused_call(number + 1) {
		name := fmt.Sprintf("number %d", int(number))
		if known, err := arch.GetInfo(""); err == nil && known.SyscallNumbers[int(number)] != "" {
			name = known.SyscallNumbers[int(number)]
		}
		names = append(names, name)
	}
	return names
}
