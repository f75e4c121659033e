package edit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
)

// edited is what an edit of the main graph should come to.
type edited struct {
	nodes                      string   // as lines writes them
	records, changes, warnings []string // types, and what the report says
}

// expect compares the result and the report of an edit with what they should be.
func expect(t *testing.T, next *graphops.Model, report *edit.Report, want edited) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want.nodes), lines(next)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	for _, list := range []struct {
		what      string
		want, got []string
	}{
		{"types", want.records, records(next.Graph())},
		{"changes", want.changes, changes(report)},
		{"warnings", want.warnings, report.Warnings},
	} {
		if diff := cmp.Diff(list.want, list.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list.what, diff)
		}
	}
}
