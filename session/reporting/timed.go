package reporting

import (
	"cmp"
	"strings"

	"lathe/bench"
	"lathe/bench/profile"
	"lathe/graphops/dim"
	"lathe/session/text"
)

// Timed is a report on the time of each node of a model.
type Timed interface {
	// Cells returns the time of each node of the main graph, in the order of the nodes. nodes is
	// their number.
	Cells(nodes int) []profile.Cell
	// ByModule returns the modules of the model, each outer module before its inner ones.
	ByModule() []profile.Module
}

// Measured is a report on the time of whole models.
type Measured interface {
	Measurement() *bench.Report
}

// Conditioned is a report that says under which conditions it measured.
type Conditioned interface {
	Conditions() Conditions
}

// Conditions are those under which a model was measured.
type Conditions struct {
	Provider string // the execution provider that was attached
	Threads  int64  // within an operator; 0 if the runtime chose their number
	Sizes    dim.Sizes
	// Machine is the machine, or the launcher to it; "" for this one.
	Machine string
}

// ConditionsOf returns the conditions of a run of a measurement.
func ConditionsOf(run bench.Run) Conditions {
	c := Conditions{Provider: run.EP, Threads: run.Threads, Sizes: run.Sizes, Machine: run.On}
	if run.EPAttached != nil {
		c.Provider = *run.EPAttached
	}
	return c
}

// Beside says in which conditions c differs from others, such as "on cuda, with 2 threads". It is ""
// if it differs in none.
func (c Conditions) Beside(other Conditions) string {
	var out []string
	if c.Provider != other.Provider {
		out = append(out, "on "+c.Provider)
	}
	if c.Machine != other.Machine {
		out = append(out, c.where())
	}
	if c.Threads != other.Threads {
		out = append(out, "with "+c.ThreadsText())
	}
	if at := plainSizes(c.Sizes); at != plainSizes(other.Sizes) {
		out = append(out, cmp.Or(at, "at other sizes"))
	}
	return strings.Join(out, ", ")
}

func (c Conditions) where() string {
	if c.Machine == "" {
		return "on this machine"
	}
	return "on " + c.Machine
}

// ThreadsText says how many threads worked within an operator.
func (c Conditions) ThreadsText() string {
	if c.Threads == 0 {
		return "default threads"
	}
	return text.Plural(int(c.Threads), "thread")
}

// plainSizes writes sizes without how they were chosen.
func plainSizes(s dim.Sizes) string {
	at, _, _ := strings.Cut(strings.TrimSpace(s.At()), " (")
	return at
}
