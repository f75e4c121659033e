package tui

import (
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/steps"
	"lathe/tui/tour"
)

// pictures are the screens shown in README.md and docs/explore.md: the model, the model beside it,
// and the keys that lead there.
var pictures = []struct {
	file, model, beside string
	w, h                int
	keys                string
}{
	{"workbench", "text_classifier.onnx", "", 160, 42, "/ s o f t m a x enter n space"},
	{"tensor", "digits.onnx", "", 130, 34, "/ f c 1 enter 5 T"},
	{"small", "digits.onnx", "", 80, 24, "j j j j j j j j space"},
	{"doctor", "ailing.onnxtxt", "", 130, 18, "P"},
	{"simplify", "text_classifier.onnx", "", 130, 26, "S j j enter"},
	{"diff", "digits.onnx", "digits_batch1.onnx", 130, 22, "w"},
	{"validation", "digits.onnx", "", 130, 24, "V enter"},
}

// TestScreenshots draws the pictures from the program's own view. They must equal the files in
// docs/screens; -update writes those.
func TestScreenshots(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.file, func(t *testing.T) {
			t.Chdir("../testdata") // so that the pictures have no paths
			o := testOptions(nil)
			o.Path, o.Beside, o.Steps = p.model, p.beside, steps.All
			if p.file == "validation" {
				o.Steps = recordedValidation(t)
			}
			o.Env = session.Env{Progress: func(session.Progress) {}}
			var err error
			if o.Model, err = o.Env.Open(p.model); err != nil {
				t.Fatal(err)
			}
			d := newDeskWith(t, o, p.w, p.h).press(strings.Fields(p.keys)...)
			comparePicture(t, p.file, drawSVG(d.app.View().Content, p.w, p.h))
		})
	}
}

// TestTourPicture draws the tour as a moving picture, with the frames that the program draws.
func TestTourPicture(t *testing.T) {
	const w, h, seconds = 110, 30, 3
	d := onTour(t, w, h)
	total := len(tour.Stops) * seconds
	var out strings.Builder
	beginSVG(&out, w, h)
	for i := range tour.Stops {
		fmt.Fprintf(&out, `<g visibility="hidden"><animate attributeName="visibility" values="visible;hidden" keyTimes="0;%.4f" dur="%ds" begin="%ds" repeatCount="indefinite" calcMode="discrete"/>`+"\n",
			1/float64(len(tour.Stops)), total, i*seconds)
		drawCells(&out, d.app.View().Content, w, h)
		out.WriteString("</g>\n")
		d.press("enter")
	}
	t.Chdir("../testdata")
	comparePicture(t, "tour", out.String()+"</svg>\n")
}

// comparePicture compares a picture with its file in docs/screens; -update writes that.
func comparePicture(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("../docs/screens", file+".svg")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the program draws; make screenshots draws it anew", path)
	}
}

// recordedValidation returns the steps, with a validate whose report was recorded for digits.onnx
// and a copy with a different weight of conv2.
func recordedValidation(t *testing.T) func() []session.Step {
	raw, err := os.ReadFile("../tui/testdata/validation.json")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeValidation{outputs: &compare.Report{}, layers: &layers.Report{}}
	var first struct {
		First *layers.FirstReport `json:"first_divergence"`
	}
	for _, part := range []any{f.outputs, f.layers, &first} {
		if err := json.Unmarshal(raw, part); err != nil {
			t.Fatal(err)
		}
	}
	f.layers.First = first.First
	if f.a, err = (session.Env{}).Open("digits.onnx"); err != nil {
		t.Fatal(err)
	}
	f.b = f.a
	return func() []session.Step { return []session.Step{validateStep(f)} }
}

// The size of a cell and the margin, in pixels, for a font of 14.
const (
	cellWidth  = 8.43
	cellHeight = 18
	margin     = 14
)

// drawSVG draws a screen as a picture: adjacent cells of one style become one text, stretched to
// the width of its cells in any font.
func drawSVG(content string, w, h int) string {
	var out strings.Builder
	beginSVG(&out, w, h)
	drawCells(&out, content, w, h)
	return out.String() + "</svg>\n"
}

// beginSVG writes the head of a picture and its background.
func beginSVG(out *strings.Builder, w, h int) {
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="DejaVu Sans Mono, Menlo, monospace" font-size="14">`+"\n",
		float64(w)*cellWidth+2*margin, h*cellHeight+2*margin)
	out.WriteString(`<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>` + "\n")
}

// drawCells draws the cells of a screen.
func drawCells(out *strings.Builder, content string, w, h int) {
	screen := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(content).Draw(screen, screen.Bounds())
	for y := range h {
		for x := 0; x < w; {
			x += drawRun(out, screen, x, y, w)
		}
	}
}

// drawRun draws the cells from x on that share a style, and returns their number.
func drawRun(out *strings.Builder, screen uv.ScreenBuffer, x, y, w int) int {
	first := screen.CellAt(x, y)
	if first == nil {
		return 1
	}
	var run strings.Builder
	n := 0
	for x+n < w {
		c := screen.CellAt(x+n, y)
		if c == nil || !c.Style.Equal(&first.Style) {
			break
		}
		if c.Content == "" && c.Width > 0 {
			run.WriteByte(' ')
		}
		run.WriteString(c.Content)
		n += max(c.Width, 1)
	}
	left, top, width := margin+float64(x)*cellWidth, margin+y*cellHeight, float64(n)*cellWidth
	if first.Style.Bg != nil {
		fmt.Fprintf(out, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`+"\n", left, top, width, cellHeight, hexColor(first.Style.Bg))
	}
	if strings.TrimSpace(run.String()) != "" {
		weight := ""
		if first.Style.Attrs&uv.AttrBold != 0 {
			weight = ` font-weight="bold"`
		}
		fill := "#c0caf5"
		if first.Style.Fg != nil {
			fill = hexColor(first.Style.Fg)
		}
		fmt.Fprintf(out, `<text x="%.2f" y="%.1f" fill="%s" textLength="%.2f"%s xml:space="preserve">%s</text>`+"\n",
			left, float64(top)+13.6, fill, width, weight, html.EscapeString(run.String()))
	}
	return max(n, 1)
}

func hexColor(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
