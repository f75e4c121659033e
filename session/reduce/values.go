package reduce

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// maxValues limits the bytes of values that are kept for later parts.
const maxValues = 512 << 20

// values are the inner values of the sound model, with which parts are fed.
type values struct {
	on    Runner
	model *graphops.Model
	feeds graphops.Feeds
	have  map[string]graphops.Value
	bytes int64
}

// errUncut says that a model cannot be cut in some place, because a type is not known or a value
// cannot be computed.
var errUncut = errors.New("the model cannot be cut there")

// get returns values by name. If one cannot be computed, the error is errUncut.
func (v *values) get(ctx context.Context, names []string) (map[string]graphops.Value, error) {
	out := map[string]graphops.Value{}
	var missing []string
	for _, name := range names {
		if value, ok := v.feeds[name]; ok {
			out[name] = value
		} else if value, ok := v.have[name]; ok {
			out[name] = value
		} else {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	part, _, err := graphops.Prune(v.model, graphops.PruneOptions{Outputs: missing})
	if err != nil {
		return nil, errUncut
	}
	err = v.on.Run(ctx, part, fed(part, v.feeds), execution.Whole(missing...), func(g execution.Got) error {
		out[g.Name] = g.Value
		return nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, errUncut
	}
	v.keep(out, missing)
	return out, nil
}

// keep stores values. If they become too many, it drops all others.
func (v *values) keep(values map[string]graphops.Value, names []string) {
	for _, name := range names {
		n := bytesOf(values[name])
		if v.bytes += n; v.bytes > maxValues {
			v.have, v.bytes = map[string]graphops.Value{}, n
		}
		if n <= maxValues {
			v.have[name] = values[name]
		}
	}
}

func bytesOf(v graphops.Value) int64 {
	n := int64(0)
	for _, t := range v.Tensors() {
		n += int64(len(t.Data))
		for _, s := range t.Strings {
			n += int64(len(s))
		}
	}
	return n
}

// fed returns the values for the inputs that a model has.
func fed(m *graphops.Model, in graphops.Feeds) graphops.Feeds {
	out := graphops.Feeds{}
	for _, v := range m.Graph().Inputs() {
		if value, ok := in[v.Name()]; ok {
			out[v.Name()] = value
		}
	}
	return out
}
