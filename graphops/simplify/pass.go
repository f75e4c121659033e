package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

// pass is one kind of simplification.
type pass struct {
	name string
	// title says in one line what the pass does, and reason why the result is the same.
	title, reason string
	// after are the passes that must be before it in the table, because it looks for their
	// results.
	after []string
	// needs is the optional pass that creates what the pass looks for, if few models have it
	// already; empty for none.
	needs string
	// optional passes only run on request. They see a graph in which the others find nothing
	// more.
	optional bool
	// ops are the operators, in any domain, whose nodes the pass examines. node is called for each
	// of them. If it can simplify the graph around the node, it does so and returns a few words for
	// the report. Otherwise it changes nothing and returns an empty string.
	ops  []string
	node func(j *job, n *rewrite.Node) string
	// graph is called once for each graph instead, and reports changes with job.did.
	graph func(j *job, g *rewrite.Graph) error
	// model is called once instead.
	model func(j *job) error
}

// Pass describes a pass.
type Pass struct {
	Name string
	// Title says what the pass does, and Reason why the result is the same.
	Title, Reason string
	// Optional passes only run on request.
	Optional bool
	// Needs is the optional pass that creates what the pass looks for; empty for none.
	Needs string
}

// Passes returns all passes in the order in which they run.
func Passes() []Pass {
	var out []Pass
	for _, p := range passes {
		out = append(out, p.public())
	}
	return out
}

func (p *pass) public() Pass { return Pass{p.name, p.title, p.reason, p.optional, p.needs} }

func find(name string) *pass {
	i := slices.IndexFunc(passes, func(p *pass) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return passes[i]
}
