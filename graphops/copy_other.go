//go:build !linux

package graphops

import "os"

func copyFileRange(dst *os.File, src *source, offset, n int64) (int64, error) {
	return copyPlain(dst, src, offset, n)
}
