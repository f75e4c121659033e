package shrink

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"lathe/graphops/rewrite"
	"lathe/graphops/simplify"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/trial"
)

// simplifyReport is the report of a simplification.
type simplifyReport struct {
	Schema  string       `json:"schema"`
	Changed bool         `json:"changed"`
	Before  modelSize    `json:"before"`
	After   modelSize    `json:"after"`
	Passes  []passReport `json:"passes"`
	// Proof is the result of running the simplified model and the original. It is nil if they were
	// not run.
	Proof    *trial.Proof         `json:"proof"`
	Warnings []string             `json:"warnings"`
	File     *reporting.SavedFile `json:"file,omitempty"`

	unproved bool // nothing was run, as in a preview
	found    *simplify.Report
}

// Found returns what each pass did, with the nodes of the original model.
func (r *simplifyReport) Found() *simplify.Report { return r.found }

// modelSize is the size of a model, including bodies and functions.
type modelSize struct {
	Bytes        int64          `json:"bytes"`
	Nodes        int            `json:"nodes"`
	Initializers int            `json:"initializers"`
	Ops          map[string]int `json:"ops"`
}

// passReport is what a pass did.
type passReport struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Reason   string        `json:"reason"`
	Optional bool          `json:"optional"`
	Needs    string        `json:"needs,omitempty"`
	Changes  []passChange  `json:"changes"`
	Refused  []passRefusal `json:"refused"`
}

// passChange is one change, with nodes of the original model.
type passChange struct {
	Text  string   `json:"text"`
	Nodes oldNodes `json:"nodes"`
}

type passRefusal struct {
	oldNode
	Why string `json:"why"`
}

// oldNode is a node of the original model.
type oldNode struct {
	Place string `json:"place,omitempty"` // the place of the node if it is not the main graph
	Node  string `json:"node"`
	Index int    `json:"index"`
	Op    string `json:"op"`
}

// oldNodes are nodes of the original model. They are listed only for JSON, because changes that follow
// from each other have most of their nodes in common.
type oldNodes struct{ *rewrite.Sites }

