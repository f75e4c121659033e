package check

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// weighed has a description of the numbers of each tensor, read in one pass.
type weighed struct {
	list []weight
	of   map[constant]tensor.Profile
}

// weight is a numeric tensor whose elements were read.
type weight struct {
	graphops.StoredTensor
	tensor.Profile
}

// weigh reads all numeric tensors once. Without Options.Weights it reads none. Tensors that
// cannot be read are reported by other rules and skipped.
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

// readableBytes returns the size of a numeric tensor, and false if its elements cannot be read.
func (s *subject) readableBytes(t *graphops.Tensor) (int64, bool) {
	if t.DType() == tensor.String || s.checkStored(t) != nil {
		return 0, false
	}
	p, err := t.Data()
	return p.Len(), err == nil
}

// checkStored counts the elements that are stored in the model file, once for each tensor. The
// error concerns the tensor, not ctx.
func (s *subject) checkStored(t *graphops.Tensor) error {
	err, ok := s.stored[t]
	if !ok {
		err = t.CheckStored(s.ctx)
		s.stored[t] = err
	}
	if s.ctx.Err() != nil {
		return nil // the check is about to end
	}
	return err
}
