package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRebind(t *testing.T) {
	actions := func() []Action {
		return []Action{{Place: "list", Name: "next", Keys: []string{"down", "j"}}, {Place: "list", Name: "close", Keys: []string{"esc"}}}
	}
	for _, c := range []struct {
		name string
		b    Binding
		keys [][]string // of the actions
		lost []Lost
	}{
		{"in every place", Binding{"", "next", []string{"n"}}, [][]string{{"n"}, {"esc"}}, nil},
		{"in this place", Binding{"list", "next", []string{"n"}}, [][]string{{"n"}, {"esc"}}, nil},
		{"in another place", Binding{"form", "next", []string{"n"}}, [][]string{{"down", "j"}, {"esc"}}, nil},
		{"an unknown action", Binding{"", "open", []string{"j"}}, [][]string{{"down", "j"}, {"esc"}}, nil},
		{"a key of another action", Binding{"", "close", []string{"q", "j"}}, [][]string{{"down"}, {"q", "j"}}, []Lost{{"next", "j"}}},
		{"no key", Binding{"", "close", nil}, [][]string{{"down", "j"}, nil}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := actions()
			lost := c.b.Rebind(list)
			keys := [][]string{list[0].Keys, list[1].Keys}
			if diff := cmp.Diff(c.lost, lost) + cmp.Diff(c.keys, keys); diff != "" {
				t.Error(diff)
			}
		})
	}
}
