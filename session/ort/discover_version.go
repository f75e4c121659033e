package ort

import (
	"cmp"
	"fmt"
	"strconv"
)

// versionPattern matches the versions of releases, which are three numbers, and of builds between
// releases, which have a suffix such as "-dev.20260114".
var versionPattern = whenUsed(`^(\d{1,5})\.(\d{1,5})\.(\d{1,5})([-+.][0-9A-Za-z.+-]{1,64})?$`)

// fileVersionPattern finds the version in a library's file name, "libonnxruntime.so.1.30.0" or
// "libonnxruntime.1.30.0.dylib".
var fileVersionPattern = whenUsed(`^libonnxruntime\.(?:so\.)?(\d+\.\d+\.\d+)(?:\.dylib)?$`)

func isVersion(s string) bool { return versionPattern().MatchString(s) }

// compareVersions orders two versions by their three numbers and ignores suffixes. Both must
// satisfy isVersion.
func compareVersions(a, b string) int {
	x, y := versionNumbers(a), versionNumbers(b)
	return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
}

func versionNumbers(s string) (n [3]int) {
	for i, digits := range versionPattern().FindStringSubmatch(s)[1:4] {
		n[i], _ = strconv.Atoi(digits) // the pattern allows at most five digits
	}
	return n
}

// checkVersion returns an error if version is not a valid version of ONNX Runtime, or is older than
// OldestVersion.
func checkVersion(version string) error {
	switch {
	case !isVersion(version):
		return fmt.Errorf("version %q is not of the form 1.30.0", version)
	case compareVersions(version, OldestVersion) < 0:
		return &tooOldError{version: version}
	}
	return nil
}

// A tooOldError says that a library is older than the oldest supported version, and how to install
// a newer one of the same kind.
type tooOldError struct {
	version string
	cuda    bool // it is a CUDA build
}

func (e *tooOldError) Error() string {
	command := InstallCommand
	if e.cuda {
		command += cudaFlag
	}
	return fmt.Sprintf("version %s is too old, %s or newer is needed: %s", e.version, OldestVersion, command)
}
