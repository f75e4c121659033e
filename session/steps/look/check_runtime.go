package look

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/fault"
	"lathe/session/reporting"
	"lathe/session/runtime"
)

// runtimeSaid is what ONNX Runtime reports about a model when it loads it.
type runtimeSaid struct {
	Version   string        `json:"version"`      // "" if unknown
	On        string        `json:"on,omitempty"` // the launcher, if it ran on another machine
	Providers []string      `json:"providers"`    // the requested chain
	Provider  string        `json:"ep_attached"`  // "" if the model was not loaded
	Refused   []ort.Refusal `json:"ep_refused,omitempty"`
	Loaded    bool          `json:"loaded"`
	LoadMS    float64       `json:"load_ms,omitempty"`
	// The following fields are empty if the model was loaded.
	Kind        fault.Kind `json:"kind"` // see package fault; "" if the message was not recognized
	Node        *string    `json:"node"` // null if the message does not identify a node
	Index       *int       `json:"index"`
	Place       []string   `json:"place"`
	Value       *string    `json:"value"`
	Message     string     `json:"message"`     // the runtime's message
	Explanation string     `json:"explanation"` // what Lathe knows about that message
	Hint        string     `json:"hint"`
	Crashed     bool       `json:"crashed"`
	// Problem is the index, in the list of problems, of the problem that has the same cause as the
	// message. It is null if there is no such problem.
	Problem  *int     `json:"problem"`
	Warnings []string `json:"warnings"` // about the model, if it was loaded

	finding fault.Finding
	sites   []fault.Site // the nodes that the message may be about
	quotes  bool         // the explanation quotes the message
}

// load loads the model in the runtime. An error is about the machine or the options. What is wrong
// with the model is in the result.
func (s *Check) load(ctx context.Context, env session.Env, m *graphops.Model) (*runtimeSaid, error) {
	o, err := s.Value(env)
	if err != nil {
		return nil, err
	}
	r := &runtimeSaid{On: s.Launcher(), Providers: chainOf(o.Providers), Warnings: []string{}}
	if !s.RunsElsewhere() {
		r.Version = env.RuntimeVersion(ctx)
	}
	env.Progress(session.Progress{Phase: "loading in ONNX Runtime"})
	l, err := env.Runtime.Load(ctx, m, o)
	if err != nil {
		return r, r.refused(ctx, err)
	}
	facts := l.Facts()
	r.Version, r.Loaded, r.Provider, r.Refused = facts.LibraryVersion, true, facts.Provider, facts.Refused
	r.LoadMS = float64(facts.LoadTime.Microseconds()) / 1000
	r.Warnings = reporting.OrEmpty(facts.Warnings)
	return r, l.Close()
}

func chainOf(chain []ort.Provider) []string {
	if len(chain) == 0 {
		return []string{ep.CPU}
	}
	names := make([]string, len(chain))
	for i, p := range chain {
		names[i] = p.Name
	}
	return names
}

// refused notes why the model was not loaded. If the reason is not the model, it returns the error.
func (r *runtimeSaid) refused(ctx context.Context, err error) error {
	var failure *runtime.Failure
	var late *ort.TimeoutError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &late): // the user's limit says nothing about the model
		return fmt.Errorf("%w; a longer --timeout may help, or --opt disable, which folds no constants; without --runtime-load everything else is checked", err)
	case errors.As(err, &failure):
		r.failed(failure)
	default:
		return err
	}
	return nil
}

// failed fills in the report of a model that the runtime rejected, or at which it crashed.
func (r *runtimeSaid) failed(f *runtime.Failure) {
	r.finding = f.Finding
	r.Kind, r.Hint, r.quotes = f.Finding.Fault.Kind, f.Finding.Hint, f.Finding.Quotes
	var refused *ort.Error
	if errors.As(f.Err, &refused) {
		r.sites = f.Finding.Sites
		r.Message = refused.Said(f.Finding.Fault.Detail)
		r.Explanation = withoutSubject(f.Finding)
	} else {
		r.Crashed, r.quotes = true, true
		r.Message = f.Err.Error()
		r.Explanation = f.Error()
		r.Hint = "--opt disable shows whether an optimization crashes, or the model"
	}
	if f.Suspect != nil {
		r.sites = []fault.Site{f.Suspect.Site}
	}
	if f.Finding.Value != "" {
		r.Value = &f.Finding.Value
	}
	if len(r.sites) == 1 {
		site := r.sites[0]
		name := nodeName(site.Place, site.Index)
		r.Node, r.Index, r.Place = &name, &site.Index, reporting.OrEmpty(site.Place.Hops())
	}
}

