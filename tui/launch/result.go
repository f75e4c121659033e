package launch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/command"
	"lathe/session/text"
	"lathe/tui"
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
	out, err = toldOf(r, m)
	if err == nil && !r.IsTrace() && !saysModel(r) {
		out.Told = append(out.Told, "the file does not say whether it belongs to this model")
	} else if err == nil && !r.IsTrace() {
		err = isOf(ctx, r, m)
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

// earlier finds the last stored profile of a model. The result is empty if
// anything goes wrong, because nobody asked for it.
func earlier(ctx context.Context, o command.Opening) tui.Stored {
	size, err := graphops.SavedSize(o.Model, graphops.SaveOptions{Storage: graphops.StoreEmbedded})
	if err != nil || o.Env.Results == "" {
		return tui.Stored{}
	}
	r, err := store.Folder{Path: o.Env.Results}.Profile(ctx, size, func() (graphops.Digest, error) { return graphops.DigestOf(ctx, o.Model) })
	if err != nil || r == nil {
		return tui.Stored{}
	}
	out, err := toldOf(r, o.Model)
	if err != nil {
		return tui.Stored{}
	}
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

// toldOf converts a stored result to what the workbench shows, with lines for the log. It returns
// an error for results that the workbench cannot show.
func toldOf(r *store.Result, m *graphops.Model) (out tui.Stored, err error) {
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
		return tui.Stored{Times: times, Told: told}, nil
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

// isOf returns an error if the result was measured with another model.
func isOf(ctx context.Context, r *store.Result, m *graphops.Model) error {
	digest, err := graphops.DigestOf(ctx, m)
	if err != nil {
		return err
	}
	here := store.Model{Digest: digest}
	if slices.ContainsFunc(r.Models, here.Same) {
		return nil
	}
	was := r.Models[len(r.Models)-1]
	return fmt.Errorf("it belongs to another model: %s with content %s, but this model has content %s; measure this model again", was.Path, was.Short(), here.Short())
}
