//go:build cgo

package cut

import (
	"testing"

	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }
