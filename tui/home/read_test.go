package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestLateResults shows a latency even if the results are read after the file.
func TestLateResults(t *testing.T) {
	o := fixture(t)
	d := newHeldDesk(t, o, 80, 24, true)
	d.hold = false
	d.send(d.app.look()())
	d.sees("7 models, reading results")
	d.lacks("12.35 ms")
	d.send(d.app.loadResults())
	d.sees("12.35 ms", "cuda, 2 hours ago")
	if d.app.known != len(d.app.files) {
		t.Errorf("%d of %d files are known", d.app.known, len(d.app.files))
	}
}

// TestMeasuredFile shows a latency only for the file that was measured.
func TestMeasuredFile(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string)
		shows  bool
	}{
		{"as it was", func(*testing.T, string) {}, true},
		{"modified since", func(t *testing.T, path string) { age(t, path, noon) }, false},
		{"another structure with an old time", func(t *testing.T, path string) {
			put(t, ".", path, graphtest.Bytes(t, "input x f32[2]\ny = Neg(x)\noutput y f32[2]"))
			age(t, path, noon.Add(-24*time.Hour))
		}, false},
		{"a link that was made since", func(t *testing.T, path string) {
			old := put(t, "models", "old", small(t))
			age(t, old, noon.Add(-24*time.Hour))
			if err := errors.Join(os.Remove(path), os.Symlink("old", path)); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fixture(t)
			c.change(t, "models/encoder.onnx")
			d := newDesk(t, o, 80, 24)
			if got := strings.Contains(d.screen(), "12.35 ms"); got != c.shows {
				t.Errorf("the latency shows: %v, want %v\n%s", got, c.shows, d.screen())
			}
		})
	}
}

// TestExternalSize counts the declared size of weights in external files.
func TestExternalSize(t *testing.T) {
	folder := t.TempDir()
	p := graphtest.Proto(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
	p.Graph.Initializer = append(p.Graph.Initializer, &onnxpb.TensorProto{
		Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{1 << 28}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
		ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("weights.bin")}},
	})
	content, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, "large.onnx", content)
	newDesk(t, testOptions(folder), 80, 24).sees("1.0 GiB")
}

// TestBrokenFiles shows why a file cannot be opened, in its row and in the details. It can be
// chosen.
func TestBrokenFiles(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "empty.onnx", nil)
	put(t, folder, "text.onnx", []byte("hello"))
	put(t, folder, "locked.onnx", small(t))
	put(t, folder, "panics.onnx", small(t))
	if err := os.Symlink("nowhere", filepath.Join(folder, "link.onnx")); err != nil {
		t.Fatal(err)
	}
	o := testOptions(folder)
	open := o.Open
	o.Open = func(path string) (*graphops.Model, error) {
		switch filepath.Base(path) {
		case "locked.onnx":
			return nil, fmt.Errorf("%s: permission denied", path)
		case "panics.onnx":
			panic("out of \x1b[2J range")
		}
		return open(path)
	}
	d := newDesk(t, o, 200, 24)
	d.sees("empty.onnx", "0 B  the file is empty, expected an ONNX model", "-  is a link to nowhere, which does not exist",
		"  permission denied", `internal error: out of \x1b[2J range`, "this is a text file")
	d.checkSize()
	if d.press("down", "down"); !strings.Contains(trimmed(d.screen()), "\n permission denied\n") {
		t.Errorf("nothing below the list says why:\n%s", d.screen())
	}
	if d.press("enter"); d.app.choice.Path != "locked.onnx" {
		t.Errorf("chose %q", d.app.choice.Path)
	}
}

// TestSlowFile checks that a file that does not answer holds up nothing else.
func TestSlowFile(t *testing.T) {
	o := testOptions(numbered(t, 300))
	var release func()
	o.Open, release = blocked(t.Context(), "model_0001.onnx", o.Open)
	d := newHeldDesk(t, o, 80, 24, true)
	answers := make(chan tea.Msg, 100)
	start := func() { // every command in a goroutine, as Bubble Tea does
		for _, cmd := range d.waiting {
			go func() { answers <- cmd() }()
		}
		d.waiting = nil
	}
	start()
	for d.app.known < 299 || !d.app.isWalked {
		d.send(<-answers)
		start()
	}
	d.sees("300 models, 299 read", "model_0001.onnx              …      …")
	d.press("down", "down").sees("› model_0002.onnx")
	release()
	for d.app.known < 300 {
		d.send(<-answers)
		start()
	}
	d.sees("300 models ", "model_0001.onnx           61 B")
}

