package ort

import (
	"path"
	"path/filepath"
	"strings"
)

// runtimeFile matches the files to take from an archive: the library, and the provider libraries
// that it loads from its own folder. It does not match the bindings for Python and Java.
var runtimeFile = whenUsed(`^libonnxruntime(_[a-z0-9_]+)?(\.so(\.\d+)*|(\.\d+)*\.dylib)$`)

// licenceFile matches the names of licence files, which must be distributed with the library.
var licenceFile = whenUsed(`^(LICENSE|ThirdPartyNotices)(\.txt|\.md)?$`)

// platformFolders maps folder names in archives for several platforms (node, NuGet and Maven
// packages) to the platform they are for.
var platformFolders = map[string]platform{
	"/linux/x64/":     "linux/amd64",
	"/linux/arm64/":   "linux/arm64",
	"/darwin/x64/":    "darwin/amd64",
	"/darwin/arm64/":  "darwin/arm64",
	"/linux-x64/":     "linux/amd64",
	"/linux-arm64/":   "linux/arm64",
	"/linux-aarch64/": "linux/arm64",
	"/osx-x64/":       "darwin/amd64",
	"/osx-arm64/":     "darwin/arm64",
	"/osx-aarch64/":   "darwin/arm64",
}

// A role says what the installation does with a member of an archive: install it as a library,
// install it as a licence, or skip it.
type role int

const (
	roleNone role = iota
	roleLibrary
	roleLicence
)

// roleOf returns the role of a member, which depends only on its name and the platform.
func roleOf(name string, p platform) role {
	base := path.Base(name)
	switch {
	case runtimeFile().MatchString(base) && !isForeign(name, p):
		return roleLibrary
	case licenceFile().MatchString(base):
		return roleLicence
	}
	return roleNone
}

func isForeign(name string, p platform) bool {
	for folder, owner := range platformFolders {
		if owner != p && strings.Contains("/"+name, folder) {
			return true
		}
	}
	return false
}

// isLocal reports whether the name of a member does not lead outside of the archive's folder. Lathe
// uses only the last path element of a name, so such a name would do no harm. It is a sign of a
// malicious archive, though, so the archive is refused.
func isLocal(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "\\\x00")
}