// withoutSubject removes the node from the beginning of an explanation, because the report names
// the node separately.
func withoutSubject(f fault.Finding) string {
	if len(f.Sites) != 1 {
		return f.Explanation
	}
	return strings.TrimPrefix(f.Explanation, f.Sites[0].String()+": ")
}

// problem returns the runtime's message as a problem with a code of its own.
func (r *runtimeSaid) problem() check.Problem {
	p := check.Problem{Code: check.RuntimeRefused, Severity: check.Error, Node: -1, Message: r.Explanation, Hint: r.Hint}
	switch {
	case r.Crashed:
		p.Code = check.RuntimeCrashed
	case !r.quotes:
		p.Message += " (" + r.name() + ": " + r.Message + ")"
	}
	if len(r.sites) == 1 {
		p.Place, p.Node = r.sites[0].Place, r.sites[0].Index
	}
	if r.Value != nil {
		p.Value = *r.Value
	}
	return p
}

// name returns "ONNX Runtime" with the version.
func (r *runtimeSaid) name() string { return strings.TrimSpace("ONNX Runtime " + r.Version) }

// families are the prefixes of the codes that correspond to a kind of fault.
var families = map[fault.Kind]string{
	fault.UnknownOperator: "operator-", fault.MissingOpset: "domain-", fault.NoKernel: "kernel-", fault.FunctionInvalid: "function-",
	fault.TypeMismatch: "type-", fault.TypeRefused: "type-", fault.ShapeMismatch: "shape-", fault.BodyMismatch: "body-",
	fault.AttributeMissing: "attribute-", fault.AttributeUnknown: "attribute-", fault.AttributeInvalid: "attribute-",
	fault.ValueUndefined: "value-undefined", fault.DuplicateName: "node-name-", fault.Cycle: "graph-cycle",
	fault.OpsetUnsupported: "opset-", fault.IRUnsupported: "ir-", fault.ExternalData: "external-", fault.ConstantInvalid: "tensor-",
}

// same returns the position of the error that has the same cause as the runtime's message, or -1.
// It prefers an error about the same node or value, then one about a node in a body of that node or
// around it, then one of the same kind if the message names no node or value. Among several, it
// prefers the first of a matching family of codes.
func (r *runtimeSaid) same(list []check.Problem) int {
	for _, alike := range []func(check.Problem) bool{r.sameThing, r.around, r.sameKind} {
		first := -1
		for i, p := range list {
			switch {
			case p.Severity != check.Error || !alike(p):
			case r.inFamily(p):
				return i
			case first < 0:
				first = i
			}
		}
		if first >= 0 {
			return first
		}
	}
	return -1
}

// sameThing reports whether the problem is about a node or value that the runtime names. A message
// that was not recognized may still quote the value.
func (r *runtimeSaid) sameThing(p check.Problem) bool {
	switch {
	case p.Node >= 0 && slices.Contains(r.sites, fault.Site{Place: p.Place, Index: p.Node}):
		return true
	case p.Value == "":
		return false
	case r.Value != nil:
		return *r.Value == p.Value
	}
	return r.Kind == fault.Unrecognized && strings.Contains(r.Message, "'"+p.Value+"'")
}

func (r *runtimeSaid) sameKind(p check.Problem) bool {
	return len(r.sites) == 0 && r.Value == nil && r.inFamily(p)
}

func (r *runtimeSaid) inFamily(p check.Problem) bool {
	family := families[r.Kind]
	return family != "" && strings.HasPrefix(p.Code, family)
}

// around reports whether the problem's node is in a body of the runtime's node, or the other way
// round.
func (r *runtimeSaid) around(p check.Problem) bool {
	if p.Node < 0 {
		return false
	}
	at := fault.Site{Place: p.Place, Index: p.Node}
	return slices.ContainsFunc(r.sites, func(s fault.Site) bool { return holds(s, at) || holds(at, s) })
}

// holds reports whether the inner node is in a body of the outer node.
func holds(outer, inner fault.Site) bool {
	for p := inner.Place; p.Parent != nil; p = p.Parent {
		if p.Parent == outer.Place && p.Node == outer.Index {
			return true
		}
	}
	return false
}
