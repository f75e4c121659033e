package graphops_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

func digestOf(t *testing.T, m *graphops.Model) graphops.Digest {
	t.Helper()
	d, err := graphops.DigestOf(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDigestIsOfContent saves a model elsewhere, with its weights beside it, and
// changes it: the digest follows what is in it alone.
func TestDigestIsOfContent(t *testing.T) {
	open := func(path string) *graphops.Model {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open("../testdata/digits.onnx")
	want := digestOf(t, m)
	if want.Covers != graphops.CoversAll || len(want.Content) != 64 || len(want.Structure) != 64 || want.WeightBytes < 1000 {
		t.Fatalf("digest %+v", want)
	}
	dir := t.TempDir()
	for name, o := range map[string]graphops.SaveOptions{"same.onnx": {}, "out.onnx": {Storage: graphops.StoreExternal, MinExternal: 1}} {
		path := filepath.Join(dir, name)
		if _, err := graphops.Save(t.Context(), m, path, o); err != nil {
			t.Fatal(err)
		}
		if got := digestOf(t, open(path)); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	data, err := os.ReadFile("../testdata/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 4; i < len(data)*9/10; i += len(data) / 4 { // weights, by their share of the file
		changed := append([]byte(nil), data...)
		changed[i] ^= 1
		path := filepath.Join(dir, "changed.onnx")
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := digestOf(t, open(path)); got.Content == want.Content {
			t.Errorf("byte %d changed, and the digest did not", i)
		}
	}
	s, err := graphops.StructureOf(m)
	if err != nil {
		t.Fatal(err)
	}
	far, err := s.Elsewhere("gpu1")
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(t, far); got.Covers != graphops.CoversStructure || got.Content != "" || got.Structure != want.Structure {
		t.Errorf("on another machine: %+v", got)
	}
}

// TestDigestOfPieces sums up a weight of more than is read whole, which a sparse file holds:
// what lies in a piece counts, and a computed weight has the sum of a stored one.
func TestDigestOfPieces(t *testing.T) {
	const n = graphops.DigestWholeBytes + 4096
	f, err := os.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(n); err != nil {
		t.Fatal(err)
	}
	m := graphtest.Model(t, "input x f32[n]\noutput y f32[n]\ny = Relu(x)")
	of := func(p graphops.Payload) graphops.Digest {
		e := graphops.Edit(m)
		e.Initializers = append(e.Initializers, graphops.NewTensor("w", tensor.F32, []int64{n / 4}, p))
		return digestOf(t, e.Model())
	}
	stored := func() graphops.Digest { return of(graphops.StoredPayload(f, n)) }
	before := stored()
	if before.Covers != graphops.CoversSamples {
		t.Fatalf("%+v", before)
	}
	for _, at := range []int64{0, (n - 4096) * 7 / 15, n - 1} {
		if _, err := f.WriteAt([]byte{1}, at); err != nil {
			t.Fatal(err)
		}
		after := stored()
		if after.Content == before.Content || after.Structure != before.Structure {
			t.Errorf("byte %d changed: %+v after %+v", at, after, before)
		}
		before = after
	}
	made := of(graphops.TransformPayload(n, func(w io.Writer) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.NewSectionReader(f, 0, n)}, make([]byte, 100_003))
		return err
	}))
	if made != before {
		t.Errorf("computed: %+v, stored: %+v", made, before)
	}
	if _, err := f.WriteAt([]byte{1}, 4096); err != nil {
		t.Fatal(err)
	}
	if after := stored(); after != before {
		t.Error("a byte between the pieces counts: the sum says that it covers samples")
	}
}

// TestDigestLeavesOriginOut: what Lathe writes into the metadata about the origin of a model does not
// change its digest, and other metadata do.
func TestDigestLeavesOriginOut(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\ny = Neg(x)")
	with := func(entries ...graphops.Entry) *graphops.Model {
		e := graphops.Edit(m)
		e.SetMetadata(entries)
		return e.Model()
	}
	author := graphops.Entry{Key: "author", Value: "a"}
	plain, named := digestOf(t, m), digestOf(t, with(author))
	if plain == named {
		t.Error("the digest leaves other metadata out")
	}
	if got := digestOf(t, with(graphops.Entry{Key: "lathe.source", Value: "b"}, author, graphops.Entry{Key: "lathe.recipe", Value: "c"})); got != named {
		t.Errorf("%+v, want %+v", got, named)
	}
	if got := digestOf(t, with(graphops.Entry{Key: "lathe.version", Value: "b"})); got != plain {
		t.Errorf("%+v, want %+v", got, plain)
	}
}

// TestParseDigest reads back what String writes, and nothing else.
func TestParseDigest(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	for _, d := range []graphops.Digest{
		{Content: sum, Covers: graphops.CoversAll}, {Content: sum, Covers: graphops.CoversSamples}, {Structure: sum, Covers: graphops.CoversStructure},
	} {
		if got, ok := graphops.ParseDigest(d.String()); !ok || got != d {
			t.Errorf("%s: %+v", d, got)
		}
	}
	for _, text := range []string{"", "sha256:", "sha256:0a", sum + "0a", "sha256:" + sum + " (other)", "sha256:" + sum + " "} {
		if got, ok := graphops.ParseDigest(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
