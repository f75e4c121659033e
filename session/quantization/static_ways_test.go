//go:build cgo

package quantization

import (
	"fmt"

	"lathe/graphops/quant/static"
	"lathe/graphops/tensor"
)

// hostileWay is a set of options. more names the unusual options in it. With unusual options, a
// model that is usually rejected may be accepted, and the other way round.
type hostileWay struct {
	o    static.Options
	more string
}

func (w hostileWay) String() string {
	return fmt.Sprintf("format %d, %s and %s, per channel %t %s", w.o.Format, w.o.ActivationType, w.o.WeightType, w.o.PerChannel, w.more)
}

// staticWays are formats and types, with and without scales per channel.
func staticWays() []hostileWay {
	var out []hostileWay
	for _, w := range []struct {
		format              static.Format
		activations, weight tensor.DType
	}{
		{static.FormatQDQ, tensor.I8, tensor.I8},
		{static.FormatQDQ, tensor.U8, tensor.U8},
		{static.FormatQDQ, tensor.U8, tensor.I8},
		{static.FormatQDQ, tensor.I16, tensor.I8},
		{static.FormatOperators, tensor.I8, tensor.I8},
		{static.FormatOperators, tensor.U8, tensor.U8},
	} {
		for _, perChannel := range []bool{false, true} {
			o := static.DefaultOptions()
			o.Format, o.ActivationType, o.WeightType, o.PerChannel = w.format, w.activations, w.weight, perChannel
			out = append(out, hostileWay{o: o})
		}
	}
	return out
}
