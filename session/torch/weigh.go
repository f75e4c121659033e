package torch

import (
	"context"
	"path/filepath"

	"lathe/graphops"
)

// weight is where the elements of a parameter are stored.
type weight struct {
	Leaf
	Offset int64 `json:"offset"`
}

// Weigh gives a model that was opened with Fake the elements of its parameters, by name. Elements
// in a file are mapped and never read as a whole. missing are the parameters without elements.
func (b *Bridge) Weigh(ctx context.Context, weights []*graphops.Tensor) (missing []string, err error) {
	q := struct {
		Do      string   `json:"do"`
		Weights []weight `json:"weights"`
	}{"weigh", []weight{}}
	small := graphops.Feeds{}
	for _, t := range weights {
		data, err := t.Data()
		if err != nil {
			return nil, err
		}
		file, offset, stored := data.Location()
		if !stored {
			read, err := t.Read()
			if err != nil {
				return nil, err
			}
			small[t.Name()] = graphops.TensorValue(read)
			continue
		}
		if file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		q.Weights = append(q.Weights, weight{Leaf{t.Name(), t.DType().String(), append([]int64{}, t.Dims()...), file}, offset})
	}
	written, err := b.write(ctx, small, "weights")
	if err != nil {
		return nil, err
	}
	for _, l := range written {
		q.Weights = append(q.Weights, weight{Leaf: l})
	}
	var got struct {
		Missing []string `json:"missing"`
	}
	err = b.ask(ctx, q, &got)
	return got.Missing, err
}
