package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"lathe/bench"
	"lathe/bench/machine"
	"lathe/bench/profile"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/session"
	"lathe/session/command"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui"
	"lathe/tui/graph"
)

// stored reads the file that --result names.
func (w *Workbench) stored(ctx context.Context, m *graphops.Model) (out tui.Stored, err error) {
	if w.result == "" {
		return out, nil
	}
	r, err := store.Read(w.result)
	if err != nil {
		return out, fmt.Errorf("--result: %w", err)
	}
	out, err = toldOf(r, m, thisMachine())
	if err == nil && !r.IsTrace() && !saysModel(r) {
		out.Told = append(out.Told, "the file does not say whether it belongs to this model")
	} else if err == nil && !r.IsTrace() {
		var here store.Model
		if here, err = isOf(ctx, r, m); err == nil {
			out.Latency = latencyOf(r, here, out.Measured)
		}
	}
	if err != nil {
		return tui.Stored{}, fmt.Errorf("--result %s: %w", w.result, err)
	}
	out.Command = "lathe report " + session.Quote(w.result)
	if !r.IsTrace() && !r.Time.IsZero() {
		out.Name = text.CleanLine(r.Named(time.Now()))
	}
	return out, nil
}

// earlier finds the last stored profile of a model, and its latencies. What cannot be read is left
// out, because nobody asked for it.
func earlier(ctx context.Context, o command.Opening) tui.Stored {
	weights, err := graphops.WeightBytes(o.Model)
	if err != nil || o.Env.Results == "" {
		return tui.Stored{}
	}
	folder, here := store.Folder{Path: o.Env.Results}, thisMachine()
	asked := store.Asked{WeightBytes: weights, Digest: sync.OnceValues(func() (graphops.Digest, error) { return graphops.DigestOf(ctx, o.Model) })}
	found, err := folder.Benches(ctx, here, asked)
	if err != nil {
		return tui.Stored{}
	}
	var latency []graph.Latency
	for _, b := range found {
		if b.Run.Decode == nil { // otherwise it is the time of a prompt or of a token
			latency = append(latency, graph.LatencyOf(b.Run, b.Noise, b.Time))
		}
	}
	r, err := folder.Profile(ctx, asked)
	if err != nil || r == nil {
		return tui.Stored{Latency: latency}
	}
	out, err := toldOf(r, o.Model, here)
	if err != nil {
		return tui.Stored{Latency: latency}
	}
	out.Latency = latency
	said := "profile of " + r.Time.Local().Format("2 January 2006, 15:04")
	if len(r.Subjects) > 0 {
		if p := r.Subjects[0].Settings["provider"]; p != "" {
			said += ", " + p
		}
	}
	if r.Machine.Name != "" {
		said += ", on " + r.Machine.Name
	}
	out.Told = []string{text.CleanLine(said + ", from " + r.File)}
	out.Name = text.CleanLine(r.Named(time.Now()))
	return out
}

// thisMachine describes the machine that the workbench runs on.
func thisMachine() store.Machine {
	environment, err := json.Marshal(machine.ReadEnvironment(os.DirFS("/")))
	if err != nil {
		return store.Machine{} // it has no results
	}
	return store.NewMachine(environment, "")
}

// storedTimes are those of a stored profile.
type storedTimes struct {
	*profile.Result
	of reporting.Conditions
}

// Conditions implements reporting.Conditioned.
func (t storedTimes) Conditions() reporting.Conditions { return t.of }

// conditionsOf returns the conditions of a stored profile.
func conditionsOf(r *store.Result, here store.Machine) reporting.Conditions {
	var told struct {
		On       string    `json:"on"`
		Provider string    `json:"ep_attached"`
		Sizes    dim.Sizes `json:"sizes"`
	}
	_ = json.Unmarshal(r.Document, &told) // what cannot be read stays unknown
	c := reporting.Conditions{Provider: told.Provider, Sizes: told.Sizes, Machine: told.On}
	if c.Machine == "" && r.Machine.ID != here.ID {
		c.Machine = r.Machine.Name
	}
	for _, s := range r.Subjects {
		c.Threads = max(s.Threads(), c.Threads)
	}
	return c
}

// toldOf converts a stored result to what the workbench shows, with lines for the log. It returns
// an error for results that the workbench cannot show.
func toldOf(r *store.Result, m *graphops.Model, here store.Machine) (out tui.Stored, err error) {
	switch r.Kind {
	case store.KindProfile:
		times, err := r.TimesOn(m)
		if err != nil {
			return out, err
		}
		told := []string{fmt.Sprintf("times of %d nodes from the profile", len(times.Nodes))}
		if r.IsTrace() {
			told = append(told, fmt.Sprintf("nodes of this model take %.0f %% of the time in the trace", 100*(1-float64(times.UnjoinedShare))))
		}
		if r.IsTrace() {
			return tui.Stored{Times: times, Told: told}, nil
		}
		return tui.Stored{Times: storedTimes{times, conditionsOf(r, here)}, Told: told}, nil
	case store.KindBench:
		b, err := r.Bench()
		if err != nil {
			return out, err
		}
		return tui.Stored{Measured: b, Told: b.Headlines()}, nil
	}
	return out, fmt.Errorf("it is a result of %s; expected a result of profile or bench", r.Kind)
}

// saysModel reports whether a result says for which model it was measured. A file that was written
// with --json does not.
func saysModel(r *store.Result) bool {
	return slices.ContainsFunc(r.Models, func(s store.Model) bool { return s.Structure != "" })
}

// latencyOf returns the latencies of a model in a measurement, which may be nil.
func latencyOf(r *store.Result, here store.Model, b *bench.Report) (out []graph.Latency) {
	if b == nil || len(b.Runs) != len(r.Subjects) {
		return nil
	}
	for i, run := range b.Runs {
		if run.Decode == nil && r.Models[r.Subjects[i].Model].Same(here) {
			run.Threads = r.Subjects[i].Threads()
			out = append(out, graph.LatencyOf(run, b.Noise(run.Name), r.Time))
		}
	}
	return out
}

// isOf returns how the model is identified, or an error if the result was measured with another one.
func isOf(ctx context.Context, r *store.Result, m *graphops.Model) (store.Model, error) {
	digest, err := graphops.DigestOf(ctx, m)
	if err != nil {
		return store.Model{}, err
	}
	here := store.Model{Digest: digest}
	if slices.ContainsFunc(r.Models, here.Same) {
		return here, nil
	}
	was := r.Models[len(r.Models)-1]
	return here, fmt.Errorf("it belongs to another model: %s with content %s, but this model has content %s; measure this model again", was.Path, was.Short(), here.Short())
}
