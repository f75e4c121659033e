package reduce

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"slices"
	"sync"
	"syscall"

	"lathe/graphops"
	"lathe/session/compare"
	"lathe/session/ort"
	"lathe/session/ort/fault"
)

// Kind is the kind of a fault, such as a crash or a different output.
type Kind string

// The kinds.
const (
	Refused   Kind = "load-error" // the runtime does not load it
	Broken    Kind = "run-error"  // it loads, but a run fails
	Crash     Kind = "crash"      // the worker crashes
	Timeout   Kind = "timeout"
	Differs   Kind = "differs"    // an output differs
	NotFinite Kind = "not-finite" // NaN or infinities from finite inputs
)

// The classes of differences.
const (
	classNumbers    = "numbers"    // outside of the tolerance
	classExactness  = "exactness"  // values that are compared exactly, such as integers
	classFiniteness = "finiteness" // NaN or infinite on one side only
	classForm       = "form"       // of another type or shape
	classChoice     = "choice"     // another class has the highest score
)

// Symptom describes a fault so that it can be distinguished from others.
type Symptom struct {
	Kind  Kind
	Stage ort.WorkerPhase // phase of the worker's message or crash
	// Text describes the fault to the user in one line that is safe to print.
	Text string

	// Fields of a message of the runtime, when it rejects the model or a run fails. Words is the
	// message, or the last words of a crash, without names and numbers.
	Fault             fault.Kind
	Attribute, Domain string
	// the runtime's message, or the last words of a crash, without names and numbers
	Words string
	Nodes []Suspect // nodes that the message may mean
	// Fields of a crash.
	Signal   syscall.Signal
	ExitCode int
	// Fields of a difference, and of values that are not finite. Class is the kind of difference.
	// Strain is how many times larger than the tolerance the difference is.
	Class  string
	Strain float64
	Output string
}

// Suspect is a node that a symptom may be about.
type Suspect struct {
	Op, Domain, Name string
	// Node is its index in the main graph, or that of the node that contains it; -1 in a function.
	Node int
}

// same reports whether another symptom shows the same fault.
func (s Symptom) same(t Symptom) bool {
	if s.Kind != t.Kind || s.Stage != t.Stage {
		return false
	}
	switch s.Kind {
	case Refused, Broken:
		return s.sameRefusal(t)
	case Crash:
		return s.Signal == t.Signal && s.ExitCode == t.ExitCode && (s.byProcessor() || s.Words == t.Words)
	case Differs:
		return s.sameDifference(t)
	}
	return s.Class == t.Class
}

// byProcessor reports whether an instruction that the processor refused ended the worker. What the worker
// wrote before is then by chance the last: only one that ends itself says why.
func (s Symptom) byProcessor() bool {
	return slices.Contains([]syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL}, s.Signal)
}

// opened reports whether the symptom of a node's contents, in place of the node, can show the same
// fault. It is less strict than same, because the runtime then names the node inside, and a
// difference is that of a single iteration.
func (s Symptom) opened(t Symptom) bool {
	switch {
	case s.Kind != t.Kind || s.Stage != t.Stage:
		return false
	case s.Kind == Differs:
		return true
	case (s.Kind == Refused || s.Kind == Broken) && s.Fault != fault.Unrecognized:
		return s.Fault == t.Fault && s.Attribute == t.Attribute && s.Domain == t.Domain
	}
	return s.same(t)
}

// sameRefusal compares the runtime's messages. If both name nodes, these must have the same
// operator and, if both have one, the same name. Otherwise the messages must be equal.
func (s Symptom) sameRefusal(t Symptom) bool {
	if s.Fault != t.Fault || s.Attribute != t.Attribute || s.Domain != t.Domain {
		return false
	}
	if s.Fault == fault.Unrecognized || len(s.Nodes) == 0 || len(t.Nodes) == 0 {
		return s.Words == t.Words
	}
	return slices.ContainsFunc(s.Nodes, func(x Suspect) bool {
		return slices.ContainsFunc(t.Nodes, func(y Suspect) bool {
			return x.Op == y.Op && x.Domain == y.Domain && (x.Name == y.Name || x.Name == "" || y.Name == "")
		})
	})
}

