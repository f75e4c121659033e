package onnxtext

import (
	"bufio"
	"io"
	"strconv"

	"lathe/graphops"
)

// Options say how a model is written. The zero value writes everything.
type Options struct {
	// MaxElements, if above 0, is the maximum number of elements of a tensor or list attribute that
	// are written. "..." takes the place of the others. No parser accepts a text with "...".
	MaxElements int64
}

// Write writes a model and returns what its text does not contain. Weights are read in chunks while
// they are written. External data is not read; the text has a reference to it.
func Write(w io.Writer, m *graphops.Model, o Options) ([]Loss, error) {
	return write(w, o, func(p *printer) { p.model(m) })
}

// WriteGraph writes a graph in the form that onnx.parser.parse_graph reads.
func WriteGraph(w io.Writer, g *graphops.Graph, o Options) ([]Loss, error) {
	return write(w, o, func(p *printer) {
		p.graph(g, p.name)
		p.byte('\n')
	})
}

// WriteFunction writes a function in the form that onnx.parser.parse_function reads.
func WriteFunction(w io.Writer, f *graphops.Function, o Options) ([]Loss, error) {
	return write(w, o, func(p *printer) {
		p.function(f)
		p.byte('\n')
	})
}

func write(w io.Writer, o Options, f func(p *printer)) ([]Loss, error) {
	p := &printer{w: bufio.NewWriterSize(w, 64<<10), max: o.MaxElements, indent: 3}
	f(p)
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.losses, p.err
}

// printer writes text. After the first error nothing more is written.
type printer struct {
	w      *bufio.Writer
	max    int64
	indent int
	path   []frame
	losses []Loss
	buf    []byte
	err    error
}

func (p *printer) text(s string) {
	if p.err == nil {
		_, p.err = p.w.WriteString(s)
	}
}

func (p *printer) byte(c byte) {
	if p.err == nil {
		p.err = p.w.WriteByte(c)
	}
}

func (p *printer) bytes(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *printer) int(v int64) {
	p.buf = strconv.AppendInt(p.buf[:0], v, 10)
	p.bytes(p.buf)
}

// space writes n spaces.
func (p *printer) space(n int) {
	for range n {
		p.byte(' ')
	}
}

// in calls write with the frame f added to the path of the current position.
func (p *printer) in(f frame, write func()) {
	p.path = append(p.path, f)
	write()
	p.path = p.path[:len(p.path)-1]
}
