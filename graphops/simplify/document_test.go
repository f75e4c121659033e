package simplify

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

var update = flag.Bool("update", false, "write docs/passes.md anew")

// TestPassesDocument holds docs/passes.md against the table of passes, and against what
// each of them makes of its example.
func TestPassesDocument(t *testing.T) {
	const path = "../../docs/passes.md"
	want := passesDocument(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of passes says; go test ./graphops/simplify -run TestPassesDocument -update writes it anew", path)
	}
}

const passesHead = `# Passes

` + "`lathe simplify`" + ` tries these passes in this order, again and again until none finds anything.
Optional passes run only if ` + "`--include`" + ` names them, or all of them with ` + "`--fuse`" + `. ` + "`--exclude`" + ` leaves
out a pass.

In the examples, ` + "`init`" + ` is a constant with its elements, which are repeated if the shape has more. A
letter in a shape is a size that differs from run to run. Constants that a pass does not change are
shown only in the first graph.

| pass | optional | what it does |
|---|---|---|
`

func passesDocument(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(passesHead)
	for _, p := range passes {
		optional := ""
		if p.optional {
			optional = "optional"
		}
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", p.name, optional, p.title)
	}
	for _, p := range passes {
		before, after := example(t, p)
		needs := ""
		if p.needs != "" {
			needs = wrapped(fmt.Sprintf("It looks for what [%s](#%[1]s) makes: name both.", p.needs)) + "\n\n"
		}
		does, reason := wrapped("What it does: "+p.title+"."), wrapped("Why the result is the same: "+p.reason+".")
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\n\n%s```\n%s\n```\n\nbecomes\n\n```\n%s\n```\n", p.name, does, reason, needs, before, after)
	}
	return b.String()
}

// wrapped breaks a paragraph into lines of at most 100 columns.
func wrapped(paragraph string) string { return strings.Join(text.Wrap(paragraph, 100, ""), "\n") }

// example is the graph that stands for a pass, and what the pass by itself makes of it.
func example(t *testing.T, p *pass) (before, after string) {
	t.Helper()
	graph, ok := examples[p.name]
	if !ok {
		t.Errorf("pass %s has no example", p.name)
		return "", ""
	}
	o := onlyPasses(p, deadCode, unusedConstants)
	o.Runner = exponentials{}
	m := graphtest.Model(t, graph)
	out, r := simplified(t, m, o)
	if i := slices.IndexFunc(r.Passes, func(r *PassReport) bool { return r.Name == p.name }); len(r.Passes[i].Changes) == 0 {
		t.Errorf("pass %s does nothing to its example; refused: %v", p.name, r.Passes[i].Refused)
	}
	for line := range strings.Lines(graph) {
		if line = strings.TrimSpace(line); line != "" {
			before += "\n" + line
		}
	}
	was := constants(t, m.Graph())
	made := slices.DeleteFunc(constants(t, out.Graph()), func(c string) bool { return slices.Contains(was, c) })
	return before[1:], strings.Join(append(made, graphtest.Nodes(out.Graph())...), "\n")
}

// constants are those of a graph, as a text of the graph would have them.
func constants(t *testing.T, g *graphops.Graph) []string {
	t.Helper()
	var out []string
	for _, c := range g.Initializers() {
		v, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		var dims []string
		for _, d := range c.Dims() {
			dims = append(dims, fmt.Sprint(d))
		}
		line := fmt.Sprintf("init %s %s[%s]", c.Name(), c.DType(), strings.Join(dims, ","))
		r, err := v.Reader()
		if err != nil {
			t.Fatal(err)
		}
		for list, err := r.Float64s(); err == nil; list, err = r.Float64s() {
			for _, x := range list {
				line += fmt.Sprintf(" %.7g", x)
			}
		}
		out = append(out, line)
	}
	return out
}

// exponentials is a runtime that knows one operator and of it one argument.
type exponentials struct{}

func (exponentials) Run(_ context.Context, _ *graphops.Model, _ graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	for _, w := range want {
		ones := tensor.FromSlice([]float32{1, 1}, 2)
		if err := yield(execution.Got{Name: w.Name, Value: graphops.TensorValue(ones)}); err != nil {
			return err
		}
	}
	return nil
}
