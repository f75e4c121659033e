package graphops_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// allParts has every message of the format that graphops looks into.
const allParts = `
	ir 10
	opset 20
	opset com.microsoft 1
	metadata key value
	input x f32[batch,4]
	input c bool[]
	output y f32
	output z
	value h f32[batch,?]
	init w f32[4,2] 1 2 3
	init ids i64[2] 5 6
	init words str[2] a b
	init quarter u4[3] 1 2 3
	sparse few f32[8] 3 4 at 1 5
	graph deep
	dd = Relu(h)
	output dd f32[2]
	end
	graph yes
	init inner f32[1] 1
	a = Add(h, inner)
	b = If(c) then_branch=@deep else_branch=@deep
	output a f32[2]
	end
	graph no
	output w
	end
	function local Double(a) -> (b)
	b = Add(a, a)
	end
	fc: h = MatMul(x, w)
	k = Constant() value={f32[3] 1 2 3}
	t, _ = local::Double(h, , k) i=1 f=1.5 s='text' is=[1,2] fs=[0.5] ss=['a','b']
	branch: y = If(c) then_branch=@yes else_branch=@no
	z = Foo(t) graphs=@[deep,no]
`

// same decodes b as bytes and as a file, and compares what the generated code
// makes of b and of the model written again. It returns the error of graphops.
func same(t *testing.T, b []byte) error {
	t.Helper()
	m, err := graphops.Decode(bytes.Clone(b))
	pieces, errPieces := graphops.DecodeInPieces(b)
	if (err == nil) != (errPieces == nil) {
		t.Fatalf("as bytes: %v, as a file: %v", err, errPieces)
	}
	if err != nil {
		return err
	}
	look(t, m)
	look(t, pieces)
	if m.HasExternalData() {
		return nil // which bytes alone do not hold
	}
	for _, x := range []*graphops.Model{m, pieces} {
		compareMessages(t, b, graphtest.Encode(t, x))
	}
	return nil
}

// look asks a model for all that it can tell.
func look(t *testing.T, m *graphops.Model) {
	t.Helper()
	for _, p := range m.Places() {
		if _, err := m.FindPlace(p.Hops()); err != nil {
			t.Errorf("%q leads nowhere: %v", p.Hops(), err)
		}
		for _, c := range p.Captures() {
			_ = p.Type(c.Value)
		}
	}
	for g := range m.Graphs() {
		_ = g.Index()
		for _, n := range g.Nodes() {
			for _, a := range n.Attributes() {
				if a, err := a.Load(); err == nil {
					_, _ = a.Kind(), a.Ints()
				}
			}
		}
	}
	for x := range m.Tensors() {
		_, _ = x.Strings()
		if p, err := x.Data(); err == nil && p.Len() < 1<<20 {
			if _, err := p.Bytes(); err != nil && !x.DType().Valid() {
				t.Errorf("tensor %q: %v", x.Name(), err)
			}
		}
	}
}

// compareMessages compares what the generated code makes of two encodings.
func compareMessages(t *testing.T, original, written []byte) {
	t.Helper()
	want, got := &onnxpb.ModelProto{}, &onnxpb.ModelProto{}
	errWant, errGot := proto.Unmarshal(original, want), proto.Unmarshal(written, got)
	if (errWant == nil) != (errGot == nil) {
		t.Fatalf("the generated code says %v to the original and %v to what was written", errWant, errGot)
	}
	tidyUnknown(want.ProtoReflect())
	tidyUnknown(got.ProtoReflect())
	if errWant == nil && !proto.Equal(want, got) {
		t.Fatalf("(-original +written):\n%s", cmp.Diff(want, got, protocmp.Transform()))
	}
}

// tidyUnknown writes the tags and lengths of unknown fields in their shortest form,
// as graphops does, in a message and all below it.
func tidyUnknown(m protoreflect.Message) {
	var tidy []byte
	for b := m.GetUnknown(); len(b) > 0; {
		num, typ, k := protowire.ConsumeTag(b)
		n := protowire.ConsumeFieldValue(num, typ, b[k:])
		tidy = protowire.AppendTag(tidy, num, typ)
		if v, size := protowire.ConsumeBytes(b[k:]); typ == protowire.BytesType && size > 0 {
			tidy = protowire.AppendBytes(tidy, v)
		} else {
			tidy = append(tidy, b[k:k+n]...)
		}
		b = b[k+n:]
	}
	m.SetUnknown(tidy)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				tidyUnknown(v.List().Get(i).Message())
			}
		default:
			tidyUnknown(v.Message())
		}
		return true
	})
}

// FuzzDecode makes sure that nothing brings the decoder down and that what it
// accepts is written as it was.
func FuzzDecode(f *testing.F) {
	f.Add(graphtest.Bytes(f, allParts))
	f.Add([]byte("\x08\x08\x3a\x00\x42\x02\x10\x11"))
	f.Add(withInitializer([]byte("\x08\x01\x10\x06\x2a\x01\x05\x4a\x04\x01\x02\x03\x04\x2a\x01\x06"))) // elements in two fields
	files, err := filepath.Glob("../testdata/broken/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("testdata/broken: %v, %v", files, err)
	}
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil && len(b) < 16<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { _ = same(t, b) })
}

// FuzzPrune prunes whatever decodes, twice: the second time changes nothing.
func FuzzPrune(f *testing.F) {
	f.Add(graphtest.Bytes(f, allParts), "h", "x")
	f.Add(graphtest.Bytes(f, allParts), "y", "h")
	f.Fuzz(func(t *testing.T, b []byte, output, input string) {
		m, err := graphops.Decode(b)
		if err != nil {
			t.Skip("not a model")
		}
		pruned, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{output}, Inputs: []string{input}})
		if err != nil {
			return
		}
		again, report, err := graphops.Prune(pruned, graphops.PruneOptions{})
		if err != nil {
			t.Fatalf("a second prune: %v", err)
		}
		if report.RemovedNodes != 0 || len(again.Graph().Nodes()) != len(pruned.Graph().Nodes()) {
			t.Errorf("a second prune removes %d nodes", report.RemovedNodes)
		}
	})
}
