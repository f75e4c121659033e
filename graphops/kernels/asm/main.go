// Command asm writes the assembly of package kernels. Each function handles whole blocks of
// numbers with AVX2 and F16C. What it computes is described by its portable version.
//
// Operands are in the order of Go's assembler, with the destination last: the reverse of the order in
// Intel's manual. So VMAXPS(b, a, to) sets to = a > b ? a : b.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	extremes()
	extremesEach()
	codes()
	codesEach()
	float16()
	bfloat16()
	count()
	Generate()
}

const (
	lanes  = 8  // numbers in a register
	vector = 32 // bytes in a register
)

// Bits of float32s.
const (
	infinity     = 0xFF << 23
	magnitude    = 1<<31 - 1
	roundingBits = 0x4B400000 // 3·2^22
)

var constants = map[string]Mem{}

// constant returns a register with 8 copies of a number, which lies in read-only memory.
func constant(name string, v uint32) reg.VecVirtual {
	if _, ok := constants[name]; !ok {
		constants[name] = ConstData(name, U32(v))
	}
	y := YMM()
	VPBROADCASTD(constants[name], y)
	return y
}

// parameter returns a register with 8 copies of a parameter of 32 bits.
func parameter(name string) reg.VecVirtual {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	y := YMM()
	VBROADCASTSS(at.Addr, y) // vet does not know the size of VPBROADCASTD
	return y
}

// elements returns the address of the elements of a parameter.
func elements(name string) Mem { return Mem{Base: Load(Param(name).Base(), GP64())} }

// length returns the number of elements of a parameter.
func length(name string) reg.Register { return Load(Param(name).Len(), GP64()) }

// advance moves addresses by a number of bytes.
func advance(bytes int, list ...Mem) {
	for _, m := range list {
		ADDQ(U32(bytes), m.Base)
	}
}

// loop repeats body. n counts down by step for each block and must be a multiple of it; 0 is allowed.
func loop(n reg.Register, step int, body func()) {
	JMP(LabelRef("next"))
	Label("block")
	body()
	SUBQ(U32(step), n)
	Label("next")
	TESTQ(n, n)
	JNZ(LabelRef("block"))
}

// load returns a register with the vector i of the elements at an address.
func load(m Mem, i int) reg.VecVirtual {
	y := YMM()
	VMOVDQU(m.Offset(vector*i), y)
	return y
}
