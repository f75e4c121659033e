package flags

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/inputs"
)

// TestFeedingPicture checks that the options of images are applied.
func TestFeedingPicture(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 255})
	path := filepath.Join(t.TempDir(), "dot.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m := graphtest.Model(t, "input x=1 f32[1,3,h,w]\ny = Relu(x=1)")
	var feed Feeding
	for name, v := range map[string]string{"input": "x=1=" + path, "scale": "2", "mean": "1,2, 3", "std": "2", "channels": "bgr", "layout": "nchw"} {
		for _, o := range feed.Options() {
			if o.Name == name {
				if err := o.Set(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	cases, err := feed.cases(m, graphops.NamedTypes(m.Graph().FeedInputs()), 1)
	if err != nil {
		t.Fatal(err)
	}
	c := cases.Cases[0]
	values, err := c.Feeds["x=1"].Tensor.Float64s()
	if diff := cmp.Diff([]float64{29.5, 19, 8.5}, values); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if want := "dot.png 1×1, BGR, ×2, mean [1 2 3], std [2], NCHW"; c.Fed[0].What != want {
		t.Errorf("got %q, want %q", c.Fed[0].What, want)
	}
	var usage session.UsageError
	if err := feed.RefuseArrays("out.onnx"); !errors.As(err, &usage) {
		t.Errorf("arrays as out.onnx: %v", err)
	}
	if err := feed.RefuseArrays("out"); err != nil {
		t.Errorf("arrays as out: %v", err)
	}
	if err := feed.RefuseTarget(path); err == nil {
		t.Error("the image may be written over")
	}
	if err := feed.RefuseTarget(filepath.Join(filepath.Dir(path), "new.npz")); err != nil {
		t.Error(err)
	}
}

// TestInputLimit checks the option that limits generated inputs.
func TestInputLimit(t *testing.T) {
	m := graphtest.Model(t, "input x f32[100]\ny = Relu(x)")
	types := graphops.NamedTypes(m.Graph().Inputs())
	for limit, fits := range map[string]bool{"399": false, "400": true, "1G": true} {
		var f Feeding
		for _, o := range f.Options() {
			if o.Name == "input-limit" {
				if err := o.Set(limit); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := f.cases(m, types, 1); (err == nil) != fits {
			t.Errorf("--input-limit %s: %v", limit, err)
		}
	}
}

func TestFeedingUsage(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\ny = Relu(x)")
	for text, f := range map[string]Feeding{
		`--dim "batch": expected SYMBOL=N`:               {Dim: []string{"batch"}},
		`--dim "batch=-1": "-1" is not a size`:           {Dim: []string{"batch=-1"}},
		`--dim "n=5": the size of "n" is given twice`:    {Dim: []string{"n=4", "n=5"}},
		`--std "1;2": "1;2" is not a number`:             {Std: "1;2"},
		`--mean: has an effect only with an image`:       {Mean: "0.5", Input: []string{"x=zeros"}},
		`--std: has an effect only with an image`:        {Std: "0.5", Data: "png.npz"},
		`--scale: has an effect only with an image`:      {Scale: 2},
		`--layout: has an effect only with an image`:     {Layout: "nchw"},
		`--crop: has an effect only with an image`:       {Crop: 0.5},
		`--crop 1.5: expected a fraction above 0 and at`: {Crop: 1.5},
		`--channels: has an effect only with an image`:   {Channels: "bgr"},
		`--fill: "uniform(1)": uniform takes 2 numbers`:  {Fill: "uniform(1)"},
	} {
		_, err := f.cases(m, graphops.NamedTypes(m.Graph().Inputs()), 1)
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
		var usage session.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%v is not a usage error", err)
		}
	}
}

// cases returns the cases for a model with these inputs: those of the data, or one for each of some
// consecutive seeds.
func (f *Feeding) cases(m *graphops.Model, types []graphops.NamedType, seeds int) (inputs.Cases, error) {
	r, err := f.Request(m, seeds, 0)
	if err != nil {
		return inputs.Cases{}, err
	}
	cases, err := inputs.Prepare(types, r)
	return cases, InputError(m, err)
}
