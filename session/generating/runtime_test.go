//go:build cgo

package generating

import (
	"testing"

	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }
