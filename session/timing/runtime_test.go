//go:build cgo

package timing

import (
	"testing"

	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }
