package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/tui/actions"
	"lathe/tui/config"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// TestTensorGoesToReader goes from one of two equal tensors to the node that reads it.
func TestTensorGoesToReader(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	d.press("D", "j", "j", "enter")
	if d.selected() != "user" {
		t.Errorf("the selection is at %q, want the node that reads the twin", d.selected())
	}
	d.press("[")
	if d.selected() != "gemm" {
		t.Errorf("back leads to %q", d.selected())
	}
}

// TestTensorIndex goes to elements by their index.
func TestTensorIndex(t *testing.T) {
	for typed, want := range map[string]string{
		"7 2 3 4":    "[7, 2, 3, 4] = ",
		"[1,0,2,-1]": "[1, 0, 2, 4] = ",
		"1,2":        "2 of 4 indices, one for each axis of 8×3×4×5",
		"1 2 x 4":    `"x" is not a whole number`,
		"8 0 0 0":    "axis 0 has indices 0 to 7, not 8",
	} {
		d := tensorDesk(t, 120, 40)
		toTensor("conv")(d)
		d.press("i")
		d.paste(typed)
		d.press("enter")
		d.sees(want)
	}
}

// TestTensorMouse clicks on a tensor, a tab, an element, a line.
func TestTensorMouse(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	p := tensorOf(d)
	p.Clicked(5, 1)
	d.send(nudge{})
	d.sees("›input 2  bias")
	from, _ := p.TabAt(tensors.ViewElements)
	p.Clicked(from+1, p.HeadHeight()-1)
	d.send(nudge{})
	d.press("K")
	d.send(nudge{})
	p.Clicked(1+p.Elements.RowHead()+1+p.Elements.ColumnWidth()+1, p.HeadHeight()+tensors.ElementsHead+2)
	d.sees("[2, 1] = ")
	p.Wheeled(1)
	d.sees("[3, 1] = ")
	p.Clicked(200, 200)
	p.Clicked(0, p.HeadHeight()+tensors.ElementsHead)
	d.sees("[3, 1] = ")
	d.press("D")
	p.Clicked(3, p.HeadHeight()+tensors.EqualHead+1)
	if p.Equal.Rows.Cursor != 1 {
		t.Errorf("the click leads to line %d, want 1", p.Equal.Rows.Cursor)
	}
}

