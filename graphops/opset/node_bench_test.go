package opset_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest/growth"
	"lathe/graphops/opset"
)

func BenchmarkNode(b *testing.B) {
	growth.BenchmarkNode(b, func(b *testing.B, m *graphops.Model) error {
		_, _, err := opset.Raise(b.Context(), m, 20)
		return err
	})
}
