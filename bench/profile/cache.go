package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops/durable"
)

// PeakKey is what a stored peak was measured with. It applies only to the same machine, library,
// provider, options and number of threads.
type PeakKey struct {
	// Machine identifies the machine. The caller chooses the text.
	Machine  string `json:"machine"`
	Runtime  string `json:"runtime"` // its version
	Provider string `json:"provider"`
	Options  string `json:"options,omitempty"` // of the provider
	Threads  int64  `json:"threads"`           // 0 means the runtime's own choice
}

// stored is the content of the file in which a peak is stored.
type stored struct {
	Schema string `json:"schema"`
	PeakKey
	Peak
}

const peakSchema = "lathe.peak/1"

// maxPeakFile is the largest number of bytes that are read of a peak's file.
const maxPeakFile = 1 << 16

// peakPath returns the path of a peak's file in folder.
func peakPath(folder string, k PeakKey) string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // cannot fail: strings and a number
	}
	sum := sha256.Sum256(text)
	return filepath.Join(folder, hex.EncodeToString(sum[:8])+".json")
}

// LoadPeak returns the peak that StorePeak stored for k in folder. It returns an empty peak if
// there is none or the file is not valid.
func LoadPeak(folder string, k PeakKey) *Peak {
	none := &Peak{GFLOPS: map[string]float64{}}
	if folder == "" {
		return none
	}
	f, err := os.Open(peakPath(folder, k))
	if err != nil {
		return none
	}
	defer func() { _ = f.Close() }() // opened for reading only
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

// StorePeak stores a peak. The file is replaced in one step, so it is never incomplete.
func StorePeak(ctx context.Context, folder string, k PeakKey, p *Peak) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	kept := *p
	kept.Cached = false
	return durable.WriteFile(ctx, peakPath(folder, k), durable.Options{Overwrite: true}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(stored{peakSchema, k, kept})
	})
}
