package mixed

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/quantization"
	"lathe/session/runtime"
	"lathe/session/search"
	"lathe/session/sensitivity"
	"lathe/session/trial"
)

// tester makes the models of assignments, and compares them with the original.
type tester struct {
	*plan
	env     session.Env // without progress
	shared  quantization.Quantization
	samples int64
	how     runtime.Execution
	on      *sensitivity.Reference
	// probable are the outputs of the original that are probabilities already.
	probable map[string]bool
	labelled *accuracy.Labelled // nil if the correct classes are not known
	notes    []string
	journal  *search.Journal // nil if none is kept
	original int64           // the size of the original
	fresh    int             // how many trials were made now
	reused   int             // how many were in the journal
}

// keepRanges lets the ranges of activations be found only once. undo removes the file with them.
func (t *tester) keepRanges() (undo func(), err error) {
	if t.shared.Ranges != "" {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "lathe-ranges-")
	if err != nil {
		return nil, err
	}
	t.shared.Ranges = filepath.Join(folder, "ranges.json")
	return func() { _ = os.RemoveAll(folder) }, nil // at worst a temporary folder stays behind
}

// Try implements search.Oracle.
func (t *tester) Try(ctx context.Context, a search.Assignment) (search.Outcome, error) {
	if t.journal != nil {
		if o, ok := t.journal.Get(a); ok {
			t.reused++
			return o, nil
		}
	}
	o, err := t.measure(ctx, a)
	if err != nil {
		return o, err
	}
	t.fresh++
	if t.journal != nil {
		err = t.journal.Put(a, o)
	}
	return o, err
}

// measure makes the model of an assignment and runs it. What fails is in the outcome; the error is that
// of the context.
func (t *tester) measure(ctx context.Context, a search.Assignment) (search.Outcome, error) {
	o, err := t.tried(ctx, a)
	switch {
	case ctx.Err() != nil:
		return search.Outcome{}, ctx.Err()
	case errors.Is(err, quant.ErrNothing):
		return search.Outcome{Failed: "there is nothing to quantize if only these nodes may change"}, nil
	case err != nil:
		return search.Outcome{Failed: sensitivity.Reason(err)}, nil
	}
	return o, nil
}

func (t *tester) tried(ctx context.Context, a search.Assignment) (o search.Outcome, err error) {
	result, err := t.make(ctx, a)
	if err != nil {
		return o, err
	}
	if o.Bytes, err = sizeOf(result); err != nil {
		return o, err
	}
	files := &trial.Files{Of: t.base}
	defer files.Remove()
	if result, err = files.Runnable(ctx, t.env, result, o.Bytes); err != nil {
		return o, err
	}
	g := gaps{probable: t.probable, labelled: t.labelled}
	err = t.on.Compare(ctx, t.env, result, t.how, nil, g.add)
	o.Errors = g.each()
	if t.labelled != nil {
		g.top1.Output = t.labelled.Output()
		o.Top1 = &g.top1
	}
	return o, err
}

// make quantizes the nodes of each type.
func (t *tester) make(ctx context.Context, a search.Assignment) (*graphops.Model, error) {
	result := t.base
	for _, x := range nodeTypes {
		var nodes []string
		for i, c := range a {
			if c > 0 && t.units[i].types[c-1] == x {
				nodes = append(nodes, t.units[i].nodes...)
			}
		}
		if len(nodes) == 0 {
			continue
		}
		var err error
		if result, _, err = x.of(&t.shared, t.samples, nodes).Quantize(ctx, t.env, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// sizeOf returns the size of a model with its weights.
func sizeOf(m *graphops.Model) (int64, error) {
	return graphops.SavedSize(m, graphops.SaveOptions{Storage: graphops.StoreEmbedded})
}

// gaps adds up how far outputs are from those of the original.
type gaps struct {
	sensitivity.Damage
	probable map[string]bool
	divergence
	labelled *accuracy.Labelled
	top1     search.Top1
	cases    int
}

func (g *gaps) add(want, got []graphops.Got) error {
	if err := g.Add(want, got); err != nil {
		return err
	}
	if g.labelled != nil {
		right, err := g.labelled.Judge(g.cases, got, &g.top1.Pairs)
		if err != nil {
			return err
		}
		g.top1.Right += right
	}
	g.cases++
	for i, w := range want {
		if i < len(got) && w.Value.IsTensor() && got[i].Value.IsTensor() {
			if err := g.divergence.add(w.Name, w.Value.Tensor, got[i].Value.Tensor, g.probable[w.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *gaps) each() (out []search.OutputGap) {
	for _, c := range g.Each() {
		rel := float64(c.RelErr)
		noise := rel * rel
		if math.IsNaN(noise) {
			noise = math.Inf(1)
		}
		out = append(out, search.OutputGap{Output: c.Output, Noise: tensor.Number(noise), KL: tensor.Number(g.of(c.Output))})
	}
	return out
}
