package static

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	var o Options
	for _, x := range [][2]string{
		{"ForceQuantizeNoInputCheck", "True"},
		{"DedicatedQDQPair", "1"},
		{"AddQDQPairToWeight", "0"},
		{"OpTypesToExcludeOutputQuantization", "Conv,MatMul"},
		{"QDQOpTypePerChannelSupportToAxis", "MatMul:0"},
	} {
		if err := o.Set(x[0], x[1]); err != nil {
			t.Error(err)
		}
	}
	want := Options{Force: true, DedicatedPairs: true, FloatOutputs: []string{"Conv", "MatMul"}, ChannelAxes: map[string]int{"MatMul": 0}}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Error(diff)
	}
	for _, x := range [][3]string{
		{"Foo", "1", "MatMulConstBOnly"}, {"UseQDQContribOps", "yes", "expected 1 or 0"}, {"QDQOpTypePerChannelSupportToAxis", "MatMul", "MatMul:0"},
	} {
		if err := o.Set(x[0], x[1]); err == nil || !strings.Contains(err.Error(), x[2]) {
			t.Errorf("%s=%s: %v lacks %q", x[0], x[1], err, x[2])
		}
	}
	for _, name := range Extras() { // each sets something
		var o Options
		if err := o.Set(name, "1"); err != nil && !strings.Contains(err.Error(), "MatMul:0") || err == nil && cmp.Equal(o, Options{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
