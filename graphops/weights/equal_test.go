package weights

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// equalOf writes the groups and the uniform tensors of a model, one a line.
func equalOf(t *testing.T, m *graphops.Model) (groups, uniform []string, e Equality) {
	t.Helper()
	e, err := Equal(ctx, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range e.Groups {
		var names []string
		for _, item := range g.Items {
			names = append(names, item.String())
		}
		groups = append(groups, fmt.Sprintf("%s: %d copies of %d, %d wasted", strings.Join(names, ", "), g.Copies, g.Bytes, g.Wasted()))
	}
	for _, u := range e.Uniform {
		uniform = append(uniform, u.Item.String()+" = "+u.Value)
	}
	return groups, uniform, e
}

const alike = `
	graph then
	init w3 f32[2,2] 1 2 3 4
	z = Add(w1, w3)
	output z f32
	end
	function local Twice(a) -> (b)
	c = Constant() value={f32[2,2] 1 2 3 4}
	b = Add(a, c)
	end
	opset local 1
	input x bool
	output y f32
	init w1 f32[2,2] 1 2 3 4
	init w2 f32[2,2] 1 2 3 4
	init flat f32[4] 1 2 3 4             # another shape
	init ints i32[2,2] 1065353216 1073741824 1077936128 1082130432   # the same bits
	init other f32[2,2] 1 2 3 5
	init ones i64[3] 1 1 1
	init also i64[3] 1 1 1
	init zeros f32[50]                   # alone of its kind: not read
	init seven f64[1] 7
	init again f64[1] 7
	init s1 str[2] ab c
	init s2 str[2] a bc
	init s3 str[2] ab c
	k = Constant() value={i64[3] 1 1 1}
	h = If(x) then_branch=@then else_branch=@then
	y = local::Twice(h)`

func TestEqual(t *testing.T) {
	groups, uniform, e := equalOf(t, graphtest.Model(t, alike))
	want := []string{
		"w1, w2, #1:then_branch › w3, #1:else_branch › w3, local:Twice › c: 5 copies of 16, 64 wasted",
		"ones, also, k: 3 copies of 24, 48 wasted",
		"seven, again: 2 copies of 8, 8 wasted",
		"s1, s3: 2 copies of 3, 3 wasted",
	}
	if !slices.Equal(groups, want) {
		t.Errorf("groups %q\nwant %q", groups, want)
	}
	if want := []string{"ones = 1", "also = 1", "k = 1"}; !slices.Equal(uniform, want) {
		t.Errorf("uniform %q, want %q", uniform, want)
	}
	if e.Unread != nil || e.Read != 6*16+3*24+2*8+3*3 {
		t.Errorf("%d bytes read, %v", e.Read, e.Unread)
	}
}

// TestEqualOfLarge has tensors that differ at their ends alone, and elements that
// several tensors refer to.
func TestEqualOfLarge(t *testing.T) {
	const n = 300_000
	data := make([]byte, 4*n)
	data[0] = 1
	for name, at := range map[string]int{"first": 0, "after the beginning": beginningBytes, "last": len(data) - 1} {
		t.Run(name, func(t *testing.T) {
			changed := slices.Clone(data)
			changed[at] ^= 0x40
			m := externalModel(t, map[string]int64{"a": 0, "b": 4 * n, "c": 8 * n, "again": 0}, n, slices.Concat(data, changed, data))
			groups, _, e := equalOf(t, m)
			want := []string{fmt.Sprintf("a, again, c: 2 copies of %d, %d wasted", 4*n, 4*n)}
			if !slices.Equal(groups, want) || e.Unread != nil {
				t.Errorf("%q, want %q, %v", groups, want, e.Unread)
			}
			if most := int64(3*4*n + 3*beginningBytes); e.Read > most {
				t.Errorf("%d bytes read, %d are enough", e.Read, most)
			}
		})
	}
}

// externalModel has tensors of n f32 at offsets of a data file, by name in order.
func externalModel(t *testing.T, at map[string]int64, n int64, data []byte) *graphops.Model {
	t.Helper()
	p := graphtest.Proto(t, "output y f32\ny = Constant() value={f32 1}")
	for _, name := range []string{"a", "again", "b", "c"} {
		p.Graph.Initializer = append(p.Graph.Initializer, &onnxpb.TensorProto{
			Name: &name, DataType: proto.Int32(1), Dims: []int64{n}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
			ExternalData: []*onnxpb.StringStringEntryProto{
				{Key: proto.String("location"), Value: proto.String("w.bin")},
				{Key: proto.String("offset"), Value: proto.String(fmt.Sprint(at[name]))},
			},
		})
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	if err := errors.Join(os.WriteFile(path, marshal(t, p), 0o600), os.WriteFile(filepath.Join(dir, "w.bin"), data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return openModel(t, path)
}

func TestEqualNamesWhatItCannotRead(t *testing.T) {
	m := externalModel(t, map[string]int64{"a": 0, "again": 100, "b": 1 << 40, "c": 16}, 4, make([]byte, 120))
	groups, uniform, e := equalOf(t, m)
	if want := []string{"a, again, c: 3 copies of 16, 32 wasted"}; !slices.Equal(groups, want) {
		t.Errorf("%q, want %q", groups, want)
	}
	if len(uniform) != 3 || len(e.Unread) != 1 || !strings.Contains(e.Unread[0].Error(), `tensor "b"`) {
		t.Errorf("%q, %v", uniform, e.Unread)
	}
}

func TestEqualCancel(t *testing.T) {
	data := make([]byte, 32<<20)
	e := graphops.EditGraph(graphtest.Model(t, "output y f32\ny = Constant() value={f32 1}").Graph())
	for _, name := range []string{"a", "b"} {
		e.Initializers = append(e.Initializers, graphops.NewTensor(name, tensor.U8, []int64{int64(len(data))}, graphops.BytesPayload(data)))
	}
	m := graphtest.Model(t, "output y f32\ny = Constant() value={f32 1}")
	m = m.WithGraph(m.Places()[0], e.Graph())
	ctx, cancel := context.WithCancel(context.Background())
	last, whole := int64(0), int64(0)
	_, err := Equal(ctx, m, func(done, total int64) {
		if last, whole = done, total; done > 2<<20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last > 5<<20 || whole != 2*(beginningBytes+int64(len(data))) {
		t.Errorf("stopped at %d of %d: %v", last, whole, err)
	}
	if _, err := Equal(ctx, m, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("begun although it was cancelled: %v", err)
	}
}

func TestItems(t *testing.T) {
	m := graphtest.Model(t, "output y f32\ninit w f32 1\nmine: y = Foo(w) table={f32[2] 1 2}\nz = Foo(w) table={f32[2] 1 2}\nk = Constant() value={f32 1}")
	var got []string
	for item := range items(m) {
		got = append(got, fmt.Sprintf("%s %d %q", item, item.Node, item.Value()))
	}
	want := []string{`w -1 "w"`, `mine:table 0 ""`, `#1:table 1 ""`, `k 2 "k"`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range items(m) {
		break // a walk may end early
	}
}
