package ort

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// entryPoint is the one function that ONNX Runtime exports and everything else is reached through.
const entryPoint = "OrtGetApiBase"

// mainLibrary matches the names under which the library itself is found, providers excluded.
var mainLibrary = whenUsed(`^libonnxruntime(\.so(\.\d+)*|(\.\d+)*\.dylib)$`)

var elfMachines = map[platform]elf.Machine{
	"linux/amd64": elf.EM_X86_64,
	"linux/arm64": elf.EM_AARCH64,
}

var machoCPUs = map[platform]macho.Cpu{
	"darwin/amd64": macho.CpuAmd64,
	"darwin/arm64": macho.CpuArm64,
}

// libraryVersion reads which ONNX Runtime a file is, without loading it. The error says why the
// file cannot be used on this platform; the version is returned with it where it is known.
func libraryVersion(path string, p platform) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", pathReason(err)
	}
	if !info.Mode().IsRegular() { // before it is opened: opening a pipe may wait for ever
		return "", errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", pathReason(err)
	}
	defer f.Close()
	version, err := imageVersion(f, info.Size(), resolvedName(path), p)
	if err != nil {
		return version, err
	}
	return version, checkVersion(version)
}

// resolvedName is the file name behind all links: libonnxruntime.so often leads to
// libonnxruntime.so.1.30.0, which tells the version.
func resolvedName(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Base(path)
}

// imageVersion reads the version from the contents of a library, and from its file name where the
// contents do not tell.
func imageVersion(r io.ReaderAt, size int64, name string, p platform) (string, error) {
	if cpu, ok := machoCPUs[p]; ok {
		if err := checkMachO(r, cpu); err != nil {
			return "", err
		}
		return versionInName(name)
	}
	so, err := readELF(r, size)
	if err != nil {
		return "", err
	}
	if want := elfMachines[p]; so.machine != want {
		return "", fmt.Errorf("built for %s, expected %s", so.machine, want)
	}
	if !so.names(entryPoint) {
		return "", fmt.Errorf("exports no %s: not ONNX Runtime", entryPoint)
	}
	for _, v := range so.versions {
		if number, ok := strings.CutPrefix(v, "VERS_"); ok {
			return number, nil
		}
	}
	if version, err := versionInName(so.soname); err == nil {
		return version, nil
	}
	return versionInName(name)
}

func versionInName(name string) (string, error) {
	if m := fileVersionPattern().FindStringSubmatch(name); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("its version stands neither in its contents nor in its name %q: name it libonnxruntime.so.VERSION", name)
}

// checkMachO looks at the header of a macOS library only: a universal file, or one for this processor.
func checkMachO(r io.ReaderAt, want macho.Cpu) error {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return errors.New("not a Mach-O library")
	}
	if binary.BigEndian.Uint32(head[:]) == macho.MagicFat {
		return nil
	}
	if binary.LittleEndian.Uint32(head[:]) != macho.Magic64 {
		return fmt.Errorf("not a Mach-O library: it starts with %q", head[:4])
	}
	if cpu := macho.Cpu(binary.LittleEndian.Uint32(head[4:])); cpu != want {
		return fmt.Errorf("built for %s, expected %s", cpu, want)
	}
	return nil
}

// pathReason strips the path from a file error: the reason stands beside the path already.
func pathReason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
