package onnxtext

import (
	"bufio"
	"io"
	"strconv"

	"lathe/graphops"
)

// Options say how a model is written. The zero value writes all of it.
type Options struct {
	// MaxElements, if above 0, is how many elements of a tensor, and of an attribute
	// that is a list, are written; "..." stands for the others. No parser takes
	// such a text.
	MaxElements int64
}

// Write writes a model and tells what its text does not say. Weights are read as
// they are written, a piece at a time; external data is written as the reference
// that it is, and not read.
func Write(w io.Writer, m *graphops.Model, o Options) ([]Loss, error) {
	return write(w, o, func(p *printer) { p.model(m) })
}

// WriteGraph writes a graph, as onnx.parser.parse_graph reads it.
func WriteGraph(w io.Writer, g *graphops.Graph, o Options) ([]Loss, error) {
	return write(w, o, func(p *printer) {
		p.graph(g, p.name)
		p.byte('\n')
	})
}

// WriteFunction writes a function, as onnx.parser.parse_function reads it.
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

// printer writes text. The first error ends it: what follows is not written.
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

// space begins a line n columns in.
func (p *printer) space(n int) {
	for range n {
		p.byte(' ')
	}
}

// in writes what f writes as a part of something.
func (p *printer) in(f frame, write func()) {
	p.path = append(p.path, f)
	write()
	p.path = p.path[:len(p.path)-1]
}
