package flatbuffer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops/flatbuffer"
	. "lathe/graphops/parameters/parameterstest"
)

func open(b []byte) (*flatbuffer.Buffer, flatbuffer.Table, error) {
	return flatbuffer.Open(bytes.NewReader(b), int64(len(b)), "TEST")
}

// TestFields reads every kind of field, and what stands for one that is absent.
func TestFields(t *testing.T) {
	b, root, err := open(FlatBuffer("TEST", Table{
		0: true, 1: int32(-7), 2: int64(1 << 40), 3: float32(0.5), 4: "text", 5: Table{0: int32(1)},
		6: []int64{1, -2}, 7: []string{"a", "", "b"}, 8: []Table{{0: int32(2)}, {}}, 9: []byte{1, 2, 3},
	}))
	if err != nil {
		t.Fatal(err)
	}
	numbers, _ := root.Vector(6, 8)
	words, _ := root.Vector(7, 4)
	tables, _ := root.Vector(8, 4)
	raw, _ := root.Vector(9, 1)
	inner, _ := root.Table(5)
	sum := int32(0)
	for x := range tables.Tables() {
		sum = 10*sum + x.Int32(0)
	}
	_, absent := root.Table(12)
	got := fmt.Sprint(root.Bool(0), root.Int32(1), root.Int64(2, 0), root.Float32(3), root.String(4), inner.Int32(0),
		numbers.Int64s(), slices.Collect(words.Strings()), sum, raw.Len, absent, root.Int64(12, -1), root.String(12) == "", root.Bool(12))
	if want := "true -7 1099511627776 0.5text1 [1 -2] [a  b] 20 3 false -1 true false"; got != want || b.Err() != nil {
		t.Errorf("%s, want %s (%v)", got, want, b.Err())
	}
}

// TestSpoiledTables has what a table says of itself compared with the file.
func TestSpoiledTables(t *testing.T) {
	whole := FlatBuffer("TEST", Table{0: int32(1)})
	at := int(binary.LittleEndian.Uint32(whole))
	list := at - int(int32(binary.LittleEndian.Uint32(whole[at:])))
	tests := map[string]struct {
		spoil func(b []byte) []byte
		want  string
	}{
		"short":              {func(b []byte) []byte { return b[:7] }, "too short"},
		"another identifier": {func(b []byte) []byte { b[4] = 'X'; return b }, `identifier "XEST", expected "TEST"`},
		"root outside":       {func(b []byte) []byte { b[3] = 0x7f; return b }, "the root at byte"},
		"fields outside":     {func(b []byte) []byte { b[at+3] = 0x7f; return b }, "has its list of fields at byte"},
		"fields behind":      {func(b []byte) []byte { b[at+3] = 0x80; return b }, "has its list of fields at byte"},
		"odd list":           {func(b []byte) []byte { b[list] = 5; return b }, "a list of fields of 5 bytes"},
		"short list":         {func(b []byte) []byte { b[list] = 2; return b }, "a list of fields of 2 bytes"},
		"long list":          {func(b []byte) []byte { b[list+1] = 0xff; return b }, "a list of fields of"},
		"no size":            {func(b []byte) []byte { b[list+2] = 0; return b }, "is 0 bytes long"},
		"large":              {func(b []byte) []byte { b[list+3] = 0xff; return b }, "bytes long, but the file has"},
		"field outside":      {func(b []byte) []byte { b[list+5] = 0xff; return b }, "field 0 of the table"},
		"field in the head":  {func(b []byte) []byte { b[list+4] = 2; return b }, "field 0 of the table"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			b, root, err := open(c.spoil(bytes.Clone(whole)))
			if v := root.Int32(0); err == nil {
				if err = b.Err(); v != 0 {
					t.Errorf("reads %d", v)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("says %v, want %q", err, c.want)
			}
		})
	}
}

// TestManyTables reads many in a time that grows with their number.
func TestManyTables(t *testing.T) {
	list := make([]Table, 20_000)
	for i := range list {
		list[i] = Table{0: fmt.Sprint("name ", i)}
	}
	b, root, err := open(FlatBuffer("TEST", Table{0: list}))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	v, _ := root.Vector(0, 4)
	n := 0
	for x := range v.Tables() {
		if x.String(0) == fmt.Sprint("name ", n) {
			n++
		}
	}
	if n != len(list) || b.Err() != nil || time.Since(start) > 20*time.Second {
		t.Errorf("%d of %d in %v: %v", n, len(list), time.Since(start), b.Err())
	}
}
