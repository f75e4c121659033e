package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rounder has the operands of a conversion: registers, or addresses of numbers for each channel.
type rounder struct{ scale, lo, hi, offset func(i int) Op }

func codes() {
	TEXT("codesAVX2", NOSPLIT, "func(out []byte, raw []byte, scale float32, lo float32, hi float32, offset int32)")
	out, raw, n := elements("out"), elements("raw"), length("out")
	same := func(name string) func(int) Op {
		y := parameter(name)
		return func(int) Op { return y }
	}
	r := rounder{same("scale"), same("lo"), same("hi"), same("offset")}
	pack := newPacker()
	loop(n, 4*lanes, func() {
		pack.codes(out, raw, r)
		advance(4*vector, raw)
		advance(vector, out)
	})
	VZEROUPPER()
	RET()
}

func codesEach() {
	TEXT("codesEachAVX2", NOSPLIT, "func(out []byte, raw []byte, scale []float32, lo []float32, hi []float32, offset []int32)")
	out, raw, n := elements("out"), elements("raw"), length("out")
	scale, lo, hi, offset := elements("scale"), elements("lo"), elements("hi"), elements("offset")
	each := func(m Mem) func(int) Op {
		return func(i int) Op { return load(m, i) }
	}
	r := rounder{each(scale), each(lo), each(hi), each(offset)}
	pack := newPacker()
	loop(n, 4*lanes, func() {
		pack.codes(out, raw, r)
		advance(4*vector, raw, scale, lo, hi, offset)
		advance(vector, out)
	})
	VZEROUPPER()
	RET()
}

// packer has constants for the low bytes of integers.
type packer struct{ rounding, byteMask, order reg.VecVirtual }

func newPacker() packer {
	p := packer{constant("roundingNumber", roundingBits), constant("byteMask", 0xFF), YMM()}
	VMOVDQU(packedOrder(), p.order)
	return p
}

// packedOrder returns numbers in read-only memory: where each group of four codes lies after packing.
func packedOrder() Mem {
	const name = "packedOrder"
	if _, ok := constants[name]; !ok {
		constants[name] = GLOBL(name, RODATA|NOPTR)
		for i, from := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
			DATA(4*i, U32(from))
		}
	}
	return constants[name]
}

// codes converts 32 numbers. Packing works on the halves of registers on their own, so that groups of
// four codes must be put into order at the end. If a quotient is a NaN, both comparisons return it.
func (p packer) codes(out, raw Mem, r rounder) {
	var t [4]reg.VecVirtual
	for i := range t {
		t[i] = YMM()
		VMOVUPS(raw.Offset(vector*i), t[i])
		VDIVPS(r.scale(i), t[i], t[i])
		VMAXPS(t[i], r.lo(i), t[i])
		VMINPS(t[i], r.hi(i), t[i])
		VADDPS(p.rounding, t[i], t[i])
		VPADDD(r.offset(i), t[i], t[i])
		VPAND(p.byteMask, t[i], t[i])
	}
	VPACKUSDW(t[1], t[0], t[0])
	VPACKUSDW(t[3], t[2], t[2])
	VPACKUSWB(t[2], t[0], t[0])
	VPERMD(t[0], p.order, t[0])
	VMOVDQU(t[0], out)
}
