package simplify_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest/growth"
	"lathe/graphops/simplify"
)

func BenchmarkNode(b *testing.B) {
	growth.BenchmarkNode(b, func(b *testing.B, m *graphops.Model) error {
		_, _, err := simplify.Simplify(b.Context(), m, simplify.Options{})
		return err
	})
}
