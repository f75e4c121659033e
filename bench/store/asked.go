package store

import "lathe/graphops"

// Asked is the model whose stored results are asked for.
type Asked struct {
	// WeightBytes is that of its digest. Models with other weights are recognized by it, so that Digest
	// is only called if there may be a result.
	WeightBytes int64
	// Digest computes the digest of the model, which reads its weights.
	Digest func() (graphops.Digest, error)
}

// identified is the asked model with its digest, which is computed at most once.
type identified struct {
	Asked
	model *Model // nil until it is needed
	fault error  // why there is no digest
}

// is reports whether a stored model has the content of the asked one.
func (d *identified) is(m Model) bool { return m.WeightBytes == d.WeightBytes && d.has(m.Digest) }

// isOrigin reports whether a stored model was made from the asked one.
func (d *identified) isOrigin(m Model) bool { return m.Origin != nil && d.has(m.Origin.Digest) }

func (d *identified) has(sum graphops.Digest) bool {
	if sum.Structure == "" && sum.Content == "" || d.fault != nil {
		return false
	}
	if d.model == nil {
		sum, err := d.Digest()
		if err != nil {
			d.fault = err
			return false
		}
		d.model = &Model{Digest: sum}
	}
	return d.model.Same(Model{Digest: sum})
}
