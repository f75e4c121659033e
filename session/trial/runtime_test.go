//go:build cgo

package trial

import (
	"testing"

	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }
