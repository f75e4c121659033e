package tour

import (
	_ "embed"
	"time"
)

// Model is the model of the tour: a language model of two layers, as ONNX. It is a copy of
// testdata/lm_batch1.onnx.
//
//go:embed model.onnx
var Model []byte

// Stop is a stop of the tour. The keys are pressed when the tour gets there. A key that begins with a
// quote is text.
type Stop struct {
	Says string
	Keys []string
}

// Pause is how long the tour stays at a stop.
const Pause = 5 * time.Second

// Stops are the stops of the tour.
var Stops = []Stop{
	{Says: "what the model is, and what to do next"},
	{Says: "/ filters by names, operators, shapes …", Keys: []string{"/", "'op:MatMul in:/blocks.0", "enter"}},
	{Says: "l and h follow the data", Keys: []string{"l"}},
	{Says: "5 shows a weight: histogram, elements …", Keys: []string{"h", "5", "H"}},
	{Says: "e edits attributes, types and names in place", Keys: []string{"2", "e"}},
	{Says: "Space marks an output to cut at", Keys: []string{"esc", "space"}},
	{Says: "p cuts there; u would undo, Ctrl-S write", Keys: []string{"p"}},
	{Says: "a makes the batch axis of all inputs dynamic", Keys: []string{"u", "a"}},
	{Says: "Q: weights in 8 bits, and what that costs", Keys: []string{"ctrl+c", "Q"}},
	{Says: "S: what could be simpler, with a proof", Keys: []string{"esc", "S"}},
	{Says: ": finds an action by any name for it", Keys: []string{"esc", ":", "'slow"}},
	{Says: "? lists the keys; type to find one", Keys: []string{"esc", "?"}},
	{Says: "b measures, V compares; now it is your turn", Keys: []string{"esc"}},
}
