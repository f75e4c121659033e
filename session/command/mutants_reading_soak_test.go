//go:build soak

package command

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
)

var (
	mutants     = flag.Uint64("mutants", 4_000, "mutants: how many to read")
	mutantsFrom = flag.Uint64("mutants-from", 1, "mutants: the first of the numbers that they are made from")
)

// readingLines are the command lines that read every mutant. In addition, each mutant is read by the
// next of growthLines.
var readingLines = []string{
	"inspect $m --nodes --values --tensors --ops --places --metadata",
	"inspect $m --text",
	"check $m --weights --all",
	"diff $half $m",
}

// enough is after how many faults the test stops.
const enough = 20

// TestMutantsInReadingCommands reads mutants with every command that needs no runtime. Half of them
// have one to three things wrong in a valid model, and of the other half the bytes are changed. No
// command may panic, write unprintable text, leave a part of a file or take more than a few seconds,
// and an error is one line.
func TestMutantsInReadingCommands(t *testing.T) {
	withoutRuntime(t)
	bases := slices.Concat(mutate.Bases(t), mutate.Files(t, reference.Testdata.Dir(t), 64<<10))
	r := mutantReader{t: t, dir: t.TempDir(), codes: map[int]int{}}
	for number := *mutantsFrom; number < *mutantsFrom+*mutants && r.faults < enough; number++ {
		base, mutant, about := numberedFile(t, bases, number)
		r.about, r.base, r.model = fmt.Sprintf("mutant %d (%s)", number, about), r.write("base.onnx", base), r.write("mutant.onnx", mutant)
		for _, line := range append(slices.Clone(readingLines), growthLines[number%uint64(len(growthLines))]) {
			r.read(line)
		}
	}
	t.Logf("exit codes %v; slowest: %v, %s", r.codes, r.slowest.Round(time.Millisecond), r.slow)
}

// numberedFile returns the bytes of a base and of a mutant. The same number always gives the same.
func numberedFile(t *testing.T, bases []mutate.Base, number uint64) (base, mutant []byte, about string) {
	rng := rand.New(rand.NewPCG(number, 1))
	from := bases[rng.IntN(len(bases))]
	base = marshaled(t, from.Model)
	if number%2 == 0 {
		m, did := mutate.New(from, bases, number)
		return base, marshaled(t, m), from.Name + ": " + did
	}
	mutant = slices.Clone(base)
	for range 1 + rng.IntN(4) {
		mutant = changeBytes(rng, mutant, base)
	}
	return base, mutant, from.Name + ": bytes"
}

func marshaled(t *testing.T, m proto.Message) []byte {
	t.Helper()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// changeBytes makes one change: of a bit or a byte, or of a range, which is removed, repeated, filled
// or copied from elsewhere, or it cuts the end.
func changeBytes(rng *rand.Rand, data, other []byte) []byte {
	if len(data) == 0 {
		return []byte{byte(rng.UintN(256))}
	}
	at := rng.IntN(len(data))
	end := min(at+1+rng.IntN(16), len(data))
	switch rng.IntN(8) {
	case 0:
		data[at] ^= 1 << rng.UintN(8)
	case 1:
		data[at] = byte(rng.UintN(256))
	case 2:
		return slices.Delete(data, at, end)
	case 3:
		return slices.Insert(data, at, slices.Clone(data[at:end])...)
	case 4:
		for i := at; i < end; i++ {
			data[i] = 0xff // a long varint
		}
	case 5:
		copy(data[at:end], other[rng.IntN(len(other)):])
	case 6:
		return data[:at]
	default:
		data[at]++ // often a length or a tag
	}
	return data
}

// mutantReader runs commands on one mutant after the other.
type mutantReader struct {
	t                 *testing.T
	dir               string
	about             string // the mutant
	base, model, slow string
	slowest           time.Duration
	codes             map[int]int
	faults            int
}

func (r *mutantReader) write(name string, data []byte) string {
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// read runs a command in this process and looks at what it leaves.
func (r *mutantReader) read(line string) {
	words := strings.Fields(strings.NewReplacer("$m", r.model, "$half", r.base, "$new", filepath.Join(r.dir, "made.onnx")).Replace(line))
	var out, errOut bytes.Buffer
	began := time.Now()
	code := r.run(words, &out, &errOut)
	if took := time.Since(began); took > r.slowest {
		r.slowest, r.slow = took, r.about+": "+line
	}
	r.codes[code]++
	wrong := func(format string, args ...any) {
		r.faults++
		r.t.Errorf("%s: lathe %s: exit code %d: %s", r.about, line, code, fmt.Sprintf(format, args...))
	}
	switch text := errOut.String(); {
	case !slices.Contains([]int{0, exitNo, exitFailed}, code):
		wrong("%q", text)
	case strings.Contains(text, "goroutine ") || strings.Contains(text, "internal error"):
		wrong("%q", text)
	case graphtest.Unprintable(text) != "" || graphtest.Unprintable(out.String()) != "":
		wrong("unprintable: %q %q", graphtest.Unprintable(text), graphtest.Unprintable(out.String()))
	case code == exitFailed && !oneErrorLine(text):
		wrong("standard error is not one line: %q", text)
	}
	for _, name := range entries(r.t, r.dir) {
		switch name {
		case "base.onnx", "mutant.onnx":
			continue
		case "made.onnx", "made.data", "made.onnx.data":
			if code == exitFailed {
				wrong("left %s", name)
			}
		default:
			wrong("left %s", name)
		}
		_ = os.Remove(filepath.Join(r.dir, name))
	}
}

// run returns the exit code of a command. It reports a panic, which would end the program with its trace,
// as such.
func (r *mutantReader) run(words []string, out, errOut *bytes.Buffer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = 2
			fmt.Fprintf(errOut, "panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(r.t.Context(), words, strings.NewReader(""), out, errOut)
}

// oneErrorLine reports whether the last line, and no other, is an error.
func oneErrorLine(text string) bool {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	errors := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "lathe: ") {
			errors++
		}
	}
	return errors == 1 && strings.HasPrefix(lines[len(lines)-1], "lathe: ")
}
