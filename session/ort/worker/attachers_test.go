//go:build cgo

package worker

import (
	"testing"

	"lathe/session/ort/ep"
)

// TestAttachers checks that there is a way to attach every provider in the table.
func TestAttachers(t *testing.T) {
	for _, p := range ep.All() {
		if _, own := attachers[p.Name]; own == (p.Attached != "") {
			t.Errorf("%s: attached as %q, by a function of its own: %t; expected one of the two", p.Name, p.Attached, own)
		}
	}
	for name := range attachers {
		if _, known := ep.Find(name); !known {
			t.Errorf("%s is not in the table of providers", name)
		}
	}
}
