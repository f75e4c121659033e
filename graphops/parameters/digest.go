package parameters

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"lathe/graphops"
)

// Digest computes a digest of the files of a set. Like graphops.DigestOf, it covers all bytes of
// small files and samples of large ones.
func (s *Set) Digest(ctx context.Context) (graphops.Digest, error) {
	if s.model != nil {
		return graphops.DigestOf(ctx, s.model)
	}
	d := graphops.Digest{Covers: graphops.CoversAll, WeightBytes: s.Bytes()}
	if d.WeightBytes > graphops.DigestWholeBytes {
		d.Covers = graphops.CoversSamples
	}
	h := sha256.New()
	for _, f := range s.Files {
		whole, err := f.Range(0, f.Size())
		if err != nil {
			return d, err
		}
		if err := whole.SumUp(ctx, h, d.Covers == graphops.CoversAll); err != nil {
			return d, err
		}
	}
	d.Content = hex.EncodeToString(h.Sum(nil))
	return d, s.Unchanged()
}
