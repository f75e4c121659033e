//go:build cgo

package mixed

import (
	"testing"

	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }
