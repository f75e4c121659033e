package opschema

import (
	"cmp"
	"strconv"
	"strings"
)

// IsRelease reports whether a text is a version of ONNX Runtime such as "1.30.0" or "1.30".
func IsRelease(version string) bool {
	_, _, ok := release(version)
	return ok
}

// CompareReleases orders two versions of ONNX Runtime by their first two numbers. What is not a
// version counts as 0.0.
func CompareReleases(a, b string) int {
	a1, a2, _ := release(a)
	b1, b2, _ := release(b)
	return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
}

// release parses the first two numbers of a version. It allocates nothing, because it is called for
// every node.
func release(version string) (major, minor int, ok bool) {
	first, rest, found := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	if !found {
		return 0, 0, false
	}
	major, err := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	return major, minor, err == nil && err2 == nil
}
