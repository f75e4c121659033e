package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// extremes handles 32 numbers at a time. Each of the four registers of a block has extremes of its
// own, so that one comparison need not wait for another.
func extremes() {
	TEXT("extremesAVX2", NOSPLIT, "func(raw []byte, most int32, least uint32) (highest int32, lowest uint32)")
	raw, n := elements("raw"), length("raw")
	var most, least [4]reg.VecVirtual
	for i := range 4 {
		most[i], least[i] = parameter("most"), parameter("least")
	}
	loop(n, 4*vector, func() {
		for i := range 4 {
			x := load(raw, i)
			VPMAXSD(x, most[i], most[i])
			VPMAXUD(x, least[i], least[i])
		}
		advance(4*vector, raw)
	})
	Store(across(most, func(a, b, to Op) { VPMAXSD(a, b, to) }), ReturnIndex(0))
	Store(across(least, func(a, b, to Op) { VPMAXUD(a, b, to) }), ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// across returns the largest of all numbers in four registers.
func across(r [4]reg.VecVirtual, larger func(a, b, to Op)) reg.Register {
	larger(r[1], r[0], r[0])
	larger(r[3], r[2], r[2])
	larger(r[2], r[0], r[0])
	return widest(r[0], larger)
}

// widest returns the largest number in a register.
func widest(y reg.VecVirtual, larger func(a, b, to Op)) reg.Register {
	half := XMM()
	VEXTRACTI128(U8(1), y, half)
	x := y.AsX()
	larger(half, x, x)
	for _, order := range []uint8{0b01_00_11_10, 0b10_11_00_01} { // swap the halves, then the neighbours
		VPSHUFD(U8(order), x, half)
		larger(half, x, x)
	}
	out := GP32()
	VMOVD(x, out)
	return out
}

func extremesEach() {
	TEXT("extremesEachAVX2", NOSPLIT, "func(most []int32, least []uint32, raw []byte) (magnitude uint32)")
	most, least, raw, n := elements("most"), elements("least"), elements("raw"), length("most")
	mask := constant("magnitudeMask", magnitude)
	largest := YMM()
	VPXOR(largest, largest, largest)
	loop(n, lanes, func() {
		x, y := load(raw, 0), YMM()
		VPMAXSD(most, x, y)
		VMOVDQU(y, most)
		VPMAXUD(least, x, y)
		VMOVDQU(y, least)
		VPAND(mask, x, x)
		VPMAXUD(x, largest, largest)
		advance(vector, most, least, raw)
	})
	Store(widest(largest, func(a, b, to Op) { VPMAXUD(a, b, to) }), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
