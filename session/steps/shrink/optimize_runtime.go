package shrink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/runtime"
)

// optimizedBy says what ONNX Runtime changed, and on which execution provider.
type optimizedBy struct {
	Version  string        `json:"version"`
	Provider string        `json:"ep_attached"`
	Refused  []ort.Refusal `json:"ep_refused,omitempty"`
	// Transformers are the optimizations that changed something, by the runtime's names.
	Transformers []string `json:"transformers"`
}

// disabledKey is the session config entry that leaves out optimizations.
const disabledKey = "optimization.disable_specified_optimizers"

// load optimizes the product with the runtime, and replaces its model by the optimized one.
func (s *Optimize) load(ctx context.Context, env session.Env, p *product, o runtime.Execution, without []string) error {
	r, ok := env.Runtime.(runtime.Optimizer)
	if !ok {
		return errors.New("optimize: this runtime does not return the graph that it makes")
	}
	if list := slices.DeleteFunc(slices.Clone(without), func(pass string) bool { return pass == transformersPass }); len(list) > 0 {
		o.Config = maps.Clone(o.Config)
		if o.Config == nil {
			o.Config = map[string]string{}
		}
		if given := o.Config[disabledKey]; given != "" {
			list = append(list, given)
		}
		o.Config[disabledKey] = strings.Join(list, ";")
	}
	env.Progress(session.Progress{Phase: "optimizing in ONNX Runtime"})
	made, err := r.Optimize(ctx, p.model, o)
	if err != nil {
		return explainCompiled(err)
	}
	env.Progress(session.Progress{Phase: "reading the result"})
	if err := p.take(ctx, made.Model); err != nil {
		return session.InModel(p.model, err)
	}
	p.loaded = &optimizedBy{made.Facts.LibraryVersion, made.Facts.Provider, made.Facts.Refused, reporting.OrEmpty(made.Transformers)}
	return nil
}

// explainCompiled adds what to do about an execution provider that compiles parts of the graph,
// which cannot be saved in a file.
func explainCompiled(err error) error {
	if err != nil && strings.Contains(err.Error(), "compiled nodes") {
		return fmt.Errorf("%w; this execution provider compiles parts of the graph, which no model file can hold; choose another with --ep", err)
	}
	return err
}
