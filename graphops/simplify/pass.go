package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

// pass is one way to make a graph simpler.
type pass struct {
	name string
	// title says in one line what the pass does, reason why the result is the same.
	title, reason string
	// after are the passes that come before it in the table, because it looks for
	// what they leave.
	after []string
	// needs is the optional pass that makes what the pass looks for, where few models have
	// it already; "" for none.
	needs string
	// optional passes run when they are asked for. They look at a graph in which the
	// others find nothing any more.
	optional bool
	// ops are the operators, of the standard or of any domain, at whose nodes the pass
	// looks; node is called with each. It changes the graph around the node and says
	// what it did, in a few words, or changes nothing and says "".
	ops  []string
	node func(j *job, n *rewrite.Node) string
	// graph is called once for each graph instead, and tells each change by job.did.
	graph func(j *job, g *rewrite.Graph) error
	// model is called once instead.
	model func(j *job) error
}

// Pass describes a pass.
type Pass struct {
	Name string
	// Title says what the pass does, Reason why the result is the same.
	Title, Reason string
	// Optional passes run when they are asked for.
	Optional bool
	// Needs is the optional pass that makes what the pass looks for; "" for none.
	Needs string
}

// Passes are all passes, in the order in which they run.
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
