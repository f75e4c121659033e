package flags_test

import (
	"maps"
	"testing"

	"lathe/session/flags"
)

// TestParseDims: several sizes may be in one value, and a symbol may contain a comma.
func TestParseDims(t *testing.T) {
	for _, c := range []struct {
		list []string
		want map[string]int64
	}{
		{[]string{"batch=8,sequence=64"}, map[string]int64{"batch": 8, "sequence": 64}},
		{[]string{"batch=8, sequence=64", "x:0=2"}, map[string]int64{"batch": 8, "sequence": 64, "x:0": 2}},
		{[]string{"height=224 width=224"}, map[string]int64{"height": 224, "width": 224}},
		{[]string{"a b=1,c=2"}, map[string]int64{"a b": 1, "c": 2}},
		{[]string{"max(a,b)=3"}, map[string]int64{"max(a,b)": 3}},
	} {
		if got, err := flags.ParseDims(c.list); err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%q: %v, %v", c.list, got, err)
		}
	}
	if _, err := flags.ParseDims([]string{"batch=8,batch=9"}); err == nil {
		t.Error("a size is given twice")
	}
}
