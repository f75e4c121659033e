//go:build cgo

package worker_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

var update = flag.Bool("update", false, "write what conformance models are refused for into testdata")

// random are operators whose results are compared by type and shape.
var random = []string{"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"}

// deviations are models whose expected results ONNX Runtime 1.30.0 does not give;
// through its Python interface it gives the same ones as here.
var deviations = map[string]string{
	"test_cast_FLOAT_to_BFLOAT16":                        "the suite cuts off, the runtime rounds",
	"test_cast_FLOAT_to_STRING":                          "other digits of the same numbers",
	"test_castlike_FLOAT_to_STRING":                      "other digits of the same numbers",
	"test_castlike_FLOAT_to_STRING_expanded":             "other digits of the same numbers",
	"test_dft":                                           "rounding near zero",
	"test_dft_axis":                                      "rounding near zero",
	"test_dft_inverse":                                   "rounding near zero",
	"test_stft":                                          "rounding near zero",
	"test_stft_with_window":                              "rounding near zero",
	"test_maxunpool_export_with_output_shape":            "indices are read in the output's shape",
	"test_resize_downsample_scales_cubic_align_corners":  "coordinates of an output that is cut off",
	"test_resize_downsample_scales_linear_align_corners": "coordinates of an output that is cut off",
	"test_training_dropout":                              "drops at random",
	"test_training_dropout_default":                      "drops at random",
	"test_training_dropout_default_mask":                 "drops at random",
	"test_training_dropout_mask":                         "drops at random",
}

// refusals lists the conformance models that the runtime does not run, one line
// each: the model and the runtime's reason.
const refusals = "testdata/conformance.txt"

// TestConformance runs every model of ONNX's own suite on its data and wants the
// results that come with it. What is not run must be refused by the runtime, for
// the reason that is written down: no operator or kernel, and never because of a
// type or rank that does not get through Lathe.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	models := reference.Debian.Models(t)
	r := &conformer{t: t, options: workertest.Options(t)}
	defer r.end()
	var refused []string
	ran, deviated := 0, 0
	for _, path := range models {
		sets, err := filepath.Glob(filepath.Join(filepath.Dir(path), "test_data_set_*"))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path))
		for _, set := range sets {
			err := r.try(path, set)
			var fault *ort.Error
			switch {
			case errors.As(err, &fault):
				refused = append(refused, name+": "+reasonOf(fault))
			case err != nil && deviations[name] != "":
				deviated++
			case err != nil:
				t.Errorf("%s: %v", name, err)
			default:
				ran++
			}
		}
	}
	if ran < 900 {
		t.Errorf("%d cases ran", ran)
	}
	t.Logf("%d cases ran and gave what is expected, %d something else that is known, the runtime refused %d", ran, deviated, len(refused))
	if strings.HasPrefix(r.version, "1.30.") {
		checkRefusals(t, refused) // other releases refuse other models
	}
}

func checkRefusals(t *testing.T, refused []string) {
	got := strings.Join(refused, "\n") + "\n"
	if *update {
		if err := os.WriteFile(refusals, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(refusals)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	// What another build or machine can do beyond this is welcome: strings in other
	// locales, say.
	known := strings.Split(string(want), "\n")
	for _, line := range refused {
		if !slices.Contains(known, line) {
			t.Errorf("not known to be refused: %s", line)
		}
	}
}

// reasonOf is the runtime's reason without paths and source lines, which differ
// from machine to machine and from build to build.
func reasonOf(fault *ort.Error) string {
	text := strings.Join(strings.Fields(fault.Message), " ")
	if _, rest, ok := strings.Cut(text, ".onnx failed:"); ok {
		text = rest
	}
	return strings.TrimSpace(sourceLine.ReplaceAllString(text, ""))
}

// sourceLine is where in the runtime something went wrong, with the function.
var sourceLine = regexp.MustCompile(`/\S*onnxruntime_src/\S+ [^)]*\)(?:::\S+)? `)

// conformer runs models on a worker, and on a new one after a crash.
type conformer struct {
	t       *testing.T
	options ort.Options
	client  *ort.Client
	version string // of the library
}

func (r *conformer) end() {
	if r.client != nil {
		_ = r.client.Close()
	}
}

func (r *conformer) try(path, set string) error {
	if r.client == nil {
		client, err := ort.Start(r.t.Context(), r.options)
		if err != nil {
			r.t.Fatal(err)
		}
		r.client, r.version = client, client.Info().LibraryVersion
	}
	err := r.run(r.t.Context(), path, set)
	var crash *ort.CrashError
	if errors.As(err, &crash) {
		r.end()
		r.client = nil
	}
	return err
}

func (r *conformer) run(ctx context.Context, path, set string) error {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	feeds, err := readValues(set, "input", m.Graph().Inputs())
	if err != nil {
		return err
	}
	want, err := readValues(set, "output", m.Graph().Outputs())
	if err != nil {
		return err
	}
	session, err := r.client.Load(ctx, ort.Model{Path: path}, ort.SessionOptions{IntraThreads: 1})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	exact := true
	for n := range m.AllNodes() {
		exact = exact && !slices.Contains(random, n.OpType())
	}
	var wrong []error
	err = session.Run(ctx, feeds, nil, func(g execution.Got) error {
		if w, ok := want[g.Name]; ok {
			wrong = append(wrong, compareValues(g.Name, w, g.Value, exact))
		} else {
			wrong = append(wrong, fmt.Errorf("output %q is not expected", g.Name))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(wrong) != len(want) {
		return fmt.Errorf("%d outputs, %d are expected", len(wrong), len(want))
	}
	return errors.Join(wrong...)
}

// readValues reads the numbered files of a set, which belong to the ports in
// order.
func readValues(set, kind string, ports []*graphops.ValueInfo) (graphops.Feeds, error) {
	values := graphops.Feeds{}
	for i, port := range ports {
		path := filepath.Join(set, fmt.Sprintf("%s_%d.pb", kind, i))
		if _, err := os.Stat(path); err != nil {
			continue // an input with a default
		}
		v, _, err := graphops.ReadData(path, port.Type())
		if err != nil {
			return nil, err
		}
		// This suite was written when bfloat16 was kept as its bits.
		if port.Type().Elem == tensor.BF16 && v.Tensor.DType == tensor.U16 {
			v.Tensor.DType = tensor.BF16
			v = graphops.TensorValue(v.Tensor)
		}
		values[port.Name()] = v
	}
	return values, nil
}

// compareValues wants what ONNX's own runner of these tests wants.
func compareValues(name string, want, got graphops.Value, exact bool) error {
	parts := map[string]tensor.Tensor{}
	for at, t := range got.Tensors() {
		parts[at] = t
	}
	count := 0
	for at, w := range want.Tensors() {
		count++
		g, ok := parts[at]
		if !ok || g.DType != w.DType || !slices.Equal(g.Shape, w.Shape) {
			return fmt.Errorf("%s%s: got %s %s, want %s %s", name, at, g.DType, tensor.FormatShape(g.Shape), w.DType, tensor.FormatShape(w.Shape))
		}
		if !exact {
			continue
		}
		m, err := tensor.Compare(w, g, tensor.Tolerance{RTol: 1e-3, ATol: 1e-7})
		if err != nil {
			return fmt.Errorf("%s%s: %w", name, at, err)
		}
		if m.Mismatched > 0 {
			return fmt.Errorf("%s%s: %d of %d elements differ, by up to %g", name, at, m.Mismatched, m.Total, m.MaxAbs)
		}
	}
	if count != len(parts) {
		return fmt.Errorf("%s: %d parts, want %d", name, len(parts), count)
	}
	return nil
}
