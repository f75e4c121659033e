package half_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest/growth"
	"lathe/graphops/half"
)

func BenchmarkNode(b *testing.B) {
	growth.BenchmarkNode(b, func(b *testing.B, m *graphops.Model) error {
		_, _, err := half.Float16(b.Context(), m, half.DefaultOptions(), nil)
		return err
	})
}
