package onnxtext

// Encode is the message that a text stands for.
var Encode = encode

// The rules for names.
var (
	IsIdentifier = isIdentifier
	NamesBody    = namesBody
	Identifier   = identifier
)
