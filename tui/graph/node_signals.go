package graph

import (
	"math"

	"lathe/graphops"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// SNRColumn is the column of the list that shows how well each node's weights survive quantization, or what
// it costs at the outputs.
const SNRColumn = "snr"

// NodeSignals are signal-to-noise ratios by node: those that its weights have after quantization, as the last
// look at what to quantize measured them, or those that the outputs of the model have if only this node is
// quantized. They are immutable.
type NodeSignals struct {
	// How says what the ratios are of, such as "dynamic, int8". It is safe to print.
	How string
	// AtOutputs is set if the ratios are of the outputs of the model.
	AtOutputs bool

	of    map[*graphops.Place]map[int]float64 // in dB, by the index of the node
	scale plot.Scale
}

// NewNodeSignals returns signals without a node.
func NewNodeSignals(how string) *NodeSignals {
	return &NodeSignals{
		How: how, of: map[*graphops.Place]map[int]float64{},
		scale: plot.Scale{Low: math.Inf(1), High: math.Inf(-1), Steps: theme.HeatSteps},
	}
}

// Add adds a node whose weights have this ratio in dB, before the signals are shared. It is
// infinite if every weight survives exactly.
func (s *NodeSignals) Add(p *graphops.Place, node int, db float64) {
	if s.of[p] == nil {
		s.of[p] = map[int]float64{}
	}
	s.of[p][node] = db
	if !math.IsInf(db, 0) {
		s.scale.Low, s.scale.High = min(s.scale.Low, db), max(s.scale.High, db)
	}
}

// IsEmpty reports that no node has a ratio.
func (s *NodeSignals) IsEmpty() bool { return len(s.of) == 0 }

// Of returns the ratio of a node of a place, and false if none is known.
func (s *NodeSignals) Of(p *graphops.Place, node int) (db float64, known bool) {
	db, known = s.in(p)[node]
	return db, known
}

// in returns the ratios of the nodes of a place.
func (s *NodeSignals) in(p *graphops.Place) map[int]float64 {
	if s == nil {
		return nil
	}
	return s.of[p]
}

// worst returns the smallest ratio of some nodes of a place, and false if none is known.
func (s *NodeSignals) worst(p *graphops.Place, nodes []int32) (db float64, known bool) {
	of := s.in(p)
	db = math.Inf(1)
	for _, n := range nodes {
		if x, ok := of[int(n)]; ok {
			db, known = min(db, x), true
		}
	}
	return db, known
}

// signal returns the ratio of a row's node, and false if none is known.
func (w *Wiring) signal(row int) (db float64, known bool) {
	k, i := w.Outline.At(row)
	if k != KindNode {
		return 0, false
	}
	return w.Types.Signals.Load().Of(w.Outline.Place, i)
}

func (w *Wiring) signalText(row int) string {
	if db, known := w.signal(row); known {
		return Decibels(db)
	}
	return ""
}

// signalNumber returns the ratio of a row's node. It is NaN if none is known.
func (w *Wiring) signalNumber(row int) float64 {
	if db, known := w.signal(row); known {
		return db
	}
	return math.NaN()
}

// signalStep returns the position of a row's ratio on the color scale, on which the worst is the
// hottest. It is -1 if the row has no ratio or every weight survives exactly.
func (w *Wiring) signalStep(row int) int {
	db, known := w.signal(row)
	scale := w.Types.Signals.Load()
	if !known || math.IsInf(db, 1) || scale.scale.Low == scale.scale.High {
		return -1
	}
	return theme.HeatSteps - 1 - scale.scale.Step(db)
}

// Decibels writes a signal-to-noise ratio in dB. Without any error it is "exact".
func Decibels(db float64) string {
	if math.IsInf(db, 1) {
		return "exact"
	}
	return Decimal(db) + " dB"
}
