package check

import (
	"fmt"
	"strings"

	"lathe/graphops"
)

var functionRecursive = rule{
	code: "function-recursive", severity: Error,
	title: "a function calls itself",
	about: `A function is an abbreviation for its nodes, so it must not call itself, directly or through other
functions. ONNX Runtime rejects the model, even if nothing calls the function, and so does
onnx.checker ("Cycle detected in model-local function references"). Use a Loop or Scan for
repetition.

The cause is a function with the name of an operator that it uses itself.`,
	model: recursiveFunctions,
}

func recursiveFunctions(s *subject, report reporter) {
	calls := s.calls()
	done := map[graphops.FunctionKey]bool{}
	at := map[graphops.FunctionKey]int{} // index on the path
	for _, f := range s.model.Functions() {
		if done[f.Key()] {
			continue
		}
		way := []calling{{f.Key(), calls[f.Key()]}}
		at[f.Key()] = 0
		for len(way) > 0 {
			top := &way[len(way)-1]
			if len(top.calls) == 0 {
				done[top.key] = true
				delete(at, top.key)
				if way = way[:len(way)-1]; len(way) > 0 {
					way[len(way)-1].next()
				}
				continue
			}
			callee := top.calls[0].Calls()
			switch first, again := at[callee]; {
			case again:
				report(recursion(way[first:]))
				top.next()
			case done[callee]:
				top.next()
			default:
				at[callee] = len(way)
				way = append(way, calling{callee, calls[callee]})
			}
		}
	}
}

// calling is a function on the path, with its calls that are not yet followed.
type calling struct {
	key   graphops.FunctionKey
	calls []site
}

func (c *calling) next() { c.calls = c.calls[1:] }

// calls returns the nodes of each function, including its bodies, that call functions: the first
// call of each function.
func (s *subject) calls() map[graphops.FunctionKey][]site {
	type edge struct{ from, to graphops.FunctionKey }
	seen := map[edge]bool{}
	out := map[graphops.FunctionKey][]site{}
	for _, p := range s.model.Places() {
		if p.Function == nil || s.functions[p.Function.Key()] != p.Function {
			continue
		}
		from := p.Function.Key()
		for i, n := range p.Graph.Nodes() {
			if to := n.Calls(); s.functions[to] != nil && !seen[edge{from, to}] {
				seen[edge{from, to}] = true
				out[from] = append(out[from], site{n, p, i})
			}
		}
	}
	return out
}

// recursion returns the problem of a function that calls itself. way is the chain of calls back to
// it.
func recursion(way []calling) Problem {
	var names []string
	for _, c := range way[:min(len(way), cycleTold)] {
		names = append(names, functionName(c.key))
	}
	if more := len(way) - cycleTold; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	names = append(names, functionName(way[0].key))
	problem := of(way[0].calls[0], "makes its function call itself: %s", strings.Join(names, " → "))
	problem.Value, problem.Hint = way[0].key.Name, "use a Loop for repetition; if an operator of that name is meant, rename the function"
	return problem
}
