package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/session/ort/fault"
)

// outcome writes what was found, one fact a line.
func outcome(found fault.Finding) string {
	var out strings.Builder
	how := string(found.How)
	if found.How == fault.NotFound {
		how = "nothing"
	}
	fmt.Fprintf(&out, "  by %s\n", how)
	for _, s := range found.Sites {
		fmt.Fprintf(&out, "  %s\n", s)
	}
	if found.Value != "" {
		fmt.Fprintf(&out, "  value %q of %q\n", found.Value, found.ValuePlace)
	}
	says := "says"
	if found.Quotes {
		says = "cites"
	}
	fmt.Fprintf(&out, "  %-5s %s\n", says, found.Explanation)
	if found.Hint != "" {
		fmt.Fprintf(&out, "  hint  %s\n", found.Hint)
	}
	if worth, why := fault.Again(found); worth {
		fmt.Fprintf(&out, "  again %s\n", why)
	}
	return out.String()
}

// TestLocate finds each recorded fault in the model that provoked it.
func TestLocate(t *testing.T) {
	models := map[string]*graphops.Model{}
	for _, b := range readBroken(t) {
		models[b.name] = b.model(t)
	}
	var out strings.Builder
	last, lastName := "", ""
	for _, s := range readTexts(t, "texts.txt") {
		if s.phase == "none" {
			continue
		}
		got := outcome(fault.Locate(fault.Parse(s.code, s.text), models[s.name]))
		if s.name == lastName && got == last {
			continue
		}
		fmt.Fprintf(&out, "== %s (%s)\n%s", s.name, s.version, got)
		last, lastName = got, s.name
	}
	golden.RequireEqual(t, []byte(out.String()))
}
