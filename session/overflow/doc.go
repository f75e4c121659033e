// Package overflow finds the nodes of a float32 model that cannot be converted to float16: those
// that compute or read a value whose numbers exceed the range of float16, or would all become 0. It
// runs the model and examines the largest magnitude of every value. The values themselves stay in
// the runner.
//
// The result applies to the given inputs. Values inside bodies are not examined, only the outputs
// of the nodes that contain them.
package overflow
