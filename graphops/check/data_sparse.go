package check

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var sparseRule = rule{
	code: "sparse-tensor", severity: Error,
	title: "the values, indices and shape of a sparse tensor do not match",
	hint:  "write the tensor again with the tool that made it, or as a dense tensor",
	about: `A SparseTensorProto consists of the values that are not zero, as a tensor of rank 1; their indices,
of type INT64; and the shape of the dense tensor. There is one index for each value: its position in
the flattened tensor, or one row of coordinates. Indices must be within the shape, in ascending
order, and unique.

ONNX Runtime expands sparse tensors while it loads a model. It rejects indices outside the shape and
a number of indices that differs from the number of values, even if no node reads the tensor. It
accepts indices that are not in order, that occur twice (the last one counts), or that are of type
INT32. The checker of the onnx package rejects these, so they are warnings.`,
	place: sparseTensors,
}

func sparseTensors(s *subject, p *graphops.Place, report reporter) {
	for _, t := range p.Graph.SparseInitializers() {
		if t.Name() == "" {
			continue // nothing reads it, and it is reported by another rule
		}
		if severity, err := s.sparse(t); err != nil {
			found := in(p, "sparse initializer %q: %s", t.Name(), err)
			found.Severity, found.Value = severity, t.Name()
			report(found)
		}
	}
	for i, n := range p.Graph.Nodes() {
		if !mayHoldSparse(n) {
			continue
		}
		for _, a := range n.Attributes() {
			t := a.Sparse()
			if t == nil {
				continue
			}
			if severity, err := s.sparse(t); err != nil {
				found := of(site{n, p, i}, "the sparse tensor of attribute %q: %s", a.Name(), err)
				found.Severity = severity
				report(found)
			}
		}
	}
}

// Field numbers of NodeProto and AttributeProto.
const (
	nodeAttribute         = 5
	attributeSparseTensor = 22
)

// mayHoldSparse reports whether a node may have a sparse tensor in an attribute. It examines the
// encoded message, because decoding attributes is slow. For nodes whose attributes are already
// decoded it returns true.
func mayHoldSparse(n *graphops.Node) bool {
	decoded := true
	for a := range n.Head().Messages(nodeAttribute) {
		decoded = false
		for f := range a.Fields() {
			if f.Number == attributeSparseTensor {
				return true
			}
		}
	}
	return decoded
}

// sparse returns an error that describes what is wrong with a sparse tensor, and the severity of
// the problem.
func (s *subject) sparse(t *graphops.SparseTensor) (Severity, error) {
	values, indices, dims := t.Values(), t.Indices(), t.Dims()
	switch {
	case values == nil:
		return Error, errors.New("it has no values")
	case len(dims) == 0:
		return Error, errors.New("it has no shape")
	case slices.ContainsFunc(dims, func(d int64) bool { return d < 0 }):
		return Error, fmt.Errorf("its shape %s has a negative size", tensor.FormatShape(dims))
	case len(values.Dims()) != 1:
		return Error, fmt.Errorf("its values have shape %s, expected rank 1", tensor.FormatShape(values.Dims()))
	}
	size, err := tensor.Elements(dims)
	if err != nil {
		return Error, err
	}
	n := values.Dims()[0]
	if indices == nil {
		if n == 0 {
			return 0, nil
		}
		return Error, fmt.Errorf("it has %d values and no indices", n)
	}
	width, err := indexWidth(indices.Dims(), n, len(dims))
	if err != nil {
		return Error, err
	}
	if s.checkStored(indices) != nil || indices.IsExternal() && !s.Weights {
		return 0, nil
	}
	if width == 1 && len(indices.Dims()) == 1 {
		dims = []int64{size}
	}
	return s.indices(indices, dims)
}

// indexWidth returns the number of indices for each value.
func indexWidth(dims []int64, values int64, rank int) (int, error) {
	switch {
	case len(dims) == 1 && dims[0] == values:
		return 1, nil
	case len(dims) == 2 && dims[0] == values && dims[1] == int64(rank):
		return rank, nil
	}
	return 0, fmt.Errorf("its indices have shape %s, expected %s or %s", tensor.FormatShape(dims),
		tensor.FormatShape([]int64{values}), tensor.FormatShape([]int64{values, int64(rank)}))
}

// indices checks that the indices of a sparse tensor are in range, in ascending order and unique.
func (s *subject) indices(t *graphops.Tensor, dims []int64) (Severity, error) {
	if k := t.DType().Kind(); k != tensor.KindSigned {
		return Error, fmt.Errorf("its indices are of type %s, expected i64", t.DType())
	}
	odd := error(nil) // the first problem that only violates the standard
	if t.DType() != tensor.I64 {
		odd = fmt.Errorf("its indices are of type %s, expected i64", t.DType())
	}
	last, row := make([]int64, len(dims)), make([]int64, 0, len(dims))
	count := 0
	err := s.eachInt(t, func(x int64) error {
		at := len(row)
		if x < 0 || x >= dims[at] {
			return fmt.Errorf("index %d of value %d is out of range, expected one from 0 to %d", x, count, dims[at]-1)
		}
		if row = append(row, x); len(row) < len(dims) {
			return nil
		}
		if odd == nil && count > 0 && slices.Compare(row, last) <= 0 {
			odd = fmt.Errorf("the index of value %d does not come after the one before it: indices must ascend and be unique", count)
		}
		copy(last, row)
		row = row[:0]
		count++
		return nil
	})
	if err != nil {
		return Error, err
	}
	return Warning, odd
}

// eachInt calls f with the numbers of an integer tensor in order.
func (s *subject) eachInt(t *graphops.Tensor, f func(int64) error) error {
	n, err := t.Elements()
	if err != nil {
		return err
	}
	p, err := t.Data()
	if err != nil {
		return err
	}
	r, err := tensor.NewReader(p.Reader(), t.DType(), n)
	if err != nil {
		return err
	}
	for s.ctx.Err() == nil {
		list, err := r.Int64s()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, x := range list {
			if err := f(x); err != nil {
				return err
			}
		}
	}
	return nil
}