// MarshalJSON implements json.Marshaler.
func (n oldNodes) MarshalJSON() ([]byte, error) {
	list := []oldNode{}
	for _, s := range n.List() {
		list = append(list, oldNodeOf(s))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the encoder of the report escapes it if it should
	err := enc.Encode(list)
	return b.Bytes(), err
}

func oldNodeOf(s rewrite.Site) oldNode {
	n := s.Place.Graph.Nodes()[s.Node]
	return oldNode{s.Place.String(), n.Name(), s.Node, n.OpType()}
}

func (n oldNode) String() string {
	if n.Node == "" {
		return fmt.Sprintf("node %d (%s)", n.Index, n.Op)
	}
	return fmt.Sprintf("%s (%s)", n.Node, n.Op)
}

func sizeOf(s simplify.Size) modelSize { return modelSize{s.Bytes, s.Nodes, s.Initializers, s.Ops} }

func newSimplifyReport(found *simplify.Report) *simplifyReport {
	r := &simplifyReport{
		Schema: "lathe.simplify/1", Changed: found.Changed(), Before: sizeOf(found.Before), After: sizeOf(found.After),
		Passes: []passReport{}, Warnings: reporting.OrEmpty(found.Warnings),
		found: found,
	}
	for _, p := range found.Passes {
		pr := passReport{p.Name, p.Title, p.Reason, p.Optional, p.Needs, []passChange{}, []passRefusal{}}
		for _, c := range p.Changes {
			pr.Changes = append(pr.Changes, passChange{c.Text, oldNodes{c.Sites}})
		}
		for _, f := range p.Refused {
			pr.Refused = append(pr.Refused, passRefusal{oldNodeOf(f.Site), f.Why})
		}
		r.Passes = append(r.Passes, pr)
	}
	return r
}

// WriteText implements session.Report.
func (r *simplifyReport) WriteText(w io.Writer) error {
	if !r.Changed {
		fmt.Fprintf(w, "nothing to simplify: %s, %s\n", text.Plural(r.Before.Nodes, "node"), text.Bytes(r.Before.Bytes))
	} else {
		fmt.Fprintf(w, "%s → %s, %s → %s%s\n", text.Plural(r.Before.Nodes, "node"), text.Count(int64(r.After.Nodes)), text.Bytes(r.Before.Bytes), text.Bytes(r.After.Bytes), r.Proof.Doubt())
	}
	if err := r.writePasses(w); err != nil {
		return err
	}
	if err := r.writeOps(w); err != nil {
		return err
	}
	if err := r.writeRefused(w); err != nil {
		return err
	}
	r.Proof.WriteText(w)
	reporting.WriteWarnings(w, r.Warnings)
	if r.unproved && r.Changed {
		fmt.Fprintln(w, "not proved: a preview compares nothing; what is made is compared with the original")
	}
	r.File.WriteText(w)
	return nil
}

func (r *simplifyReport) writePasses(w io.Writer) error {
	t := text.Table{Titles: []string{"pass", ">changes", ">nodes", ""}}
	for _, p := range r.Passes {
		if len(p.Changes) > 0 {
			t.Add(p.Name, text.Count(int64(len(p.Changes))), text.Count(int64(p.nodes())), p.Title)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t.WriteText(w, "  ")
}

// nodes returns how many nodes of the original model a pass changed.
func (p passReport) nodes() int {
	sets := make([]*rewrite.Sites, len(p.Changes))
	for i, c := range p.Changes {
		sets[i] = c.Nodes.Sites
	}
	return len(rewrite.JoinSites(sets...).List())
}

// writeOps writes which operators became more or fewer, the largest difference first.
func (r *simplifyReport) writeOps(w io.Writer) error {
	type line struct {
		op            string
		before, after int
	}
	var lines []line
	for op, n := range r.Before.Ops {
		if r.After.Ops[op] != n {
			lines = append(lines, line{op, n, r.After.Ops[op]})
		}
	}
	for op, n := range r.After.Ops {
		if r.Before.Ops[op] == 0 {
			lines = append(lines, line{op, 0, n})
		}
	}
	if len(lines) == 0 {
		return nil
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or((a.after-a.before)-(b.after-b.before), cmp.Compare(a.op, b.op))
	})
	fmt.Fprintln(w, "operators")
	t := text.Table{}
	for _, l := range lines {
		t.Add(text.Clean(l.op), fmt.Sprintf("%d → %d", l.before, l.after))
	}
	return t.WriteText(w, "  ")
}

// writeRefused writes which nodes were almost changed, and why they were not, if the user can do
// something about it. These are patterns of the optional passes that were requested, and constants
// that would grow by more than the limit.
func (r *simplifyReport) writeRefused(w io.Writer) error {
	t := text.Table{Titles: []string{"pass", ">nodes", "the first", "why"}}
	left := 0
	for _, p := range r.Passes {
		if !p.Optional && p.Name != "fold-constants" {
			continue
		}
		reasons := p.reasons()
		for _, why := range reasons[:min(reporting.FewRows, len(reasons))] {
			t.Add(p.Name, text.Count(int64(why.nodes)), text.Clean(why.first.String()), text.CleanLine(why.why))
		}
		left += max(len(reasons)-reporting.FewRows, 0)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w, "left as they are")
	if err := t.WriteText(w, "  "); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "  and for %s more; --json has all\n", text.Plural(left, "reason"))
	return err
}

// refusedFor is a reason for not changing nodes, with the number of these nodes and the first one.
type refusedFor struct {
	why   string
	first oldNode
	nodes int
}

// reasons returns the reasons of a pass, in the order in which they came up.
func (p passReport) reasons() []refusedFor {
	var out []refusedFor
	at := map[string]int{}
	for _, f := range p.Refused {
		i, ok := at[f.Why]
		if !ok {
			i = len(out)
			at[f.Why] = i
			out = append(out, refusedFor{f.Why, f.oldNode, 0})
		}
		out[i].nodes++
	}
	return out
}
