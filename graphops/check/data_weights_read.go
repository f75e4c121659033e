package check

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// weighed is what the numbers of all tensors are, read in one pass.
type weighed struct {
	list []weight
	of   map[constant]tensor.Profile
}

// weight is a tensor of numbers whose elements were read.
type weight struct {
	graphops.StoredTensor
	tensor.Profile
}

// weigh reads all tensors of numbers once; without Options.Weights it reads none.
// What cannot be read is a problem of its own and left out.
func (s *subject) weigh() weighed {
	w := weighed{of: map[constant]tensor.Profile{}}
	if !s.Weights {
		return w
	}
	var readable []graphops.StoredTensor
	total := int64(0)
	for _, t := range s.tensors() {
		if size, ok := s.readableBytes(t.Tensor); ok {
			readable = append(readable, t)
			total += size
		}
	}
	done := int64(0)
	for _, t := range readable {
		p, err := weights.Profile(s.ctx, t.Tensor, func(read, _ int64) {
			if s.Progress != nil {
				s.Progress(done+read, total)
			}
		})
		if err != nil {
			s.err = err
			return w
		}
		size, _ := s.readableBytes(t.Tensor)
		done += size
		w.list = append(w.list, weight{t, p})
		if name := storedValue(t); name != "" {
			w.of[constant{t.Place, name}] = p
		}
	}
	return w
}

// readableBytes is the size of a tensor of numbers, false for one whose elements
// cannot be read as such.
func (s *subject) readableBytes(t *graphops.Tensor) (int64, bool) {
	if t.DType() == tensor.String || s.checkStored(t) != nil {
		return 0, false
	}
	p, err := t.Data()
	return p.Len(), err == nil
}

// checkStored counts the elements that are stored in the model file, once for each
// tensor; an error is of the tensor, not of ctx.
func (s *subject) checkStored(t *graphops.Tensor) error {
	err, ok := s.stored[t]
	if !ok {
		err = t.CheckStored(s.ctx)
		s.stored[t] = err
	}
	if s.ctx.Err() != nil {
		return nil // whoever asked is about to end
	}
	return err
}