// TestAxes changes the axes of views of a tensor with four axes.
func TestAxes(t *testing.T) {
	shape := []int64{8, 3, 4, 5}
	for _, c := range []struct {
		name string
		x    *tensors.Axes
		do   func(*tensors.Axes)
		want string
	}{
		{"elements", tensors.ElementAxes(shape), func(*tensors.Axes) {}, "[›0, 0, ↓, →]"},
		{"heat", tensors.HeatAxes(shape), func(*tensors.Axes) {}, "[↓, ›all, all, →]"},
		{"next", tensors.ElementAxes(shape), (*tensors.Axes).NextHeld, "[0, ›0, ↓, →]"},
		{"around", tensors.ElementAxes(shape), func(x *tensors.Axes) { x.NextHeld(); x.NextHeld() }, "[›0, 0, ↓, →]"},
		{"step", tensors.ElementAxes(shape), func(x *tensors.Axes) { x.Step(1) }, "[›1, 0, ↓, →]"},
		{"step back", tensors.ElementAxes(shape), func(x *tensors.Axes) { x.Step(-1) }, "[›7, 0, ↓, →]"},
		{"step of all", tensors.HeatAxes(shape), func(x *tensors.Axes) { x.Step(1) }, "[↓, ›0, all, →]"},
		{"back to all", tensors.HeatAxes(shape), func(x *tensors.Axes) { x.Step(-1); x.Step(1) }, "[↓, ›all, all, →]"},
		{"sides change", tensors.ElementAxes(shape), (*tensors.Axes).TurnDown, "[›0, 0, →, ↓]"},
		{"down", tensors.ElementAxes(shape), func(x *tensors.Axes) { x.TurnDown(); x.TurnDown() }, "[↓, ›0, →, 0]"},
		{"across", tensors.ElementAxes(shape), (*tensors.Axes).TurnAcross, "[→, ›0, ↓, 0]"},
		{"turned", tensors.ElementAxes(shape), (*tensors.Axes).Transpose, "[›0, 0, →, ↓]"},
		{"list", tensors.ElementAxes(shape[:1]), func(*tensors.Axes) {}, "[↓]"},
		{"list turned", tensors.ElementAxes(shape[:1]), (*tensors.Axes).Transpose, "[→]"},
		{"scalar", tensors.ElementAxes(nil), func(*tensors.Axes) {}, "[]"},
	} {
		c.do(c.x)
		if got, _, _ := strings.Cut(c.x.Brief(), " of"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if err := c.x.Check(c.x.Shape); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLargeMatrix moves through a matrix that is much larger than a block.
func TestLargeMatrix(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	withLargeTensor(d)
	p := tensorOf(d)
	for _, k := range []string{"G", "ctrl+u", "pgup", "l", "right", "g", "ctrl+d"} {
		d.press(k)
		e := p.Elements
		d.sees(fmt.Sprintf("[%d, %d] = %d", e.Rows.Cursor, e.Columns.Cursor, e.Rows.Cursor*300+e.Columns.Cursor))
		d.lacks(tensors.Unread + " ")
	}
	for range 299 {
		d.press("l")
	}
	d.sees("299] = ")
}

// withLargeTensor shows the elements of a tensor of 500×300.
func withLargeTensor(d *desk) {
	d.app.Look(workspace.PlaceTensor)
	d.send(nudge{})
	elements := make([]int64, 500*300)
	for i := range elements {
		elements[i] = int64(i)
	}
	v, err := tensor.FromInt64s(tensor.I32, elements, 500, 300)
	if err != nil {
		d.t.Fatal(err)
	}
	p := tensorOf(d)
	p.Constants = []values.RowTensor{values.NewRowTensor(graphops.NewTensorOf("large", v), "input 0", "large")}
	p.Chosen.Reset(1, 0)
	p.TurnTo()
	d.press("E")
}

// setTensors sets up a test with the model tensors instead of branchy.
func setTensors(name, keys string) func(*desk) {
	return func(d *desk) {
		*d = *newDeskWith(d.t, Options{
			Path: "model.onnx", Model: tensorModel(d.t), Steps: fakeSteps, Background: BackgroundDark,
			Now:      func() time.Time { return time.Unix(0, 0).UTC() },
			Settings: config.Config{Theme: config.ThemeAuto, AltScreen: true, Columns: []string{"op", "name", "type"}},
		}, 120, 40)
		toTensor(name)(d)
		d.press(strings.Fields(keys)...)
	}
}

func showsView(v tensors.TensorView) func(*desk) bool {
	return func(d *desk) bool { return tensorOf(d).Shown == v }
}

func init() {
	views = append(views, []struct{ name, keys string }{
		{"tensor", "j j 5"}, {"tensor-histogram", "j j 5 H"}, {"tensor-heat", "j j 5 T"}, {"tensor-elements", "j j 5 E"},
	}...)
	effects[shell.PlaceMain]["look-tensor"] = effect{nil, looksAt(workspace.PlaceTensor)}
	effects[workspace.PlaceTensor] = map[actions.Name]effect{
		"statistics":            {setTensors("gemm", "H"), showsView(tensors.ViewStatistics)},
		"histogram":             {setTensors("gemm", ""), shows("numbers, 45 bars")},
		tensors.ActionHeatMap:   {setTensors("gemm", ""), shows("each element a cell")},
		tensors.ActionElements:  {setTensors("gemm", ""), shows("[0, 0] = 1")},
		tensors.ActionEqual:     {setTensors("gemm", ""), shows("2 × f32 6, 24 B each")},
		"next-view":             {setTensors("gemm", ""), showsView(tensors.ViewHistogram)},
		"next-tensor":           {setTensors("gemm", ""), shows("›input 2")},
		"previous-tensor":       {setTensors("gemm", "J"), shows("›input 1")},
		"right":                 {setTensors("gemm", "E"), shows("[0, 1] = -2")},
		"left":                  {setTensors("gemm", "E l"), shows("[0, 0] = 1")},
		"axis-down":             {setTensors("conv", "E"), shows("[›0, 0, →, ↓]")},
		"axis-across":           {setTensors("conv", "E"), shows("[→, ›0, ↓, 0]")},
		"transpose":             {setTensors("gemm", "E l"), shows("[→, ↓]")},
		"held-axis":             {setTensors("conv", "E"), shows("[0, ›0, ↓, →]")},
		"index-after":           {setTensors("conv", "E"), shows("[›1, 0, ↓, →]")},
		"index-before":          {setTensors("conv", "E"), shows("[›7, 0, ↓, →]")},
		"go-to-index":           {setTensors("conv", "E"), opens(tensors.PlaceIndex)},
		"scale":                 {setTensors("conv", "H"), shows("logarithmic")},
		"measure":               {setTensors("conv", "T"), shows("mean, ")},
		"go-to-reader":          {setTensors("gemm", "D j j"), selects("user")},
		tensors.ActionReadAgain: {failedTensor, shows("max          7")},
		tensors.ActionStop:      {setTensors("gemm", ""), looksAt(workspace.PlaceNodes)},
	}
	effects[tensors.PlaceIndex] = map[actions.Name]effect{
		shell.ActionAccept: {setTensors("conv", "i 1 , 2 , 3 , 4"), shows("[1, 2, 3, 4] = ")},
		shell.ActionClose:  {setTensors("conv", "i"), closed},
	}
	positions[workspace.PlaceTensor] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{func(d *desk) {
		withLargeTensor(d)
		for range 5 {
			tensorOf(d).Move(list.PageDown)
		}
	}, func(d *desk) int { return tensorOf(d).Elements.Rows.Cursor }}
}

// failedTensor shows a tensor that could not be read.
func failedTensor(d *desk) {
	setTensors("gemm", "")(d)
	for _, a := range tensorOf(d).Passes.Kept {
		a.Value, a.Err = nil, errLuck
	}
	d.send(nudge{})
}
