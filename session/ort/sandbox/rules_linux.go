package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// handled is what Landlock decides about: every access to files, and TCP. A kernel that knows less
// decides about what it knows. Signals and abstract sockets, which newer versions know, are left to
// the filter of system calls, so that a thread of a worker can still signal another one on kernels
// that treat threads as strangers (before 6.15).
var handled = landlock.V5.BestEffort()

const (
	reading = ll.AccessFSReadFile | ll.AccessFSReadDir
	writing = reading | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym
	device = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSReadDir | ll.AccessFSIoctlDev
)

// rules are the files and folders that a process may still use.
type rules struct {
	list []landlock.Rule
	pins []int // descriptors that keep the files of rules what they are
}

// add permits access to paths and everything below them. A path that does not exist is left out.
func (r *rules) add(access landlock.AccessFSSet, paths ...string) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		of := access
		if !info.IsDir() {
			of &= ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
		}
		r.list = append(r.list, landlock.PathAccess(of, path).IgnoreIfMissing())
	}
}

// addFile permits reading one file of a model. The file is opened without following a symbolic link
// and compared with what the client saw, so that a link put in its place leads nowhere.
func (r *rules) addFile(f wire.File) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, f.Real, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if errors.Is(err, unix.ELOOP) {
		return fmt.Errorf("%s: a symbolic link took its place while it was in use; open it again", f.Path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	r.pins = append(r.pins, fd)
	var now unix.Stat_t
	if err := unix.Fstat(fd, &now); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if now.Size != f.Bytes || now.Mtim.Nano() != f.Modified {
		return fmt.Errorf("%s: the file changed while it was in use; open it again", f.Path)
	}
	r.list = append(r.list, landlock.PathAccess(ll.AccessFSReadFile, fmt.Sprintf("/proc/self/fd/%d", fd)))
	return nil
}

// release closes what kept the files of rules, which the kernel keeps from now on.
func (r *rules) release() {
	for _, fd := range r.pins {
		_ = unix.Close(fd)
	}
}

// apply limits every thread of the process to the rules.
func (r *rules) apply() error {
	if err := handled.Restrict(r.list...); err != nil {
		return fmt.Errorf("limiting access to files: %w", err)
	}
	return nil
}

// systemFolders have libraries, locales and time zones, which every process reads.
var systemFolders = []string{
	"/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib", "/usr/local/lib64", "/usr/share/zoneinfo", "/usr/share/locale",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/localtime", "/etc/locale.alias",
	"/nix/store", // libraries of NixOS
}

// systemFacts describe the machine. Of other processes nothing can be read.
var systemFacts = []string{
	"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/vmstat", "/proc/loadavg", "/proc/filesystems", "/proc/sys/kernel/hostname",
	"/proc/sys/kernel/osrelease", "/proc/sys/vm", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage", "/dev/urandom", "/dev/random", "/dev/zero",
}

// addSystem permits what every model needs, whatever it consists of.
func (r *rules) addSystem(library string) {
	r.add(reading, systemFolders...)
	r.add(reading, systemFacts...)
	r.add(ll.AccessFSReadFile|ll.AccessFSWriteFile, os.DevNull)
	r.add(reading, foldersOf(library)...)
	r.add(reading, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	r.add(reading, os.Getenv("LOCPATH"))
}

// foldersOf returns the folders in which a library's file is, with and without symbolic links.
func foldersOf(library string) []string {
	folders := []string{filepath.Dir(library)}
	if real, err := filepath.EvalSymlinks(library); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	return slices.Compact(folders)
}

// addProvider permits what a provider needs beyond the CPU.
func (r *rules) addProvider(a addition) {
	r.add(reading, a.read...)
	for _, pattern := range a.devices {
		found, err := filepath.Glob(pattern)
		if err == nil {
			r.add(device, found...)
		}
	}
	for _, name := range a.named {
		for _, path := range strings.FieldsFunc(os.Getenv(name), func(c rune) bool { return c == ':' || c == ',' }) {
			if filepath.IsAbs(path) {
				r.add(reading, foldersOf(path)...)
			}
		}
	}
}

// rulesFor returns the rules for a model.
func rulesFor(library, scratch string, allow *wire.Allow) (*rules, error) {
	r := &rules{}
	for _, f := range allow.Files {
		if err := r.addFile(f); err != nil {
			r.release()
			return nil, err
		}
	}
	r.addSystem(library)
	r.add(reading, allow.Folders...)
	r.add(ll.AccessFSReadDir, allow.Listed...)
	for _, library := range allow.Libraries {
		if folder := folderOf(library); folder != "" {
			r.add(reading, foldersOf(filepath.Join(folder, filepath.Base(library)))...)
		}
	}
	r.add(writing, allow.Written...)
	if scratch != "" {
		r.add(writing, scratch)
		// The last step of removing the folder happens in its parent: the empty folder goes.
		r.add(ll.AccessFSRemoveDir, filepath.Dir(scratch))
	}
	for _, name := range allow.Providers {
		if name != ep.CPU {
			r.addProvider(additionOf(name))
		}
	}
	return r, nil
}

// folderOf returns the absolute folder of a library that a user named, or "" if the name is one that
// the loader looks for.
func folderOf(library string) string {
	if !strings.ContainsRune(library, filepath.Separator) {
		return ""
	}
	abs, err := filepath.Abs(library)
	if err != nil {
		return ""
	}
	return filepath.Dir(abs)
}
