//go:build !cgo

package worker

import (
	"context"
	"errors"
)

// Main returns an error: this program was built without the worker.
func Main(context.Context, Config) error {
	return errors.New("this lathe was built without cgo and cannot run models; build it with CGO_ENABLED=1 and a C compiler")
}
