package look

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/check"
	"lathe/graphops/cost"
	"lathe/graphops/diff"
	"lathe/graphops/evaluate"
	"lathe/graphops/inference"
	"lathe/graphops/opschema"
	"lathe/graphops/opset"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/shape"
	"lathe/session/inputs/bounds"
	"lathe/session/proof"
)

// operatorTable is a table of operators in some package.
type operatorTable struct {
	name, file, holds string
	operators         func() []graphops.Op
}

// operatorTables are the columns of docs/operators.md, in order.
var operatorTables = []operatorTable{
	{"schema", "graphops/opschema", "ONNX or ONNX Runtime defines the operator: parameters, types, attributes; generated", schemas},
	{"CPU", "graphops/opschema", "ONNX Runtime has a kernel for the CPU; generated", kernels},
	{"shape", "graphops/shape/rules.go", "a shape rule; without one, only element types are inferred", shape.Operators},
	{"evaluate", "graphops/evaluate/evaluate.go", "constants are computed without a runtime, for some types", evaluated},
	{"cost", "graphops/cost/formulas.go", "a formula for multiply-accumulates", cost.Operators},
	{"opset", "graphops/opset/steps.txt", "a later version changed it, and the step is described", opset.Operators},
	{"check", "graphops/check/operators.go", "a rule of its own about attributes, its kernel, or failure in a run", check.Operators},
	{"axes", "graphops/axes/stacking.go, graphops/axes/tags.go", "inputs that hold sizes, or one row for each row of the data", axes.Operators},
	{"bounds", "session/inputs/bounds/rules.go", "limits on what an input of the model may hold, or elements passed on", bounds.Operators},
	{"mixing", "session/proof/mixing.go", "axes that it computes across", proof.Operators},
	{"diff", "graphops/diff/judge.go, graphops/diff/implied.go", "operands that may be swapped, attributes that follow from shapes", diff.Operators},
	{"parameters", "graphops/inference/parameters.go", "inputs that hold a layer's parameters", inference.Operators},
	{"dynamic", "graphops/quant/choose.go", "dynamic quantization rewrites it", quant.Operators},
	{"QDQ", "graphops/quant/static/rules.go", "static quantization in the QDQ format", static.Operators},
	{"QOperator", "graphops/quant/static/qoperator_ops.go", "static quantization in the QOperator format", static.IntegerOperators},
}

func schemas() []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for _, domain := range opschema.Domains() {
			for _, name := range opschema.Names(domain) {
				if !yield(graphops.Op{Domain: domain, Name: name}) {
					return
				}
			}
		}
	})
}

func kernels() []graphops.Op {
	return slices.DeleteFunc(schemas(), func(o graphops.Op) bool {
		return !slices.ContainsFunc(opschema.Kernels("", o.Domain, o.Name), func(k *opschema.Kernel) bool { return k.Provider == opschema.CPU })
	})
}

func evaluated() []graphops.Op { return graphops.ParseOps(maps.Keys(evaluate.Operators())) }

// unschemed are operators that no schema of the usual runtime has, and why a table has them.
var unschemed = map[graphops.Op]string{
	{Domain: graphops.MicrosoftDomain, Name: "SoftmaxCrossEntropyLossInternal"}: "only training builds of ONNX Runtime have it; models for training use it",
}

// TestOperatorsExist looks up every operator of every table in the schemas, so that no rule waits for
// an operator that does not exist.
func TestOperatorsExist(t *testing.T) {
	for _, table := range operatorTables {
		for _, op := range table.operators() {
			if len(opschema.Versions(op.Domain, op.Name)) == 0 && unschemed[op] == "" {
				t.Errorf("%s: %s has an operator that no schema has: %q of domain %q", table.name, table.file, op.Name, op.Domain)
			}
		}
	}
}

// TestOperatorsDocument compares docs/operators.md with the tables.
func TestOperatorsDocument(t *testing.T) {
	generated(t, "../../../docs/operators.md", operatorsDocument())
}

// TestOperatorTables fails if a table is empty, or if its file does not exist.
func TestOperatorTables(t *testing.T) {
	for _, table := range operatorTables {
		if len(table.operators()) == 0 {
			t.Errorf("table %s has no operators", table.name)
		}
		for file := range strings.SplitSeq(table.file, ", ") {
			if _, err := os.Stat("../../../" + file); err != nil {
				t.Errorf("table %s: %v", table.name, err)
			}
		}
	}
}

// operatorsDocument returns docs/operators.md.
func operatorsDocument() string {
	var b strings.Builder
	b.WriteString(`# Operators

What Lathe knows of each operator. An operator may be missing from any table: what that table
decides is then left to the schema, to ONNX Runtime, or not done. If you add an operator, look at
the row of a similar one and go through its tables. Two places have no table: conversion to float16
(` + "`graphops/half`" + `) decides by schemas and kernels, and each simplify pass (` + "`graphops/simplify`" + `) tests
for its operators itself.

This page is generated from the tables:
` + "`go test ./session/steps/look -run TestOperatorsDocument -update`" + `.

| column | operators | where | an operator is in it if |
|---|---|---|---|
`)
	known := map[graphops.Op][]bool{}
	for i, table := range operatorTables {
		list := table.operators()
		for _, o := range list {
			if known[o] == nil {
				known[o] = make([]bool, len(operatorTables))
			}
			known[o][i] = true
		}
		fmt.Fprintf(&b, "| %s | %d | `%s` | %s |\n", table.name, len(list), strings.ReplaceAll(table.file, ", ", "`, `"), table.holds)
	}
	domain := "none"
	for _, o := range graphops.SortOps(maps.Keys(known)) {
		if o.Domain != domain {
			domain = o.Domain
			writeDomain(&b, domain, maps.Keys(known))
		}
		b.WriteString("| " + o.Name + " |" + marks(known[o]) + "\n")
	}
	return b.String()
}

// writeDomain writes the beginning of the table for a domain.
func writeDomain(b *strings.Builder, domain string, all iter.Seq[graphops.Op]) {
	count := 0
	for o := range all {
		if o.Domain == domain {
			count++
		}
	}
	title := domain
	if domain == graphops.DefaultDomain {
		title = "ai.onnx"
	}
	fmt.Fprintf(b, "\n## %s (%d)\n\n| operator |", title, count)
	for _, table := range operatorTables {
		b.WriteString(" " + table.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat(":-:|", len(operatorTables)) + "\n")
}

// marks returns the cells of an operator's row.
func marks(known []bool) string {
	var b strings.Builder
	for _, is := range known {
		if is {
			b.WriteString(" ● |")
		} else {
			b.WriteString(" |")
		}
	}
	return b.String()
}
