package static

import "lathe/graphops"

type marker struct{}

func none(*marker, int, *graphops.Node) {}

var markConv, markGemm, markMatMul, markRemovable, markMoving, markResize, markMaxPool, markSplit, markGather, markPad, markWhere, markNorm, markAll rule = none, none, none, none, none, none, none, none, none, none, none, none, none
