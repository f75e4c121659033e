package torch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"lathe/graphops"
)

// Timing says on which inputs and how the model is run while it is measured.
type Timing struct {
	// Inputs are the arguments by path; missing ones are those of the example.
	Inputs   graphops.Feeds
	Device   string // PyTorch's name: cpu, cuda, cuda:1
	Threads  int    // within one operator; 0 leaves it to PyTorch
	Compiled bool   // with torch.compile
}

// Bound are facts that are known after a model was prepared to be measured.
type Bound struct {
	First   time.Duration // time of the first run, which compiles
	Threads int
	Device  string // its name; empty for the host
}

type bindQuestion struct {
	Do       string `json:"do"`
	Feeds    []Leaf `json:"feeds"`
	Device   string `json:"device"`
	Threads  int    `json:"threads"`
	Compiled bool   `json:"compiled"`
}

// Bind prepares the model for Block, and runs it once.
func (b *Bridge) Bind(ctx context.Context, t Timing) (Bound, error) {
	feeds, err := b.write(ctx, t.Inputs, "timed")
	// it is in the system's folder for temporary files
	defer func() { _ = os.RemoveAll(filepath.Join(b.of.TempDir, "timed")) }()
	if err != nil {
		return Bound{}, err
	}
	var got struct {
		First   int64  `json:"first_ns"`
		Threads int    `json:"threads"`
		Device  string `json:"device"`
	}
	err = b.ask(ctx, bindQuestion{"bind", feeds, t.Device, t.Threads, t.Compiled}, &got)
	return Bound{time.Duration(got.First), got.Threads, got.Device}, err
}

type blockQuestion struct {
	Do   string `json:"do"`
	Runs int    `json:"runs"`
	NS   int64  `json:"ns"`
}

// Block runs the bound model until either limit is reached, at least once. It returns the time of
// every run, measured in the child and until the device is done.
func (b *Bridge) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	var got struct {
		Times []int64 `json:"times_ns"`
	}
	if err := b.ask(ctx, blockQuestion{"block", runs, d.Nanoseconds()}, &got); err != nil {
		return nil, err
	}
	if len(got.Times) == 0 || len(got.Times) > runs {
		return nil, errors.New("the bridge to PyTorch: the number of runs differs from the requested one")
	}
	out := make([]time.Duration, len(got.Times))
	for i, t := range got.Times {
		if t < 0 {
			return nil, fmt.Errorf("the bridge to PyTorch: a run of %d ns", t)
		}
		out[i] = time.Duration(t)
	}
	return out, nil
}

// Used returns the processor time of the child so far.
func (b *Bridge) Used(ctx context.Context) (time.Duration, error) {
	var got struct {
		Seconds float64 `json:"seconds"`
	}
	err := b.ask(ctx, runQuestion{Do: "used"}, &got)
	return time.Duration(got.Seconds * float64(time.Second)), err
}
