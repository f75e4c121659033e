//go:build soak

package page

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lathe/bench/store"
)

// browsers are the names that a headless Chromium goes by.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// browse runs a headless Chromium on a file, and gives what it prints.
func browse(t *testing.T, file string, flags ...string) []byte {
	t.Helper()
	found := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil && found == "" {
			found = path
		}
	}
	if found == "" {
		t.Skip("no Chromium in PATH, so the page is not looked at")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir()}, flags...)
	cmd := exec.CommandContext(ctx, found, append(args, "file://"+file)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", found, err, errOut.String())
	}
	return out.Bytes()
}

// saved is a page in a file, after a change to it.
func saved(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBrowserRunsNothing opens a page of hostile names, and one that tries to load and to run
// what the policy forbids: nothing of it happens.
func TestBrowserRunsNothing(t *testing.T) {
	dom := string(browse(t, saved(t, written(t, formatHTML, all(t)...)), "--dump-dom"))
	if strings.Contains(dom, "<title>owned") || strings.Contains(dom, "<script") || strings.Contains(dom, "<img") {
		t.Error("a name became markup")
	}
	var asked atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	at := "http://" + listener.Addr().String()
	evil := `<script>document.title="owned"</script><script src="` + at + `/a.js"></script><img src="` + at + `/b.png"><link rel="stylesheet" href="` + at + `/c.css"><iframe src="` + at + `/d"></iframe></main>`
	dom = string(browse(t, saved(t, strings.Replace(written(t, formatHTML, measured(t, "a.onnx")), "</main>", evil, 1)), "--dump-dom"))
	if strings.Contains(dom, "<title>owned") || asked.Load() > 0 {
		t.Errorf("the policy let %d requests and a script through", asked.Load())
	}
}

// TestBrowserDraws looks at the page light and dark, as wide as a screen and as a telephone:
// the paper has the colour of the scheme, figures are drawn in theirs, and nothing sticks out.
func TestBrowserDraws(t *testing.T) {
	file := saved(t, written(t, formatHTML, measured(t, "a.onnx", "b.onnx"), others(t, "c.onnx")[1]))
	for _, c := range []struct {
		name, scheme, width string
		paper, series       color.RGBA
	}{
		{"light", "1", "1200", color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0x1f, 0x6f, 0xb2, 0xff}},
		{"dark", "0", "1200", color.RGBA{0x15, 0x18, 0x1d, 0xff}, color.RGBA{0x64, 0xae, 0xf0, 0xff}},
		{"telephone", "1", "500", color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0x1f, 0x6f, 0xb2, 0xff}},
	} {
		t.Run(c.name, func(t *testing.T) {
			shot := filepath.Join(t.TempDir(), "shot.png")
			browse(t, file, "--screenshot="+shot, "--window-size="+c.width+",3000", "--blink-settings=preferredColorScheme="+c.scheme)
			content, err := os.ReadFile(shot)
			if err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if got := color.RGBAModel.Convert(picture.At(2, 2)); got != c.paper {
				t.Errorf("the paper is %v, want %v", got, c.paper)
			}
			if n := pixels(picture, c.series); n < 1000 {
				t.Errorf("%d pixels have the colour of the first subject", n)
			}
			// The right margin is paper all the way down: what is wide scrolls by itself.
			for y := range picture.Bounds().Dy() {
				if got := color.RGBAModel.Convert(picture.At(picture.Bounds().Dx()-2, y)); got != c.paper {
					t.Fatalf("something reaches the right edge at line %d: %v", y, got)
				}
			}
		})
	}
}

func pixels(p image.Image, of color.RGBA) (n int) {
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			if color.RGBAModel.Convert(p.At(x, y)) == of {
				n++
			}
		}
	}
	return n
}

// TestBrowserPrints makes a PDF.
func TestBrowserPrints(t *testing.T) {
	out := filepath.Join(t.TempDir(), "page.pdf")
	browse(t, saved(t, written(t, formatHTML, []*store.Result{measured(t, "a.onnx")}...)), "--print-to-pdf="+out)
	content, err := os.ReadFile(out)
	if err != nil || !bytes.HasPrefix(content, []byte("%PDF")) || len(content) < 5000 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}
