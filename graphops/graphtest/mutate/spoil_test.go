package mutate

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
)

// TestSpoil makes mistakes in every base: each is the same again and leaves the base as it
// was, its sites are nodes of the model as graphops counts them, and every kind of mistake is
// made.
func TestSpoil(t *testing.T) {
	bases := append(Bases(t), Files(t, "../../../testdata", 4<<10)...)
	kinds := map[string]bool{}
	for i, b := range bases {
		before := proto.CloneOf(b.Model)
		for seed := range uint64(16) {
			s, ok := Spoil(b, bases, seed)
			if again, _ := Spoil(b, bases, seed); !proto.Equal(s.Model, again.Model) || s.What != again.What {
				t.Fatalf("%s: seed %d gives two models", b.Name, seed)
			}
			if !ok {
				continue
			}
			kinds[s.Kind] = true
			locate(t, s)
		}
		if !proto.Equal(before, bases[i].Model) {
			t.Fatalf("%s: the base has changed", b.Name)
		}
	}
	for _, m := range mistakes {
		if !kinds[m.kind] {
			t.Errorf("no base had a mistake of kind %q made in it", m.kind)
		}
	}
}

// locate holds the sites against the model as graphops reads it.
func locate(t *testing.T, s Spoiled) {
	t.Helper()
	content, err := proto.Marshal(s.Model)
	if err != nil {
		return // a name is no text, which a file may have and this library refuses
	}
	m, err := graphops.Decode(content)
	if err != nil {
		t.Fatalf("%s: %v", s.What, err)
	}
	scopes, places := scopesOf(s.Model), m.Places()
	if len(scopes) != len(places) {
		t.Fatalf("%s: %d places, graphops counts %d", s.What, len(scopes), len(places))
	}
	for _, at := range s.Sites {
		n := scopes[at.Place].nodes[at.Node]
		same := places[at.Place].Graph.Nodes()[at.Node]
		if n.GetOpType() != same.OpType() || !slices.Equal(n.GetOutput(), same.Outputs()) {
			t.Errorf("%s: %v is %s, graphops has %s there", s.What, at, n.GetOpType(), same.OpType())
		}
	}
}
