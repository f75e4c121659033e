package reporting

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// NodesByProvider returns how many nodes each execution provider runs.
func NodesByProvider(p ort.Placement) map[string]int64 {
	out := map[string]int64{}
	for _, s := range p.Shares {
		out[s.Provider] = int64(s.Nodes)
	}
	return out
}

// Remarks returns notes about a loaded model: that its execution provider is untested, and the
// runtime's first warnings.
func Remarks(f runtime.Facts) []string {
	var out []string
	if !ort.Tested(f.Provider) {
		out = append(out, fmt.Sprintf("Lathe is not tested with execution provider %q", f.Provider))
	}
	out = append(out, UnknownOptions(f)...)
	const most = 5
	warnings := slices.DeleteFunc(slices.Clone(f.Warnings), aboutPlacement)
	for i, warning := range warnings {
		if i == most {
			return append(out, fmt.Sprintf("ONNX Runtime has %d more warnings; run-model --json lists them all", len(warnings)-most))
		}
		out = append(out, "ONNX Runtime warns: "+warning)
	}
	return out
}

// UnknownOptions returns notes about options that the provider probably ignores.
func UnknownOptions(f runtime.Facts) []string {
	var out []string
	for _, option := range f.UnknownOptions {
		out = append(out, fmt.Sprintf("option %q is probably ignored: the library of execution provider %q does not contain this name", option, f.Provider))
	}
	return out
}

// aboutPlacement reports whether a warning only says that nodes run on another provider than the
// preferred one. Results say which nodes, and why.
func aboutPlacement(warning string) bool {
	return strings.HasPrefix(warning, "Some nodes were not assigned to the preferred execution providers") ||
		strings.HasPrefix(warning, "Rerunning with verbose output")
}

// WritePlacement writes which execution provider runs which nodes.
func WritePlacement(w io.Writer, p ort.Placement) error {
	out := text.NewPrinter(w)
	out.Line("")
	shares := text.Table{Titles: []string{"provider", ">nodes", ">share"}}
	for _, s := range p.Shares {
		shares.Add(s.Provider, s.Nodes, fmt.Sprintf("%.1f %%", 100*s.Share))
	}
	out.Table(shares)
	if len(p.Copies) > 0 {
		out.Line("")
		copies := text.Table{Titles: []string{"copy between devices", "value", "for"}}
		for _, c := range p.Copies {
			copies.Add(c.Op, text.Clean(c.Value), c.Provider)
		}
		out.Table(copies)
	}
	if len(p.Fallbacks) > 0 {
		out.Line("")
		fallbacks := text.Table{Titles: []string{"not on " + p.Fallbacks[0].Provider, "operator", "why"}}
		for _, f := range p.Fallbacks {
			fallbacks.Add(text.Clean(f.Node), text.Clean(f.Op), f.Reason)
		}
		out.Table(fallbacks)
	}
	if len(p.Nodes) > 0 {
		out.Line("")
		out.Table(nodesOf(p))
	}
	return out.Err()
}

// nodesOf returns a table of the nodes and their providers. Nodes without a name have one row for each
// operator and provider.
func nodesOf(p ort.Placement) text.Table {
	type kind struct{ op, provider string }
	unnamed, order := map[kind]int{}, []kind{}
	nodes := text.Table{Titles: []string{"node", "operator", "provider"}}
	for _, n := range p.Nodes {
		if k := (kind{n.Op, n.Provider}); n.Name != "" {
			nodes.Add(text.Clean(n.Name), text.Clean(n.Op), n.Provider)
		} else if unnamed[k]++; unnamed[k] == 1 {
			order = append(order, k)
		}
	}
	for _, k := range order {
		nodes.Add(fmt.Sprintf("%s without a name", text.Plural(unnamed[k], "node")), text.Clean(k.op), k.provider)
	}
	return nodes
}

// WriteRefused writes which providers did not attach, each reason once.
func WriteRefused(p *text.Printer, refused ...ort.Refusal) {
	var told []string
	for _, r := range refused {
		line := DidNotAttach(r)
		if !slices.Contains(told, line) {
			told = append(told, line)
			p.Line("%s", line)
		}
	}
}

// DidNotAttach says which provider did not attach, and why.
func DidNotAttach(r ort.Refusal) string {
	return fmt.Sprintf("%s did not attach: %s", text.Clean(r.Provider), r)
}

// RunBy names the provider that runs a model and, if known, the number of nodes that it runs.
func RunBy(attached string, byProvider map[string]int64) string {
	runs, total := ep.Runs(attached, byProvider), int64(0)
	for _, n := range byProvider {
		total += n
	}
	if total == byProvider[runs] {
		return text.Clean(runs)
	}
	return fmt.Sprintf("%s, which runs %d of %s", text.Clean(runs), byProvider[runs], text.Plural(int(total), "node"))
}
