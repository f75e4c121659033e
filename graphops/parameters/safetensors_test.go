package parameters_test

import (
	"fmt"
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

// TestSafetensors reads every element type, in another order than the data has.
func TestSafetensors(t *testing.T) {
	types := []struct {
		written string
		want    tensor.DType
		bytes   int // of 4 elements
	}{
		{"BOOL", tensor.Bool, 4},
		{"U8", tensor.U8, 4},
		{"I8", tensor.I8, 4},
		{"U16", tensor.U16, 8},
		{"I16", tensor.I16, 8},
		{"U32", tensor.U32, 16},
		{"I32", tensor.I32, 16},
		{"U64", tensor.U64, 32},
		{"I64", tensor.I64, 32},
		{"F16", tensor.F16, 8},
		{"BF16", tensor.BF16, 8},
		{"F32", tensor.F32, 16},
		{"F64", tensor.F64, 32},
		{"C64", tensor.C64, 32},
		{"F8_E4M3", tensor.F8E4M3FN, 4},
		{"F8_E5M2", tensor.F8E5M2, 4},
		{"F8_E8M0", tensor.F8E8M0, 4},
		{"F4", tensor.F4E2M1, 2},
		{"F6_E2M3", tensor.F6E2M3, 3},
	}
	var members []string
	var data []byte
	for _, x := range types {
		members = append(members, fmt.Sprintf(`%q:{"shape":[2,2],"dtype":%q,"data_offsets":[%d,%d]}`, x.written, x.written, len(data), len(data)+x.bytes))
		data = append(data, ramp(x.bytes)...)
	}
	members = append(members, fmt.Sprintf(`"later":{"dtype":"F2_E1","shape":[5],"data_offsets":[%d,%d],"note":{"a":[1]}}`, len(data), len(data)+2), `"__metadata__":{"format":"pt"}`)
	data = append(data, 1, 2)
	s := open(t, put(t, "w", Safetensors("{"+strings.Join(members, ",")+"}   ", data)))
	for i, x := range types {
		e := s.Entries[i]
		if e.DType != x.want || e.TypeName != x.written || elements(t, e) != string(ramp(x.bytes)) {
			t.Errorf("%+v, want %s", e, x.want)
		}
		if _, _, ok := e.Location(); !ok {
			t.Errorf("%s lies in no file", e.Name)
		}
	}
	last := s.Entries[len(types)]
	if _, err := last.Tensor(); err == nil || !strings.Contains(err.Error(), `tensor "later": element type "F2_E1" has no counterpart`) {
		t.Errorf("an unknown type: %v", err)
	}
	if d := cmp.Diff([]graphops.Entry{{Key: "format", Value: "pt"}}, s.Metadata); d != "" {
		t.Error(d)
	}
}

// hostileFile is a file, and what is said of it.
type hostileFile struct {
	file []byte
	want string
}

// hostileSafetensors are files that lie.
func hostileSafetensors() map[string]hostileFile {
	one := func(offsets, shape string) string {
		return `{"w":{"dtype":"F32","shape":` + shape + `,"data_offsets":` + offsets + `}}`
	}
	two := func(a, b string) string {
		return `{"a":{"dtype":"U8","shape":[4],"data_offsets":` + a + `},"b":{"dtype":"U8","shape":[4],"data_offsets":` + b + `}}`
	}
	return map[string]hostileFile{
		"a long header":      {append([]byte{0, 0, 0, 0, 0, 0, 0, 0x10}, "{}"...), "the header has 1152921504606846976 bytes, the format allows at most 100000000"},
		"a header past end":  {append([]byte{9, 0, 0, 0, 0, 0, 0, 0}, "{}"...), "truncated: the header should have 9 bytes, but only 2 bytes follow"},
		"no JSON":            {Safetensors("{hello}", nil), "header: at byte"},
		"cut JSON":           {Safetensors(`{"w":{"dtype":`, nil), "header: the JSON ends"},
		"two documents":      {Safetensors(`{}{}`, nil), "has more text after its end"},
		"one name twice":     {Safetensors(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), `the name "a" occurs twice`},
		"one key twice":      {Safetensors(`{"a":{"dtype":"U8","dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, nil), `the name "dtype" occurs twice`},
		"a name in Latin 1":  {Safetensors("{\"\xe4\":{}}", nil), "is no UTF-8"},
		"past the end":       {Safetensors(one("[0,12]", "[3]"), ramp(8)), `tensor "w": data_offsets end at 12, but the file has only 8 bytes of data`},
		"a huge end":         {Safetensors(one("[0,9223372036854775807]", "[3]"), ramp(8)), "data_offsets end at 9223372036854775807"},
		"beyond 64 bits":     {Safetensors(one("[0,18446744073709551616]", "[3]"), ramp(8)), "expected a whole number"},
		"backwards":          {Safetensors(one("[8,0]", "[2]"), ramp(8)), "end at 0 before they begin at 8"},
		"a negative offset":  {Safetensors(one("[-8,0]", "[2]"), ramp(8)), "expected a whole number"},
		"a fraction":         {Safetensors(one("[0,8.0]", "[2]"), ramp(8)), "expected a whole number"},
		"three offsets":      {Safetensors(one("[0,4,8]", "[2]"), ramp(8)), "a list of more than 2 numbers"},
		"one offset":         {Safetensors(one("[0]", "[2]"), ramp(8)), "are missing"},
		"another shape":      {Safetensors(one("[0,8]", "[3]"), ramp(8)), "f32 3 needs 12 bytes, but data_offsets give it 8"},
		"a huge shape":       {Safetensors(one("[0,8]", "[4294967296,4294967296,4294967296]"), ramp(8)), `tensor "w"`},
		"many dimensions":    {Safetensors(one("[0,8]", "["+strings.Repeat("1,", 64)+"2]"), ramp(8)), "a list of more than 64 numbers"},
		"a hole":             {Safetensors(two("[0,4]", "[6,10]"), ramp(10)), "bytes 4 to 6 belong to no tensor"},
		"data behind":        {Safetensors(two("[0,4]", "[4,8]"), ramp(9)), "the tensors end at byte 8 of the data, which has 9"},
		"in each other":      {Safetensors(two("[0,4]", "[2,6]"), ramp(6)), `tensors "a" and "b" overlap`},
		"the same bytes":     {Safetensors(two("[0,4]", "[0,4]"), ramp(4)), `tensors "a" and "b" overlap`},
		"metadata of others": {Safetensors(`{"__metadata__":{"a":1}}`, nil), "expected a string"},
		"deep":               {Safetensors(`{"w":{"x":`+strings.Repeat("[", 100000), nil), "header:"},
	}
}

// TestHostileSafetensors has each file refused for its reason.
func TestHostileSafetensors(t *testing.T) {
	for name, c := range hostileSafetensors() {
		t.Run(name, func(t *testing.T) { refused(t, put(t, "w.safetensors", c.file), c.want) })
	}
}

// refused opens a file that is to be refused in one line that starts with its path.
func refused(t *testing.T, path, want string) {
	t.Helper()
	s, err := parameters.Open(path, graphops.OpenOptions{})
	if err == nil {
		t.Fatalf("accepted: %+v", s)
	}
	if !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > len(path)+500 {
		t.Errorf("says %q, want %q", err, want)
	}
}

const indexName = "model.safetensors.index.json"

// shardOf is a file of tensors of one byte.
func shardOf(names ...string) []byte {
	var members []string
	for i, n := range names {
		members = append(members, fmt.Sprintf(`%q:{"dtype":"U8","shape":[1],"data_offsets":[%d,%d]}`, n, i, i+1))
	}
	return Safetensors("{"+strings.Join(members, ",")+"}", ramp(len(names)))
}

// TestShards reads files that an index names, which has less than one of them holds.
func TestShards(t *testing.T) {
	s := open(t, put(t, indexName, `{"metadata":{"total_size":3},"weight_map":{"a":"1.safetensors","c":"2.safetensors","b":"1.safetensors"}}`,
		"1.safetensors", shardOf("a", "b"), "2.safetensors", shardOf("b", "c")))
	var names []string
	for _, e := range s.Entries {
		path, _, _ := e.Location()
		names = append(names, e.Name+" "+filepath.Base(path))
	}
	if d := cmp.Diff([]string{"a 1.safetensors", "b 1.safetensors", "c 2.safetensors"}, names); d != "" {
		t.Error(d)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], `shard "2.safetensors": 1 tensor`) || len(s.Files) != 3 {
		t.Errorf("%q, %d files", s.Warnings, len(s.Files))
	}
}

// TestHostileShards has indexes refused that lie, or lead out of their folder.
func TestHostileShards(t *testing.T) {
	many := []string{}
	for i := range 1001 {
		many = append(many, fmt.Sprintf(`"%d":"%d"`, i, i))
	}
	index := func(location string) string { return fmt.Sprintf(`{"weight_map":{"a":%q}}`, location) }
	tests := map[string]struct{ index, want string }{
		"above":          {index("../outside"), "leads out of the model's folder"},
		"far above":      {index("x/../../outside"), "leads out of the model's folder"},
		"by backslash":   {index(`..\outside`), "leads out of the model's folder"},
		"absolute":       {index("/etc/passwd"), "is absolute"},
		"a drive":        {index(`C:\outside`), "is absolute"},
		"nothing":        {index(""), "no location is given"},
		"a zero":         {index("a\x00b"), ""},
		"a folder":       {index("folder/"), "names a folder"},
		"an address":     {index("*/_ORT_MEM_ADDR_/*"), "is an address in memory"},
		"a link out":     {index("link"), "leads out of the model's folder"},
		"below a link":   {index("linked/outside"), "leads out of the model's folder"},
		"two names":      {index("hard"), "has 2 hard links"},
		"gone":           {index("gone"), "no such file"},
		"no file":        {index("folder"), "is a directory"},
		"itself":         {index(indexName), "is the same file as another shard"},
		"no shard":       {index("text"), `shard "text"`},
		"less than said": {index("shard"), `shard "shard": 1 tensors that the index lists for it are missing, the first is "a"`},
		"no map":         {`{"weight_map":[]}`, "index: at byte"},
		"numbers":        {`{"weight_map":{"a":1}}`, "expected a string"},
		"one name twice": {`{"weight_map":{"b":"shard","b":"shard"}}`, `the name "b" occurs twice`},
		"many files":     {`{"weight_map":{` + strings.Join(many, ",") + `}}`, "more than 1000 files"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Dir(filepath.Dir(put(t, "m/"+indexName, c.index, "outside", shardOf("a"), "m/folder/x", "", "m/text", "hello there", "m/shard", shardOf("b"), "m/first", shardOf("a"))))
			for _, err := range []error{
				os.Symlink("../outside", filepath.Join(dir, "m/link")),
				os.Symlink("..", filepath.Join(dir, "m/linked")),
				os.Link(filepath.Join(dir, "m/first"), filepath.Join(dir, "m/hard")),
			} {
				if err != nil {
					t.Skip(err)
				}
			}
			refused(t, filepath.Join(dir, "m", indexName), c.want)
		})
	}
}

// TestHostileDataFile has the file beside a checkpoint refused where it is another one,
// or shorter than the checkpoint says.
func TestHostileDataFile(t *testing.T) {
	c := full()
	c.Trainable[0].External, c.Frozen[0].External = true, true
	file, data := c.Write()
	spoiled := func(at int64) []byte {
		root, _ := c.Table()
		root[1].(Table)[0].([]Table)[0][6] = at
		return FlatBuffer("ODTC", root)
	}
	tests := map[string]struct {
		file []byte
		make func(data, outside string) error
		want string
	}{
		"gone":            {file, func(string, string) error { return nil }, "no such file"},
		"a link out":      {file, func(d, o string) error { return os.Symlink(o, d) }, "leads out of the model's folder"},
		"a hard link":     {file, func(d, o string) error { return os.Link(o, d) }, "has a further name in other folders (hard links)"},
		"a folder":        {file, func(d, _ string) error { return os.Mkdir(d, 0o700) }, "is a directory"},
		"too short":       {file, func(d, _ string) error { return os.WriteFile(d, data[:20], 0o600) }, "48 bytes from byte 0 on are needed, but ck.data has only 20 bytes"},
		"before it":       {spoiled(-2), func(d, _ string) error { return os.WriteFile(d, data, 0o600) }, "from byte -2 on are needed"},
		"far behind":      {spoiled(1<<63 - 8), func(d, _ string) error { return os.WriteFile(d, data, 0o600) }, "from byte 9223372036854775800 on"},
		"in another":      {spoiled(4), func(d, _ string) error { return os.WriteFile(d, data, 0o600) }, "overlap"},
		"changed in time": {file, func(d, _ string) error { return os.WriteFile(d, data, 0o600) }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := put(t, "m/ck", tt.file, "outside", data)
			if err := tt.make(path+".data", filepath.Join(filepath.Dir(filepath.Dir(path)), "outside")); err != nil {
				t.Skip(err)
			}
			if tt.want != "" {
				refused(t, path, tt.want)
				return
			}
			s := open(t, path)
			if err := os.WriteFile(path+".data", append(data, 0), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.Unchanged(); err == nil || !strings.Contains(err.Error(), "changed while it was in use") {
				t.Errorf("a changed file: %v", err)
			}
		})
	}
}
