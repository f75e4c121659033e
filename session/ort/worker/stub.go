//go:build !cgo

package worker

import (
	"context"
	"errors"
)

// Main tells that this program has no worker in it.
func Main(context.Context, Config) error {
	return errors.New("this lathe was built without cgo and cannot run models; build it with CGO_ENABLED=1 and a C compiler")
}
