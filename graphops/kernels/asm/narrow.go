package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of a tally: registers of bounds, limits and counts.
const (
	tallyLeast  = 0
	tallyMost   = 1
	tallyLimits = 2
	tallyAbove  = 8
	counts      = 6

	limitZero   = tallyLimits     // aboveZero
	limitFinite = tallyLimits + 5 // aboveAll
)

// tally is a tally in use. The counts are in registers until end stores them.
type tally struct {
	at        Mem
	magnitude reg.VecVirtual
	above     [counts]reg.VecVirtual
}

func newTally() *tally {
	t := &tally{at: Mem{Base: Load(Param("t"), GP64())}, magnitude: constant("magnitudeMask", magnitude)}
	for i := range t.above {
		t.above[i] = load(t.at, tallyAbove+i)
	}
	return t
}

func (t *tally) number(i int) Mem { return t.at.Offset(vector * i) }

// count counts the magnitudes in m that are above each limit. A comparison gives -1 for those.
func (t *tally) count(m reg.VecVirtual) {
	for i, sum := range t.above {
		is := YMM()
		VPCMPGTD(t.number(tallyLimits+i), m, is)
		VPSUBD(is, sum, sum)
	}
}

// moved returns the numbers x, whose magnitudes are m, moved into the bounds.
func (t *tally) moved(x, m reg.VecVirtual) reg.VecVirtual {
	to, fixed, sign := YMM(), YMM(), YMM()
	VPXOR(x, m, sign)
	VPMAXUD(t.number(tallyLeast), m, to)
	VPMINUD(t.number(tallyMost), to, to)
	VPOR(sign, to, to)
	VPCMPGTD(t.number(limitFinite), m, fixed) // infinities and NaN
	VPBLENDVB(fixed, x, to, to)
	VPCMPGTD(t.number(limitZero), m, fixed) // not 0
	VPBLENDVB(fixed, to, x, to)
	return to
}

func (t *tally) end() {
	for i, sum := range t.above {
		VMOVDQU(sum, t.number(tallyAbove+i))
	}
	VZEROUPPER()
}

// magnitudes returns the vector i of the numbers at an address, and their magnitudes.
func (t *tally) magnitudes(raw Mem, i int) (x, m reg.VecVirtual) {
	x, m = load(raw, i), YMM()
	VPAND(t.magnitude, x, m)
	return x, m
}

// float16 ends before a block with a NaN, and returns how many numbers it has converted.
func float16() {
	TEXT("float16AVX2", NOSPLIT, "func(out []byte, raw []byte, t *[14][8]uint32) (done int)")
	out, raw, n := elements("out"), elements("raw"), length("raw")
	t := newTally()
	infinite := constant("infinityBits", infinity)
	all := GP64()
	MOVQ(n, all)
	loop(n, 2*vector, func() {
		x0, m0 := t.magnitudes(raw, 0)
		x1, m1 := t.magnitudes(raw, 1)
		nan := YMM()
		VPMAXUD(m0, m1, nan)
		VPCMPGTD(infinite, nan, nan)
		VPTEST(nan, nan)
		JNZ(LabelRef("end"))
		for i, v := range [][2]reg.VecVirtual{{x0, m0}, {x1, m1}} {
			t.count(v[1])
			VCVTPS2PH(U8(0), t.moved(v[0], v[1]), out.Offset(vector/2*i))
		}
		advance(2*vector, raw)
		advance(vector, out)
	})
	Label("end")
	t.end()
	SUBQ(n, all)
	SHRQ(U8(2), all)
	Store(all, ReturnIndex(0))
	RET()
}

func bfloat16() {
	TEXT("bfloat16AVX2", NOSPLIT, "func(out []byte, raw []byte, t *[14][8]uint32)")
	out, raw, n := elements("out"), elements("raw"), length("raw")
	t := newTally()
	loop(n, 2*vector, func() {
		var half [2]reg.VecVirtual
		for i := range half {
			x, m := t.magnitudes(raw, i)
			t.count(m)
			half[i] = toBfloat16(t.moved(x, m), m)
		}
		VPACKUSDW(half[1], half[0], half[0])
		VPERMQ(U8(0b11_01_10_00), half[0], half[0]) // packing works on the halves of registers
		VMOVDQU(half[0], out)
		advance(2*vector, raw)
		advance(vector, out)
	})
	t.end()
	RET()
}

// toBfloat16 rounds the numbers x, half to even. m has their magnitudes, which show where a NaN is.
func toBfloat16(x, m reg.VecVirtual) reg.VecVirtual {
	upper, half, nan, quiet := YMM(), YMM(), YMM(), YMM()
	VPSRLD(U8(16), x, upper)
	VPAND(constant("oneBit", 1), upper, half)
	VPADDD(constant("belowHalf", 0x7FFF), half, half)
	VPADDD(x, half, half)
	VPSRLD(U8(16), half, half)
	VPAND(constant("sign16", 0x8000), upper, quiet)
	VPOR(constant("quiet16", 0x7FC0), quiet, quiet)
	VPCMPGTD(constant("infinityBits", infinity), m, nan)
	VPBLENDVB(nan, quiet, half, half)
	return half
}

func count() {
	TEXT("countAVX2", NOSPLIT, "func(raw []byte, t *[14][8]uint32)")
	raw, n := elements("raw"), length("raw")
	t := newTally()
	loop(n, 2*vector, func() {
		for i := range 2 {
			_, m := t.magnitudes(raw, i)
			t.count(m)
		}
		advance(2*vector, raw)
	})
	t.end()
	RET()
}
