package steps

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/inputs"
)

// feeding are the options that say what a model is run on.
type feeding struct {
	Data string
	Seed int64
	Dim  []string
}

func (f *feeding) options() []session.Option {
	return []session.Option{
		session.Path(&f.Data, "data", "run on the arrays of this .npz or .npy file or folder; without it on generated values"),
		seedOption(&f.Seed),
		dimOption(&f.Dim),
	}
}

func seedOption(p *int64) session.Option {
	return session.Int(p, "seed", "seed of the generated values", 0)
}

func dimOption(p *[]string) session.Option {
	return session.List(p, "dim", "size of a symbolic dimension: `SYMBOL=N`; repeat for several; others are 1").Naming(session.NamesSymbol, "=")
}

func (f *feeding) dims() (map[string]int64, error) {
	dims := map[string]int64{}
	for _, s := range f.Dim {
		i := strings.LastIndexByte(s, '=')
		if i <= 0 {
			return nil, session.UsageError(fmt.Sprintf("--dim %q: expected SYMBOL=N, as batch=8", s))
		}
		n, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err != nil || n < 0 {
			return nil, session.UsageError(fmt.Sprintf("--dim %q: %q is no size", s, s[i+1:]))
		}
		dims[s[:i]] = n
	}
	return dims, nil
}

// cases makes runs for a model with these inputs: those of the data, or one
// for each of some consecutive seeds.
func (f *feeding) cases(types []graphops.NamedType, seeds int) (inputs.Cases, error) {
	specs, err := inputs.Specs(types)
	if err != nil {
		return inputs.Cases{}, err
	}
	if f.Data != "" {
		arrays, err := npz.Open(f.Data, npz.Options{})
		if err != nil {
			return inputs.Cases{}, err
		}
		c, err := inputs.FromArrays(arrays, specs, inputs.CaseOptions{Source: filepath.Base(f.Data)})
		if err != nil {
			return c, fmt.Errorf("%s: %w", f.Data, err)
		}
		return c, nil
	}
	dims, err := f.dims()
	if err != nil {
		return inputs.Cases{}, err
	}
	var out inputs.Cases
	for i := range seeds {
		seed := f.Seed + int64(i)
		feeds, notes, err := inputs.Generate(specs, inputs.Options{Seed: uint64(seed), Dims: dims})
		if err != nil {
			return out, err
		}
		out.Cases = append(out.Cases, inputs.Case{Name: fmt.Sprintf("seed %d", seed), Feeds: feeds})
		out.Notes = notes
	}
	return out, nil
}
