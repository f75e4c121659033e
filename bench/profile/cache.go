package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops"
)

// PeakKey is what a peak belongs to.
type PeakKey struct {
	// Machine tells machines apart, in the caller's words.
	Machine  string `json:"machine"`
	Runtime  string `json:"runtime"` // its version
	Provider string `json:"provider"`
	Options  string `json:"options,omitempty"` // of the provider
	Threads  int64  `json:"threads"`           // 0 for the runtime's own choice
}

// stored is the file of a peak.
type stored struct {
	Schema string `json:"schema"`
	PeakKey
	Peak
}

const peakSchema = "lathe.peak/1"

// maxPeakFile bounds what is read of a file that holds a peak.
const maxPeakFile = 1 << 16

// PeakPath is the file in a folder that keeps a peak.
func PeakPath(folder string, k PeakKey) string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings and a number
	}
	sum := sha256.Sum256(text)
	return filepath.Join(folder, hex.EncodeToString(sum[:8])+".json")
}

// LoadPeak is a peak that was kept; an empty one where there is none, or none that makes
// sense.
func LoadPeak(folder string, k PeakKey) *Peak {
	none := &Peak{GFLOPS: map[string]float64{}}
	if folder == "" {
		return none
	}
	f, err := os.Open(PeakPath(folder, k))
	if err != nil {
		return none
	}
	defer func() { _ = f.Close() }() // it was only read
	var s stored
	data, err := io.ReadAll(io.LimitReader(f, maxPeakFile))
	if err != nil || json.Unmarshal(data, &s) != nil || s.Schema != peakSchema || s.PeakKey != k || s.GBPS < 0 {
		return none
	}
	for elem, rate := range s.GFLOPS {
		if rate <= 0 {
			delete(s.GFLOPS, elem)
		}
	}
	if s.GFLOPS == nil {
		s.GFLOPS = none.GFLOPS
	}
	s.Peak.Cached = true
	return &s.Peak
}

// StorePeak keeps a peak. What is kept is complete at any time.
func StorePeak(ctx context.Context, folder string, k PeakKey, p *Peak) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	kept := *p
	kept.Cached = false
	return graphops.WriteFile(ctx, PeakPath(folder, k), graphops.WriteOptions{Overwrite: true}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(stored{peakSchema, k, kept})
	})
}
