package sizing_test

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// TestRoom: sizes are large enough that sizes inside the model are not 1, unless no size of the input
// raises them.
func TestRoom(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		want  map[string]int64
	}{
		"sound":   {"input x f32[batch,1,samples]\ninit w f32[4,1,400] 1\ny = Conv(x, w) strides=[320]\noutput y", map[string]int64{"samples": 1040}},
		"image":   {"input x f32[batch,3,height,width]\ninit w f32[4,3,16,16] 1\ny = Conv(x, w) strides=[16,16]\noutput y", map[string]int64{"height": 32, "width": 33}},
		"plain":   {"input x f32[batch,seq,8]\ny = Relu(x)\noutput y", map[string]int64{"seq": 3}},
		"limited": {"input x f32[batch,seq]\ninit one i64[1] 1\nr = ReduceSum(x, one) keepdims=1\ny = Add(r, r)\noutput y", map[string]int64{"seq": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, c.model)
			s, err := sizing.Of(t.Context(), m, graphops.NamedTypes(m.Graph().FeedInputs()), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := s.Search(nil, sizing.Check).Next(t.Context())
			for symbol, n := range c.want {
				if !ok || got[symbol] != n {
					t.Errorf("%s is %d, want %d (%v)", symbol, got[symbol], n, got)
				}
			}
		})
	}
}

// TestRoomOfSmallest: the smallest case stays the smallest.
func TestRoomOfSmallest(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,1,samples]\ninit w f32[4,1,400] 1\ny = Conv(x, w) strides=[320]\noutput y")
	s, err := sizing.Of(t.Context(), m, graphops.NamedTypes(m.Graph().FeedInputs()), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := s.Search(nil, sizing.Check)
	q.Next(t.Context())
	v, ok := q.Smallest()
	if !ok || v.Sizes["samples"] != 400 {
		t.Errorf("%v", v)
	}
	for _, v := range q.Variants() {
		if v.Sizes["samples"] < 1040 {
			t.Errorf("%v leaves one position", v)
		}
	}
}

// TestJointNote: an expression of one symbol that has to be a number is a note.
func TestJointNote(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,1,samples]\ninit w f32[4,1,400] 1\ninit m f32[8,2] 1\nc = Conv(x, w) strides=[320]\ny = MatMul(c, m)\noutput y")
	s, err := sizing.Of(t.Context(), m, graphops.NamedTypes(m.Graph().FeedInputs()), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := s.Search(nil, sizing.Check)
	sizes, _ := q.Next(t.Context())
	notes := strings.Join(q.Notes(sizes), "\n")
	if sizes["samples"] != 2640 || !strings.Contains(notes, "floor((samples-80)/320)") || !strings.Contains(notes, "does not run") {
		t.Errorf("%v\n%s", sizes, notes)
	}
}

// TestGivenDoesNotFit: if given sizes contradict what a node needs, the error says that and blames no
// other symbol.
func TestGivenDoesNotFit(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,1,samples]\ninit w f32[4,1,400] 1\ninit m f32[8,2] 1\nc = Conv(x, w) strides=[320]\ny = MatMul(c, m)\noutput y")
	s, err := sizing.Of(t.Context(), m, graphops.NamedTypes(m.Graph().FeedInputs()), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Search(map[string]int64{"samples": 8000}, sizing.Check).Tried()
	if !strings.HasPrefix(got, "samples=8000 does not fit: ") || !strings.HasSuffix(got, "needs floor((samples-80)/320) = 8 and not 24") {
		t.Error(got)
	}
	if got := s.Search(map[string]int64{"samples": 2640}, sizing.Check).Tried(); !strings.HasPrefix(got, "no sizes of batch fit") {
		t.Error(got)
	}
}
