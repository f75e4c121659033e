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

// entryPoint is the exported function that returns the table of all other functions of ONNX
// Runtime. A library without it is not ONNX Runtime.
const entryPoint = "OrtGetApiBase"

// mainLibrary matches the file names of the ONNX Runtime library itself. It does not match the
// separate libraries of providers.
var mainLibrary = whenUsed(`^libonnxruntime(\.so(\.\d+)*|(\.\d+)*\.dylib)$`)

var elfMachines = map[platform]elf.Machine{
	"linux/amd64": elf.EM_X86_64,
	"linux/arm64": elf.EM_AARCH64,
}

var machoCPUs = map[platform]macho.Cpu{
	"darwin/amd64": macho.CpuAmd64,
	"darwin/arm64": macho.CpuArm64,
}

// libraryVersion reads the version of ONNX Runtime from a library file without loading it. The
// error says why the file cannot be used on platform p. If the version is known, it is returned
// together with the error.
func libraryVersion(path string, p platform) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", pathReason(err)
	}
	if !info.Mode().IsRegular() { // checked before opening, because opening a pipe may block for ever
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

// resolvedName returns the file name behind all links. libonnxruntime.so often leads to
// libonnxruntime.so.1.30.0, whose name contains the version.
func resolvedName(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Base(path)
}

// imageVersion returns the version that is in the contents of a library, or else in its file name.
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
	return "", fmt.Errorf("neither its contents nor its name %q give its version: rename it to libonnxruntime.so.VERSION", name)
}

// checkMachO returns an error if a file is not a macOS library, or is neither universal nor for
// this processor. It reads only the header.
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

// pathReason returns a file error without its path, because the message that it becomes part of
// already names the path.
func pathReason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
