package ort

import (
	"path"
	"path/filepath"
	"strings"
)

// runtimeFile matches what is taken from an archive: the library, the provider libraries that it
// loads from its own folder. Python's and Java's bindings are not among them.
var runtimeFile = whenUsed(`^libonnxruntime(_[a-z0-9_]+)?(\.so(\.\d+)*|(\.\d+)*\.dylib)$`)

// licenceFile matches what must travel with the library.
var licenceFile = whenUsed(`^(LICENSE|ThirdPartyNotices)(\.txt|\.md)?$`)

// platformFolders are the folders by which archives for several platforms tell them apart: those
// of the node package and of NuGet and Maven packages.
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

// A role says what a member of an archive is to an installation.
type role int

const (
	roleNone role = iota
	roleLibrary
	roleLicence
)

// roleOf decides by a member's name alone.
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

// isLocal reports whether a member's name stays inside the archive. Members are written under
// their last element only, so another name could do no harm; it is a sign of an archive that
// tries to, and such an archive is refused.
func isLocal(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "\\\x00")
}