// sameDifference requires the same class and a similar size. A wrong integer or class is the
// consequence of wrong numbers, so classNumbers is accepted for these. If the factor by which the
// tolerance is exceeded falls below its square root, the error is another one, for example the
// rounding of a kernel.
func (s Symptom) sameDifference(t Symptom) bool {
	switch {
	case s.Class == classNumbers && t.Class == classNumbers:
		return t.Strain >= math.Sqrt(max(s.Strain, 1))
	case s.Class == classExactness || s.Class == classChoice:
		return t.Class == s.Class || t.Class == classNumbers
	}
	return s.Class == t.Class
}

// symptomOf returns the symptom that an error of a worker shows. It is false for errors that are
// not due to the model.
func symptomOf(err error, m *graphops.Model) (Symptom, bool) {
	var late *ort.TimeoutError
	var crash *ort.CrashError
	var refused *ort.Error
	switch {
	case errors.As(err, &late):
		return Symptom{Kind: Timeout, Text: late.Error()}, true
	case errors.As(err, &crash) && crash.Phase != ort.Starting:
		return Symptom{
			Kind: Crash, Stage: crash.Phase, Signal: crash.Signal, ExitCode: crash.ExitCode,
			Words: plain(crash.LastWords()), Text: crash.Error(),
		}, true
	case errors.As(err, &refused) && refused.Phase != ort.Starting && !refused.AboutOptions():
		return refusal(refused, m), true
	}
	return Symptom{}, false
}

func refusal(e *ort.Error, m *graphops.Model) Symptom {
	found := fault.Locate(fault.Parse(int(e.Code), e.Message), m)
	s := Symptom{
		Kind: Refused, Stage: e.Phase, Text: e.Error(), Fault: found.Fault.Kind,
		Attribute: found.Fault.Attribute, Domain: found.Fault.Domain, Words: plain(found.Fault.Detail),
	}
	if e.Phase == ort.Running {
		s.Kind = Broken
	}
	for _, site := range found.Sites {
		n := site.Node()
		s.Nodes = append(s.Nodes, Suspect{n.OpType(), n.Domain(), n.Name(), rootOf(site)})
	}
	return s
}

// rootOf returns the node of the main graph that a site is or is inside of.
func rootOf(s fault.Site) int {
	i, p := s.Index, s.Place
	for p.Parent != nil {
		i, p = p.Node, p.Parent
	}
	if p.Kind != graphops.MainGraph {
		return -1
	}
	return i
}

// named matches what differs between two parts of a model that fail in the same way: quoted names
// and numbers.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`'[^']*'|"[^"]*"|\([^()]*\)|0x[0-9a-fA-F]+|-?[0-9]+`)
})

// plain returns a text without names and numbers.
func plain(s string) string { return named().ReplaceAllString(s, "_") }

// differences returns the outputs that fail in a comparison of one case.
func differences(r *compare.Report) []Symptom {
	var out []Symptom
	for _, o := range r.Outputs {
		if o.Verdict != compare.Fail {
			continue
		}
		s := Symptom{Kind: Differs, Strain: o.Strain(), Output: o.Name, Text: r.Headline}
		switch {
		case o.Reason != "":
			s.Class = classForm
		case o.NaNMismatched+o.InfMismatched > 0:
			s.Class = classFiniteness
		case o.Rule == compare.RuleExact && o.ULPMax == nil:
			s.Class = classExactness
		case s.Strain > 1:
			s.Class = classNumbers
		default:
			s.Class = classChoice
		}
		out = append(out, s)
	}
	for _, f := range r.Findings {
		if f.Decisive {
			out = append(out, Symptom{Kind: Differs, Class: classForm, Output: f.Output, Strain: math.Inf(1), Text: f.String()})
		}
	}
	slices.SortStableFunc(out, func(x, y Symptom) int { return cmp.Compare(y.Strain, x.Strain) })
	return out
}
