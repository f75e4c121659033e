package parameters_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/parameters"
	. "lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
)

// ramp are n bytes that tell their place.
func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

// full has everything that a checkpoint can hold.
func full() Checkpoint {
	w := Tensor{Name: "fc.weight", DType: tensor.F32, Dims: []int64{3, 4}, Data: ramp(48)}
	b := Tensor{Name: "fc.bias", DType: tensor.F16, Dims: []int64{3}, Data: ramp(6)}
	momentum := func(name string, n int64) Tensor {
		return Tensor{Name: name, DType: tensor.F32, Dims: []int64{n}, Data: ramp(int(4 * n))}
	}
	return Checkpoint{
		Trainable: []Tensor{w, b},
		Frozen: []Tensor{
			{Name: "bn.count", DType: tensor.I64, Data: ramp(8)},
			{Name: "empty", DType: tensor.F32, Dims: []int64{0, 3}},
			{Name: "words", DType: tensor.String, Dims: []int64{2}, Strings: []string{"a", "bü"}},
		},
		Groups: []Group{
			{Name: "group0", Step: 7, Rate: 0.001, States: []State{
				{Parameter: "fc.weight", Momenta: []Tensor{momentum("momentum0", 12), momentum("momentum1", 12)}},
				{Parameter: "fc.bias", Momenta: []Tensor{momentum("momentum0", 3), momentum("momentum1", 3)}},
			}},
			{Name: "sgd", Rate: 0.5, States: []State{{Parameter: "fc.weight", Momenta: []Tensor{momentum("momentum0", 12)}}}},
		},
		Ints: map[string]int64{"epoch": 3, "best": -1}, Floats: map[string]float32{"loss": 0.25}, Texts: map[string]string{"note": "läuft"},
	}
}

// put writes files into a folder and gives the path of the first.
func put(t testing.TB, files ...any) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		var b []byte
		switch v := files[i+1].(type) {
		case string:
			b = []byte(v)
		case []byte:
			b = v
		}
		path := filepath.Join(dir, files[i].(string))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0].(string))
}

func open(t testing.TB, path string) *parameters.Set {
	t.Helper()
	s, err := parameters.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// elements are those of an entry, as a model holds them.
func elements(t testing.TB, e parameters.Entry) string {
	t.Helper()
	x, err := e.Tensor()
	if err != nil {
		t.Fatal(err)
	}
	if x.DType() == tensor.String {
		words, err := x.Strings()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(words, ",")
	}
	p, err := x.Data()
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sameTensors compares entries with what was written.
func sameTensors(t *testing.T, got []parameters.Entry, want []Tensor, group func(i int) parameters.Group) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d tensors, want %d", len(got), len(want))
	}
	for i, w := range want {
		e := got[i]
		data := string(w.Data)
		if w.DType == tensor.String {
			data = strings.Join(w.Strings, ",")
		}
		if e.Name != w.Name || e.DType != w.DType || !cmp.Equal(e.Dims, append([]int64{}, w.Dims...)) || elements(t, e) != data || e.Group != group(i) {
			t.Errorf("tensor %d: %+v %q, want %+v", i, e, elements(t, e), w)
		}
	}
}