// TestVisibleFirst checks that visible rows are read before others.
func TestVisibleFirst(t *testing.T) {
	o := testOptions(numbered(t, 2000))
	var order []string
	open := o.Open
	o.Open = func(path string) (*graphops.Model, error) {
		order = append(order, filepath.Base(path))
		return open(path)
	}
	d := newHeldDesk(t, o, 80, 24, true)
	d.waiting = nil // so far only the walk of the folder has answered
	d.send(d.app.look()())
	d.press("end")
	from, to := d.app.sections[models].rows.Visible()
	if from == 0 || to != 2000 {
		t.Fatalf("rows %d to %d show", from, to)
	}
	var q queue
	q.add(d.app.queue.paths)
	q.show([]int{1990, 1991})
	for _, want := range []string{"model_1990.onnx", "model_1991.onnx", "model_0000.onnx", "model_0001.onnx"} {
		if _, path, ok := q.take(); !ok || path != want {
			t.Errorf("took %q, want %q", path, want)
		}
	}
	q.readAgain(0)
	if _, path, _ := q.take(); path != "model_0000.onnx" {
		t.Errorf("took %q, want the file that is to be read again", path)
	}
	d.resume()
	if len(order) != 2000 || len(slices.Compact(slices.Sorted(slices.Values(order)))) != 2000 {
		t.Errorf("%d files were opened", len(order))
	}
	for i, name := range order[:to-from] {
		if want := fmt.Sprintf("model_%04d.onnx", from+i); name != want {
			t.Fatalf("file %d is %s, want %s", i, name, want)
		}
	}
}

// TestTypedAhead checks that Enter opens a match of the typed query, and not a row that was shown
// before the search answered.
func TestTypedAhead(t *testing.T) {
	d := newDesk(t, testOptions(numbered(t, 300)), 80, 24)
	d.hold = true
	d.write("299").press("enter")
	if d.quit {
		t.Fatal("Enter opens a match of less than was typed")
	}
	d.sees("searching")
	d.resume()
	if !d.quit || d.app.choice.Path != "model_0299.onnx" {
		t.Errorf("chose %q", d.app.choice.Path)
	}
}

// TestNewModelsKeepTheSelection checks that a search includes models that are found later.
func TestNewModelsKeepTheSelection(t *testing.T) {
	d := newDesk(t, testOptions(numbered(t, 20)), 80, 24)
	d.write("model_001").press("down", "down")
	_, before := d.selected()
	put(t, d.app.o.Folder, "a/model_001.onnx", small(t))
	d.app.isWalked, d.app.walk.folders = false, []folder{{"a", 1}}
	d.send(d.app.look()())
	if _, after := d.selected(); after != before || len(d.app.files) != 21 {
		t.Errorf("%q is selected of %d models, want %q", after, len(d.app.files), before)
	}
	d.sees("a/model_001.onnx")
	d.press("ctrl+u")
	if _, after := d.selected(); after != before {
		t.Errorf("without a query %q is selected, want %q", after, before)
	}
}

func TestWalk(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b.onnx", "A.ONNX", "c.onnxtext", "d.pb", "onnx", ".e.onnx", "x/f.onnx", "x/y/g.onnx", "x/y/z/h.onnx", ".git/i.onnx", "folder.onnx/j.onnx"} {
		put(t, root, name, nil)
	}
	if err := errors.Join(os.Symlink("b.onnx", filepath.Join(root, "l.onnx")), os.Symlink(".", filepath.Join(root, "loop")), os.Mkdir(filepath.Join(root, "empty"), 0)); err != nil {
		t.Fatal(err)
	}
	w := newWalk(root)
	var found []string
	for !w.isOver() {
		found = append(found, w.next(t.Context())...)
	}
	want := []string{"A.ONNX", "b.onnx", "c.onnxtext", "l.onnx", "folder.onnx/j.onnx", "x/f.onnx", "x/y/g.onnx"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	notes := strings.Join(w.notes(), "\n")
	if !strings.Contains(notes, "folders more than 2 levels down are not searched") {
		t.Errorf("the notes are %q", notes)
	}
	if os.Getuid() != 0 && !strings.Contains(notes, "empty: permission denied") {
		t.Errorf("a folder that cannot be read is not reported: %q", notes)
	}
}

// TestWalkIsBounded checks that the list says what the walk left out.
func TestWalkIsBounded(t *testing.T) {
	root := numbered(t, 5)
	w := newWalk(root)
	w.models = mostModels - 3
	if found := w.next(t.Context()); len(found) != 3 || !w.isOver() || !strings.Contains(w.notes()[0], "the search ended after 10,000 models") {
		t.Errorf("found %v; %v", found, w.notes())
	}
	w = newWalk(root)
	w.seen = mostSeen - 1
	if w.next(t.Context()); !w.isOver() || !strings.Contains(w.notes()[0], "and 200,004 files") {
		t.Errorf("%v", w.notes())
	}
}