// TestCheckpoint reads everything that a checkpoint can hold, of both versions, with its
// elements inside and beside it.
func TestCheckpoint(t *testing.T) {
	for name, change := range map[string]func(*Checkpoint){
		"as it is":  func(*Checkpoint) {},
		"version 1": func(c *Checkpoint) { c.Version = 1 },
		"external": func(c *Checkpoint) {
			c.Trainable[0].External, c.Frozen[0].External = true, true
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := full()
			change(&c)
			file, data := c.Write()
			files := []any{"ck", file}
			if data != nil {
				files = append(files, "ck.data", data)
			}
			s := open(t, put(t, files...))
			sameTensors(t, s.Entries, append(c.Trainable, c.Frozen...), func(i int) parameters.Group {
				if i < len(c.Trainable) {
					return parameters.Trainable
				}
				return parameters.Frozen
			})
			tr := s.Training
			if want := max(c.Version, 1); tr.Version < want || tr.Nominal || tr.External != (data != nil) {
				t.Errorf("%+v", tr)
			}
			for i, g := range c.Groups {
				got := tr.Groups[i]
				if got.Name != g.Name || got.Step != g.Step || got.LearningRate != g.Rate || len(got.States) != len(g.States) {
					t.Fatalf("group %+v, want %+v", got, g)
				}
				for j, st := range g.States {
					if got.States[j].Parameter != st.Parameter {
						t.Errorf("state of %q, want %q", got.States[j].Parameter, st.Parameter)
					}
					sameTensors(t, got.States[j].Tensors, st.Momenta, func(int) parameters.Group { return parameters.Unknown })
				}
			}
			want := []parameters.Property{{Name: "best", Value: int64(-1)}, {Name: "epoch", Value: int64(3)}, {Name: "loss", Value: float32(0.25)}, {Name: "note", Value: "läuft"}}
			if d := cmp.Diff(want, tr.Properties); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRealCheckpoint reads checkpoints that ONNX Runtime has written: one of testdata, and one of its
// own tests if that is there.
func TestRealCheckpoint(t *testing.T) {
	for _, c := range []struct {
		file, nominal string
		want          []string
	}{
		{
			"../../testdata/checkpoint/checkpoint.ckpt", "../../testdata/checkpoint/nominal.ckpt",
			[]string{"fc1.weight f32 6×8 trainable", "fc1.bias f32 6 trainable", "fc2.weight f32 3×6 trainable", "fc2.bias f32 3 trainable"},
		},
		{
			"../../../shared/models/training_api/checkpoint.ckpt", "../../../shared/models/training_api/nominal_checkpoint",
			[]string{"fc1.bias f32 500 trainable", "fc1.weight f32 500×784 trainable", "fc2.bias f32 10 trainable", "fc2.weight f32 10×500 trainable"},
		},
	} {
		t.Run(filepath.Base(filepath.Dir(c.file)), func(t *testing.T) {
			if _, err := os.Stat(c.file); errors.Is(err, fs.ErrNotExist) && strings.Contains(c.file, "shared") {
				t.Skip("the checkpoint of ONNX Runtime's tests is not here")
			}
			var got []string
			for _, e := range open(t, c.file).Entries {
				got = append(got, e.Name+" "+e.DType.String()+" "+tensor.FormatShape(e.Dims)+" "+string(e.Group))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			s := open(t, c.nominal)
			if _, err := s.Entries[0].Tensor(); !s.Training.Nominal || len(s.Entries) != 4 || err == nil || !strings.Contains(err.Error(), "load the parameters into it") {
				t.Errorf("nominal: %v, %+v", err, s.Training)
			}
		})
	}
}

// TestPropertiesAlone reads checkpoints without parameters.
func TestPropertiesAlone(t *testing.T) {
	s := open(t, put(t, "ck", FlatBuffer("ODTC", Table{0: int32(2)})))
	if len(s.Entries) != 0 || s.Training.Version != 2 {
		t.Errorf("%+v", s)
	}
}

// hostileCheckpoints are roots that are no checkpoint's, and what is said of each.
func hostileCheckpoints() map[string]struct {
	root Table
	want string
} {
	type row = struct {
		root Table
		want string
	}
	module := func(trainable any) Table { return Table{0: int32(2), 1: Table{0: trainable, 1: []Table{}}} }
	one := func(change func(Table)) Table {
		c := Checkpoint{Trainable: []Tensor{{Name: "w", DType: tensor.F32, Dims: []int64{2}, Data: ramp(8)}}}
		root, _ := c.Table()
		change(root[1].(Table)[0].([]Table)[0])
		return root
	}
	shared := &Shared{Value: Table{0: "w", 2: []int64{2}, 3: int32(1), 4: ramp(8)}}
	copies := make([]any, 1000)
	for i := range copies {
		copies[i] = shared
	}
	states := make([]any, 1000)
	for i := range states {
		states[i] = shared
	}
	twice, _ := Checkpoint{Trainable: []Tensor{{Name: "w", DType: tensor.F32, Data: ramp(4)}}, Frozen: []Tensor{{Name: "w", DType: tensor.F32, Data: ramp(4)}}}.Table()
	groups, _ := Checkpoint{Groups: []Group{{Name: "g"}, {Name: "g"}}}.Table()
	bags, _ := Checkpoint{Ints: map[string]int64{"a": 1}, Floats: map[string]float32{"a": 1}}.Table()
	return map[string]row{
		"version 3":              {Table{0: int32(3)}, "the format has version 3, only versions 1 and 2 can be read"},
		"no version":             {Table{}, "version 0"},
		"one list only":          {Table{0: int32(2), 1: Table{0: []Table{}}}, "the list of frozen parameters is missing"},
		"a wild offset":          {module(Offset(0x7fffffff)), "the offset at byte"},
		"an offset to itself":    {module(Offset(0)), "the offset at byte"},
		"a huge list":            {module(Claim{Length: 0xffffffff, Data: nil}), "a list of 4294967295 elements of 4 bytes"},
		"a list past the end":    {module(Claim{Length: 9, Data: make([]byte, 8)}), "a list of 9 elements"},
		"a huge string":          {one(func(t Table) { t[0] = Claim{Length: 0xfffffff0, Data: nil} }), "a string of 4294967280 bytes"},
		"a string without end":   {one(func(t Table) { t[0] = Offset(0xfff) }), "the offset at byte"},
		"a name in Latin 1":      {one(func(t Table) { t[0] = "w\xe4" }), "is not UTF-8"},
		"no name":                {one(func(t Table) { delete(t, 0) }), "a name is missing"},
		"no type":                {one(func(t Table) { delete(t, 3) }), `parameter "w"`},
		"an unknown type":        {one(func(t Table) { t[3] = int32(99) }), "type(99)"},
		"no elements":            {one(func(t Table) { delete(t, 4) }), "needs 8 bytes, the checkpoint has 0"},
		"few elements":           {one(func(t Table) { t[4] = ramp(7) }), "needs 8 bytes, the checkpoint has 7"},
		"lying elements":         {one(func(t Table) { t[4] = Claim{Length: 1 << 30, Data: nil} }), "a list of 1073741824 elements of 1 bytes"},
		"a negative size":        {one(func(t Table) { t[2] = []int64{-2} }), "negative"},
		"a huge shape":           {one(func(t Table) { t[2] = []int64{1 << 40, 1 << 40} }), `parameter "w"`},
		"many dimensions":        {one(func(t Table) { t[2] = make([]int64, 65) }), "65 dimensions, at most 64"},
		"no data file":           {one(func(t Table) { delete(t, 4); t[6] = int64(0) }), "the checkpoint says that it has none"},
		"both places":            {one(func(t Table) { t[6] = int64(0) }), "both in the checkpoint and in the data file"},
		"strings of another":     {one(func(t Table) { t[3] = int32(8); t[5] = []string{"a"} }), "needs 2 strings, the checkpoint has 1"},
		"one name twice":         {twice, `the name "w" occurs twice`},
		"one tensor often":       {module(copies), `the name "w" occurs twice`},
		"one group twice":        {groups, `the name "g" occurs twice`},
		"one property twice":     {bags, `the name "a" occurs twice`},
		"one momentum often":     {Table{0: int32(2), 2: []Table{{0: "g", 3: []Table{{0: "w", 1: states}}}}}, "occurs twice"},
		"one state often":        {Table{0: int32(2), 2: []Table{{0: "g", 3: sharedStates()}}}, "parts of the file overlap"},
		"a table as a list":      {Table{0: int32(2), 1: Offset(4)}, ""},
		"a string that is large": {one(func(t Table) { t[0] = strings.Repeat("w", 1<<20+1) }), "expected at most 1048576"},
	}
}

// sharedStates are many states that are one, without tensors whose names would tell.
func sharedStates() []any {
	one := &Shared{Value: Table{0: "w", 5: int64(1), 6: int64(2), 7: int64(3)}}
	out := make([]any, 1000)
	for i := range out {
		out[i] = one
	}
	return out
}

// TestHostileCheckpoints has each refused for its reason.
func TestHostileCheckpoints(t *testing.T) {
	for name, c := range hostileCheckpoints() {
		t.Run(name, func(t *testing.T) {
			path := put(t, "ck", FlatBuffer("ODTC", c.root))
			s, err := parameters.Open(path, graphops.OpenOptions{})
			if err == nil {
				if c.want != "" {
					t.Fatalf("accepted: %+v", s)
				}
				return
			}
			if !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("says %q, want %q", err, c.want)
			}
		})
	}
}

// TestCheckpointBytes cuts a checkpoint at many bytes, and spoils every byte. Nothing
// panics, and nothing is listed that is larger than the file.
func TestCheckpointBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	c := full()
	c.Frozen[0].External = true
	file, data := c.Write()
	path := put(t, "ck", file, "ck.data", data)
	try := func(b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := parameters.Open(path, graphops.OpenOptions{})
		if err != nil {
			return
		}
		defer s.Close()
		sum := int64(0)
		for _, e := range s.Entries {
			if x, err := e.Tensor(); err == nil && e.DType != tensor.String {
				p, _ := x.Data()
				b, err := p.Bytes()
				if sum += int64(len(b)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if sum > int64(len(b)+len(data)) {
			t.Fatalf("%d bytes of elements in a file of %d", sum, len(b))
		}
	}
	for n := 0; n < len(file); n += 7 {
		try(file[:n])
	}
	values := []byte{0, 1, 0x7f, 0x80, 0xff}
	for i := range file {
		b := append([]byte(nil), file...)
		if b[i] = values[i%len(values)]; b[i] == file[i] {
			b[i] ^= 4
		}
		try(b)
	}
}
